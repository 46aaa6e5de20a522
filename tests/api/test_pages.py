"""The verifier page's address and files, operations' calls, and what every answer carries."""

from __future__ import annotations

from pathlib import Path

import pytest
from fairdeal_api.routes.pages import CSP, Asset, load_assets
from fairdeal_api.service import Service
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.api.support import Game, ok, problem

HAND = "0" * 32


@pytest.mark.parametrize("path", ["/verify", f"/verify/{HAND}"])
def test_the_page_is_served_under_a_strict_policy(http: TestClient, path: str) -> None:
    answer = http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == CSP
    assert "default-src 'none'" in CSP
    assert "unsafe" not in CSP
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_assets_have_types_tags_and_cors(app: FastAPI, http: TestClient, tmp_path: Path) -> None:
    (tmp_path / "protocol").mkdir()
    (tmp_path / "protocol" / "draws.js").write_text("export const n = 106;")
    (tmp_path / "style.css").write_text("a{}")
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "notes.md").write_text("not served")
    app.state.assets = load_assets(tmp_path)
    assert http.get("/verify").text == "<!doctype html><title>page</title>"
    answer = http.get("/verify-assets/protocol/draws.js", headers={"Origin": "https://club.example"})
    assert answer.text == "export const n = 106;"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-cache"
    again = http.get("/verify-assets/protocol/draws.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert http.get("/verify-assets/style.css").headers["content-type"] == "text/css; charset=utf-8"
    for path in (
        "notes.md",
        "nothing.js",
        "../app.py",
        "%2e%2e/app.py",
        "protocol",
        "",
        "protocol/../style.css/..",
    ):
        problem(http.get(f"/verify-assets/{path}"), "not_found", 404)


def test_without_the_page_an_honest_one_says_so(app: FastAPI, http: TestClient, tmp_path: Path) -> None:
    app.state.assets = load_assets(tmp_path / "none")
    assert app.state.assets == {}
    assert "without its verifier page" in http.get("/verify").text
    assert Asset.of(b"x", ".txt").etag != Asset.of(b"y", ".txt").etag


def test_liveness_readiness_and_metrics(app: FastAPI, game: Game, http: TestClient) -> None:
    assert ok(http.get("/healthz")) == {"status": "ok"}
    assert ok(http.get("/readyz")) == {"status": "ready"}
    hand = game.played()["hand"]
    game.committed()
    http.request("BREW", "/healthz")
    head = http.head("/checkpoint")
    assert (head.status_code, head.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    text = http.get("/metrics").text
    assert 'fairdeal_entries_total{outcome="",type="commit"} 2.0' in text
    assert 'fairdeal_entries_total{outcome="played",type="reveal"} 1.0' in text
    assert "fairdeal_log_entries 4.0" in text
    assert 'fairdeal_http_requests_total{method="POST",route="/v1/hands",status="201"} 2.0' in text
    assert 'method="other"' in text
    assert hand not in text
    assert "salon" not in text
    service: Service = app.state.service
    service.ledger._writer.broken = "the disk failed"
    problem(http.get("/readyz"), "unavailable", 503)
    problem(game.commit(), "unavailable", 503)
    assert ok(http.get("/healthz")) == {"status": "ok"}
