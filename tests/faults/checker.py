"""Whether a log holds to what its clients saw: reads a history and the log, gives what is wrong.

- Every acknowledged entry stands in the log, byte for byte, at the index that was told.
- Every checkpoint that anybody was handed is signed by the log and one of its prefixes (RFC 9162 §2.1.4.2).
- The log tells whole lives: commit, lock, reveal in order, chained by ``prev``; times never go back.
- Numbers of a table run from 1 without gap or twin; an ask has one hand; no hand is there unasked.
- A reveal with ``next`` is there with the next commit or not at all; a deal that was told is the one that the
  revealed seeds give.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.deal import make_deal
from fairdeal.entries import Commit, Entry, Lock, Reveal, parse_entry
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.merkle import leaf_hash, verify_consistency
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.seeds import deal_key
from fairdeal.tiling import TileReader

Events = list[dict[str, Any]]
LIVES = (
    ["commit"],
    ["commit", "lock"],
    ["commit", "lock", "reveal"],
    ["commit", "reveal"],
)
STATES = {"commit": "committed", "lock": "locked", "reveal": "revealed"}


@dataclass
class Found:
    """A log as it was read: its checkpoint, all entries, its key, and its tiles by path."""

    checkpoint: Checkpoint
    entries: list[bytes]
    verifier: Verifier
    tile: Callable[[str], bytes]


def check(events: Events, log: Found) -> list[str]:
    """Everything that is wrong; nothing where all is well."""
    parsed = [parse_entry(entry) for entry in log.entries]
    answers = [
        told for event in events if event["did"] == "answer" for told in (event, event.get("next")) if told
    ]
    wrong = acknowledged(answers, log.entries)
    wrong += heads(events, answers, log)
    wrong += lives(parsed, log.entries)
    wrong += asked(events, answers, parsed)
    wrong += halves(events, parsed)
    wrong += deals(answers, parsed)
    return wrong


def acknowledged(answers: Events, entries: list[bytes]) -> list[str]:
    """Entries that were told and are not where they were said to be."""
    wrong = []
    for told in answers:
        for item in told["receipt"]["entries"]:
            index = item["index"]
            if index >= len(entries):
                wrong.append(f"entry {index} was acknowledged and is gone")
            elif entries[index] != item["entry"].encode():
                wrong.append(f"entry {index} is another than the one acknowledged")
    return wrong


def heads(events: Events, answers: Events, log: Found) -> list[str]:
    """Checkpoints that are not of this log."""
    notes = {told["receipt"]["checkpoint"] for told in answers}
    notes |= {event["note"] for event in events if event["did"] == "checkpoint"}
    kept: dict[str, bytes] = {}

    def read(path: str) -> bytes:
        if path not in kept:
            kept[path] = log.tile(path)
        return kept[path]

    tree = TileReader(log.checkpoint.size, lambda tile: read(tile.path))
    wrong = []
    for text in notes:
        try:
            note = parse_note(text)
            open_note(note, [log.verifier])
            told = parse_checkpoint(note.text)
        except (MalformedError, EvidenceError) as error:
            wrong.append(f"a checkpoint is not the log's: {error}")
            continue
        if told.size > log.checkpoint.size:
            wrong.append(
                f"a checkpoint of {told.size} entries was handed out, the log has {log.checkpoint.size}"
            )
            continue
        proof = tree.consistency_proof(told.size) if 0 < told.size < log.checkpoint.size else []
        try:
            verify_consistency(told.size, log.checkpoint.size, proof, told.root, log.checkpoint.root)
        except EvidenceError:
            wrong.append(f"the checkpoint at {told.size} is of another log")
    return wrong


def lives(parsed: list[Entry], entries: list[bytes]) -> list[str]:
    """Hands whose entries do not make a life, and numbers that do not run on."""
    wrong, before = [], 0
    by_hand: dict[bytes, list[int]] = defaultdict(list)
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, entry in enumerate(parsed):
        if entry.at < before:
            wrong.append(f"time goes back at entry {index}")
        before = entry.at
        if isinstance(entry, Commit):
            numbers[entry.operator, entry.table].append(entry.number)
        elif not by_hand[entry.hand] or entry.prev != leaf_hash(entries[by_hand[entry.hand][-1]]):
            wrong.append(f"entry {index} does not follow the hand's one before")
        by_hand[entry.hand].append(index)
    wrong += [
        f"hand {hand.hex()} has {[parsed[i].type for i in indexes]}"
        for hand, indexes in by_hand.items()
        if [parsed[i].type for i in indexes] not in LIVES
    ]
    wrong += [
        f"numbers of {table} do not run from 1 on: {found[:5]}…"
        for table, found in numbers.items()
        if found != list(range(1, len(found) + 1))
    ]
    return wrong


def asked(events: Events, answers: Events, parsed: list[Entry]) -> list[str]:
    """Hands that nobody asked for, and asks that made more than one."""
    asks = {event["ask"]: event for event in events if event["did"] == "ask"}
    answered: dict[int, set[str]] = defaultdict(set)
    for event in events:
        if event["did"] == "answer":
            answered[event["ask"]].add(event.get("next", event)["hand"])
    wrong = [
        f"ask {ask} was answered with {len(hands)} hands" for ask, hands in answered.items() if len(hands) > 1
    ]
    told = {one["hand"] for one in answers}
    unknown = Counter(
        ask["table"]
        for number, ask in asks.items()
        if number not in answered and (ask["call"] == "commit" or ask.get("next"))
    )
    unexplained = Counter(
        entry.table for entry in parsed if isinstance(entry, Commit) and entry.hand.hex() not in told
    )
    # An ask that never was answered may have been done; an answered one was done once.
    wrong += [f"{table}: {n} hands that nobody asked for" for table, n in (unexplained - unknown).items()]
    return wrong


def halves(events: Events, parsed: list[Entry]) -> list[str]:
    """Reveals that were asked for with a next hand and stand alone."""
    with_next = {event["hand"] for event in events if event["did"] == "ask" and event.get("next")}
    tables = {entry.hand: entry.table for entry in parsed if isinstance(entry, Commit)}
    wrong = []
    for index, entry in enumerate(parsed):
        if isinstance(entry, Reveal) and entry.outcome == "played" and entry.hand.hex() in with_next:
            following = parsed[index + 1] if index + 1 < len(parsed) else None
            if not isinstance(following, Commit) or following.table != tables.get(entry.hand):
                wrong.append(f"the reveal at {index} is there without the next hand")
    return wrong


def deals(answers: Events, parsed: list[Entry]) -> list[str]:
    """Deals that were told and are not what the revealed seeds give."""
    commits = {e.hand: e for e in parsed if isinstance(e, Commit)}
    locks = {e.hand: e for e in parsed if isinstance(e, Lock)}
    seeds = {e.hand: e.server_seed for e in parsed if isinstance(e, Reveal)}
    wrong = []
    for told in answers:
        hand = bytes.fromhex(told["hand"])
        seed, lock = seeds.get(hand), locks.get(hand)
        if "deal" in told and seed and lock:
            terms = commits[hand].terms
            true = make_deal(deal_key(seed, hand, terms, lock.contributions), terms)
            if true.as_json() != told["deal"]:
                wrong.append(f"hand {told['hand']} was dealt otherwise than its seeds give")
    return wrong
