"""Services to test: in this process with a clock that tests move, or in a process of their own."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fairdeal_api import db, operators
from fairdeal_api.app import create_app
from fairdeal_api.service import Service, open_service
from fairdeal_api.settings import Settings
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.api.support import Clock, Game, Running, start
from tests.postgres import Cluster, cluster, url_database


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server for all tests of this process."""
    with cluster() as made:
        yield made


@pytest.fixture(scope="session")
def migrated(postgres: Cluster) -> str:
    """The name of a database with the service's tables, from which others are copied."""
    url = postgres.database()
    engine = db.writer_engine(url)
    db.migrate(engine)
    engine.dispose()
    return url_database(url)


@pytest.fixture
def postgres_url(postgres: Cluster, migrated: str) -> Iterator[str]:
    """The address of a store of the test's own, with tables and nothing in them."""
    url = postgres.database(migrated)
    yield url
    postgres.drop(url)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test that has a service in its own process runs on both databases.

    A module whose tests ask nothing of the store says ``STORES = ("sqlite",)``.
    """
    if "store_url" in metafunc.fixturenames:
        stores = getattr(metafunc.module, "STORES", ("sqlite", "postgres"))
        metafunc.parametrize("store_url", stores, indirect=True)


@pytest.fixture
def store_url(request: pytest.FixtureRequest) -> str | None:
    """The store's address; none is SQLite in the data folder."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def settings(tmp_path: Path, store_url: str | None) -> Settings:
    return Settings(data=tmp_path / "data", origin="log.example/okey", database_url=store_url)


@pytest.fixture
def service(settings: Settings, clock: Clock) -> Iterator[Service]:
    """A service without HTTP; for what is put to its ledger."""
    opened = open_service(settings, clock)
    yield opened
    opened.close()


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

        def begin(prefix: tuple[str, ...] = (), name: str = "data", **options: Any) -> Running:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                port = probe.getsockname()[1]
            running = start(tmp_path / name, port, tmp_path / f"{name}.out", prefix, **options)
            stack.callback(running.kill)
            return running

        yield begin


@pytest.fixture
def copied(settings: Settings, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], Settings]:
    """Copies the store as it stands, with no service on it; gives settings with the copy for a store."""

    def copy() -> Settings:
        if settings.database_url is None:
            path = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}.db"
            shutil.copy2(settings.data / "fairdeal.db", path)
            return settings.model_copy(update={"database_url": f"sqlite:///{path}"})
        postgres: Cluster = request.getfixturevalue("postgres")
        url = postgres.database(url_database(settings.database_url))
        request.addfinalizer(lambda: postgres.drop(url))
        return settings.model_copy(update={"database_url": url})

    return copy
