"""Requests of every kind, made from the OpenAPI document by schemathesis.

No call is answered 5xx, or otherwise than the document says: status, content type, and the body's schema.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fairdeal_api.app import create_app
from fairdeal_api.server import serving
from fairdeal_api.settings import Settings
from hypothesis import HealthCheck, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.support import Game, client, ok

EXAMPLES = max(10, int(os.environ.get("FAIRDEAL_FUZZ", "150")) // 10)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

# Nothing is opened or written for a document.
schema = schemathesis.openapi.from_dict(create_app(Settings(data=Path("unused"))).openapi())


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """A service with hands in several states."""
    config = Settings(data=tmp_path_factory.mktemp("openapi") / "data", origin="log.example/okey")
    with serving(config) as url, client(url) as http:
        made = Game(http, config.operator_key_path.read_text().strip())
        made.played("salon:7", seats=(0,))
        made.committed("salon:7")
        made.dealt(made.committed("salon:8", terms={"openings": True})["hand"])
        yield made


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_call(case: Any, game: Game) -> None:
    if "hand" in (case.path_parameters or {}):
        # Every other request on a hand is on one that there is.
        number = len(str(case.body))
        if number % 2 == 0:
            listed = [ok(game.get(f"/v1/tables/operator/salon:{k}/hands"))["hands"] for k in (7, 8)]
            known = [one["hand"] for page in listed for one in page]
            case.path_parameters["hand"] = known[number // 2 % len(known)]
    answer = case.call(base_url=str(game.http.base_url), headers={"Authorization": f"Bearer {game.key}"})  # type: ignore[attr-defined]  # an httpx2.Client here
    case.validate_response(answer, checks=CHECKS)
