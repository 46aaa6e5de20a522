"""compose.yaml as far as it can be checked without an engine: its form, and what it promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from fairdeal_api.server import SHUTDOWN_TIME
from fairdeal_api.settings import Settings

from tools import image

ROOT = Path(__file__).resolve().parents[2]

SERVICE = {
    "build", "image", "restart", "depends_on", "command", "environment", "volumes", "read_only", "tmpfs",
    "cap_drop", "security_opt", "ulimits", "stop_grace_period", "networks", "ports", "healthcheck",
    "shm_size",
}  # fmt: skip
"""Members of a service in the Compose specification, as far as this file uses them."""


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def test_its_form(compose: dict[str, Any]) -> None:
    assert compose.keys() == {"name", "services", "volumes", "networks"}
    for name, service in compose["services"].items():
        assert service.keys() <= SERVICE, name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (ROOT / source).is_file(), volume
        assert set(service["networks"]) <= compose["networks"].keys()
        assert set(service.get("depends_on", {})) <= compose["services"].keys()
        for other, rule in service.get("depends_on", {}).items():
            assert rule == {"condition": "service_healthy"}
            assert "healthcheck" in compose["services"][other] or "build" in compose["services"][other]


def test_the_service_has_no_rights_and_a_root_that_it_cannot_write(compose: dict[str, Any]) -> None:
    app = compose["services"]["app"]
    assert app["read_only"] is True
    assert app["cap_drop"] == ["ALL"]
    assert app["security_opt"] == ["no-new-privileges:true"]
    assert app["ulimits"]["core"] == 0
    stage = image.Stage(Path("/nowhere"))
    for name, argument in image.instructions((ROOT / "Dockerfile").read_text()):
        if name in ("ENV", "USER"):
            image.note(name, argument, stage)
    assert f"data:{stage.environment['FAIRDEAL_DATA']}" in app["volumes"]
    assert not stage.user.startswith(("0", "root"))
    assert "ports" not in app
    assert compose["networks"]["inner"]["internal"] is True
    assert compose["services"]["db"]["networks"] == ["inner"]


def test_stopping_takes_no_longer_than_it_may(compose: dict[str, Any]) -> None:
    assert seconds(compose["services"]["app"]["stop_grace_period"]) > SHUTDOWN_TIME


def test_every_setting_is_one_and_no_secret_is_written_down(compose: dict[str, Any]) -> None:
    for name, value in compose["services"]["app"]["environment"].items():
        assert name.removeprefix("FAIRDEAL_").lower() in Settings.model_fields, name
        if "PASSWORD" in value:
            assert re.search(r"\$\{FAIRDEAL_DB_PASSWORD:\?", value), name
    assert compose["services"]["db"]["environment"]["POSTGRES_PASSWORD"].startswith(
        "${FAIRDEAL_DB_PASSWORD:?"
    )


def test_the_database_is_durable(compose: dict[str, Any]) -> None:
    command = compose["services"]["db"]["command"]
    assert {"fsync=on", "full_page_writes=on", "synchronous_commit=on"} <= set(command)
