"""How the command line fails: hostile addresses, readers that go away, its own faults."""

from __future__ import annotations

import errno
import os
import pty
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from fairdeal_cli import fetch as fetching
from fairdeal_cli import reading
from fairdeal_cli.failures import safe_message

from tests.cli.documents import prepare
from tests.cli.running import Terminal, command, environ, spawn

HAND = "0" * 32
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A web server of one answer; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as in the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def send(request: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
    try:
        request.wfile.write(body)
    except OSError:
        # The client has heard enough, which is what some of these tests are about.
        request.close_connection = True


def drip(request: BaseHTTPRequestHandler) -> None:
    """An answer that never ends, a byte at a time."""
    request.send_response(200)
    request.end_headers()
    try:
        while True:
            request.wfile.write(b" ")
            request.wfile.flush()
            threading.Event().wait(0.02)
    except OSError:
        request.close_connection = True


HOSTILE: dict[str, tuple[Answer, str, str]] = {
    "endless": (lambda r: send(r, 200, b" " * 300_000), "too-large", "larger than any receipt"),
    "dripping": (drip, "unreachable", "takes longer than"),
    "compressed": (lambda r: send(r, 200, b"x", Content_Encoding="gzip"), "unreachable", "is compressed"),
    "redirects": (lambda r: send(r, 302, Location="/again"), "unreachable", "redirects without end"),
    "an error": (lambda r: send(r, 503, b"{}"), "unreachable", "HTTP 503"),
    "not there": (lambda r: send(r, 404), "missing", "nothing there"),
    "a web page": (lambda r: send(r, 200, b"<!doctype html>"), "malformed", "not a receipt or record"),
    "cut short": (lambda r: send(r, 200, b"{", Content_Length="99"), "unreachable", "cannot be reached"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_addresses(fairdeal: Terminal, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(fetching, "OVERALL_SECONDS", 0.3)
    monkeypatch.setattr(fetching, "MAX_DOCUMENT", 100_000)
    answer, code, message = HOSTILE[what]
    with answering(answer) as address:
        ran = fairdeal("verify", f"{address}/v1/hands/{HAND}", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, code)
    assert message in ran.err


def test_redirects_to_elsewhere_are_no_files(fairdeal: Terminal, tmp_path: Path) -> None:
    with answering(lambda r: send(r, 302, Location=f"file://{tmp_path}/receipt.json")) as address:
        ran = fairdeal("verify", f"{address}/v1/hands/{HAND}")
    assert (ran.code, ran.out) == (4, "")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (f"https://a.example/verify/{HAND}", f"https://a.example/v1/hands/{HAND}/receipt"),
        (f"https://a.example/verify/{HAND}/?lang=tr#x", f"https://a.example/v1/hands/{HAND}/receipt"),
        (f"https://a.example/okey/verify/{HAND}", f"https://a.example/okey/v1/hands/{HAND}/receipt"),
        (f"http://[::1]:8080/v1/hands/{HAND}", f"http://[::1]:8080/v1/hands/{HAND}/receipt"),
        (f"https://a.example/v1/hands/{HAND}/receipt", f"https://a.example/v1/hands/{HAND}/receipt"),
        ("https://a.example/kept/my.json?v=2#x", "https://a.example/kept/my.json?v=2"),
    ],
)
def test_addresses_of_a_hand(given: str, meant: str) -> None:
    assert reading.is_address(given)
    assert fetching.receipt_address(given) == meant


def test_our_own_fault_is_5_and_keeps_quiet_about_values(
    fairdeal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret " + "ab" * 32)

    prepare(tmp_path)
    monkeypatch.setattr("fairdeal_cli.verify.check", fail)
    ran = fairdeal("verify", f"{tmp_path}/receipt.json", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (5, "fault")
    assert "abab" not in ran.err + ran.out
    assert "RuntimeError" in ran.err
    shown = fairdeal("verify", f"{tmp_path}/receipt.json", FAIRDEAL_DEBUG="1")
    assert (shown.code, "Traceback" in shown.err) == (5, True)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("name", ["tmp/prints", "own/file", None])
def test_a_full_disk_is_no_fault_of_ours(
    fairdeal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, name: str | None
) -> None:
    file = None if name is None else str(tmp_path / name)

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), file)

    prepare(tmp_path)
    monkeypatch.setattr("fairdeal_cli.verify.check", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    ran = fairdeal("verify", f"{tmp_path}/receipt.json", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, "no-room")
    message = ran.json["error"]["message"]
    assert (f"{file} cannot be written" if file else "no room is left on a disk") in message
    assert os.strerror(number) in message
    assert ("TMPDIR" in message) is (name == "tmp/prints")


def test_a_full_disk_under_stdout_is_told_and_ends_with_4(tmp_path: Path) -> None:
    prepare(tmp_path)
    for arguments in (("verify", "receipt.json"), ("verify", "receipt.json", "--json"), ("verifier", "-")):
        for unbuffered in ("", "1"):
            with Path("/dev/full").open("wb") as full:
                ended = subprocess.run(
                    command(*arguments),
                    cwd=tmp_path,
                    env=environ({"PYTHONUNBUFFERED": unbuffered}),
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=60,
                    check=False,
                )
            told = "Error: no room is left on a disk (No space left on device)\n"
            assert (ended.returncode, ended.stderr.decode()) == (4, told), (arguments, unbuffered)


def test_a_full_disk_under_stderr_does_not_look_like_a_refutation(tmp_path: Path) -> None:
    for given in ("verify", "missing.json"), ("verify", "missing.json", "--json"):
        with Path("/dev/full").open("wb") as full:
            ended = subprocess.run(
                command(*given),
                cwd=tmp_path,
                env=environ(),
                stdout=subprocess.PIPE,
                stderr=full,
                timeout=60,
                check=False,
            )
        assert ended.returncode == 4, given


def test_a_broken_installation_does_not_look_like_a_refutation() -> None:
    lines = ["import sys", "sys.modules['typer'] = None", "from fairdeal_cli.app import main"]
    program = "\n".join([*lines, "sys.exit(main(['verify', 'x']))"])
    ended = subprocess.run(
        [command()[0], "-c", program], env=environ(), capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 5


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    prepare(tmp_path)
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            command("verify", "receipt.json"),
            cwd=tmp_path,
            env=environ(),
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write)
    assert ended.returncode == 141
    assert ended.stderr == b""


def on_a_terminal(folder: Path, **environment: str) -> str:
    """What ``fairdeal verify`` prints where stdout is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("verify", "receipt.json"),
        cwd=folder,
        env=environ({"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}),
        stdout=theirs,
    ) as process:
        os.close(theirs)
        printed = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            printed += piece
        assert process.wait(timeout=60) == 3
    os.close(ours)
    return printed.decode()


def test_colour_on_a_terminal_unless_it_is_refused(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert "\x1b[1;38;2;" in on_a_terminal(tmp_path)
    for refusal in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        text = on_a_terminal(tmp_path, **refusal)
        assert "\x1b[38" not in text
        assert ";38;" not in text
        assert "48;2" not in text


def test_without_a_terminal_there_is_no_colour(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert "\x1b" not in spawn("verify", "receipt.json", folder=tmp_path).out


def test_a_client_seed_given_as_a_commitment_is_pointed_out(fairdeal: Terminal, tmp_path: Path) -> None:
    prepare(tmp_path)
    seed = (tmp_path / "mine.txt").read_text()
    ran = fairdeal("verify", f"{tmp_path}/receipt.json", "--seen", seed)
    assert ran.code == 1
    assert "seat 2's client seed: give it as seed:2=" in ran.out


def test_messages_hide_long_hex() -> None:
    assert safe_message(f"No such option: --{'ab' * 32}") == "No such option: --(hidden)"
    assert "cdcd" not in safe_message(f"Got unexpected extra argument(s) ({'cd' * 10})")
