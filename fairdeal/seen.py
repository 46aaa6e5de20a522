"""What a player kept from before the hand, and whether it agrees with the evidence (protocol §10.6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fairdeal.deal import OkeyDeal
from fairdeal.encoding import integer, parse_hex, parse_json
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.errors import EvidenceError, MalformedError, UnsupportedError
from fairdeal.evidence import Evidence, Stated, first
from fairdeal.openings import Opening, check_against_root, parse_opening, positions, salt
from fairdeal.receipt import Document, Receipt, parse_receipt
from fairdeal.seeds import SEED_SIZE, seal
from fairdeal.terms import DECK_SEATS
from fairdeal.tiles import name, parse_name


@dataclass(frozen=True)
class SeenCommitment:
    """A commitment noted down before the hand: 32 bytes."""

    commitment: bytes


@dataclass(frozen=True)
class SeenReceipt:
    """A commit receipt or lock receipt kept from before the reveal."""

    receipt: Receipt


@dataclass(frozen=True)
class SeenSeed:
    """One's own seat and client seed (32 bytes)."""

    seat: int
    seed: bytes = field(repr=False)


@dataclass(frozen=True)
class SeenTiles:
    """One's own seat and the faces dealt there, by name, in any order."""

    seat: int
    faces: tuple[str, ...]


@dataclass(frozen=True)
class SeenOpening:
    """An opening received during the hand."""

    opening: Opening


Seen = SeenCommitment | SeenReceipt | SeenSeed | SeenTiles | SeenOpening

_OWN = re.compile(r"(seed|tiles):(0|[1-9][0-9]?)=(.*)", re.ASCII | re.DOTALL)


@dataclass
class Comparison:
    """The outcome of comparing, each item in words.

    ``commitment_held``: a kept commitment agrees; ``held_before_opening``: one that stood before any client
    seed was opened; ``own_seed``: the verifier's own client seed is among the contributions.
    """

    agreed: list[str] = field(default_factory=list)
    disagreed: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    commitment_held: bool = False
    held_before_opening: bool = False
    own_seed: bool = False

    def judge(self, agrees: bool, what: str) -> bool:
        """Note an item down as agreeing or not."""
        (self.agreed if agrees else self.disagreed).append(what)
        return agrees


def parse_seen(text: str) -> Seen:
    """``seed:SEAT=HEX``, ``tiles:SEAT=R10,K1,J`` or a commitment in hex. Errors never repeat the text."""
    own = _OWN.fullmatch(text)
    if not own:
        return SeenCommitment(parse_hex(text, "seen", SEED_SIZE))
    seat = integer(int(own[2]), "seen.seat", 0, DECK_SEATS[1] - 1)
    if own[1] == "seed":
        return SeenSeed(seat, parse_hex(own[3], "seen.seed", SEED_SIZE))
    faces = tuple(own[3].split(","))
    for face in faces:
        parse_name(face, "seen.tiles")
    return SeenTiles(seat, faces)


def parse_seen_text(text: str) -> list[Seen]:
    """The items in a kept file: a receipt, an opening, or the service's answer holding either.

    Raises :class:`MalformedError`; a receipt that is not well-formed is the caller's mistake, not evidence.
    """
    value = parse_json(text, "seen")
    if isinstance(value, dict) and value.keys() == {"openings"} and isinstance(value["openings"], list):
        value = value["openings"]
    if isinstance(value, list):
        return [SeenOpening(parse_opening(item, f"seen[{k}]")) for k, item in enumerate(value)]
    if isinstance(value, dict) and "slot" in value:
        return [SeenOpening(parse_opening(value, "seen"))]
    if isinstance(value, dict) and isinstance(value.get("receipt"), dict):
        # The service's answer to a commit or deal: people keep it whole, so take the receipt out of it.
        value = value["receipt"]
    try:
        receipt = parse_receipt(value)
    except MalformedError as error:
        raise MalformedError(f"seen.{error.field}" if error.field else "seen", error.rule) from None
    if any(item.content is None for item in receipt.entries):
        raise UnsupportedError("seen", "holds an entry of a version or type that this release does not know")
    return [SeenReceipt(receipt)]


def compare(items: Sequence[Seen], evidence: Evidence) -> Comparison:
    """Compare everything that was kept; ``evidence`` must state its hand."""
    result = Comparison()
    stated = evidence.stated
    if stated is None:
        result.not_compared.append("anything: the hand's commit is not shown")
        return result
    for item in items:
        if isinstance(item, SeenCommitment):
            _commitment(item, stated, result)
        elif isinstance(item, SeenReceipt):
            _receipt(item.receipt, stated, evidence, result)
        elif isinstance(item, SeenSeed):
            _seed(item, stated, evidence, result)
        elif isinstance(item, SeenTiles):
            _tiles(item, evidence, result)
        else:
            _opening(item.opening, stated, evidence, result)
    if not any(isinstance(item, SeenTiles) for item in items):
        result.not_compared.append("your own tiles")
    if any(isinstance(item, SeenReceipt) for item in items):
        result.not_compared.append("whether the log grew from the checkpoint you kept (an audit does that)")
    return result


def _commitment(item: SeenCommitment, stated: Stated, result: Comparison) -> None:
    if stated.commitment is None:
        result.not_compared.append("your commitment: the record has none")
    elif result.judge(item.commitment == stated.commitment, "your commitment"):
        result.commitment_held = result.held_before_opening = True


