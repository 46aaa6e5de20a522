"""deploy/nginx.conf in the real nginx: it parses, keeps tiles and nothing else, hides what is internal."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fairdeal_api.server import prepare, serving
from fairdeal_api.settings import Settings

from tests.api.support import Game, ok, read_log, wait_until

CONF = Path(__file__).resolve().parents[2] / "deploy/nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def front(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A service behind nginx: nginx's address, and an operator key."""
    assert NGINX, "nginx is missing: python tools/provision.py"
    settings = Settings(data=tmp_path / "data")
    key = prepare(settings).operator_key_file.read_text().strip()
    port = free_port()
    with serving(settings) as address:
        text = CONF.read_text()
        for old, new in (
            ("/tmp/", f"{tmp_path}/"),  # noqa: S108 -- the image's own; first, for ours may lie there too
            ("app:8080", address.removeprefix("http://")),
            ("listen 8080", f"listen 127.0.0.1:{port}"),
            ("/var/cache/nginx", f"{tmp_path}"),
            ("/dev/stdout", f"{tmp_path}/access"),
            ("/dev/stderr", f"{tmp_path}/errors"),
        ):
            assert old in text, old
            text = text.replace(old, new)
        conf = tmp_path / "nginx.conf"
        conf.write_text(f"daemon off;\nuser {os.environ.get('USER', 'root')};\n" + text)
        command = [NGINX, "-p", str(tmp_path), "-c", str(conf), "-e", str(tmp_path / "errors")]
        tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stderr
        nginx = subprocess.Popen(command)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until(lambda: nginx.poll() is not None or _answers(url), 20)
            assert nginx.poll() is None, (tmp_path / "errors").read_text()
            yield url, key
        finally:
            nginx.terminate()
            nginx.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz").status_code == 200
    except httpx2.TransportError:
        return False


def test_tiles_are_kept_and_nothing_else(front: tuple[str, str], tmp_path: Path) -> None:
    url, key = front
    with httpx2.Client(base_url=url, timeout=30) as http:
        game = Game(http, key)
        revealed = game.played()
        for path in ("/tile/0/000.p/3", "/tile/entries/000.p/3"):
            found = [http.get(path) for _ in range(3)]
            assert [answer.headers["x-cache"] for answer in found] == ["MISS", "HIT", "HIT"]
            assert len({answer.content for answer in found}) == 1
            assert found[1].headers["cache-control"] == "public, max-age=31536000, immutable"
            assert found[1].headers["access-control-allow-origin"] == "*"
        # A tile that is not there yet must not be remembered as missing.
        assert [http.get("/tile/0/000.p/4").headers["x-cache"] for _ in range(2)] == ["MISS", "MISS"]
        before = http.get("/checkpoint").text
        game.committed()
        assert http.get("/checkpoint").text != before
        assert http.get("/tile/0/000.p/4").status_code == 200
        assert read_log(http).checkpoint.size == 4
        assert http.get(f"/v1/hands/{revealed['hand']}").json()["state"] == "revealed"
        assert http.get("/tile/0/../../metrics").status_code == 404
        for hidden in ("/metrics", "/readyz"):
            assert http.get(hidden).status_code == 404
        too_large = http.post("/v1/hands/batch", content=b" " * (5 << 20))
        assert too_large.status_code == 413
    log = (tmp_path / "access").read_text()
    assert '"cache":"HIT"' in log
    assert key not in log


def test_a_request_has_one_id_in_both_logs(front: tuple[str, str]) -> None:
    with httpx2.Client(base_url=front[0]) as http:
        answer = http.get("/log/key", headers={"X-Request-Id": "of-a-stranger"})
        assert len(answer.headers["x-request-id"]) == 32
        ok(http.get("/v1/hands?state=open", headers={"Authorization": f"Bearer {front[1]}"}))
