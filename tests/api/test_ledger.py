"""The writer's faults: a bad request in a group, damaged stores, a COMMIT without answer, a full queue."""

from __future__ import annotations

import asyncio
import base64
import json
import sqlite3
from collections import deque
from typing import Any

import pytest
from fairdeal_api import keys, seedkeys
from fairdeal_api import ledger as ledger_module
from fairdeal_api import writer as writer_module
from fairdeal_api.acts import Act, EndAct, ExpireAct, LockAct, Planned, ProbeAct
from fairdeal_api.answers import Evidence
from fairdeal_api.gametable import GameTable
from fairdeal_api.head import read_head
from fairdeal_api.ledger import Result
from fairdeal_api.moves import CommitSpec
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.tables import HeadRow, table_of
from fairdeal_api.tree import GrowingTree
from fairdeal_api.work import Work
from fairdeal_api.writer import Written
from sqlalchemy import update
from sqlalchemy.engine import Connection, RootTransaction
from sqlalchemy.exc import IntegrityError, OperationalError

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.merkle import leaf_hash, verify_inclusion
from fairdeal.note import parse_note
from tests import coroutines
from tests.api.acting import TERMS, code, commit_act, numbers, size, together


def test_a_request_that_breaks_a_constraint_fails_alone(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = Work.flush

    def breaking(self: Work) -> None:
        if any(hand.game_table == "bad" for hand in self.new_hands):
            raise IntegrityError("insert", None, sqlite3.IntegrityError("secret values"))
        flush(self)

    monkeypatch.setattr(Work, "flush", breaking)
    outcomes = together(service, *(commit_act(table) for table in ("a", "bad", "b", "c")))
    assert [code(o) for o in outcomes] == [None, "internal", None, None]
    assert size(service) == 3


def test_an_entry_that_comes_back_otherwise_is_never_signed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(service, commit_act())
    stored = Work.stored_entries

    def flipped(self: Work, *_: object) -> list[bytes]:
        return [entry[:-1] + bytes([entry[-1] ^ 1]) for entry in stored(self)]

    monkeypatch.setattr(Work, "stored_entries", flipped)
    together(service, commit_act())
    monkeypatch.undo()
    # A store that gives back other bytes than it got is not trusted again before someone has looked.
    assert service.ledger.broken == "the store gives back other entries than were written"
    assert [code(o) for o in together(service, commit_act())] == ["unavailable"]
    assert size(service) == 1


def test_an_edge_that_was_damaged_stops_the_ledger(service: Service) -> None:
    together(service, commit_act(number=3))
    with service.writer.begin() as connection:
        connection.execute(update(table_of(HeadRow)).values(edge=bytes(64)))
    together(service, commit_act())
    assert service.ledger.broken == "the tiles contradict the head's right edge"


def test_a_head_that_was_moved_meanwhile_is_not_extended(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(service, commit_act())
    flush = Work.flush

    def moved(self: Work) -> None:
        flush(self)
        self.connection.exec_driver_sql("UPDATE head SET checkpoint = 'another'")

    monkeypatch.setattr(Work, "flush", moved)
    assert [code(o) for o in together(service, commit_act(), commit_act())] == ["internal", "internal"]
    monkeypatch.undo()
    assert size(service) == 1
    assert [code(o) for o in together(service, commit_act())] == [None]


def failing_commit(monkeypatch: pytest.MonkeyPatch, error: sqlite3.Error, *, done: bool) -> None:
    commit = RootTransaction.commit
    left = [1]

    def fail(self: RootTransaction) -> None:
        if left and self.connection.info.get("ledger"):
            left.clear()
            if done:
                commit(self)
            raise OperationalError("COMMIT", None, error)
        commit(self)

    apply = writer_module.Writer._apply

    def marked(self: Any, connection: Connection, acts: list[Act]) -> Any:
        connection.info["ledger"] = True
        return apply(self, connection, acts)

    monkeypatch.setattr(writer_module.Writer, "_apply", marked)
    monkeypatch.setattr(RootTransaction, "commit", fail)


def test_a_commit_whose_answer_was_lost_is_found_in_the_head(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_commit(monkeypatch, sqlite3.OperationalError("cut off"), done=True)
    outcomes = together(service, commit_act())
    assert code(outcomes[0]) is None, outcomes
    assert size(service) == 1
    assert [code(o) for o in together(service, commit_act())] == [None]


def test_a_commit_that_did_not_happen_is_not_acknowledged(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    failing_commit(monkeypatch, full, done=False)
    assert [code(o) for o in together(service, commit_act())] == ["unavailable"]
    assert size(service) == 0
    # Room may be made: the next request is served.
    assert service.ledger.broken is None
    assert [code(o) for o in together(service, commit_act())] == [None]
    assert size(service) == 1


def test_after_a_failed_write_to_the_disk_nothing_is_written_any_more(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = sqlite3.OperationalError("disk I/O error")
    broken.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
    failing_commit(monkeypatch, broken, done=False)
    assert [code(o) for o in together(service, commit_act())] == ["unavailable"]
    assert service.ledger.broken == "the disk failed"
    assert [code(o) for o in together(service, commit_act(), ProbeAct())] == ["unavailable", "unavailable"]


def test_where_nobody_can_tell_whether_it_was_written_nobody_is_told(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_commit(monkeypatch, sqlite3.OperationalError("cut off"), done=True)

    left = [1]

    def unreadable(connection: Connection, *, to_write: bool) -> object:
        if left:
            left.clear()
            return read_head(connection, to_write=to_write)
        raise OperationalError("SELECT", None, sqlite3.OperationalError("gone"))

    monkeypatch.setattr(writer_module, "read_head", unreadable)
    monkeypatch.setattr(writer_module, "RESOLVE_TIME", 0.5)
    assert [code(o) for o in together(service, commit_act())] == ["internal"]
    if service.settings.database_url is None:
        assert service.ledger.broken == "whether the last transaction was written is unknown"
    else:
        # A server that comes back is asked anew by every transaction: nothing is taken from memory.
        monkeypatch.undo()
        assert [code(o) for o in together(service, commit_act())] == [None]
        assert size(service) == 2


def test_a_full_queue_answers_busy_and_writes_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "MOST_WAITING", 2)
    outcomes = together(service, *(commit_act() for _ in range(5)))
    busy = [o for o in outcomes if code(o) == "busy"]
    assert len(busy) == 3
    assert all(isinstance(o, Problem) and (o.headers or {})["Retry-After"] == "1" for o in busy)
    assert size(service) == 2


def test_a_group_takes_no_more_hands_than_it_should(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "MOST_HANDS", 10)
    outcomes = together(service, *(commit_act(number=6) for _ in range(5)))
    assert [code(o) for o in outcomes] == [None] * 5
    assert size(service) == 30
    with service.reader.begin() as connection:
        numbers = connection.exec_driver_sql("SELECT number FROM hands ORDER BY commit_index").scalars().all()
    assert numbers == list(range(1, 31))


def test_a_closed_ledger_finishes_what_it_took_and_takes_no_more(settings: Settings) -> None:
    service = open_service(settings)

    async def close_behind() -> list[Result | BaseException]:
        waiting = [asyncio.ensure_future(service.ledger.submit(commit_act())) for _ in range(5)]
        await asyncio.sleep(0)
        await asyncio.to_thread(service.close)
        return await asyncio.gather(*waiting, service.ledger.submit(commit_act()), return_exceptions=True)

    outcomes = coroutines.run(close_behind())
    assert [code(o) for o in outcomes] == [None] * 5 + ["unavailable"]


def test_the_stored_tiles_are_those_of_the_entries(service: Service) -> None:
    for number in (1, 200, 54, 1, 1, 300):
        together(service, commit_act(number=number))
    with service.reader.begin() as connection:
        entries = connection.exec_driver_sql("SELECT entry FROM entries ORDER BY idx").scalars().all()
        tiles = {
            (level, n): data
            for level, n, data in connection.exec_driver_sql("SELECT level, n, hashes FROM tiles")
        }
    leaves = b"".join(leaf_hash(entry) for entry in entries)
    assert [tiles[0, n] for n in range(3)] == [leaves[n * 8192 : (n + 1) * 8192] for n in range(3)]
    assert len(tiles[1, 0]) == 2 * 32


def test_acts_of_one_group_see_each_other(service: Service) -> None:
    first = together(service, commit_act())[0]
    assert isinstance(first, Result)
    hand = bytes.fromhex(json.loads(first.body)["hand"])
    outcomes = together(
        service, *(EndAct("operator", hand, reason) for reason in ("technical", "table-closed", "technical"))
    )
    assert [code(o) for o in outcomes] == [None, "ended", None]
    assert isinstance(outcomes[0], Result)
    assert isinstance(outcomes[2], Result)
    assert outcomes[0].body == outcomes[2].body
    assert size(service) == 2


@pytest.mark.parametrize("part", ["inclusion_proof", "text"])
def test_an_answer_that_cannot_be_made_is_the_only_one_that_is_not(
    service: Service, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    together(service, commit_act("before"))
    proof, text = GrowingTree.inclusion_proof, Planned.text

    def broken_proof(self: GrowingTree, index: int) -> list[bytes]:
        if index == 2:
            raise RuntimeError
        return proof(self, index)

    def broken_text(self: Planned, evidence: Evidence) -> str:
        if any(hand.game_table == "bad" for hand in self.hands):
            raise RuntimeError
        return text(self, evidence)

    if part == "text":
        monkeypatch.setattr(Planned, "text", broken_text)
    else:
        monkeypatch.setattr(GrowingTree, "inclusion_proof", broken_proof)
    outcomes = together(service, *(commit_act(table) for table in ("a", "bad", "b")))
    assert [code(o) for o in outcomes] == [None, "internal", None]
    # It is written, and the log goes on behind it.
    monkeypatch.undo()
    assert (size(service), code(together(service, commit_act())[0])) == (4, None)


def test_answers_made_after_the_next_transaction_prove_what_was_written(service: Service) -> None:
    writer = service.ledger._writer
    written = []
    for number in (1, 300, 40):
        act = commit_act(f"t{number}", number)
        act.batch = True
        writer.prepare(act)
        written += writer.transact([act]).outcomes
    for outcome, number in zip(written, (1, 300, 40), strict=True):
        assert isinstance(outcome, Written)
        answer = outcome.result()
        assert isinstance(answer, Result)
        hands = json.loads(answer.body)["hands"]
        assert len(hands) == number
        for hand in hands:
            head = parse_checkpoint(parse_note(hand["receipt"]["checkpoint"]).text)
            (one,) = hand["receipt"]["entries"]
            proof = [base64.b64decode(node) for node in one["proof"]]
            verify_inclusion(one["index"], head.size, leaf_hash(one["entry"].encode()), proof, head.root)


def test_no_seed_is_wrapped_under_a_key_that_was_changed_while_its_act_waited(service: Service) -> None:
    writer, vault, settings = service.ledger._writer, service.vault, service.settings
    first = together(service, commit_act())[0]
    assert isinstance(first, Result)
    hand = bytes.fromhex(json.loads(first.body)["hand"])
    following = CommitSpec(None, TERMS, False, (), None, 3_600_000)
    together(service, LockAct("operator", hand, (), 3_600_000))
    waiting: list[Act] = [commit_act("a", 3), EndAct("operator", hand, None, following, b"digest")]
    for act in waiting:
        writer.prepare(act)
    new = seedkeys.add(settings)
    found = keys.read(settings.seed_keys_path).split("\n")
    keys.rewrite(settings.seed_keys_path, "\n".join([*reversed(found[:2]), ""]))
    assert vault.refresh()
    assert vault.names[0] == new
    assert all(isinstance(outcome, (Result, Written)) for outcome in writer.transact(waiting).outcomes)
    with service.reader.begin() as connection:
        query = "SELECT wrapped_seed FROM hands WHERE state < 2"
        wrapped = connection.exec_driver_sql(query).scalars().all()
    assert [bytes(seed[:4]).hex() for seed in wrapped] == [new] * 4


def test_a_row_that_breaks_a_constraint_takes_nothing_else_with_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(service, commit_act("bad"))
    number = GameTable.next_number
    monkeypatch.setattr(GameTable, "next_number", lambda table: 1 if table.name == "bad" else number(table))
    outcomes = together(service, *(commit_act(table, 20) for table in ("a", "bad", "b")))
    assert [code(o) for o in outcomes] == [None, "internal", None]
    monkeypatch.undo()
    assert code(together(service, commit_act("bad"))[0]) is None
    assert size(service) == 42
    assert [numbers(service, table)[-1] for table in ("a", "bad", "b")] == [20, 2, 20]


def test_the_answers_of_a_group_are_made_in_steps(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "AT_ONCE", 5)
    writer = service.ledger._writer
    acts: list[Act] = [commit_act(f"t{k}", 3) for k in range(6)]
    for act in acts:
        writer.prepare(act)
    outcomes = writer.transact(acts).outcomes
    seen: list[int] = []

    async def resolved() -> None:
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Result]] = [loop.create_future() for _ in acts]
        futures[1].cancel()
        ledger_module._resolve(loop, deque(zip(futures, outcomes, strict=True)))
        while not all(future.done() for future in futures):
            seen.append(sum(future.done() for future in futures))
            await asyncio.sleep(0)
        assert [future.result().status for future in futures if not future.cancelled()] == [201] * 5

    coroutines.run(resolved())
    # Two answers of three hands each in a step; the cancelled one costs nothing.
    assert seen == [3, 5]


def test_the_ledger_outlives_a_loop_that_closed(service: Service) -> None:
    async def leave() -> None:
        asking = asyncio.ensure_future(service.ledger.submit(commit_act()))
        await asyncio.sleep(0)
        asking.cancel()

    # Its loop is gone before the answer is there, whatever the ledger's thread had seen of it.
    with service.writer.begin():
        coroutines.run(leave())
    assert code(together(service, commit_act())[0]) is None
    assert numbers(service) == [1, 2]


def test_probe_and_sweep_write_nothing_where_there_is_nothing(service: Service) -> None:
    outcomes = together(service, ProbeAct(), ExpireAct())
    assert [o.body for o in outcomes if isinstance(o, Result)] == [b"0", b"0"]
    assert size(service) == 0
