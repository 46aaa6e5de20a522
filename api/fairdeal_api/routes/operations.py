"""For those who run the service: liveness, readiness, metrics."""

from __future__ import annotations

import asyncio
import logging

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from fairdeal_api import store
from fairdeal_api.acts import ProbeAct
from fairdeal_api.problems import Problem
from fairdeal_api.schemas import Health
from fairdeal_api.service import service_of
from fairdeal_api.wire import answers

router = APIRouter(tags=["operations"])
log = logging.getLogger("fairdeal.api")

PROBE_TIME = 2.0
"""Seconds in which the ledger must take its turn for the service to be ready."""


@router.get("/healthz", summary="Liveness", responses=answers(ok_200={"status": "ok"}))
async def live() -> Health:
    """Answers as long as the process does."""
    return Health(status="ok")


@router.get("/readyz", summary="Readiness", responses=answers("unavailable", ok_200={"status": "ready"}))
async def ready(request: Request) -> Health:
    """Whether the store can be read and the ledger's thread can open a transaction that writes."""
    try:
        async with asyncio.timeout(PROBE_TIME):
            await service_of(request).read(store.head)
            await service_of(request).ledger.submit(ProbeAct())
    except Problem:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, the service is not ready
        log.warning("not ready: %s", type(error).__name__)
        raise Problem("unavailable") from None
    return Health(status="ready")


@router.get(
    "/metrics",
    response_class=Response,
    summary="Prometheus metrics",
    responses={
        200: {"description": "Text.", "content": {"text/plain": {"example": "fairdeal_log_entries 3.0\n"}}}
    },
)
async def metrics(request: Request) -> Response:
    """Counters and histograms. They name no hand, table or key."""
    return Response(
        service_of(request).metrics.text(service_of(request).ledger.waiting), media_type=CONTENT_TYPE_LATEST
    )
