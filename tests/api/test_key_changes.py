"""Keys that change while the service runs: nothing is lost, nobody who pinned a key is failed early."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fairdeal_api import db, logkeys, operators, presence, seedkeys
from fairdeal_api.app import create_app
from fairdeal_api.keys import KeyFileError
from fairdeal_api.recovery import recover
from fairdeal_api.service import StartupError, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.tables import HandRow, table_of
from fairdeal_api.vault import Vault
from fastapi.testclient import TestClient
from sqlalchemy import update

from fairdeal.errors import UsageError
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.verify import verify
from tests.api.support import Clock, Game, mirror, ok, problem, read_log, wait_until


@contextmanager
def serving(settings: Settings, clock: Clock) -> Iterator[Game]:
    with TestClient(create_app(settings, clock)) as http:
        yield Game(http, settings.operator_key_path.read_text().strip())


def eventually(change: Callable[[], object]) -> None:
    """Repeat a step until the running service has loaded what it needs."""
    end = time.monotonic() + 20
    while True:
        try:
            change()
        except UsageError:
            assert time.monotonic() < end
            time.sleep(0.1)
        else:
            return


def key_id(vkey: str) -> str:
    return Verifier.parse(vkey).key_id.hex()


def test_seed_keys_change_under_a_running_service_and_no_seed_is_lost(game: Game, settings: Settings) -> None:
    hands = [game.committed(f"t{n}", seats=(0,))["hand"] for n in range(5)]
    (old,) = seedkeys.states(settings)
    assert (old.in_use, old.seeds) == (True, 5)
    new = seedkeys.add(settings)
    # A process that has not loaded the key keeps it from wrapping.
    eventually(lambda: seedkeys.promote(settings, new))
    eventually(lambda: assert_usage(settings, new))
    hands.append(game.committed("later")["hand"])
    assert {s.name: (s.in_use, s.seeds, s.loaded_by) for s in seedkeys.states(settings)} == {
        new: (True, 1, 1),
        old.name: (False, 5, 1),
    }
    with pytest.raises(UsageError, match="5 seeds are wrapped under the key"):
        seedkeys.retire(settings, old.name)
    with pytest.raises(UsageError, match="the key is in use"):
        seedkeys.retire(settings, new)
    assert seedkeys.rewrap(settings) == (5, 0)
    assert seedkeys.rewrap(settings) == (0, 0)
    seedkeys.retire(settings, old.name)
    assert [s.name for s in seedkeys.states(settings)] == [new]
    for hand in hands:
        game.dealt(hand)
        assert verify(json.dumps(ok(game.reveal(hand))["receipt"])).verdict == "consistent"
    for step in (seedkeys.promote, seedkeys.retire):
        with pytest.raises(UsageError, match="no key of that name"):
            step(settings, old.name)


def assert_usage(settings: Settings, name: str) -> None:
    """Raise until the running process says that it wraps under the key."""
    engine_states = seedkeys.states(settings)
    if not all(state.loaded_by == state.processes == 1 for state in engine_states):
        raise UsageError("not yet")
    try:
        seedkeys.retire(settings, next(s.name for s in engine_states if s.name != name))
    except UsageError as error:
        if "still wraps" in str(error):
            raise


def test_a_key_that_a_process_lacks_is_not_promoted(
    settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It looks once, at its start, and not between a key's making and its promotion.
    monkeypatch.setattr(presence, "PAUSE", 3600)
    with serving(settings, clock):
        wait_until(lambda: seedkeys.states(settings)[0].loaded_by == 1, 20)
        new = seedkeys.add(settings)
        with pytest.raises(UsageError, match="has not loaded the key"):
            seedkeys.promote(settings, new)
        log_key = logkeys.add(settings)
        with pytest.raises(UsageError, match="has not loaded the key"):
            logkeys.cosign(settings, key_id(log_key))


def test_seeds_under_a_key_that_is_gone_are_counted_not_touched(settings: Settings, clock: Clock) -> None:
    with serving(settings, clock) as game:
        hand = game.committed("a")["hand"]
    kept = settings.seed_keys_path.read_text()
    settings.seed_keys_path.write_text(Vault.new_file_text())
    assert seedkeys.rewrap(settings) == (0, 1)
    assert [(s.in_file, s.seeds) for s in seedkeys.states(settings)] == [(True, 0), (False, 1)]
    settings.seed_keys_path.write_text(kept)
    with serving(settings, clock) as game:
        game.dealt(hand)


def test_open_hands_without_a_seed_do_not_hold_up_the_others(settings: Settings, clock: Clock) -> None:
    """A recovered store has them: they were committed after the backup."""
    with serving(settings, clock) as game:
        gone, kept = game.committed("a")["hand"], game.committed("b")["hand"]
    engine = db.writer_engine(settings.store_url)
    with engine.begin() as connection:
        hands = table_of(HandRow)
        connection.execute(update(hands).where(hands.c.hand == bytes.fromhex(gone)).values(wrapped_seed=None))
    engine.dispose()
    (old,) = seedkeys.states(settings)
    assert old.seeds == 1
    seedkeys.promote(settings, seedkeys.add(settings))
    assert seedkeys.rewrap(settings) == (1, 0)
    seedkeys.retire(settings, old.name)
    with serving(settings, clock) as game:
        game.dealt(kept)
        problem(game.void(gone, "technical"), "ended", 409)
        assert ok(game.get(f"/v1/hands/{gone}"))["outcome"] == "lost"


def test_the_log_s_key_changes_with_a_time_of_two_signatures(
    game: Game, settings: Settings, http: TestClient
) -> None:
    old = http.get("/log/key").text.strip()
    before = game.played("a")["receipt"]
    new = logkeys.add(settings)
    with pytest.raises(UsageError, match="must sign first"):
        logkeys.promote(settings, key_id(new))
    eventually(lambda: logkeys.cosign(settings, key_id(new)))
    both = [Verifier.parse(old), Verifier.parse(new)]
    # The checkpoint is signed anew at once, and every one after it.
    assert open_note(parse_note(http.get("/checkpoint").text), both) == tuple(both)
    during = game.played("a")["receipt"]
    for pinned in both:
        assert verify(json.dumps(during), keys=[pinned]).log_evidence == "a key that was given"
    assert (during["vkey"], http.get("/log/key").text.strip()) == (old, old)

    logkeys.promote(settings, key_id(new))
    assert http.get("/log/key").text.strip() == new
    promoted = game.played("a")["receipt"]
    assert promoted["vkey"] == new
    for pinned in both:
        assert verify(json.dumps(promoted), keys=[pinned]).verdict == "consistent"
    for step, words in ((logkeys.cosign, "signs already"), (logkeys.retire, "stands in receipts")):
        with pytest.raises(UsageError, match=words):
            step(settings, key_id(new))

    assert [s.role for s in logkeys.states(settings)] == ["first", "signs"]
    logkeys.retire(settings, key_id(old))
    assert [s.role for s in logkeys.states(settings)] == ["first", "past"]
    assert settings.log_key_path.read_text().count("PRIVATE+KEY") == 1
    after = game.played("a")["receipt"]
    assert verify(json.dumps(after), keys=[both[1]]).log_evidence == "a key that was given"
    assert verify(json.dumps(after), keys=both).log_evidence == "a key that was given"
    # What the old key alone is good for: receipts of its time. With both pinned, all of them hold.
    assert verify(json.dumps(after), keys=[both[0]]).verdict == "refuted"
    assert verify(json.dumps(before), keys=both).log_evidence == "a key that was given"
    assert read_log(http, new).checkpoint.size == 12
    for name in (key_id(old), "00000000"):
        with pytest.raises(UsageError, match="no key of that name"):
            logkeys.cosign(settings, name)


def test_a_start_needs_every_key_that_signs_and_takes_marks_of_those_before(
    settings: Settings, clock: Clock, copied: Callable[[], Settings], tmp_path: Path
) -> None:
    with serving(settings, clock) as game:
        game.committed("a")
        mark = mirror_note(game)
    backup = copied()
    new = logkeys.add(settings)
    old = logkeys.states(settings)[0]
    logkeys.cosign(settings, key_id(new))
    both = settings.log_key_path.read_text()
    settings.log_key_path.write_text(both.split("\n")[0] + "\n")
    with pytest.raises(StartupError, match="is not the key that signed this log"):
        open_service(settings)
    settings.log_key_path.write_text(both)
    logkeys.promote(settings, key_id(new))
    logkeys.retire(settings, old.name)
    published = tmp_path / "published"
    published.write_text(mark)
    with serving(settings.model_copy(update={"checkpoint": published}), clock) as game:
        assert game.committed("a")["receipt"]["vkey"] == new
        assert isinstance(game.http, TestClient)
        mirror(game.http, tmp_path / "mirror")
    # A backup from before the change comes back with the keys of now.
    assert recover(backup, tmp_path / "mirror").size == 2
    with serving(backup, clock) as game:
        assert game.committed("b")["receipt"]["vkey"] == new


def mirror_note(game: Game) -> str:
    return game.get("/checkpoint").text


def test_an_operator_has_several_keys_and_changes_them_without_a_gap(
    game: Game, settings: Settings, http: TestClient
) -> None:
    second = operators.add_further(settings, "operator")
    other = Game(http, second)
    hand = game.committed("a")["hand"]
    other.dealt(hand)
    first, further = operators.keys_of(settings, "operator")
    assert further.name == operators.key_digest(second).hex()[:8]
    operators.revoke_key(settings, "operator", first.name)
    time.sleep(0.5)
    problem(game.commit("a"), "unauthorized", 401)
    ok(other.reveal(hand))
    assert [key.revoked_at is None for key in operators.keys_of(settings, "operator")] == [False, True]
    for attempt in (first.name, "00000000"):
        with pytest.raises(UsageError, match="no good key of that name"):
            operators.revoke_key(settings, "operator", attempt)
    for step in (operators.keys_of, operators.add_further):
        with pytest.raises(UsageError, match="no operator of that name"):
            step(settings, "nobody")


def test_a_key_file_that_becomes_unusable_leaves_the_loaded_keys_in_use(
    game: Game, settings: Settings
) -> None:
    path = settings.seed_keys_path
    text = path.read_text()
    path.write_text("nothing that is a key\n")
    time.sleep(1.5)
    hand = game.committed("a")["hand"]
    path.write_text(text)
    game.dealt(hand)
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        seedkeys.states(settings)
    path.chmod(0o600)
