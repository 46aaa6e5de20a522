"""One transaction of the ledger: what it read, what it decided, what it will write.

The requests of a group are planned in memory, one after another, each seeing what those before it decided;
then everything is written at once. So a group costs the same few statements whether it holds one hand or a
thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, tuple_, update

from fairdeal_api.hands import COLUMNS, Hand, select_hands
from fairdeal_api.tables import (
    COMMITTED,
    REVEALED,
    EntryRow,
    GameTableRow,
    HandRow,
    IdempotencyRow,
    SealRow,
    is_open,
    is_waiting,
    table_of,
)
from fairdeal_api.vault import Vault

_CHUNK = 5000
"""Values in one IN list; SQLite takes 32,766 parameters, PostgreSQL 65,535."""

_HANDS, _ENTRIES, _SEALS = table_of(HandRow), table_of(EntryRow), table_of(SealRow)
_TABLES, _IDEMPOTENCY = table_of(GameTableRow), table_of(IdempotencyRow)

_CHANGING = [name for name in COLUMNS if name not in ("commit_index", "hand")]
_UPDATE_HAND = (
    update(_HANDS)
    .where(_HANDS.c.commit_index == bindparam("key_commit_index"))
    .values({name: bindparam(name) for name in _CHANGING})
)
_TABLE_COLUMNS = ("operator", "name", "last_number", "dealer", "dealer_number")
_UPDATE_TABLE = (
    update(_TABLES)
    .where(_TABLES.c.operator == bindparam("key_operator"), _TABLES.c.name == bindparam("key_name"))
    .values({name: bindparam(name) for name in _TABLE_COLUMNS[2:]})
)


@dataclass(slots=True)
class GameTable:
    """An operator's table: its last number, and the last dealer publicly known with that hand's number."""

    operator: str
    name: str
    last_number: int = 0
    dealer: int | None = None
    dealer_number: int = 0
    stored: bool = False
    touched: bool = False

    def next_number(self) -> int:
        """The number of the hand that is committed now."""
        self.last_number, self.touched = self.last_number + 1, True
        return self.last_number

    def learn_dealer(self, number: int, dealer: int) -> None:
        """Hand ``number`` was dealt by seat ``dealer``."""
        if number >= self.dealer_number:
            self.dealer, self.dealer_number, self.touched = dealer, number, True

    def row(self, prefix: str) -> dict[str, Any]:
        """Parameters of an insert, or with a prefix for the key's names, of an update."""
        return {
            f"{prefix}operator": self.operator,
            f"{prefix}name": self.name,
            "last_number": self.last_number,
            "dealer": self.dealer,
            "dealer_number": self.dealer_number,
        }


