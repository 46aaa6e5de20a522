"""For those who run the service: liveness, readiness, metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from fairdeal_api import store
from fairdeal_api.problems import Problem
from fairdeal_api.schemas import Health
from fairdeal_api.service import service_of
from fairdeal_api.watch import Watch
from fairdeal_api.wire import answers

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="Liveness", responses=answers(ok_200={"status": "ok"}))
async def live() -> Health:
    """Answers as long as the process does."""
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Readiness",
    responses=answers("unavailable", ok_200={"status": "ready"}),
)
async def ready(request: Request) -> Health:
    """Whether the store can be read, the writer takes its turn, the disk has room and the clock is right.

    Where not, `failing` names what is wrong: `store`, `writer`, `disk` or `clock`. A store that another
    release has migrated meanwhile counts as one that cannot be read.
    """
    watch: Watch = request.app.state.watch
    if failing := await watch.look():
        raise Problem("unavailable", "The service is not ready.", failing=failing)
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
    """Counters and histograms of all workers. They name no hand, table or key."""
    service = service_of(request)
    stored = await service.read(lambda connection: store.counts(connection, service.clock()))
    return Response(service.metrics.text(stored), media_type=CONTENT_TYPE_LATEST)
