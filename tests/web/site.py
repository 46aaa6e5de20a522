"""A site that serves the verifier page as the service does, with receipts of the test's own choosing.

The page asks the service for nothing but a hand's receipt. So tests that tamper with receipts need no
service: they put any text in its place. The service itself is tested with the page in test_service.py.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

WEB = Path(__file__).resolve().parents[2] / "api" / "fairdeal_api" / "web"
ANSWERS = Path(__file__).parent / "protocol" / "answers.js"
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class Site:
    """What is served, and what was asked for. ``receipts`` maps hands to texts, or to a status."""

    port: int = 0
    receipts: dict[str, str | int] = field(default_factory=dict)
    offline: bytes = b""
    asked: list[str] = field(default_factory=list)
    games: list[str] = field(default_factory=list)
    """Addresses of games that embed the badge: pages of a test may ask them too."""
    page: str | None = None
    """A page of a game, at the root, under the policy ``policy``."""
    policy: str = POLICY

    def clean(self) -> None:
        """Forget what the last test made of it; the port, and with it the browser's cache, stays."""
        fresh = Site(self.port, offline=self.offline)
        self.__dict__.update(fresh.__dict__)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Status, content type and body for a path."""
        if path == "/" and self.page is not None:
            return 200, "text/html; charset=utf-8", self.page.encode()
        if path == "/verify/offline.html":
            return 200, "text/html", self.offline
        if path == "/verify" or path.startswith("/verify/"):
            return 200, "text/html; charset=utf-8", (WEB / "index.html").read_bytes()
        if path.startswith("/v1/hands/") and path.endswith("/receipt"):
            found = self.receipts.get(path.split("/")[3], 404)
            if isinstance(found, int):
                return found, "application/problem+json", b'{"code": "no_such_hand"}'
            return 200, "application/json", found.encode()
        if path in _files():
            return 200, *_files()[path]
        if path == "/tests/answers.js":
            return 200, "text/javascript", ANSWERS.read_bytes()
        return 404, "text/plain", b"not here"


@cache
def _files() -> dict[str, tuple[str, bytes]]:
    """Type and bytes of every file of the page, by path."""
    return {
        f"/verify-assets/{file.relative_to(WEB)}": (
            "text/javascript" if file.suffix == ".js" else mimetypes.guess_type(file)[0] or "text/plain",
            file.read_bytes(),
        )
        for file in sorted(WEB.rglob("*"))
        if file.is_file()
    }


@contextmanager
def serve() -> Iterator[Site]:
    """A site on a free port of 127.0.0.1, for as long as the block runs."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Header and body in one packet: sixty modules that each wait for an acknowledgement take seconds.
        wbufsize = 1 << 20
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            site.asked.append(path)
            status, kind, body = site.answer(path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", site.policy)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Access-Control-Allow-Origin", "*")
            # Sixty modules a page: a browser asks for each once, not once a test.
            lasting = path.startswith(("/verify-assets/", "/tests/")) and status == 200
            self.send_header("Cache-Control", "max-age=3600" if lasting else "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
            """Nothing: what was asked for stands in ``site.asked``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
