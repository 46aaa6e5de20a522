"""Services as processes of their own that need not load everything anew.

Loading the service takes a second of processor time, a test that kills it again and again starts it a dozen
times. So one process loads it, serves nothing, and makes a copy of itself for each start: the copy runs what
``python -c`` would run, with its own arguments, environment, folder and output, and nothing of an earlier
service is in it, since none ever ran in the process it was copied from. Its end is seen as with
:class:`subprocess.Popen`. What is started with another command before it (strace), or has workers, is loaded
as always; so is everything where FAIRDEAL_FAULTS asks for the long form.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, Protocol

ROOT = Path(__file__).parents[2]


class Process(Protocol):
    """What tests use of a process that they started."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int, /) -> None: ...

    def kill(self) -> None: ...


class Copy:
    """A copy that runs. Until it is waited for, its number stays its own."""

    def __init__(self, pid: int, end: Callable[[int], int]) -> None:
        self.pid, self._end = pid, end
        self._code: int | None = None
        self._lock = threading.Lock()
        self._watch = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; ``None`` while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended; raises :class:`subprocess.TimeoutExpired` after seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a copy of the service", timeout or 0)
        return code

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        """Kill it, if it runs."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self._code is None:
            watcher = select.poll()
            watcher.register(self._watch, select.POLLIN)
            if not watcher.poll(None if timeout is None else timeout * 1000):
                return None
            with self._lock:
                if self._code is None:
                    self._code = self._end(self.pid)
                    os.close(self._watch)
        return self._code


class _Loaded:
    """The process that is copied; it ends with this one, and its copies with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.api.copies"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        atexit.register(self._close)

    def ask(self, **request: Any) -> int:
        """Send a request, get a number."""
        talk = self._process
        assert talk.stdin is not None
        assert talk.stdout is not None
        with self._lock:
            talk.stdin.write(json.dumps(request).encode() + b"\n")
            talk.stdin.flush()
            return int(talk.stdout.readline())

    def _close(self) -> None:
        self._process.communicate()


@cache
def _loaded() -> _Loaded:
    return _Loaded()


def run(code: str, arguments: Sequence[str], output: Path, environment: Mapping[str, str]) -> Copy:
    """What ``python -c code arguments…`` is, its output appended to a file."""
    loaded = _loaded()
    pid = loaded.ask(
        code=code,
        arguments=list(arguments),
        output=str(output),
        environment=dict(environment),
        folder=str(Path.cwd()),
    )
    return Copy(pid, lambda ended: loaded.ask(wait=ended))


# --- The process that is copied ---


def main() -> None:
    """Load the service, then answer requests until there are no more."""
    import psycopg  # noqa: F401, PLC0415  what a service loads once it starts
    import uvloop  # noqa: F401, PLC0415
    from fairdeal_api import server  # noqa: F401, PLC0415

    # Ctrl-C is for the tests: they end this process by going away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing that is printed gets into the answers.
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    running: set[int] = set()
    while line := asked.readline():
        request = json.loads(line)
        if "wait" in request:
            running.discard(request["wait"])
            number = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            assert len([*Path("/proc/self/task").iterdir()]) == 1, "a copy would lack the other threads"
            number = os.fork()
            if number == 0:
                _become(request, (asked, answers))
                return
            running.add(number)
        answers.write(b"%d\n" % number)
        answers.flush()
    for pid in running:
        os.kill(pid, signal.SIGKILL)


def _become(request: dict[str, Any], talk: tuple[IO[bytes], IO[bytes]]) -> None:
    for file in talk:
        file.close()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output = os.open(request["output"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = ["-c", *request["arguments"]]
    exec(request["code"], {"__name__": "__main__"})  # noqa: S102  as python -c does


if __name__ == "__main__":
    main()
