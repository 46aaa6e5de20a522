"""The report's pictures: hands over time, tiles by position, p-values, and what each seat was dealt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import NDArray

from fairdeal.audit.findings import plural
from fairdeal.audit.report.drawing import (
    ALARM,
    CALM,
    EXPIRED,
    INK,
    LATE,
    LINE,
    LOST,
    MUTED,
    NARROW,
    PLAYED,
    VOID,
    WIDE,
    Picture,
    bare,
    sheet,
    svg,
)
from fairdeal.audit.report.timeline import Timeline
from fairdeal.audit.stats import Outcome, Statistics
from fairdeal.audit.stats.of_seats import SeatGroup
from fairdeal.tiles import TILES

Numbers = NDArray[np.float64]
Whole = NDArray[np.integer]

_LANES = (
    ("Played", (("played", PLAYED),)),
    ("Not played: void, expired, lost", (("void", VOID), ("expired", EXPIRED), ("lost", LOST))),
    ("Revealed late", (("late", LATE),)),
)
_FURTHEST = 5
"""Standard deviations that are drawn in full colour."""
_LEAST_P = 1e-9
"""Smaller p-values are drawn at the edge."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SPREAD = 2.576  # 99 % of a normal distribution lie within so many standard errors
_NAMES = {"okeys": "Okeys", "jokers": "False jokers", "pairs": "Pairs", "longest": "Longest run"}


def over_time(timeline: Timeline) -> Picture:
    """Hands by how they ended, one bar a bucket; each lane has a scale of its own."""
    totals = {kind: sum(timeline.values(kind)) for _, lane in _LANES for kind, _ in lane}
    first, last = timeline.label(timeline.span[0]), timeline.label(timeline.span[-1])
    alt = (
        f"Bars over time from {first} to {last} UTC: {plural(totals['played'], 'hand')} played, "
        f"{totals['void']:,} void, {totals['expired']:,} expired, {totals['lost']:,} lost, "
        f"{totals['late']:,} revealed late."
    )
    lanes = [lane for lane in _LANES if lane[0] == "Played" or any(totals[kind] for kind, _ in lane[1])]

    def draw(width: int) -> str:
        figure = sheet(width, 60 + 78 * len(lanes))
        axes = figure.subplots(len(lanes), 1, sharex=True, squeeze=False)[:, 0]
        for row, (title, kinds) in zip(axes, lanes, strict=True):
            _lane(bare(row, grid=True), title, kinds, timeline)
        marks = np.linspace(timeline.span[0], timeline.span[-1], 2 if width == NARROW else 4).round()
        places = sorted({int(mark) for mark in marks})
        axes[-1].set_xticks(places, [timeline.label(place) for place in places])
        labels = axes[-1].get_xticklabels()
        if len(labels) > 1:
            labels[0].set_horizontalalignment("left")
            labels[-1].set_horizontalalignment("right")
        return svg(figure, alt)

    return Picture(
        title="Hands over time",
        caption=(
            f"Each bar covers {timeline.width_words}, counted by when a hand ended, in UTC. "
            "Each row has its own scale, so that a few void hands can be seen beside many played ones."
        ),
        wide=draw(WIDE),
        narrow=draw(NARROW),
    )


def _lane(axes: Axes, title: str, kinds: Sequence[tuple[str, str]], timeline: Timeline) -> None:
    places, below = np.array(timeline.span), np.zeros(len(timeline.span))
    drawn = 0
    for kind, colour in kinds:
        values = np.array(timeline.values(kind), float)
        if values.any():
            axes.add_collection(_bars(places, below, values, colour, kind), autolim=False)
            drawn += 1
        below = below + values
    highest = max(float(below.max()), 1.0)
    axes.set_title(title)
    axes.set_xlim(places[0] - 1, places[-1] + 1)
    axes.set_ylim(0, highest * 1.04)
    axes.set_yticks([0, highest], ["0", f"{highest:,.0f}"])
    axes.spines["left"].set_visible(False)
    if drawn > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=3, borderaxespad=0, handlelength=1)


