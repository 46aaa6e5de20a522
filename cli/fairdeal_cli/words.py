"""Every sentence that the command line says about a verdict (protocol §10.2–§10.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairdeal.evidence import Evidence
from fairdeal.verify import GIVEN_KEY, NO_KEY, OWN_KEY, Report

LEGEND = (("pass", "holds"), ("fail", "fails"), ("absent", "not shown"), ("none", "does not apply"))
"""What the marks beside checks mean."""

GRINDING: Mapping[str | None, str] = {
    "operator": (
        "The operator alone. No player's seed that can be relied on went into the deal, so the operator "
        "could have tried server seeds until it liked one. Nothing shows that it did; nothing rules it out."
    ),
    "operator-with-all-seats": (
        "Only the operator together with every seat that contributed ({seats}). House bots count as the "
        "operator. If one of these seeds was yours, give it and the commit receipt that you kept (--seen)."
    ),
    "nobody": (
        "Nobody: your own seed is in the deal, and the commitment you kept stood before you opened it. "
        "This assumes that the program which made your seed is not the operator's."
    ),
    None: "Nobody so far: no hand was locked, so there is no deal to choose.",
}
"""Who could have chosen the deal by trying seeds (protocol §10.3)."""

STOPPING = (
    "Whoever can stop a lock can turn deals down one by one; each stays in the log for audits to count."
)

LOG_EVIDENCE: Mapping[str, str] = {
    GIVEN_KEY: "The entries lie in a log whose head is signed by a key you gave.",
    OWN_KEY: (
        "Only the receipt's own key vouches for the log, and anyone can make a key. Give the log's key, "
        "known from elsewhere, with --key."
    ),
    NO_KEY: "No log evidence: nothing here shows that the hand stands in a log.",
}
"""What vouches for the log (protocol §10.2)."""

CAUSES: Mapping[str, str] = {
    "commitment-as-seed": "The commitment was used where the server seed belongs.",
    "seed-as-hex-text": "The server seed's hex text was used in place of its 32 bytes.",
    "other-hands-seed": "The server seed is another hand's.",
    "other-terms": "The hand was dealt under other terms than those committed to.",
    "contribution-dropped": "A seat's client seed was left out, though its seal was committed to.",
    "contribution-changed": "A client seed is not the one its seat sealed, or went in swapped or altered.",
    "seed-used-as-key": (
        "The server seed was used as the deal key itself, so hand, terms and client seeds had no say."
    ),
    "little-endian-draws": "Draws were read with the lowest byte first instead of the highest.",
    "ascending-shuffle": "The shuffle ran upwards through the tiles instead of downwards.",
    "shuffle-off-by-one": "The shuffle stops one step early, or never lets a tile stay in place.",
    "naive-shuffle": "Every step of the shuffle swapped with any position, which favours some orders.",
    "tile-twice": "A tile is there twice.",
    "false-joker-as-indicator": (
        "A false joker was taken as the indicator; the second throw should have been repeated."
    ),
    "okey-is-indicator": "The indicator's own face was made the okey instead of the next number.",
    "stock-from-wrong-end": "The stock, or the selected stack's part of it, was taken from the wrong end.",
    "hands-misdealt": "Order and table are right, but hands or stock were not dealt from them by the rules.",
    "unknown": "No known mistake explains it.",
}
"""One sentence for every cause of a refutation (protocol §10.4)."""


def sentence(report: Report, evidence: Evidence | None) -> str:
    """The verdict in one plain sentence with what it rests on."""
    if evidence is None:
        return "This is not in the form of a receipt or record, so nothing in it was checked further."
    if report.verdict == "refuted":
        failed = [c.name for c in report.checks if c.result == "fail"]
        which = f"check {failed[0]} fails" if len(failed) == 1 else f"checks {_list(failed)} fail"
        return f"Something here is not as it must be: the {which}."
    if report.verdict == "incomplete":
        return _incomplete(report, evidence)
    what = (
        "The hand ended before anything was dealt, and the server seed revealed for it is the committed one"
        if evidence.ended_unlocked
        else "The deal is exactly the one that the committed seeds give"
    )
    if report.verdict == "verified":
        return f"{what}, and what you kept from before the hand agrees: nothing was changed since."
    if report["seen"].detail.startswith("nothing kept"):
        return (
            f"{what}. But nothing kept from before the hand was given (--seen), so nothing shows that the "
            "commitment stood then: a document like this could have been written afterwards."
        )
    return f"{what}. But what was given does not show that the commitment stood before the hand."


def grinding(report: Report, evidence: Evidence) -> str:
    """Who could have chosen the deal by trying seeds, with the seats named."""
    seats = [str(c.seat) for c in evidence.contributions or ()]
    named = f"seat {seats[0]}" if len(seats) == 1 else f"seats {_list(seats)}"
    return GRINDING[report.grinding].format(seats=named)


def _incomplete(report: Report, evidence: Evidence) -> str:
    if evidence.unsupported:
        return "An entry is of a kind that this release does not know; nothing else here is wrong."
    missing = [c.name for c in report.checks if c.result == "absent" and c.name in _NEEDED]
    if evidence.stated is not None and evidence.server_seed is None:
        stage = "locked" if evidence.locked else "committed"
        return f"Nothing is wrong so far, but the hand is only {stage}: its server seed is not revealed here."
    return f"Nothing is wrong in what is shown, but the evidence is missing for {_list(missing)}."


_NEEDED = ("format", "commitment", "seals", "key", "shuffle", "table", "hands", "openings")


def _list(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
