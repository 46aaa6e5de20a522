"""Running the service: what `fairdeal serve` and the demo call."""

from __future__ import annotations

import contextlib
import logging.config
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from fairdeal_api import hardening, logs, memory
from fairdeal_api.app import create_app
from fairdeal_api.protocol import PatientProtocol
from fairdeal_api.service import FIRST_OPERATOR, Service, StartupError, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.workers import application, refuse_unshared, supervise

__all__ = ["Started", "StartupError", "prepare", "run", "serving"]

SHUTDOWN_TIME = 30
"""Seconds that open requests get to finish after SIGTERM."""


@dataclass(frozen=True, slots=True)
class Started:
    """What a start found or made: said to the person at the terminal."""

    first_start: bool
    data: Path
    log_key_file: Path
    seed_key_file: Path
    operator: str
    operator_key_file: Path
    vkey: str


def prepare(settings: Settings, workers: int = 1) -> Started:
    """Make what a first start makes (folder, store, keys, operator key) and say where; nothing is served yet.

    Raises :class:`StartupError`.
    """
    refuse_unshared(settings, workers)
    service = open_service(settings)
    service.close()
    return _started(settings, service)


def run(
    settings: Settings,
    host: str = "127.0.0.1",
    port: int = 8080,
    workers: int = 1,
    listening: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM, and return then, or SIGINT; finishes what was accepted.

    ``listening`` is called once the port is the service's. Raises :class:`StartupError`.
    """
    refuse_unshared(settings, workers)
    hardening.no_core_dumps()
    logging.config.dictConfig(logs.configuration(settings.log_format))
    with _until_told(), _listener(host, port) as listener:
        if workers == 1:
            app = create_app(service=open_service(settings))
            memory.calm_collector()
            listening()
            uvicorn.Server(_config(app, host, port)).run(sockets=[listener])
        else:
            listening()
            supervise(_config(application(settings), host, port, workers=workers), listener)


@contextlib.contextmanager
def serving(settings: Settings, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve from a thread while the block runs; gives the service's URL. Port 0 takes a free one."""
    hardening.no_core_dumps()
    with socket.create_server((host, port)) as listener:
        app = create_app(service=open_service(settings))
        server = uvicorn.Server(_config(app, host, port, log_level="warning"))
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, name="server", daemon=True
        )
        thread.start()
        while not server.started:
            if not thread.is_alive():
                raise StartupError("the service did not start")
            time.sleep(0.01)
        try:
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class _Told(BaseException):
    """SIGTERM arrived; not an error, and nothing on the way may take it for one."""


@contextlib.contextmanager
def _until_told() -> Iterator[None]:
    """End the block when SIGTERM arrives. The server finishes first, then raises the signal anew."""

    def told(_signal: int, _frame: object) -> None:
        raise _Told

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, told)
    try:
        yield
    except _Told:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise StartupError(f"cannot listen on {host}:{port}: {error.strerror}") from None


def _started(settings: Settings, service: Service) -> Started:
    return Started(
        service.first_start,
        settings.data,
        settings.log_key_path,
        settings.seed_keys_path,
        FIRST_OPERATOR,
        settings.operator_key_path,
        service.head.vkey,
    )


def _config(
    app: FastAPI | Callable[[], FastAPI], host: str, port: int, log_level: str = "info", workers: int = 1
) -> uvicorn.Config:
    # uvicorn's access log names addresses, and they name hands; fairdeal_api.edge writes its own lines.
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        factory=workers > 1,
        workers=workers,
        http=PatientProtocol,
        ws="none",
        access_log=False,
        server_header=False,
        log_config=None,
        log_level=log_level,
        timeout_graceful_shutdown=SHUTDOWN_TIME,
        # A worker that is only busy must not be killed for being slow to answer its supervisor.
        timeout_worker_healthcheck=SHUTDOWN_TIME,
        # Game servers keep connections open; one closed just as a request leaves costs them a repeat.
        timeout_keep_alive=75,
    )