@dataclass(frozen=True, slots=True)
class Needs:
    """What an act reads: hands by id, tables by (operator, name), seals, a claim by (operator, key)."""

    hands: tuple[bytes, ...] = ()
    locks: tuple[bytes, ...] = ()
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
    tables: dict[tuple[str, str], GameTable] = field(default_factory=dict)
    seals: set[bytes] = field(default_factory=set)
    claims: dict[tuple[str, str], Claimed] = field(default_factory=dict)
    blocked: set[bytes] = field(default_factory=set)
    added: list[bytes] = field(default_factory=list)
    new_hands: list[Hand] = field(default_factory=list)
    new_seals: list[dict[str, bytes]] = field(default_factory=list)
    changed: dict[bytes, Hand] = field(default_factory=dict)
    events: list[tuple[str, str, str]] = field(default_factory=list)

    def load(self, needs: Iterable[Needs]) -> None:
        """Read all that the group's acts will ask for, in a few statements."""
        wanted = list(needs)
        locks = [h for n in wanted for h in n.locks]
        self.fetch_hands(h for n in wanted for h in (*n.hands, *n.locks))
        ending = {(h.operator, h.game_table) for n in wanted for i in n.hands if (h := self.hands.get(i))}
        self._fetch_tables({t for n in wanted for t in n.tables} | ending)
        for part in _parts({s for n in wanted for s in n.seals}):
            self.seals.update(self.connection.scalars(select(_SEALS.c.seal).where(_SEALS.c.seal.in_(part))))
        for part in _parts({n.claim for n in wanted if n.claim}):
            query = select(
                _IDEMPOTENCY.c.operator, _IDEMPOTENCY.c.key, _IDEMPOTENCY.c.digest, _IDEMPOTENCY.c.answer
            )
            query = query.where(tuple_(_IDEMPOTENCY.c.operator, _IDEMPOTENCY.c.key).in_(part))
            for operator, key, digest, answer in self.connection.execute(query):
                self.claims[operator, key] = Claimed(digest, answer)
        if locks:
            self._fetch_blocked(locks)

    def fetch_hands(self, ids: Iterable[bytes]) -> None:
        """Read hands and their entries, those aside that are here already."""
        found = []
        for part in _parts({i for i in ids if i not in self.hands}):
            rows = self.connection.execute(select_hands().where(_HANDS.c.hand.in_(part)))
            found += [Hand.of(row) for row in rows]
        self._take(found)

    def _take(self, found: list[Hand]) -> None:
        self.hands.update((hand.hand, hand) for hand in found)
        for part in _parts({i for hand in found for i in hand.indexes}):
            query = select(_ENTRIES.c.idx, _ENTRIES.c.entry).where(_ENTRIES.c.idx.in_(part))
            self.entries.update((idx, bytes(entry)) for idx, entry in self.connection.execute(query))

    def _fetch_tables(self, names: set[tuple[str, str]]) -> None:
        by_operator: dict[str, set[str]] = {}
        for operator, name in names - self.tables.keys():
            by_operator.setdefault(operator, set()).add(name)
        # A list of names is one parameter; a list of pairs would be built as an expression of each, at some
        # 15 µs a hand. A group has few operators.
        for operator, wanted in by_operator.items():
            for part in _parts(wanted):
                query = select(*(_TABLES.c[name] for name in _TABLE_COLUMNS))
                query = query.where(_TABLES.c.operator == operator, _TABLES.c.name.in_(part))
                for row in self.connection.execute(query):
                    self.tables[row[0], row[1]] = GameTable(
                        row[0], row[1], row[2], row[3], row[4], stored=True
                    )

    def _fetch_blocked(self, ids: list[bytes]) -> None:
        earlier = _HANDS.alias("earlier")
        waiting = select(earlier.c.number).where(
            earlier.c.operator == _HANDS.c.operator,
            earlier.c.game_table == _HANDS.c.game_table,
            earlier.c.number < _HANDS.c.number,
            is_waiting(earlier),
        )
        for part in _parts(set(ids)):
            query = select(_HANDS.c.hand).where(_HANDS.c.hand.in_(part), waiting.exists())
            self.blocked.update(bytes(h) for h in self.connection.scalars(query))

    def waiting_before(self, hand: Hand) -> Iterator[Hand]:
        """The table's earlier hands that are neither locked nor ended, in order (protocol §2.4)."""
        if hand.hand not in self.blocked:
            return
        last = 0
        while True:
            query = select_hands().where(
                _HANDS.c.operator == hand.operator,
                _HANDS.c.game_table == hand.game_table,
                _HANDS.c.number > last,
                _HANDS.c.number < hand.number,
                is_waiting(_HANDS),
            )
            rows = [
                Hand.of(row) for row in self.connection.execute(query.order_by(_HANDS.c.number).limit(100))
            ]
            if not rows:
                return
            self._take([row for row in rows if row.hand not in self.hands])
            last = rows[-1].number
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
        return self.tables.setdefault((operator, name), GameTable(operator, name))

    def append(self, entry: bytes) -> int:
        """Add an entry to the log; returns its index."""
        index = self.first + len(self.added)
        self.added.append(entry)
        self.entries[index] = entry
        return index

    def flush(self) -> None:
        """Write what was decided: entries, hands, seals and tables."""
        run = self.connection.execute
        run(insert(_ENTRIES), [{"idx": self.first + k, "entry": entry} for k, entry in enumerate(self.added)])
        if self.new_hands:
            run(insert(_HANDS), [hand.row() for hand in self.new_hands])
        if self.new_seals:
            run(insert(_SEALS), self.new_seals)
        if self.changed:
            rows = [
                {n: getattr(h, n) for n in _CHANGING} | {"key_commit_index": h.commit_index}
                for h in self.changed.values()
            ]
            run(_UPDATE_HAND, rows)
        self._flush_tables()

    def _flush_tables(self) -> None:
        touched = [table for table in self.tables.values() if table.touched]
        new = [table.row("") for table in touched if not table.stored]
        old = [table.row("key_") for table in touched if table.stored]
        if new:
            self.connection.execute(insert(_TABLES), new)
        if old:
            self.connection.execute(_UPDATE_TABLE, old)

    def stored_entries(self, connection: Connection | None = None, most: int | None = None) -> list[bytes]:
        """The log's entries from this transaction's first on, as the store gives them back."""
        query = select(_ENTRIES.c.entry).where(_ENTRIES.c.idx >= self.first).order_by(_ENTRIES.c.idx)
        return [bytes(entry) for entry in (connection or self.connection).scalars(query.limit(most))]

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
