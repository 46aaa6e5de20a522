"""Log entries put into the store from elsewhere: what each did to its hand, done again without its seed."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import insert, select

from fairdeal.draws import picker, throw_dealer
from fairdeal.entries import Commit, Entry, Lock, Reveal, parse_entry
from fairdeal.errors import MalformedError
from fairdeal.merkle import leaf_hash
from fairdeal.seeds import deal_key
from fairdeal.terms import OkeyTerms
from fairdeal_api.hands import Hand, terms_text
from fairdeal_api.moves import json_text
from fairdeal_api.tables import COMMITTED, LOCKED, REVEALED, OperatorRow, table_of
from fairdeal_api.work import Work

_OPERATORS = table_of(OperatorRow)


class ReplayError(RuntimeError):
    """An entry that does not fit the store that it is put into; the text gives its index."""


def replay(work: Work, entries: list[bytes]) -> int:
    """Plan entries that follow the store's last on ``work``; returns the last one's time.

    Raises :class:`ReplayError`.
    """
    parsed = [_parsed(work.first + k, data) for k, data in enumerate(entries)]
    work.fetch_hands(entry.hand for entry in parsed if not isinstance(entry, Commit))
    _add_operators(work, {entry.operator: entry.at for entry in parsed if isinstance(entry, Commit)})
    for data, entry in zip(entries, parsed, strict=True):
        index = work.append(data)
        hand = work.hands.get(entry.hand)
        if isinstance(entry, Commit):
            if hand is not None:
                raise ReplayError(f"entry {index} commits a hand that was committed before")
            _commit(work, index, entry)
        elif hand is None or entry.prev != leaf_hash(work.entries[hand.indexes[-1]]):
            raise ReplayError(f"entry {index} does not follow its hand's last one")
        elif isinstance(entry, Lock):
            _lock(work, index, entry, hand)
        else:
            _reveal(work, index, entry, hand)
    return parsed[-1].at


def _commit(work: Work, index: int, entry: Commit) -> None:
    table = work.table(entry.operator, entry.table)
    if table.next_number() != entry.number:
        raise ReplayError(f"entry {index} is number {entry.number} of its table, not the next")
    if isinstance(entry.terms, OkeyTerms) and isinstance(entry.terms.dealer, int):
        table.learn_dealer(entry.number, entry.terms.dealer)
    hand = Hand(
        commit_index=index,
        hand=entry.hand,
        table_id=table.id,
        operator=entry.operator,
        game_table=entry.table,
        number=entry.number,
        state=COMMITTED,
        deadline=entry.lock_by,
        terms=terms_text(entry.terms),
        commitment=entry.commitment,
        seals=json_text([s.as_json() for s in entry.seals]),
        note=entry.note,
        committed_at=entry.at,
        lock_by=entry.lock_by,
        # It went with the database. The hand can still be ended, as lost.
        wrapped_seed=None,
    )
    work.hands[hand.hand] = hand
    work.new_hands.append(hand)
    work.new_seals += [(s.seal, hand.hand) for s in entry.seals]


def _lock(work: Work, index: int, entry: Lock, hand: Hand) -> None:
    if hand.state != COMMITTED:
        raise ReplayError(f"entry {index} locks a hand that was locked or ended before")
    hand.lock_index, hand.state, hand.locked_at = index, LOCKED, entry.at
    hand.reveal_by = hand.deadline = entry.reveal_by
    hand.contributions = json_text([c.as_json() for c in entry.contributions])
    hand.deal_root = entry.deal_root
    work.changed[hand.hand] = hand


def _reveal(work: Work, index: int, entry: Reveal, hand: Hand) -> None:
    if hand.state == REVEALED:
        raise ReplayError(f"entry {index} ends a hand that had ended before")
    hand.reveal_index, hand.state, hand.revealed_at = index, REVEALED, entry.at
    hand.outcome, hand.reason = entry.outcome, entry.reason
    hand.server_seed, hand.wrapped_seed = entry.server_seed, None
    work.changed[hand.hand] = hand
    terms = hand.parsed_terms
    if entry.server_seed is None or hand.lock_index is None or not isinstance(terms, OkeyTerms):
        return
    if terms.dealer == "throw":
        key = deal_key(entry.server_seed, hand.hand, terms, hand.opened)
        dealer, _ = throw_dealer(picker(key), terms.seats)
        work.table(hand.operator, hand.game_table).learn_dealer(hand.number, dealer)


def _parsed(index: int, data: bytes) -> Entry:
    try:
        return parse_entry(data)
    except MalformedError as error:
        raise ReplayError(f"entry {index} is of a form that this release does not know: {error}") from None


def _add_operators(work: Work, since: dict[str, int]) -> None:
    """Operators made after the backup: their names come back with their hands, their keys do not."""
    names: Iterable[str] = since.keys()
    known = set(work.connection.scalars(select(_OPERATORS.c.name).where(_OPERATORS.c.name.in_(names))))
    rows = [{"name": name, "created_at": at} for name, at in since.items() if name not in known]
    if rows:
        work.connection.execute(insert(_OPERATORS), rows)
