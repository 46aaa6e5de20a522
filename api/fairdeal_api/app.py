"""The application: routes, errors, the service opened and closed with it, and its OpenAPI document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import FastAPI

from fairdeal_api import problems
from fairdeal_api.doorway import Doorway
from fairdeal_api.edge import Edge
from fairdeal_api.expiry import keep_expiring, try_to_expire
from fairdeal_api.metrics import Metrics
from fairdeal_api.openapi import openapi_document
from fairdeal_api.presence import keep_present
from fairdeal_api.routes import hands, log, offline, operations, pages, tables
from fairdeal_api.service import Clock, Service, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.watch import Watch

_ABOUT = """Provably fair deals for Okey and other tile and card games.

A game server commits a hand with the seats' seals in it, locks it with their opened client seeds, gets the
deal, and reveals it after play. Each step is an entry in a public log, and anyone checks a hand from its
receipt. Times are integer milliseconds since the Unix epoch, bytes are lower-case hex, proofs base64. Errors
are `application/problem+json` with a stable `code`; `bad_request` and `method_not_allowed` can come from any
address and stand with no call below."""


def create_app(
    settings: Settings | None = None, clock: Clock | None = None, service: Service | None = None
) -> FastAPI:
    """The ASGI application; settings come from the environment where none are given.

    ``clock`` gives milliseconds since the Unix epoch (tests step it). ``service`` is one already open; the
    application closes it at its end all the same.
    """
    settings = service.settings if service else settings or Settings()
    metrics = service.metrics if service else Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = service or open_service(settings, clock, metrics)
        app.state.service = opened
        watch = app.state.watch = Watch(opened)
        # What went overdue while the service was down is ended before anybody is served. A store that fails
        # in this moment must not end the start: a supervisor takes it for a fault of all its workers.
        await try_to_expire(opened.ledger)
        running = [
            asyncio.create_task(keep_expiring(opened.ledger)),
            asyncio.create_task(watch.keep_looking()),
            asyncio.create_task(keep_present(opened.ledger, opened.vault, opened.signing)),
        ]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            for task in running:
                with suppress(asyncio.CancelledError):
                    await task
            await asyncio.to_thread(opened.close)

    app = FastAPI(
        title="Fairdeal",
        version=version("fairdeal"),
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        separate_input_output_schemas=False,
    )
    app.state.assets = pages.load_assets()
    problems.register(app)
    # The offline verifier's address lies below that of a hand's page, so it is looked for first.
    for module in (hands, tables, log, operations, offline, pages):
        app.include_router(module.router)
    app.add_middleware(Doorway, metrics=metrics)
    app.add_middleware(Edge, metrics=metrics, log_requests=settings.log_requests)
    app.openapi = lambda: openapi_document(app)  # type: ignore[method-assign]  # FastAPI's own way to extend it
    return app