def _bars(places: Whole, bottom: Numbers, height: Numbers, colour: str, label: str) -> PolyCollection:
    """Upright bars as one thing to draw, which is many times faster than a thing each."""
    used = np.flatnonzero(height)
    left, right = places[used] - 0.42, places[used] + 0.42
    low, high = bottom[used], bottom[used] + height[used]
    corners = np.stack([[left, low], [left, high], [right, high], [right, low]])
    return PolyCollection(list(corners.transpose(2, 0, 1)), facecolors=colour, linewidths=0, label=label)


def tile_map(statistics: Statistics) -> Picture:
    """How often each tile came to each position, as deviations from the mean."""
    due = statistics.hands / TILES
    off = (statistics.tiles.T - due) / np.sqrt(due * (1 - 1 / TILES))
    far = int((abs(off) > 4).sum())
    alt = (
        f"Map of 106 tiles by 106 positions. {far} of 11,236 cells lie more than four standard deviations "
        f"from {due:,.1f}, the count that is due; chance alone leaves about one."
    )
    with_groups = {"red": 0, "yellow": 13, "blue": 26, "black": 39, "red 2": 52, "yellow 2": 65}
    with_groups |= {"blue 2": 78, "black 2": 91, "jokers": 104}
    figure = sheet(470, 490)
    axes, scale = map(bare, figure.subplots(2, 1, height_ratios=(40, 1)))
    axes.imshow(_heat(off), interpolation="none", aspect="equal")
    scale.imshow(_heat(np.linspace(-_FURTHEST, _FURTHEST, 101)[np.newaxis]), interpolation="none", aspect=2.2)
    scale.set_yticks([])
    scale.set_xticks([12, 50, 88], ["rarer by 5 deviations", "as due", "more frequent by 5"])
    axes.set_yticks(
        [first + (6 if first < 104 else 0.5) for first in with_groups.values()], list(with_groups)
    )
    axes.set_xticks([0, 21, 42, 63, 84, 105])
    axes.set_xlabel("position in the shuffled order")
    for spine in axes.spines.values():
        spine.set_visible(True)
    return Picture(
        title="Tiles by position",
        caption=(
            "Each cell is one tile at one position: orange where it came there more often than is due, blue "
            "where less often, the stronger the further off. Fair shuffles leave even speckle; stripes, a "
            "diagonal or darker corners would show a shuffle that favours places."
        ),
        wide=svg(figure, alt),
    )


def _heat(off: Numbers) -> Numbers:
    """Colours of deviations: opacity tells how far, hue which way, so it suits light and dark pages."""
    colours = np.empty((*off.shape, 4))
    colours[..., :3] = np.where(off[..., np.newaxis] > 0, (0.85, 0.37, 0.01), (0.13, 0.44, 0.71))
    colours[..., 3] = np.clip(abs(off) / _FURTHEST, 0, 1)
    return colours


def p_values(tests: Sequence[Outcome], level: float) -> Picture:
    """The p-values of the tests that were run, on a logarithmic scale."""
    ran = [test for test in tests if test.p is not None][::-1]
    edge = level / max(len(ran), 1)
    alarms = [test.title for test in ran if test.alarm]
    alt = f"p-values of {plural(len(ran), 'test')}. " + (
        f"Alarms: {', '.join(alarms[::-1])}." if alarms else "None raises an alarm."
    )
    lowest = min([edge / 10, *(max(test.p or 0.0, _LEAST_P) / 3 for test in ran)])

    def draw(width: int) -> str:
        narrow = width == NARROW
        figure = sheet(width, (34 if narrow else 22) * len(ran) + 50)
        axes = bare(figure.add_subplot(), grid=True)
        axes.set_xscale("log")
        axes.set_xlim(lowest, 1.6)
        axes.set_ylim(-0.7, len(ran) - 0.2)
        axes.axvspan(lowest, edge, color=ALARM, alpha=0.1, linewidth=0)
        axes.axvline(edge, color=ALARM, linewidth=1, alpha=0.5 if narrow else 1)
        for row, test in enumerate(ran):
            at = max(test.p or 0.0, _LEAST_P)
            shape = "D" if test.alarm else "o"
            axes.plot([at], [row], shape, color=ALARM if test.alarm else CALM, markersize=7, clip_on=False)
            if narrow:
                axes.text(lowest * 1.2, row + 0.28, test.title, color=INK)
        axes.set_yticks(range(len(ran)), [""] * len(ran) if narrow else [test.title for test in ran])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("p-value, from surprising to unsurprising")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
        axes.xaxis.set_minor_locator(NullLocator())
        return svg(figure, alt)

    return Picture(
        title="p-values",
        caption=(
            "A p-value tells how often fair deals would stray at least this far. In the shaded part a test "
            f"raises an alarm by itself; the line takes into account that there are {len(ran)} of them, so "
            "that honest deals cross it once in a hundred audits. Points anywhere to the right of it are "
            "what chance looks like. Values below 10⁻⁹ are drawn there."
        ),
        wide=draw(WIDE),
        narrow=draw(NARROW),
    )


