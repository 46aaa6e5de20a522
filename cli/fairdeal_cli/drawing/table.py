"""A whole deal drawn: what was thrown, the wall, the hands and the stock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from fairdeal.audit.findings import plural
from fairdeal.deal import Deal, DeckDeal, OkeyDeal
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from fairdeal_cli.drawing.ink import CELL, FACE_UP, SPARE, WILD, Ink
from fairdeal_cli.drawing.wall import picture, rows

_GAMES = {"okey": "Okey", "okey101": "Okey 101"}
_PLACES = {2: ("", "opposite"), 3: ("", "right", "left"), 4: ("", "right", "opposite", "left")}
_LABEL = 10
_WIDEST = 100


def draw(console: Console, terms: Terms, deal: Deal) -> None:
    """Draw a deal as wide as the console is, 100 columns at most."""
    width = min(console.width, _WIDEST)
    lines = _deck(terms, deal, width) if isinstance(deal, DeckDeal) else _okey(console, terms, deal, width)
    for line in lines:
        line.rstrip()
        console.print(line, soft_wrap=True)


def describe(terms: Terms, dot: str = "·") -> str:
    """The terms in a line of words."""
    if isinstance(terms, DeckTerms):
        parts = ["Deck", plural(terms.size, "tile"), plural(terms.seats, "seat")]
    else:
        parts = [_GAMES[terms.game], f"{terms.layout} layout", plural(terms.seats, "seat")]
        parts.append("dealer thrown for" if terms.dealer == "throw" else f"dealer seat {terms.dealer}")
        if terms.layout == "wall":
            parts.append("one die" if terms.dice == 1 else "two dice")
    if terms.openings:
        parts.append("openings")
    return f" {dot} ".join(parts)


def _okey(console: Console, terms: Terms, deal: OkeyDeal, width: int) -> Iterator[Text]:
    if not isinstance(terms, OkeyTerms):
        return
    ink = Ink(
        ascii=console.options.ascii_only,
        wild=frozenset(deal.okey),
        indicator=deal.indicator,
        spare=deal.wall.spare if deal.wall else None,
    )
    yield from _dealer(deal, ink)
    yield _indicator(deal, ink)
    if deal.wall:
        yield Text("")
        yield from picture(
            deal.wall, rows(deal.wall, terms.seats, deal.dealer, _labels(terms, deal, ink)), ink, width
        ).lines
    yield Text("")
    yield Text("Hands by seat, in the order taken", style="bold")
    for seat, hand in enumerate(deal.hands):
        yield from _laid(_seat_label(seat, deal), _taken(terms, deal, hand), ink, width)
    yield Text("")
    yield Text(f"Stock, next tile first ({plural(len(deal.stock), 'tile')})", style="bold")
    yield from _stock(deal.stock, ink, width)
    yield Text("")
    yield from _legend(deal, ink)


def _dealer(deal: OkeyDeal, ink: Ink) -> Iterator[Text]:
    who = f"Dealer  seat {deal.dealer}; seat {deal.starter} starts"
    if not deal.dealer_throws:
        yield Text(who)
        return
    for k, throws in enumerate(deal.dealer_throws):
        line = Text("Dealer  " if k == 0 else "        ")
        line.append("thrown for: " if k == 0 else "tied again: ")
        for seat, value in throws:
            line.append(f"seat {seat} ")
            line.append(ink.dice((value,)), style="bold")
            line.append("   ")
        yield line
    yield Text(f"        {ink.arrow} seat {deal.dealer} deals, seat {deal.starter} starts")


def _indicator(deal: OkeyDeal, ink: Ink) -> Text:
    line = Text.assemble("Indicator" if ink.ascii else "Indicator (gösterge)", " ", ink.tile(deal.indicator))
    line.append("   okeys (wild) ")
    for tile in deal.okey:
        line.append_text(ink.tile(tile))
    return line


def _labels(terms: OkeyTerms, deal: OkeyDeal, ink: Ink) -> list[str]:
    labels = []
    for seat in range(terms.seats):
        place = _PLACES[terms.seats][(seat - deal.dealer) % terms.seats]
        words = [f"seat {seat}", "dealer" if seat == deal.dealer else place]
        labels.append(f" {ink.dot} ".join([*words, *(["starts"] if seat == deal.starter else [])]))
    return labels


def _seat_label(seat: int, deal: OkeyDeal) -> str:
    role = " deals" if seat == deal.dealer else " starts" if seat == deal.starter else ""
    return f"{seat}{role}"


def _taken(terms: OkeyTerms, deal: OkeyDeal, hand: Sequence[int]) -> list[Sequence[int]]:
    """A hand in the groups it was taken in: stacks' heights at the wall, all at once without one."""
    if not deal.wall:
        return [hand]
    height = terms.stack_height
    full = terms.hand_size // height * height
    # With three rounds of seven a full Okey 101 hand is complete; only the starter's extra tile follows.
    groups = [hand[k : k + height] for k in range(0, full, height)]
    return [*groups, hand[full:]] if len(hand) > full else groups


def _laid(label: str, groups: Sequence[Sequence[int]], ink: Ink, width: int) -> Iterator[Text]:
    """Tiles behind a label, in lines that break between groups where they can."""
    room = max(CELL, width - _LABEL)
    line, used, head = Text(), 0, label
    for group in groups:
        for piece in [group[k : k + room // CELL] for k in range(0, len(group), room // CELL)]:
            gap = 2 if used else 0
            if used + gap + CELL * len(piece) > room:
                yield Text.assemble((head.ljust(_LABEL), "bold"), line)
                line, used, gap, head = Text(), 0, 0, ""
            line.append(" " * gap)
            for tile in piece:
                line.append_text(ink.tile(tile))
            used += gap + CELL * len(piece)
    yield Text.assemble((head.ljust(_LABEL), "bold"), line)


def _stock(stock: Sequence[int], ink: Ink, width: int) -> Iterator[Text]:
    each = max(1, (width - _LABEL) // CELL)
    each = each // 4 * 4 or each
    for k in range(0, len(stock), each):
        label = Text(f"{k + 1}".ljust(_LABEL), style="dim")
        yield Text.assemble(label, Text().join(ink.tile(tile) for tile in stock[k : k + each]))


def _legend(deal: OkeyDeal, ink: Ink) -> Iterator[Text]:
    if ink.ascii:
        shapes = "R red  Y yellow  B blue  K black  J false joker"
    else:
        shapes = "● red  ◆ yellow  ▲ blue  ■ black  ★ false joker"
    marks = f"{'>' if ink.ascii else FACE_UP} indicator  {WILD} okey"
    if deal.wall:
        marks += f"  {SPARE} spare  [n] selected stack; tops lie to the middle"
    yield Text(shapes, style="dim")
    yield Text(marks, style="dim")


def _deck(terms: Terms, deal: DeckDeal, width: int) -> Iterator[Text]:
    yield Text(f"Order, first drawn first ({plural(terms.size, 'tile')}, numbered from 0)", style="bold")
    digits = len(str(terms.size - 1)) + 1
    each = max(1, (width - _LABEL) // digits)
    each = each // 10 * 10 or each
    for k in range(0, len(deal.order), each):
        line = Text(f"{k}".ljust(_LABEL), style="dim")
        line.append("".join(str(tile).rjust(digits) for tile in deal.order[k : k + each]), style="not dim")
        yield line
