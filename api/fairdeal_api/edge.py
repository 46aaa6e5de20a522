"""The outermost layer, plain ASGI for speed: CORS for open calls, headers of every answer, counts."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairdeal_api.metrics import Metrics
from fairdeal_api.problems import unhandled

_ALWAYS = [(b"x-content-type-options", b"nosniff")]
_OPEN = [(b"access-control-allow-origin", b"*"), *_ALWAYS]
_PREFLIGHT = [
    *_OPEN,
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-max-age", b"86400"),
    (b"content-length", b"0"),
]


class Edge:
    """Wraps the application. Pages of any origin may read; they may not send an operator's key."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI call."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method: str = scope["method"]
        headers = _OPEN if method in ("GET", "HEAD") else _ALWAYS
        if method == "OPTIONS" and any(
            name == b"access-control-request-method" for name, _ in scope["headers"]
        ):
            self._metrics.request(method, 204)
            await send({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT})
            await send({"type": "http.response.body", "body": b""})
            return

        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *headers]
                self._metrics.request(method, message["status"])
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 -- whatever it is, its text stays out of answers and logs
            answer = unhandled(method, scope["path"], error)
            if not started:
                await answer(scope, receive, sending)
