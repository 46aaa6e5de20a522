"""The outermost layer, in plain ASGI for speed: request ids, CORS, headers of all answers, counts, logs."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairdeal_api.auth import FOUND
from fairdeal_api.logs import new_request_id, request_id
from fairdeal_api.metrics import Metrics
from fairdeal_api.problems import unhandled

log = logging.getLogger("fairdeal.requests")

SLOW = 1.0
"""Seconds from which on a request gets a line in the log in any case."""

_ALWAYS = [(b"x-content-type-options", b"nosniff")]
_OPEN = [(b"access-control-allow-origin", b"*"), *_ALWAYS]
_PREFLIGHT = [
    *_OPEN,
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-max-age", b"86400"),
    (b"content-length", b"0"),
]
_NOWHERE = "none"


class Edge:
    """Wraps the application. Pages of any origin may read; they may not send an operator's key."""

    def __init__(self, app: ASGIApp, metrics: Metrics, *, log_requests: bool = False) -> None:
        self._app, self._metrics, self._log_requests = app, metrics, log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI call."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        method: str = scope["method"]
        headers = _OPEN if method in ("GET", "HEAD") else _ALWAYS
        if method == "HEAD":
            # The application answers as to GET; the server knows the request as it came and drops the body.
            scope = {**scope, "method": "GET"}
        given: bytes | None = None
        preflight = False
        for name, value in scope["headers"]:
            if name == b"x-request-id":
                given = value
            elif name == b"access-control-request-method":
                preflight = method == "OPTIONS"
        identity = new_request_id(given)
        request_id.set(identity)
        if preflight:
            self._metrics.request(method, _NOWHERE, 204, 0.0)
            await send({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT})
            await send({"type": "http.response.body", "body": b""})
            return

        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *headers, (b"x-request-id", identity.encode())]
                self._count(scope, method, message["status"], time.perf_counter() - began)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 -- whatever it is, its text stays out of answers and logs
            answer = unhandled(method, template(scope), error)
            if not started:
                await answer(scope, receive, sending)

    def _count(self, scope: Scope, method: str, status: int, seconds: float) -> None:
        route = template(scope)
        self._metrics.request(method, route, status, seconds)
        if status >= 500 or seconds >= SLOW or self._log_requests:
            log.log(
                logging.WARNING if status >= 500 else logging.INFO,
                "answered",
                extra={
                    "method": method,
                    "route": route,
                    "status": status,
                    "milliseconds": round(seconds * 1000, 1),
                    "operator": scope.get(FOUND),
                },
            )


def template(scope: Scope) -> str:
    """The path of the route that took a request, with names for its parts; never what a client sent."""
    return getattr(scope.get("route"), "path", _NOWHERE)
