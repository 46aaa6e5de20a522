"""A disk that loses what was not synchronised, played from a trace of the service's system calls.

strace writes down every write, truncation, rename and fsync under a folder, with its data, and every answer
that leaves. :func:`disk_at` gives the files as a machine that lost its power at some line may find them:
all that was synchronised before, and of the later writes an arbitrary choice, each 4 KiB block whole or not.
Directory entries count as kept once made, as they are on the file systems that Debian installs by default
with their journal; what SQLite maps into memory (`-shm`) is not there after a crash and is left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "pwrite64",
    "write",
    "writev",
    "sendto",
    "ftruncate",
    "fsync",
    "fdatasync",
    "rename",
    "unlink",
)
BLOCK = 4096

_LINE = re.compile(r"(?P<pid>\d+) +(?P<rest>.*)")
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+)")
_PATH = re.compile(r"\d+<(?P<path>[^>]*)>")
_DATA = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Act:
    """One finished call: on a file under the folder, or an answer that left (``path`` empty)."""

    name: str
    path: str
    data: bytes = b""
    offset: int = 0
    other: str = ""


def strace(output: Path) -> tuple[str, ...]:
    """The command that a service is traced with."""
    watch = "trace=" + ",".join(CALLS)
    form = ("-y", "-xx", "-s", "1000000", "-qq")
    return ("strace", "-f", "--seccomp-bpf", *form, "-e", watch, "-o", str(output))


def acts(trace: Path, folder: Path) -> list[Act]:
    """What happened, in the order in which calls ended."""
    found: list[Act] = []
    begun: dict[str, str] = {}
    prefix = f"{folder}/"
    places: dict[str, int] = {}
    with trace.open() as lines:
        for line in lines:
            matched = _LINE.match(line)
            if matched is None:
                continue
            pid, rest = matched["pid"], matched["rest"]
            if rest.endswith("<unfinished ...>"):
                begun[pid] = rest.removesuffix("<unfinished ...>")
                continue
            if rest.startswith("<..."):
                rest = begun.pop(pid, "") + rest.partition("resumed>")[2]
            call = _CALL.match(rest)
            if call and int(call["result"]) >= 0:
                found += _act(call["name"], call["arguments"], int(call["result"]), prefix, places)
    return found


def _act(name: str, arguments: str, result: int, prefix: str, places: dict[str, int]) -> Iterator[Act]:
    texts = [bytes.fromhex(data.replace("\\x", "")) for data in _DATA.findall(arguments)]
    if name in ("rename", "unlink"):
        paths = [text.decode() for text in texts]
        if paths[0].startswith(prefix):
            yield Act(name, paths[0].removeprefix(prefix), other=paths[-1].removeprefix(prefix))
        return
    named = _PATH.match(arguments)
    path = named["path"] if named else ""
    if path.startswith("\\x"):
        path = bytes.fromhex(path.replace("\\x", "")).decode()
    if path.startswith(("socket:", "TCP")):
        if name in ("write", "sendto", "writev"):
            yield Act("answer", "", b"".join(texts)[:result])
        return
    if not path.startswith(prefix) or path.endswith("-shm"):
        return
    path = path.removeprefix(prefix)
    if name == "pwrite64":
        yield Act("write", path, texts[0][:result], int(arguments.rpartition(", ")[2], 0))
    elif name == "write":
        yield Act("write", path, texts[0][:result], places.get(path, 0))
        places[path] = places.get(path, 0) + result
    elif name == "ftruncate":
        yield Act("truncate", path, offset=int(arguments.rpartition(", ")[2], 0))
    elif name in ("fsync", "fdatasync"):
        yield Act("sync", path)


@dataclass
class Disk:
    """Files as they are on disk, and what is on its way there."""

    files: dict[str, bytearray] = field(default_factory=dict)
    waiting: dict[str, list[Act]] = field(default_factory=dict)

    def do(self, act: Act) -> None:
        """Take an act in."""
        if act.name in ("write", "truncate"):
            self.waiting.setdefault(act.path, []).append(act)
        elif act.name == "sync":
            # A folder is synchronised too; it has nothing on its way.
            if on_the_way := self.waiting.pop(act.path, []):
                self._reach(act.path, on_the_way)
        elif act.name == "rename":
            self._reach(act.other, [])
            self.files[act.other] = self.files.pop(act.path, bytearray())
            self.waiting[act.other] = self.waiting.pop(act.path, [])
        elif act.name == "unlink":
            self.files.pop(act.path, None)
            self.waiting.pop(act.path, None)

    def lose_power(self, chance: random.Random) -> dict[str, bytes]:
        """The files as they are found later: of what was on its way some blocks have arrived, in no order."""
        for path, on_the_way in self.waiting.items():
            share = chance.choice((0.0, 0.5, 1.0, chance.random()))
            self._reach(
                path, [part for act in on_the_way for part in _blocks(act) if chance.random() < share]
            )
        return {path: bytes(data) for path, data in self.files.items()}

    def _reach(self, path: str, arrived: list[Act]) -> None:
        data = self.files.setdefault(path, bytearray())
        for act in arrived:
            if act.name == "truncate":
                del data[act.offset :]
                data.extend(bytes(act.offset - len(data)))
            else:
                data.extend(bytes(max(0, act.offset - len(data))))
                data[act.offset : act.offset + len(act.data)] = act.data


def _blocks(act: Act) -> Iterator[Act]:
    if act.name != "write":
        yield act
        return
    for start in range(0, len(act.data), BLOCK):
        yield Act("write", act.path, act.data[start : start + BLOCK], act.offset + start)


def disk_at(done: list[Act], cut: int, chance: random.Random) -> dict[str, bytes]:
    """The files after the power went when ``done[:cut]`` had happened."""
    disk = Disk()
    for act in done[:cut]:
        disk.do(act)
    return disk.lose_power(chance)
