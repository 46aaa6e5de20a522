"""The life of hands against a model: several operators, any call in any order, a clock that moves.

The model knows only the protocol's rules (§1.5, §2.1, §2.4, §8.1). After every step the service has answered
as the model says; at the end its log tells the same lives, and every receipt verifies.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from fairdeal_api import operators
from fairdeal_api.app import create_app
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from fairdeal.verify import verify
from tests.api.support import HOUR, Clock, Game, read_log

OPERATORS = ("operator", "other")
TABLES = ("a", "b")


@dataclass
class Known:
    """A hand as the model has it."""

    hand: str
    operator: str
    table: str
    number: int
    seats: tuple[int, ...]
    deadline: int
    state: str = "committed"
    outcome: str | None = None
    next: str | None = None
    life: list[str] = field(default_factory=lambda: ["commit"])
    deal: Any = None


class Life(RuleBasedStateMachine):
    """Calls against one service in this process."""

    hands = Bundle("hands")

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="fairdeal-life-"))
        config = Settings(data=self.folder / "data", origin="log.example/okey")
        self.clock = Clock()
        self.http = self.stack.enter_context(
            TestClient(create_app(config, self.clock), raise_server_exceptions=False)
        )
        self.games = {
            "operator": Game(self.http, config.operator_key_path.read_text().strip()),
            "other": Game(self.http, operators.add(config, "other")),
        }
        self.known: dict[str, Known] = {}
        self.order: dict[tuple[str, str], list[Known]] = {}
        self.keys: dict[tuple[str, str], tuple[str, tuple[int, ...], str]] = {}
        self.used = 0

    def teardown(self) -> None:
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        with self.stack:
            self.compare_with_the_log()

    def seal_of(self, hand_seed: int, seat: int) -> bytes:
        return hashlib.sha256(f"{hand_seed} {seat}".encode()).digest()

    def add(self, operator: str, answer: dict[str, Any], seats: tuple[int, ...]) -> Known:
        line = self.order.setdefault((operator, answer["table"]), [])
        assert answer["number"] == len(line) + 1
        known = Known(
            answer["hand"], operator, answer["table"], answer["number"], seats, self.clock.now + HOUR
        )
        assert answer["lock_by"] == known.deadline
        line.append(known)
        self.known[known.hand] = known
        return known

    def expire(self, known: Known) -> None:
        """What the protocol says of a hand past its time, whoever asks."""
        if known.state != "revealed" and self.clock.now >= known.deadline:
            known.state, known.outcome = "revealed", "expired"
            known.life.append("reveal")

    def refused(self, answer: httpx2.Response, *codes: str) -> None:
        assert answer.json()["code"] in codes, (answer.text, codes)

    @rule(
        target=hands,
        operator=st.sampled_from(OPERATORS),
        table=st.sampled_from(TABLES),
        seats=st.sets(st.integers(0, 3), max_size=2),
        key=st.none() | st.sampled_from(("k1", "k2")),
    )
    def commit(self, operator: str, table: str, seats: set[int], key: str | None) -> Any:
        sealed = tuple(sorted(seats))
        body: dict[str, Any] = {"table": table}
        if key is None and sealed:
            self.used += 1
            seeds = [(seat, self.seal_of(self.used, seat)) for seat in sealed]
            body["seals"] = [{"seat": s, "seal": hashlib.sha256(seed).hexdigest()} for s, seed in seeds]
        else:
            sealed, seeds = (), []
        headers = {"Idempotency_Key": key} if key else {}
        answer = self.games[operator].call("POST", "/v1/hands", body, **headers)
        if key and (operator, key) in self.keys:
            first = self.keys[operator, key]
            if first[0] != table:
                self.refused(answer, "idempotency_mismatch")
            else:
                assert (answer.status_code, answer.json()["hand"]) == (200, first[2])
            return multiple()
        assert answer.status_code == 201, answer.text
        known = self.add(operator, answer.json(), sealed)
        self.games[operator].seeds[known.hand] = [{"seat": s, "seed": seed.hex()} for s, seed in seeds]
        if key:
            self.keys[operator, key] = (table, sealed, known.hand)
        return known.hand

    @rule(operator=st.sampled_from(OPERATORS), hand=hands)
    def use_a_seal_again(self, operator: str, hand: str) -> None:
        known = self.known[hand]
        seeds = self.games[known.operator].seeds[hand]
        if seeds:
            seals = [
                {"seat": 0, "seal": hashlib.sha256(bytes.fromhex(s["seed"])).hexdigest()} for s in seeds[:1]
            ]
            self.refused(
                self.games[operator].call("POST", "/v1/hands", {"table": "a", "seals": seals}), "seal_used"
            )

    @rule(hand=hands, by=st.sampled_from(OPERATORS), opening=st.sampled_from(("all", "none", "wrong")))
    def deal(self, hand: str, by: str, opening: str) -> None:
        known = self.known[hand]
        seeds = self.games[known.operator].seeds[hand]
        given = {"all": seeds, "none": [], "wrong": [{**s, "seed": "77" * 32} for s in seeds]}[opening]
        answer = self.games[by].call("POST", f"/v1/hands/{hand}/deal", {"seeds": given})
        if by != known.operator:
            self.refused(answer, "not_yours")
            return
        self.expire(known)
        if known.state == "revealed" and (len(known.life) < 3 or given != seeds):
            self.refused(answer, "ended")
        elif given != seeds:
            self.refused(answer, "seals_unopened" if opening == "none" else "seal_mismatch")
        elif known.state == "committed":
            earlier = self.order[known.operator, known.table][: known.number - 1]
            for one in earlier:
                if one.state == "committed":
                    if self.clock.now < one.deadline:
                        self.refused(answer, "out_of_order")
                        return
                    self.expire(one)
            assert answer.status_code == 200, answer.text
            known.state, known.deadline = "locked", self.clock.now + HOUR
            known.life.append("lock")
            known.deal = answer.json()["deal"]
        else:
            assert answer.status_code == 200, answer.text
            assert answer.json()["deal"] == known.deal

    @rule(target=hands, hand=hands, by=st.sampled_from(OPERATORS), following=st.booleans())
    def reveal(self, hand: str, by: str, following: bool) -> Any:
        known = self.known[hand]
        body: dict[str, Any] = {"next": {}} if following else {}
        answer = self.games[by].call("POST", f"/v1/hands/{hand}/reveal", body)
        if by != known.operator:
            self.refused(answer, "not_yours")
            return multiple()
        self.expire(known)
        if known.state == "committed":
            self.refused(answer, "not_locked")
        elif known.state == "revealed":
            if known.outcome != "played" or (following and known.next is None):
                self.refused(answer, "ended")
            else:
                assert answer.status_code == 200, answer.text
                assert (answer.json().get("next") or {}).get("hand") == known.next
        else:
            assert answer.status_code == 200, answer.text
            assert answer.json()["deal"] == known.deal
            known.state, known.outcome = "revealed", "played"
            known.life.append("reveal")
            if following:
                after = self.add(known.operator, answer.json()["next"], ())
                self.games[known.operator].seeds[after.hand] = []
                known.next = after.hand
                return after.hand
        return multiple()

    @rule(hand=hands, by=st.sampled_from(OPERATORS), reason=st.sampled_from(("technical", "seat-silent")))
    def void(self, hand: str, by: str, reason: str) -> None:
        known = self.known[hand]
        answer = self.games[by].void(hand, reason)
        if by != known.operator:
            self.refused(answer, "not_yours")
            return
        self.expire(known)
        if known.state == "revealed":
            if known.outcome == f"void {reason}":
                assert answer.status_code == 200, answer.text
            else:
                self.refused(answer, "ended")
        elif reason == "seat-silent" and (known.state == "locked" or not known.seats):
            self.refused(answer, "reason_not_allowed")
        else:
            assert answer.status_code == 200, answer.text
            known.state, known.outcome = "revealed", f"void {reason}"
            known.life.append("reveal")

    @rule(minutes=st.sampled_from((-90, -1, 1, 10, 59, 60, 61)))
    def tick(self, minutes: int) -> None:
        # The service's time never goes back, so the model's clock only goes on; the real one may step.
        if minutes > 0:
            self.clock.tick(minutes * 60_000)

    @invariant()
    def secrets_are_kept(self) -> None:
        for known in list(self.known.values())[-3:]:
            document = self.http.get(f"/v1/hands/{known.hand}").json()
            if document["state"] != "revealed":
                assert document["server_seed"] is None
                assert document["deal"] is None

    def compare_with_the_log(self) -> None:
        log = read_log(self.http)
        lives: dict[str, list[str]] = {}
        for entry in log.parsed:
            lives.setdefault(entry.hand.hex(), []).append(entry.type)
        for known in self.known.values():
            # The service may have ended what was overdue before anybody asked.
            self.expire(known)
            life = lives.pop(known.hand)
            assert life == known.life or (life == known.life[:-1] and known.outcome == "expired")
            receipt = self.http.get(f"/v1/hands/{known.hand}/receipt").text
            assert verify(receipt).verdict in ("consistent", "incomplete")
        assert not lives


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
