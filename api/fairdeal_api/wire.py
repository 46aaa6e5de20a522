"""How routes read bodies and write answers: strict JSON in, ready bytes out, problems documented."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, NoReturn

from fastapi import Path
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from fairdeal_api.auth import OperatorKey, operator_of
from fairdeal_api.ledger import Result
from fairdeal_api.problems import CODES, Problem, document, invalid, shown
from fairdeal_api.schemas import HAND, ProblemDocument

LARGEST_BATCH = 4 << 20
"""Bytes of a batch's body; a thousand hands with four seals each have about half a megabyte."""

LARGEST_BODY = 64 << 10
"""Bytes of any other body; the openings of a whole deal are the longest, with some 20 kB."""

BODY_TIME = 15.0
"""Seconds in which a body must arrive, from when the service begins to read it."""

HandId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The hand's id.", examples=[HAND])]


def largest_body(path: str) -> int:
    """Bytes that a request to this path may have."""
    return LARGEST_BATCH if path == "/v1/hands/batch" else LARGEST_BODY


class StrictRequest(Request):
    """A request whose body is read up to a limit and parsed as strictly as the protocol's own JSON.

    Not through :func:`fairdeal.encoding.parse_json`: what that checks beside (depth, half surrogates) the
    models refuse anyway, and this is on the path of every write.
    """

    async def body(self) -> bytes:
        """The body; raises ``too_large`` or ``too_slow``."""
        if not hasattr(self, "_body"):
            try:
                async with asyncio.timeout(BODY_TIME):
                    self._body = await self._read()
            except TimeoutError:
                raise Problem("too_slow", headers={"Connection": "close"}) from None
            if self._body and not _says_json(self.headers.get("content-type", "")):
                raise invalid("Content-Type", "must be application/json")
        return self._body

    async def _read(self) -> bytes:
        parts, size, largest = [], 0, largest_body(self.scope["path"])
        async for part in self.stream():
            size += len(part)
            if size > largest:
                raise Problem("too_large", headers={"Connection": "close"})
            parts.append(part)
        return b"".join(parts)

    async def json(self) -> Any:
        """The body's JSON value; raises ``bad_json``."""
        data = await self.body()
        try:
            return json.loads(
                data.decode(),
                object_pairs_hook=_members,
                parse_int=_integer,
                parse_float=_refuse,
                parse_constant=_refuse,
            )
        except (ValueError, RecursionError):
            # The causes are not told apart: their texts quote what was sent.
            raise Problem("bad_json") from None


def _says_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def known_query(request: Request, *names: str) -> None:
    """Raise ``invalid`` for query parameters of other names: a misspelt one must not count as absent."""
    for name in request.query_params:
        if name not in names:
            raise invalid(shown(name), "unknown parameter")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member name is repeated")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 17 or digits == "-0":
        raise ValueError("a number is too long")
    return int(digits)


def _refuse(_: str) -> NoReturn:
    raise ValueError("a number is no integer")


class StrictRoute(APIRoute):
    """A route whose requests are :class:`StrictRequest`.

    An operator's call without a good key is refused before its body is read.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler behind the stricter request."""
        handler = super().get_route_handler()
        of_operators = any(isinstance(found.call, OperatorKey) for found in self.dependant.dependencies)

        async def strict(request: Request) -> Response:
            if of_operators:
                operator_of(request)
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


def written(result: Result) -> Response:
    """The answer to a write. It may hold a deal that is still secret: nothing on the way may keep it."""
    return Response(result.body, result.status, {"Cache-Control": "no-store"}, "application/json")


def public_json(text: str) -> Response:
    """The answer to an open read, which may have changed at the next one."""
    return Response(text, 200, {"Cache-Control": "no-cache"}, "application/json")


def answers(*codes: str, **by_status: Any) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's ``responses``: examples by status (``ok_200=…``), and the problems that a call answers."""
    found: dict[int | str, dict[str, Any]] = {}
    for name, example in by_status.items():
        status = int(name.removeprefix("ok_"))
        found[status] = {"content": {"application/json": {"example": example}}}
    for code in codes:
        kind = CODES[code]
        entry = found.setdefault(
            kind.status,
            {
                "model": ProblemDocument,
                "description": "",
                "content": {"application/problem+json": {"examples": {}}},
            },
        )
        entry["description"] = f"{entry['description']} `{code}`: {kind.meaning}".strip()
        entry["content"]["application/problem+json"]["examples"][code] = {
            "value": document(code, kind.meaning)
        }
    return found


def repeated(model: type[BaseModel], example: Any) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's ``responses`` for a commit that came again with its Idempotency-Key."""
    return {
        200: {
            "model": model,
            "description": "Repeated with the same `Idempotency-Key`: the first answer again.",
            "content": {"application/json": {"example": example}},
        }
    }
