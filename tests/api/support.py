"""A game server as tests play one: it holds its operator key and its players' seeds."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Protocol

import httpx2

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.entries import Entry, parse_entry
from fairdeal.merkle import Frontier, leaf_hash, root
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.tiling import entries_path, parse_bundle, tiles_for
from tests.api import copies

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of http:// addresses: one of their own would have read all of the machine's certificates."""

START = 1_800_000_000_000
MINUTE, HOUR = 60_000, 3_600_000


class Http(Protocol):
    """What Starlette's TestClient and httpx2.Client have in common."""

    def request(self, method: str, url: str, *, json: Any = None, headers: Any = None) -> httpx2.Response: ...


@dataclass
class Clock:
    """A clock that stands still until a test moves it."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def tick(self, milliseconds: int) -> None:
        self.now += milliseconds


def fresh_seal(seat: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A client's new seed, as what it hands over before the commit and after."""
    seed = os.urandom(32)
    return {"seat": seat, "seal": hashlib.sha256(seed).hexdigest()}, {"seat": seat, "seed": seed.hex()}


@dataclass
class Game:
    """A game server of one operator. Methods give the response; ``…ed`` ones assert success."""

    http: Http
    key: str = field(repr=False)
    seeds: dict[str, list[dict[str, Any]]] = field(default_factory=dict, repr=False)

    def call(self, method: str, path: str, body: object = None, **headers: str) -> httpx2.Response:
        sent = {"Authorization": f"Bearer {self.key}", **{k.replace("_", "-"): v for k, v in headers.items()}}
        return self.http.request(method, path, json=body, headers=sent)

    def commit(self, table: str = "salon:1", seats: Sequence[int] = (), **fields: object) -> httpx2.Response:
        pairs = [fresh_seal(seat) for seat in seats]
        body = {"table": table, **({"seals": [seal for seal, _ in pairs]} if pairs else {}), **fields}
        answer = self.call("POST", "/v1/hands", body)
        if answer.status_code == 201:
            self.seeds[answer.json()["hand"]] = [seed for _, seed in pairs]
        return answer

    def committed(
        self, table: str = "salon:1", seats: Sequence[int] = (), **fields: object
    ) -> dict[str, Any]:
        return ok(self.commit(table, seats, **fields), 201)

    def deal(self, hand: str, **fields: object) -> httpx2.Response:
        return self.call("POST", f"/v1/hands/{hand}/deal", {"seeds": self.seeds.get(hand, []), **fields})

    def dealt(self, hand: str, **fields: object) -> dict[str, Any]:
        return ok(self.deal(hand, **fields))

    def reveal(self, hand: str, **fields: object) -> httpx2.Response:
        return self.call("POST", f"/v1/hands/{hand}/reveal", fields)

    def void(self, hand: str, reason: str) -> httpx2.Response:
        return self.call("POST", f"/v1/hands/{hand}/void", {"reason": reason})

    def played(self, table: str = "salon:1", seats: Sequence[int] = (), **fields: object) -> dict[str, Any]:
        hand = self.committed(table, seats, **fields)["hand"]
        self.dealt(hand)
        return ok(self.reveal(hand))

    def get(self, path: str) -> httpx2.Response:
        return self.http.request("GET", path)


def ok(answer: httpx2.Response, status: int = 200) -> dict[str, Any]:
    """The answer's JSON object, after checking its status."""
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def problem(answer: httpx2.Response, code: str, status: int) -> dict[str, Any]:
    """The problem document, after checking that it is one, with this code and status."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    found: dict[str, Any] = answer.json()
    assert (found["code"], answer.status_code, found["status"]) == (code, status, status), answer.text
    return found


@dataclass(frozen=True)
class WholeLog:
    """A log as read from its tiles, every entry hashed again under the signed checkpoint."""

    checkpoint: Checkpoint
    entries: list[bytes]

    @property
    def parsed(self) -> list[Entry]:
        return [parse_entry(entry) for entry in self.entries]

    @property
    def heads(self) -> list[bytes]:
        """The tree's heads at every size, from none on."""
        tree = Frontier()
        found = [tree.root()]
        for entry in self.entries:
            tree.append(leaf_hash(entry))
            found.append(tree.root())
        return found