def _receipt(kept: Receipt, stated: Stated, evidence: Evidence, result: Comparison) -> None:
    contents = [item.content for item in kept.entries if item.content is not None]
    if not contents or len(contents) < len(kept.entries):
        result.set_aside.append("a kept receipt whose entries can't be read")
        return
    commit = first(kept.entries, Commit)
    if (commit or contents[0]).hand != stated.hand:
        result.set_aside.append("a kept receipt of another hand")
        return
    before = len(result.disagreed)
    if isinstance(evidence.document, Receipt):
        _with_receipt(kept, evidence.document, result)
    else:
        _with_record(kept, stated, evidence, result)
    if len(result.disagreed) > before:
        return
    if first(kept.entries, Reveal):
        # It was written after the hand, so it can't show what stood before it.
        result.set_aside.append("a kept receipt as a commitment: it holds the reveal already")
    elif commit and stated.commitment is not None:
        result.commitment_held = True
        # A lock receipt comes after the seats opened: it can't show that the commit came first.
        result.held_before_opening |= first(kept.entries, Lock) is None
        if _made_late(kept, evidence.document):
            result.not_compared.append(
                "when you kept that receipt: its checkpoint covers the reveal, so it was made after the hand"
            )


def _made_late(kept: Receipt, shown: Document) -> bool:
    """Whether the kept receipt's checkpoint covers the reveal that is shown."""
    if not isinstance(shown, Receipt) or kept.head.origin != shown.head.origin:
        return False
    return any(isinstance(i.content, Reveal) and i.index < kept.head.size for i in shown.entries)


def _with_receipt(kept: Receipt, shown: Receipt, result: Comparison) -> None:
    ended = first(shown.entries, Reveal) is not None
    for logged in kept.entries:
        kind = type(logged.content)
        label = f"the kept {kind.__name__.lower()} entry"
        twin = next((other for other in shown.entries if type(other.content) is kind), None)
        if twin is None and ended:
            # Nothing follows a reveal: what was kept must stand before it, or the log told two stories.
            result.judge(False, f"{label}: the ended hand shown has none")
        elif twin is None:
            result.not_compared.append(f"{label}: there is none to compare it with")
        else:
            result.judge((logged.index, logged.entry) == (twin.index, twin.entry), label)
    a, b = kept.head, shown.head
    if (a.origin, a.size) == (b.origin, b.size) and a.root != b.root:
        result.judge(False, "the kept checkpoint: the same log and size with another tree head")


def _with_record(kept: Receipt, stated: Stated, evidence: Evidence, result: Comparison) -> None:
    commit, lock = first(kept.entries, Commit), first(kept.entries, Lock)
    if commit:
        # A record may have lost its commitment; one that has it must have the right one.
        same = (commit.terms, commit.seals) == (stated.terms, stated.seals)
        result.judge(same and stated.commitment in (None, commit.commitment), "the kept commit")
    if lock:
        opened = (lock.contributions, lock.deal_root)
        result.judge(opened == (evidence.contributions, evidence.deal_root), "the kept lock")


def _seed(item: SeenSeed, stated: Stated, evidence: Evidence, result: Comparison) -> None:
    sealed = next((s.seal for s in stated.seals if s.seat == item.seat), None)
    agrees = sealed == seal(item.seed)
    if evidence.contributions is not None:
        opened = next((c.seed for c in evidence.contributions if c.seat == item.seat), None)
        agrees &= opened == item.seed
        result.own_seed |= agrees
    elif agrees:
        result.not_compared.append(f"seat {item.seat}'s client seed with the lock: there is none")
    result.judge(agrees, f"seat {item.seat}'s client seed")


def _tiles(item: SeenTiles, evidence: Evidence, result: Comparison) -> None:
    if evidence.ended_unlocked:
        result.judge(False, f"seat {item.seat}'s tiles: the hand shown ended before anything was dealt")
        return
    if not isinstance(evidence.truth, OkeyDeal):
        result.not_compared.append(f"seat {item.seat}'s tiles: no hands can be derived")
        return
    hands = evidence.truth.hands
    agrees = item.seat < len(hands) and Counter(map(name, hands[item.seat])) == Counter(item.faces)
    result.judge(agrees, f"seat {item.seat}'s tiles")


def _opening(opening: Opening, stated: Stated, evidence: Evidence, result: Comparison) -> None:
    if opening.hand != stated.hand:
        result.set_aside.append("an opening of another hand")
        return
    if evidence.ended_unlocked:
        result.judge(False, f"the opening of {opening.slot}: the hand shown ended before anything was dealt")
        return
    if not evidence.locked:
        result.not_compared.append(f"the opening of {opening.slot}: there is no lock")
        return
    try:
        check_against_root(opening, stated.terms, evidence.deal_root)
        agrees = True
    except EvidenceError:
        agrees = False
    if evidence.key is not None and evidence.truth is not None:
        placed = positions(stated.terms, evidence.truth)
        agrees &= placed[opening.index : opening.index + 1] == [(opening.slot, opening.tile)]
        agrees &= opening.salt == salt(evidence.key, opening.slot)
    result.judge(agrees, f"the opening of {opening.slot}")
