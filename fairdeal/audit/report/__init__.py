"""What an audit tells people: a summary of all it found, and a self-contained page made of it.

:mod:`~fairdeal.audit.report.summary` needs nothing beyond Python; the page needs the extra ``audit``.
"""

from fairdeal.audit.report.summary import AuditSummary, FindingKind, OperatorLine, Source
from fairdeal.audit.report.timeline import Timeline

__all__ = ["AuditSummary", "FindingKind", "OperatorLine", "Source", "Timeline", "render_html"]


def render_html(summary: AuditSummary) -> str:
    """The audit as one HTML page with nothing outside it. The same summary gives the same page.

    Raises :class:`fairdeal.errors.UsageError` where the extra ``audit`` is not installed.
    """
    try:
        from fairdeal.audit.report import page  # noqa: PLC0415  # Jinja2 and matplotlib are an extra
    except ModuleNotFoundError as error:
        from fairdeal.errors import UsageError  # noqa: PLC0415  # only here

        raise UsageError(
            f"the report needs {error.name}: pip install '.[audit]' in fairdeal's folder"
        ) from error
    return page.render(summary)