def read_log(http: Http, vkey: str | None = None) -> WholeLog:
    """Read a whole log and check it under its key."""
    verifier = Verifier.parse(vkey or http.request("GET", "/log/key").text.strip())
    note = parse_note(http.request("GET", "/checkpoint").text)
    open_note(note, [verifier])
    checkpoint = parse_checkpoint(note.text)
    entries: list[bytes] = []
    while len(entries) < checkpoint.size:
        n, width = len(entries) // 256, min(256, checkpoint.size - len(entries))
        answer = http.request("GET", f"/{entries_path(n, width)}")
        assert answer.status_code == 200, (n, width)
        entries += parse_bundle(answer.content, width)
    assert root(leaf_hash(entry) for entry in entries) == checkpoint.root
    return WholeLog(checkpoint, entries)


def mirror(http: Http, folder: Path) -> Path:
    """Copy a log into a folder in the tlog-tiles layout."""
    note = http.request("GET", "/checkpoint").text
    for tile in tiles_for(parse_checkpoint(parse_note(note).text).size):
        path = folder / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(http.request("GET", f"/{tile.path}").content)
    folder.mkdir(exist_ok=True)
    (folder / "checkpoint").write_text(note)
    return folder


def client(url: str, timeout: float = 30) -> httpx2.Client:
    """A client of an http:// address."""
    return httpx2.Client(base_url=url, timeout=timeout, verify=NO_TLS)


SERVE = """
import sys
from pathlib import Path
from fairdeal_api.server import run
from fairdeal_api.settings import Settings
run(Settings(data=Path(sys.argv[1])), "127.0.0.1", int(sys.argv[2]), workers=int(sys.argv[3]))
"""


@dataclass
class Running:
    """A service in a process of its own. ``output`` is the file that its stdout and stderr go to."""

    data: Path
    port: int
    process: copies.Process
    output: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        return (self.data / "operator.key").read_text().strip()

    def client(self) -> httpx2.Client:
        return client(self.url)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0


def start(
    data: Path,
    port: int,
    output: Path,
    prefix: Sequence[str] = (),
    *,
    workers: int = 1,
    database_url: str | None = None,
) -> Running:
    """Start a service on a data folder, under the command ``prefix``, and wait until it is ready."""
    environment = {**os.environ, **({"FAIRDEAL_DATABASE_URL": database_url} if database_url else {})}
    arguments = [str(data), str(port), str(workers)]
    if prefix or workers > 1:
        process = loading(SERVE, arguments, output, environment, prefix)
    else:
        process = begin(SERVE, arguments, output, environment)
    running = Running(data, port, process, output)
    wait_until(lambda: process.poll() is not None or ready(running), 200)
    assert process.poll() is None, output.read_text()
    return running


def begin(
    code: str, arguments: Sequence[str], output: Path, environment: Mapping[str, str]
) -> copies.Process:
    """A process that runs Python code on the service, with what it needs loaded already."""
    if "FAIRDEAL_FAULTS" in os.environ:
        return loading(code, arguments, output, environment)
    return copies.run(code, arguments, output, environment)


def loading(
    code: str,
    arguments: Sequence[str],
    output: Path,
    environment: Mapping[str, str],
    prefix: Sequence[str] = (),
) -> copies.Process:
    """A process that runs Python code and loads what it needs itself, under the command ``prefix``."""
    command = [*prefix, sys.executable, "-c", code, *arguments]
    with output.open("ab") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    """Wait for a condition; fails after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def ready(running: Running) -> bool:
    """Whether the service says that it is; asked so often that no client is made for it."""
    connection = HTTPConnection("127.0.0.1", running.port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def pretty(value: object) -> str:
    """JSON for a failure's message."""
    return json.dumps(value, indent=1)
