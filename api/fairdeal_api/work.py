"""One transaction of the ledger: what it read, what it decided, what it will write.

The requests of a group are planned in memory, one after another, each seeing what those before it decided;
then everything is written at once. So a group costs the same few statements whether it holds one hand or a
thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, delete, insert, select, tuple_

from fairdeal.commitform import CommitForm
from fairdeal.terms import Terms
from fairdeal_api.bulk import fetch, fetch_rows, insert_rows, update_rows
from fairdeal_api.gametable import GameTable, TableKey, last_id, read_tables, write_tables
from fairdeal_api.hands import COLUMNS, Hand, select_hands
from fairdeal_api.tables import (
    COMMITTED,
    REVEALED,
    EntryRow,
    HandRow,
    IdempotencyRow,
    SealRow,
    is_open,
    table_of,
)
from fairdeal_api.vault import Vault

_CHUNK = 5000
"""Values in one IN list; SQLite takes 32,766 parameters, PostgreSQL 65,535."""

_HANDS, _ENTRIES, _SEALS = table_of(HandRow), table_of(EntryRow), table_of(SealRow)
_IDEMPOTENCY = table_of(IdempotencyRow)

# What never changes after the commit is left out: identity, terms, commitment, seals, note, times.
_CHANGING = (
    "state", "deadline", "wrapped_seed", "lock_index", "locked_at", "reveal_by", "contributions", "deal_root",
    "reveal_index", "revealed_at", "outcome", "reason", "server_seed", "next_hand", "next_digest",
)  # fmt: skip
_COMMITTED = COLUMNS[: COLUMNS.index("lock_index")]
"""What a hand has from its commit on; the rest is null then."""
_whole_row, _committed_row = attrgetter(*COLUMNS), attrgetter(*_COMMITTED)
_changed_row = attrgetter(*_CHANGING, "commit_index")
_STORED = "SELECT entry FROM entries WHERE idx >= ? ORDER BY idx LIMIT ?"


FormKey = tuple[str, Terms, bytes | None, int]
"""Operator, terms, note and ``lock_by``."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What an act reads: hands by id, tables by (operator, name), seals, a claim by (operator, key)."""

    hands: tuple[bytes, ...] = ()
    tables: tuple[tuple[str, str], ...] = ()
    seals: tuple[bytes, ...] = ()
    claim: tuple[str, str] | None = None


@dataclass(slots=True)
class Claimed:
    """A request that an idempotency key stands for: its digest, and its answer once there is one."""

    digest: bytes
    answer: Any
    stored: bool = True


