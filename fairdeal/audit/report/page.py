"""The report as one page: the template filled in, everything from outside escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fairdeal.audit.findings import plural
from fairdeal.audit.report import pictures
from fairdeal.audit.report.drawing import Picture, style
from fairdeal.audit.report.summary import AuditSummary, share, size_words
from fairdeal.audit.report.timeline import utc

MOST_OPERATORS = 200


def render(summary: AuditSummary) -> str:
    """See :func:`fairdeal.audit.report.render_html`."""
    loader = PackageLoader("fairdeal.audit.report", "template")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "amount": amount,
        "count": lambda n: f"{n:,}",
        "percent": percent,
        "plural": plural,
        "probability": probability,
        "size": size_words,
        "tied": lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%"),
        "utc": utc,
        "visible": visible,
    }
    environment.globals["share"] = share
    css, _, _ = loader.get_source(environment, "page.css")
    return environment.get_template(
        "page.html"
    ).render(
        css=Markup(css),  # noqa: S704  # the package's own style sheet
        summary=summary,
        operators=sorted(summary.operators, key=lambda line: -line.counts.hands)[:MOST_OPERATORS],
        **_pictures(summary),
    )


def _pictures(summary: AuditSummary) -> dict[str, list[Picture]]:
    """Pictures by their place on the page; the SVG of each is made by matplotlib, which escapes its texts."""
    statistics, timeline = summary.statistics, summary.timeline
    drawn: dict[str, list[Picture]] = {"time": [], "tiles": [], "values": [], "seats": []}
    with style():
        if timeline is not None and len(timeline.span):
            drawn["time"] = [pictures.over_time(timeline)]
        if statistics is not None and statistics.hands:
            drawn["tiles"] = [pictures.tile_map(statistics)]
            if any(test.ran for test in statistics.tests):
                drawn["values"] = [pictures.p_values(statistics.tests, statistics.level)]
            drawn["seats"] = pictures.seats(statistics.seats)
    return {f"{place}_pictures": found for place, found in drawn.items()}


def probability(value: float | None) -> str:
    """A p-value or power for people: as few digits as say something."""
    if value is None:
        return "–"
    if value == 0 or value < 1e-99:
        return "< 10⁻⁹⁹"
    if value < 0.0001:
        digits, exponent = f"{value:.1e}".split("e")
        return f"{digits} · 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return f"{value:.4f}" if value < 0.01 else f"{value:.2f}"


def amount(value: float) -> str:
    """A number that was seen or expected, with as many digits as its size calls for."""
    if value == round(value) or abs(value) >= 1000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.2g}"
    return text.replace("-", "−")


def percent(value: float) -> str:
    """A power in percent: never 100 where it is not certain."""
    if value >= 99.95:
        return "> 99.9 %"
    return f"{value:.0f} %" if 10 <= value <= 99 else f"{value:.1f} %"


def visible(text: object) -> str:
    """Text from a log or a file, with characters that can't be seen or that turn its direction marked."""
    return "".join(c if c.isprintable() else "\ufffd" for c in str(text))