def power_of_ten(value: float) -> str:
    """1, 0.1, 0.01, 0.001 and then 10⁻⁴ and so on."""
    exponent = round(np.log10(value))
    if exponent >= -3:
        return f"{value:g}"
    return f"10⁻{str(-exponent).translate(_RAISED)}"


def seats(groups: Sequence[SeatGroup]) -> list[Picture]:
    """What the seats were dealt, by game: the difference from what is due, in percent."""
    games = list(dict.fromkeys(group.game for group in groups))
    return [_seats(game, [group for group in groups if group.game == game]) for game in games]


def _seats(game: str, groups: Sequence[SeatGroup]) -> Picture:
    widest = [_percent(group, np.sqrt(np.diag(group.covariance)) * _SPREAD).max() for group in groups]
    furthest = [abs(_percent(group, group.observed - group.expected)).max() for group in groups]
    alt = f"{game}: " + "; ".join(
        f"{_NAMES[group.thing].lower()} differ from what is due by up to {off:.1f} % at any seat, "
        f"where chance allows {allowed:.1f} %"
        for group, off, allowed in zip(groups, furthest, widest, strict=True)
    )

    def draw(width: int) -> str:
        columns = 2 if width == NARROW else 4
        rows = -(-len(groups) // columns)
        count = len(groups[0].observed)
        figure = sheet(width, rows * (26 * count + 52))
        for k, group in enumerate(groups):
            _seat_bars(bare(figure.add_subplot(rows, columns, k + 1)), group, first=k % columns == 0)
        return svg(figure, alt)

    return Picture(
        title=f"What each seat was dealt: {game}",
        caption=(
            f"Over {plural(max(group.hands for group in groups), 'hand')}: how much more or less a seat was "
            "dealt than is due to it, in percent. The pale band is what chance allows one seat in 99 of 100 "
            "cases; the seat that starts is dealt a tile more, which is reckoned in."
        ),
        wide=draw(WIDE),
        narrow=draw(NARROW),
    )


def _percent(group: SeatGroup, values: Numbers) -> Numbers:
    return values / group.expected * 100


def _seat_bars(axes: Axes, group: SeatGroup, *, first: bool) -> None:
    off = _percent(group, group.observed - group.expected)
    allowed = _percent(group, np.sqrt(np.diag(group.covariance)) * _SPREAD)
    places = np.arange(len(off))[::-1]
    axes.barh(places, 2 * allowed, left=-allowed, height=0.74, color=LINE, alpha=0.55)
    beyond = abs(off) > allowed
    colours = [ALARM if far else PLAYED for far in beyond]
    axes.barh(places, off, height=0.34, color=colours)
    axes.axvline(0, color=MUTED, linewidth=0.8)
    limit = float(max(allowed.max(), abs(off).max())) * 1.15
    axes.set_xlim(-limit, limit)
    mark = float(f"{limit / 1.6:.1g}")
    axes.set_xticks([-mark, 0, mark], [f"−{mark:g} %", "0", f"+{mark:g} %"])
    axes.set_yticks(places, [f"seat {seat}" for seat in range(len(off))] if first else [""] * len(off))
    axes.set_title(_NAMES[group.thing])
    axes.spines["left"].set_visible(False)
