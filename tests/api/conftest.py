"""Services to test: in this process with a clock that tests move, or in a process of their own."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fairdeal_api import operators
from fairdeal_api.app import create_app
from fairdeal_api.settings import Settings
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.api.support import Clock, Game, Running, start


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", origin="log.example/okey")


@pytest.fixture
def app(settings: Settings, clock: Clock) -> FastAPI:
    return create_app(settings, clock)


@pytest.fixture
def http(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def game(http: TestClient, settings: Settings) -> Game:
    return Game(http, settings.operator_key_path.read_text().strip())


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    """A game server for tests that leave nothing behind; one service for a module of them."""
    settings = Settings(data=tmp_path_factory.mktemp("steady") / "data", origin="log.example/okey")
    with TestClient(create_app(settings, Clock()), raise_server_exceptions=False) as client:
        yield Game(client, settings.operator_key_path.read_text().strip())


@pytest.fixture
def other(http: TestClient, settings: Settings) -> Game:
    """A game server of another operator."""
    return Game(http, operators.add(settings, "other"))


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts services as processes, each call anew on the same data; ends them after the test."""
    with ExitStack() as stack:

        def begin(prefix: tuple[str, ...] = (), name: str = "data") -> Running:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                port = probe.getsockname()[1]
            running = start(tmp_path / name, port, tmp_path / f"{name}.out", prefix)
            stack.callback(running.kill)
            return running

        yield begin


@pytest.fixture
def settings_file(settings: Settings) -> Path:
    """The store's file."""
    return settings.data / "fairdeal.db"
