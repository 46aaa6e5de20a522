"""How the report's pictures are made: matplotlib draws them, the page colours them.

A picture is drawn in stand-in colours which then become the page's own, so that it turns dark with the page
and prints light. Text stays text. Nothing depends on the machine or the time, so the same figures always give
the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from io import StringIO

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

WIDE, NARROW = 760, 340
"""Widths in the page's pixels: for a sheet or a screen, and for a phone."""

INK, MUTED, LINE, PLAYED, VOID, EXPIRED, LOST, LATE, ALARM, CALM = (f"#0a0b{k:02x}" for k in range(10))
_COLOURS = {
    INK: "ink",
    MUTED: "muted",
    LINE: "line",
    PLAYED: "played",
    VOID: "void",
    EXPIRED: "expired",
    LOST: "lost",
    LATE: "late",
    ALARM: "alarm",
    CALM: "calm",
}
_TEXT = 10.5
_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.labelsize": _TEXT,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": _TEXT,
    "axes.unicode_minus": True,
    "font.family": "DejaVu Sans",
    "font.size": _TEXT,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "image.composite_image": False,
    "legend.fontsize": _TEXT,
    "legend.frameon": False,
    "legend.labelcolor": MUTED,
    "svg.fonttype": "none",
    "svg.hashsalt": "fairdeal",
    "text.color": INK,
    "xtick.color": LINE,
    "xtick.labelcolor": MUTED,
    "xtick.labelsize": _TEXT,
    "ytick.color": LINE,
    "ytick.labelcolor": MUTED,
    "ytick.labelsize": _TEXT,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG for wide pages and one for narrow ones (the same where one will do), with the words for both."""

    title: str
    caption: str
    wide: str
    narrow: str | None = None


@contextmanager
def style() -> Iterator[None]:
    """Draw in the report's style, whatever matplotlib is set to elsewhere."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)  # type: ignore[arg-type]  # a dictionary of settings as the manual has it
        yield


def sheet(width: int, height: float) -> Figure:
    """An empty figure, sizes in the page's pixels."""
    return Figure(figsize=(width / 72, height / 72), layout="constrained")


def bare(axes: Axes, *, grid: bool = False) -> Axes:
    """Axes without the ticks' own little lines; ``grid`` draws lines across at the upright axis."""
    axes.tick_params(length=0)
    axes.grid(visible=grid, axis="y")
    return axes


def svg(figure: Figure, alt: str) -> str:
    """The figure as an ``<svg>`` element to put into a page, with its words for those who cannot see it."""
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    stream = StringIO()
    nothing = {"Date": None, "Creator": None}
    FigureCanvasSVG(figure).print_svg(stream, metadata=nothing)  # type: ignore[no-untyped-call]  # matplotlib lacks types here
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    # The page's own style sheet says what the figure's does; a second one would reach all over the page.
    text = re.sub(r"<(metadata|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    # Ids of groups repeat from picture to picture, and nothing refers to them; definitions have hashed ones.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"font-family: [^;\"]+", "font-family: inherit", text)
    for colour, name in _COLOURS.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r"\n\s+", "\n", text)
    opening = f'<svg role="img" aria-label="{escape(alt)}"'
    return re.sub(
        r'<svg (.*?)width="[0-9.]+pt" height="[0-9.]+pt"', lambda m: f"{opening} {m[1]}", text, count=1
    )
