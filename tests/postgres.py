"""A PostgreSQL of the tests' own: a cluster in a temporary folder, reached over a socket in it, gone after.

Nothing of the machine's own PostgreSQL is touched, no port is opened. The server refuses to run as root, so
a test run as root gives the cluster to an unprivileged user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

FOLDERS = "usr/lib/postgresql/*/bin"
"""Where Debian keeps the server's programs."""

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
    # A crash of the machine is not what these tests are about, but the service insists on a durable server.
    "fsync": "on",
}


def program(name: str) -> str:
    """The path of one of the server's programs."""
    beside = os.pathsep.join(sorted(map(str, Path("/").glob(FOLDERS)), reverse=True))
    found = shutil.which(name) or shutil.which(name, path=beside)
    assert found is not None, f"{name} is missing: make tools brings it"
    return found


def unprivileged() -> str | None:
    """The user that a server is run as where this process is root; ``None`` where it is not."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@dataclass
class Cluster:
    """A cluster in ``folder``: :meth:`start`, :meth:`stop` or :meth:`kill` it, make a :meth:`database`."""

    folder: Path
    user: str | None
    count: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    _server: subprocess.Popen[bytes] | None = None

    @classmethod
    def create(cls, folder: Path) -> Cluster:
        """Make the cluster's files; the folder must be empty."""
        user = unprivileged()
        if user:
            shutil.chown(folder, user)
        options = ["--username=fairdeal", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        command = [program("initdb"), *options, str(folder / "data")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=user, cwd=folder)
        return cls(folder, user)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running server's main process."""
        assert self._server is not None
        return self._server

    def start(self, **settings: str) -> None:
        """Start the server and wait until it answers; ``settings`` stay for later starts."""
        self.settings |= settings
        chosen = SETTINGS | {"unix_socket_directories": str(self.folder)} | self.settings
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        command = [program("postgres"), "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                command, stdout=log, stderr=log, user=self.user, cwd=self.folder, start_new_session=True
            )
        end = time.monotonic() + 60
        while not self._answers():
            assert self._server.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server in order, cutting connections."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def kill(self) -> None:
        """Kill the server and all its processes at once, as a machine that goes down would."""
        # Each of its processes is a session of its own, and none may live on to finish what it was about: a
        # stopped one starts no more of them. One that waits for the disk is gone only once that has answered,
        # and until then no other server can be started on these files.
        self.process.send_signal(signal.SIGSTOP)
        _wait(lambda: _state(self.process.pid) == "T")
        children = [int(child) for child in self._children().read_text().split()]
        for pid in (self.process.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        _wait(lambda: all(_state(child) in "ZX" for child in children))

    def _children(self) -> Path:
        return Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")

    def standby(self, folder: Path) -> Cluster:
        """A running copy in an empty folder that follows this cluster, as far as it can."""
        if self.user:
            shutil.chown(folder, self.user)
        options = ["--host", str(self.folder), "--username=fairdeal", "--write-recovery-conf"]
        copy = [program("pg_basebackup"), *options, "--checkpoint=fast", "--no-sync", "--pgdata"]
        subprocess.run([*copy, str(folder / "data")], check=True, user=self.user, cwd=folder)
        made = Cluster(folder, self.user)
        made.start()
        return made

    def promote(self) -> None:
        """Make a standby the one that takes writes."""
        with self.connect() as connection:
            connection.execute("SELECT pg_promote(true, 60)")

    def database(self, template: str = "template1") -> str:
        """The SQLAlchemy address of a new database."""
        self.count += 1
        name = f"fairdeal_{self.count}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self.url(name)

    def drop(self, url: str) -> None:
        """Drop a database, cutting whatever is connected to it."""
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {url_database(url)} WITH (FORCE)".encode())

    def url(self, name: str) -> str:
        """The SQLAlchemy address of a database."""
        return f"postgresql+psycopg://fairdeal@/{name}?host={self.folder}"

    def connect(self, name: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """A superuser's connection that commits every statement."""
        return psycopg.connect(host=str(self.folder), user="fairdeal", dbname=name, autocommit=True)

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True


def _state(pid: int) -> str:
    """A process's state in the kernel's letter: ``T`` stopped, ``Z`` ended, ``X`` gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited too long for a server's processes"
        time.sleep(0.002)


def url_database(url: str) -> str:
    """The database's name in an address of :meth:`Cluster.url`."""
    return url.partition("?")[0].rpartition("/")[2]


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A running cluster, removed at the end. Its folder's path is short: a socket's may have 107 bytes."""
    # tempfile, not pytest's own folder: that one only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="fairdeal-pg-"))
    try:
        made = Cluster.create(folder)
        made.start()
        try:
            yield made
        finally:
            if made.process.poll() is None:
                made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
