"""Several processes behind one address: a supervisor that starts workers and starts anew those that die."""

from __future__ import annotations

import logging.config
import multiprocessing
import socket
import time
from functools import partial

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from fairdeal_api import db, hardening, logs, memory
from fairdeal_api.app import create_app
from fairdeal_api.metrics import Metrics, forget_dead_workers, share_between_workers
from fairdeal_api.service import Service, StartupError, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.starting import UnreachableError

log = logging.getLogger("fairdeal.service")

PATIENCE = 60.0
"""Seconds that a worker which starts waits for a database that does not answer."""


def refuse_unshared(settings: Settings, workers: int) -> None:
    """Raise :class:`StartupError` where the store is not made for several processes."""
    if workers > 1 and db.is_sqlite(settings.store_url):
        raise StartupError(
            "several workers need PostgreSQL: set FAIRDEAL_DATABASE_URL (SQLite has one writer; see "
            "docs/operating.md)"
        )


def supervise(config: uvicorn.Config, listener: socket.socket) -> None:
    """Run the workers until SIGTERM or SIGINT; raises :class:`StartupError` where one cannot start."""
    share_between_workers()
    supervisor = Multiprocess(config, sockets=[listener])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise StartupError("a worker could not start; the log says why")


def application(settings: Settings) -> partial[FastAPI]:
    """What a worker makes its application with; it is sent to it as it stands."""
    return partial(_worker, settings)


def _worker(settings: Settings) -> FastAPI:
    hardening.no_core_dumps()
    supervisor = multiprocessing.parent_process()
    if supervisor is not None and supervisor.pid is not None:
        hardening.end_with_parent(supervisor.pid)
    logging.config.dictConfig(logs.configuration(settings.log_format))
    forget_dead_workers()
    app = create_app(service=_open_patiently(settings))
    memory.calm_collector()
    return app


def _open_patiently(settings: Settings) -> Service:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return open_service(settings, metrics=Metrics())
        except UnreachableError as error:
            # It ran a moment ago, when the supervisor looked: a worker that died with it waits for it.
            if time.monotonic() > end:
                raise
            log.warning("%s; trying again", error)
            time.sleep(1)