@dataclass(slots=True)
class Work:
    """The state that acts plan on. ``at`` is every new entry's time, ``first`` the first one's index."""

    connection: Connection
    vault: Vault
    at: int
    first: int
    hands: dict[bytes, Hand] = field(default_factory=dict)
    entries: dict[int, bytes] = field(default_factory=dict)
    tables: dict[TableKey, GameTable] = field(default_factory=dict)
    known: dict[TableKey, GameTable] = field(default_factory=dict)
    """Tables as the store has them, which need not be read."""
    seals: set[bytes] = field(default_factory=set)
    claims: dict[tuple[str, str], Claimed] = field(default_factory=dict)
    added: list[bytes] = field(default_factory=list)
    new_hands: list[Hand] = field(default_factory=list)
    new_seals: list[tuple[bytes, bytes]] = field(default_factory=list)
    changed: dict[bytes, Hand] = field(default_factory=dict)
    events: list[tuple[str, str, str]] = field(default_factory=list)
    forms: dict[FormKey, CommitForm] = field(default_factory=dict)
    """What the commits of this transaction share."""
    _last_table: int | None = None

    def load(self, needs: Iterable[Needs]) -> None:
        """Read all that the group's acts will ask for, in a few statements."""
        wanted = list(needs)
        self.fetch_hands(h for n in wanted for h in n.hands)
        of_hands = {(h.operator, h.game_table) for n in wanted for i in n.hands if (h := self.hands.get(i))}
        self._fetch_tables({t for n in wanted for t in n.tables} | of_hands)
        seals = {s for n in wanted for s in n.seals}
        self.seals.update(seal for (seal,) in fetch_rows(self.connection, _SEALS, ("seal",), ("seal", seals)))
        for part in _parts({n.claim for n in wanted if n.claim}):
            query = select(
                _IDEMPOTENCY.c.operator, _IDEMPOTENCY.c.key, _IDEMPOTENCY.c.digest, _IDEMPOTENCY.c.answer
            )
            query = query.where(tuple_(_IDEMPOTENCY.c.operator, _IDEMPOTENCY.c.key).in_(part))
            for operator, key, digest, answer in self.connection.execute(query):
                self.claims[operator, key] = Claimed(digest, answer)

    def fetch_hands(self, ids: Iterable[bytes]) -> None:
        """Read hands and their entries, those aside that are here already."""
        wanted = {i for i in ids if i not in self.hands}
        self._take([Hand(*row) for row in fetch_rows(self.connection, _HANDS, COLUMNS, ("hand", wanted))])

    def _take(self, found: list[Hand]) -> None:
        self.hands.update((hand.hand, hand) for hand in found)
        indexes = {i for hand in found for i in hand.indexes}
        self.entries.update(fetch_rows(self.connection, _ENTRIES, ("idx", "entry"), ("idx", indexes)))

    def _fetch_tables(self, names: set[TableKey]) -> None:
        by_operator: dict[str, set[str]] = {}
        for key in names - self.tables.keys():
            # Taken out: what this transaction makes of it is known again once that is durable.
            known = self.known.pop(key, None)
            if known is None:
                by_operator.setdefault(key[0], set()).add(key[1])
            else:
                self.tables[key] = known
        for operator, wanted in by_operator.items():
            for table in read_tables(self.connection, operator, wanted):
                self.tables[operator, table.name] = table
            # Those not found are known to be new now; each would be looked for again otherwise.
            for name in wanted:
                if (operator, name) not in self.tables:
                    self.tables[operator, name] = GameTable(self._new_table_id(), operator, name)

    def _new_table_id(self) -> int:
        if self._last_table is None:
            self._last_table = last_id(self.connection)
        self._last_table += 1
        return self._last_table

    def waiting_before(self, hand: Hand) -> Iterator[Hand]:
        """The table's earlier hands that are neither locked nor ended, in order (protocol §2.4)."""
        table = self.table(hand.operator, hand.game_table)
        last, most = table.first_waiting - 1, 1
        while last + 1 < hand.number:
            query = select_hands().where(
                _HANDS.c.table_id == hand.table_id,
                _HANDS.c.number > last,
                _HANDS.c.number < hand.number,
                _HANDS.c.state == COMMITTED,
            )
            query = query.order_by(_HANDS.c.number).limit(most)
            rows = [Hand.of(row) for row in self.connection.execute(query)]
            if not rows:
                return
            if most == 1:
                # Written with whatever else the transaction writes: what was walked is not walked again.
                table.first_waiting, table.touched = rows[0].number, True
            self._take([row for row in rows if row.hand not in self.hands])
            # Mostly the first one decides, and behind it there may be thousands that have ended.
            last, most = rows[-1].number, 100
            for row in rows:
                # What this transaction has decided counts, not what it read.
                if self.hands[row.hand].state == COMMITTED:
                    yield self.hands[row.hand]

    def overdue(self, most: int) -> list[Hand]:
        """Open hands past their time, the longest overdue first."""
        query = select_hands().where(is_open(_HANDS), _HANDS.c.deadline <= self.at)
        rows = [
            Hand.of(row) for row in self.connection.execute(query.order_by(_HANDS.c.deadline).limit(most))
        ]
        self._take([row for row in rows if row.hand not in self.hands])
        self._fetch_tables({(row.operator, row.game_table) for row in rows})
        found = [self.hands[row.hand] for row in rows]
        return [hand for hand in found if hand.state < REVEALED and hand.deadline <= self.at]

    def table(self, operator: str, name: str) -> GameTable:
        """A table, new where it had no hand yet."""
        if (operator, name) not in self.tables:
            self._fetch_tables({(operator, name)})
        return self.tables[operator, name]

    def append(self, entry: bytes) -> int:
        """Add an entry to the log; returns its index."""
        index = self.first + len(self.added)
        self.added.append(entry)
        self.entries[index] = entry
        return index

    def flush(self) -> None:
        """Write what was decided: entries, hands, seals and tables."""
        insert_rows(self.connection, _ENTRIES, ("idx", "entry"), list(enumerate(self.added, self.first)))
        # A hand that went on in the very transaction that committed it is written whole by its insert.
        new = {hand.commit_index for hand in self.new_hands}
        further = {hand.commit_index for hand in self.changed.values()} & new
        rows = [_committed_row(hand) for hand in self.new_hands if hand.commit_index not in further]
        insert_rows(self.connection, _HANDS, _COMMITTED, rows)
        rows = [_whole_row(hand) for hand in self.new_hands if hand.commit_index in further]
        insert_rows(self.connection, _HANDS, COLUMNS, rows)
        insert_rows(self.connection, _SEALS, ("seal", "hand"), self.new_seals)
        changed = [_changed_row(hand) for hand in self.changed.values() if hand.commit_index not in new]
        update_rows(self.connection, _HANDS, _CHANGING, ("commit_index",), changed)
        write_tables(self.connection, self.tables.values())

    def stored_entries(self, connection: Connection | None = None, most: int | None = None) -> list[bytes]:
        """The log's entries from this transaction's first on, as the store gives them back."""
        found = fetch(connection or self.connection, _STORED, self.first, 2**31 if most is None else most)
        return [entry for (entry,) in found]

    def drop_answers(self, before: int) -> None:
        """Forget what was answered under idempotency keys before a time."""
        self.connection.execute(delete(_IDEMPOTENCY).where(_IDEMPOTENCY.c.created_at < before))

    def keep_answers(self, answers: Iterable[tuple[tuple[str, str], bytes, bytes]]) -> None:
        """Store what was answered under idempotency keys: ((operator, key), request digest, answer)."""
        rows = [
            {"operator": operator, "key": key, "digest": digest, "created_at": self.at, "answer": answer}
            for (operator, key), digest, answer in answers
        ]
        if rows:
            self.connection.execute(insert(_IDEMPOTENCY), rows)


def _parts(values: set[Any]) -> Iterator[list[Any]]:
    todo = iter(values)
    while part := list(islice(todo, _CHUNK)):
        yield part
