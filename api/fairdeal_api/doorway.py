"""What every request passes before anything is read of it: its size, its operator, its rate, its turn.

All of it is decided from the head, so that a request that is refused or has to wait holds no body in memory.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairdeal_api.admission import PUBLIC
from fairdeal_api.auth import FOUND, calling_operator
from fairdeal_api.metrics import Metrics
from fairdeal_api.problems import Problem, answer
from fairdeal_api.service import Service
from fairdeal_api.wire import largest_body

OPERATIONS = frozenset(("/healthz", "/readyz", "/metrics"))
"""Paths that neither wait nor count: who watches the service must see it when it is busy, most of all."""

COST_BYTES = 4096
"""Bytes of a body that make it cost one place more: a batch takes as many places as it has work in it."""

MOST_COST = 64


class Doorway:
    """ASGI middleware inside :class:`fairdeal_api.edge.Edge`."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI call."""
        if scope["type"] != "http" or scope["path"] in OPERATIONS:
            await self._app(scope, receive, send)
            return
        if not scope["path"].isprintable():
            # Routes would take a line feed at an address's end for none.
            await answer(Problem("not_found"))(scope, receive, send)
            return
        service: Service = scope["app"].state.service
        try:
            cost = _cost(scope)
            operator = await calling_operator(service, scope)
            if operator is not None:
                await service.rates.spend(operator)
            lane = PUBLIC if operator is None else operator
            await service.gate.enter(lane, cost)
        except Problem as problem:
            self._metrics.refused(problem.code)
            await answer(problem)(scope, receive, send)
            return
        scope[FOUND] = operator
        inside = True

        async def sending(message: Message) -> None:
            # The place is free once there is an answer: how fast its client reads is that client's affair.
            nonlocal inside
            if inside:
                inside = False
                service.gate.leave(lane, cost)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if inside:
                service.gate.leave(lane, cost)


def _cost(scope: Scope) -> int:
    """Places that the request takes in its lane; raises ``too_large``."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            # The server has checked that it is a number; one with many digits is too large in any case.
            length = int(value) if len(value) < 16 and value.isdigit() else 1 << 62
            if length > largest_body(scope["path"]):
                raise Problem("too_large", headers={"Connection": "close"})
            return min(MOST_COST, 1 + length // COST_BYTES)
        if name == b"transfer-encoding":
            return MOST_COST
    return 1
