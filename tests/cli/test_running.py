"""``serve``, ``operator`` and ``demo`` as processes of their own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from fairdeal_api.server import prepare
from fairdeal_api.settings import Settings

from fairdeal.client import Player
from fairdeal.errors import EvidenceError
from fairdeal.note import Verifier
from fairdeal.seeds import Contribution
from tests.cli.running import Terminal, command, environ, spawn
from tests.dealer import Dealer


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def started(*arguments: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the command line whose output goes to files ``out`` and ``err`` in ``folder``."""
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command(*arguments), env=environ(environment), stdout=out, stderr=err)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def wait_for(file: Path, pattern: str, process: subprocess.Popen[bytes]) -> re.Match[str]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = re.search(pattern, file.read_text(encoding="utf-8"))
        if found:
            return found
        assert process.poll() is None, file.read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError(file.read_text(encoding="utf-8"))


def healthy(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/healthz", trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


def test_serve_makes_keys_once_says_where_and_stops_on_request(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    address = f"http://127.0.0.1:{port}"
    for first in (True, False):
        with started("serve", "--port", str(port), "--data", str(data), folder=tmp_path) as process:
            wait_for(tmp_path / "err", "Serving on", process)
            while not healthy(address):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT if first else signal.SIGTERM)
            assert process.wait(timeout=60) == 0
        said = (tmp_path / "err").read_text()
        assert ("First start" in said) == first
        assert (str(data / "operator.key") in said) == first
        assert (data / "operator.key").read_text().strip() not in said
        assert (tmp_path / "out").read_text() == ""


def test_serve_where_something_else_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = spawn("serve", "--port", port, "--data", str(tmp_path / "data"))
    assert ran.code == 4
    assert "cannot listen on" in ran.err
    assert "Serving on" not in ran.err


def test_serve_with_a_key_file_that_others_can_read(tmp_path: Path) -> None:
    (tmp_path / "log.key").write_text("no key")
    ran = spawn("serve", "--data", str(tmp_path))
    assert (ran.code, "no key" in ran.err) == (4, False)


def test_settings_that_make_no_sense_are_named_without_their_value(
    fairdeal: Terminal, tmp_path: Path
) -> None:
    ran = fairdeal("operator", "list", "--data", str(tmp_path), FAIRDEAL_LOCK_WITHIN="hunter2")
    assert (ran.code, "FAIRDEAL_LOCK_WITHIN" in ran.err, "hunter2" in ran.err) == (2, True, False)


def test_operators_come_and_go(fairdeal: Terminal, tmp_path: Path) -> None:
    data = ["--data", str(tmp_path / "data")]
    prepare(Settings(data=tmp_path / "data"))
    added = fairdeal("operator", "add", "salon", *data, "--json")
    assert (added.code, added.json.keys(), added.err) == (0, {"operator", "key"}, "")
    again = fairdeal("operator", "add", "salon", *data, "--json")
    assert (again.code, again.json["error"]["code"]) == (2, "usage")
    second = fairdeal("operator", "add", "other", *data)
    assert second.code == 0
    assert re.fullmatch(r"fdk_[A-Za-z0-9_-]{43}\n", second.out)
    assert second.out.strip() not in second.err
    listed = fairdeal("operator", "list", *data, "--json").json["operators"]
    assert [(o["operator"], o["active"]) for o in listed] == [
        ("operator", True),
        ("other", True),
        ("salon", True),
    ]
    assert fairdeal("operator", "revoke", "salon", *data, "--json").json == {
        "operator": "salon",
        "revoked": 1,
    }
    assert "had no good key" in fairdeal("operator", "revoke", "salon", *data).err
    table = fairdeal("operator", "list", *data).out
    assert re.search(r"salon +\S+ \S+ UTC +revoked", table)
    assert added.json["key"] not in table


@pytest.mark.parametrize("name", ["", "Salon", "a b", "-x", "a" * 65])
def test_operator_names_are_checked(fairdeal: Terminal, tmp_path: Path, name: str) -> None:
    assert fairdeal("operator", "add", "--data", str(tmp_path / "data"), "--", name).code == 2


@pytest.mark.parametrize(
    "url",
    ["postgresql+psycopg://u:hunter2@127.0.0.1:1/x", "nosuch://u:hunter2@h/x", "hunter2", "sqlite:////"],
)
def test_a_store_that_cannot_be_opened(fairdeal: Terminal, tmp_path: Path, url: str) -> None:
    for arguments in (["operator", "list"], ["serve"], ["demo", "--once"]):
        ran = fairdeal(*arguments, "--data", str(tmp_path / "data"), FAIRDEAL_DATABASE_URL=url)
        assert (ran.code, "hunter2" in ran.err) == (4, False)
        assert "the store cannot be opened" in ran.err


def test_a_data_folder_that_cannot_be_made(fairdeal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments in (["operator", "add", "salon"], ["serve"], ["demo", "--once"]):
        assert fairdeal(*arguments, "--data", str(tmp_path / "file" / "data")).code == 4


def test_no_store_no_operators(fairdeal: Terminal, tmp_path: Path) -> None:
    for arguments in (["add", "salon"], ["list"], ["revoke", "salon"]):
        ran = fairdeal("operator", *arguments, "--data", str(tmp_path / "typo"), "--json")
        assert (ran.code, ran.json["error"]["code"]) == (4, "missing")
        assert not (tmp_path / "typo").exists()
    assert fairdeal("operator", "revoke", "nobody", "--data", str(tmp_path / "typo")).code == 4


def test_demo_once() -> None:
    ran = spawn("demo", "--once")
    assert (ran.code, ran.err) == (0, "")
    assert "VERIFIED" in ran.out
    assert ran.out.count("signed, in the log, and my seal is in it") == 4
    assert "Nobody: your own seed is in the deal" in ran.out
    assert ran.out.count(": refuted by ") == 4
    assert "Two tiles change hands: refuted by hands\n" in ran.out
    assert "\x1b" not in ran.out


def test_demo_serves_the_hand_until_it_is_told_to_stop(tmp_path: Path) -> None:
    # As where no environment is activated.
    path = {"PATH": os.defpath}
    with started("demo", "--port", str(free_port()), folder=tmp_path, **path) as process:
        said = wait_for(tmp_path / "out", r"From another terminal.*\n((?:.*\\\n)+.*)\n", process)
        page = wait_for(tmp_path / "out", r"http://\S+/verify/[0-9a-f]{32}", process)[0]
        wait_for(tmp_path / "err", "Ctrl-C stops", process)
        assert httpx2.get(page, trust_env=False).status_code == 200
        # What the demo prints, pasted into another shell.
        pasted = ["/bin/sh", "-c", f"{said[1]} --json"]
        ran = subprocess.run(pasted, env=environ(path), capture_output=True, check=False, timeout=120)
        assert ran.returncode == 0, ran.stderr
        found = json.loads(ran.stdout)
        assert (found["verdict"], found["grinding"]) == ("verified", "nobody")
        words = shlex.split(said[1])
        assert words[0] != "fairdeal"
        folder = Path(next(w for w in words if w.endswith("commit-receipt.json"))).parent.parent
        assert folder.is_dir()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert not folder.exists()


def test_demo_in_a_folder_that_stays(fairdeal: Terminal, tmp_path: Path) -> None:
    for number in (1, 2):
        ran = fairdeal("demo", "--once", "--data", str(tmp_path / "data"))
        assert (ran.code, f"number {number} of its table" in ran.out) == (0, True)
    (tmp_path / "data" / "operator.key").unlink()
    assert fairdeal("demo", "--once", "--data", str(tmp_path / "data")).code == 4


def test_demo_where_something_else_listens(fairdeal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = fairdeal("demo", "--once", "--port", str(taken.getsockname()[1]))
    assert ran.code == 4


def test_a_player_opens_its_seed_only_against_its_own_seal_in_the_log() -> None:
    dealer = Dealer(3)
    hand = dealer.commit(sealed=(1,))
    key = dealer.log.signer.verifier
    receipt = dealer.receipt(hand, upto="commit").as_json()
    me = Player(1, hand.client_seeds[1])
    assert me.open(receipt, key) == Contribution(1, hand.client_seeds[1])
    dealer.lock(hand)
    refusals: list[tuple[Player, dict[str, object], Verifier]] = [
        (Player(1), receipt, key),
        (Player(0, hand.client_seeds[1]), receipt, key),
        (Player(1, hand.client_seeds[1]), receipt, Dealer(4).log.signer.verifier),
        (Player(1, hand.client_seeds[1]), receipt, Dealer(4, origin="elsewhere").log.signer.verifier),
        (Player(1, hand.client_seeds[1]), receipt | {"entries": []}, key),
        (Player(1, hand.client_seeds[1]), receipt | {"deal": 7}, key),
        (Player(1, hand.client_seeds[1]), dealer.receipt(hand, upto="lock").as_json(), key),
    ]
    for player, shown, under in refusals:
        with pytest.raises(EvidenceError) as refused:
            player.open(shown, under)
        assert refused.value.code == "not-committed"
        assert player.kept is None
        assert player.seed.hex() not in f"{player!r} {refused.value}"
