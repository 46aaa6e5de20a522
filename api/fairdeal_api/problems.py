"""Errors as ``application/problem+json`` (RFC 9457), each with a stable ``code``.

Nothing that a client sent is ever echoed: client seeds and keys pass through the same fields.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fairdeal.errors import MalformedError

log = logging.getLogger("fairdeal.api")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a code means: the HTTP status it comes with, a title, and when it is answered."""

    status: int
    title: str
    meaning: str


CODES: dict[str, Kind] = {
    "bad_json": Kind(
        400,
        "Not strict JSON",
        "The body is not JSON as the protocol takes it: one value, no repeated names, integers only.",
    ),
    "bad_request": Kind(400, "Bad request", "The request could not be read."),
    "unauthorized": Kind(
        401, "Unauthorized", "The call needs a valid operator key: Authorization: Bearer <key>."
    ),
    "not_yours": Kind(403, "Another operator's hand", "The hand belongs to another operator."),
    "not_found": Kind(404, "Not found", "There is no such hand, table, tile or page."),
    "method_not_allowed": Kind(405, "Method not allowed", "The address exists, but not for this method."),
    "ended": Kind(
        409, "The hand has ended", "The hand has ended; `outcome`, `reason` and `revealed_at` say how."
    ),
    "no_openings": Kind(409, "No openings", "The hand's terms have no openings."),
    "not_locked": Kind(409, "The hand is not locked", "The call needs a hand that was dealt."),
    "out_of_order": Kind(
        409,
        "An earlier hand is open",
        "An earlier hand of the table is neither locked nor ended; `waiting` names it.",
    ),
    "reason_not_allowed": Kind(
        409, "The reason does not apply", "`seat-silent` needs a hand with seals that is not locked."
    ),
    "seal_used": Kind(
        409,
        "A seal was used before",
        "The log has one of the seals already. The client draws a new seed and seals that.",
    ),
    "seals_unopened": Kind(
        409, "Seals are unopened", "Not every sealed seat's seed was given; `seats` lists the missing ones."
    ),
    "too_slow": Kind(408, "Body too slow", "The body did not arrive in time; the connection is closed."),
    "too_large": Kind(413, "Body too large", "The body is larger than the service takes."),
    "idempotency_mismatch": Kind(
        422, "Idempotency key reused", "The Idempotency-Key was used before, with another request."
    ),
    "invalid": Kind(
        422,
        "Invalid request",
        "A field is missing, unknown or not in its form; `errors` names fields and rules.",
    ),
    "repeat_mismatch": Kind(
        422, "Not the same reveal", "The hand was revealed by a request with another `next`."
    ),
    "seal_mismatch": Kind(
        422,
        "A seed does not open its seal",
        "A seed does not open the seal of its seat, or the seat has no seal; `seats` lists them.",
    ),
    "unknown_slot": Kind(422, "No such slot", "The deal has no slot of that name."),
    "rate_limited": Kind(
        429,
        "Too many requests",
        "The operator's rate is used up. Nothing was written; `Retry-After` says when to try again.",
    ),
    "internal": Kind(
        500,
        "Internal error",
        "The service failed; the request may be repeated with the same Idempotency-Key.",
    ),
    "busy": Kind(
        503,
        "Too many requests waiting",
        "Too many of the caller's requests wait already. Nothing was written; see `Retry-After`.",
    ),
    "unavailable": Kind(
        503, "Service unavailable", "The store could not be written or read. Nothing was written."
    ),
}
"""Every code that the service answers."""

_BY_STATUS = {
    400: "bad_request",
    401: "unauthorized",
    403: "not_yours",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
}


class Problem(HTTPException):
    """A request that gets an error for its answer. ``members`` are added to the problem document."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        kind = CODES[code]
        super().__init__(kind.status, detail or kind.meaning, headers)
        self.code = code
        self.members = members


def invalid(field: str, rule: str) -> Problem:
    """The ``invalid`` problem for one field."""
    return Problem("invalid", errors=[{"field": field, "rule": rule}])


def document(code: str, detail: str, **members: Any) -> dict[str, Any]:
    """The body of a problem answer."""
    kind = CODES[code]
    return {
        "type": f"urn:fairdeal:problem:{code}",
        "title": kind.title,
        "status": kind.status,
        "code": code,
        "detail": detail,
        **members,
    }


def unhandled(method: str, path: str, error: Exception) -> Response:
    """The answer to a failure of the service itself, which is logged by kind and place.

    Its message is not logged: it could quote a parameter or a row.
    """
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    log.error("%s %r failed: %s at %s", method, path, type(error).__name__, places)
    return answer(Problem("internal"))


def answer(problem: Problem) -> Response:
    """The HTTP response for a problem."""
    body = document(problem.code, str(problem.detail), **problem.members)
    headers = {"Cache-Control": "no-store", **(problem.headers or {})}
    return Response(json.dumps(body), problem.status_code, headers, "application/problem+json")


def register(app: FastAPI) -> None:
    """Have every error of the application answered as a problem."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(MalformedError, _malformed)


async def _http(_: Request, error: Exception) -> Response:
    if isinstance(error, Problem):
        return answer(error)
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    return answer(
        Problem(_BY_STATUS.get(status, "bad_request" if status < 500 else "internal"), headers=headers)
    )


async def _validation(_: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    return answer(Problem("invalid", errors=validation_errors(found)))


async def _malformed(_: Request, error: Exception) -> Response:
    field, rule = (error.field, error.rule) if isinstance(error, MalformedError) else ("", "")
    return answer(invalid(field, rule))


def validation_errors(found: Sequence[Any]) -> list[dict[str, str]]:
    """Pydantic's findings as fields and rules, without ``input`` and ``ctx``, which echo what was sent."""
    named = []
    for item in found[:20]:
        parts = item["loc"][1:] if item["loc"] and item["loc"][0] in _PLACES else item["loc"]
        # A name that nobody knows is the client's own text, and that may be a seed in the wrong place.
        location = [
            shown(part) for part in parts if isinstance(part, int) or not _INTERNAL.fullmatch(part)
        ] or [str(item["loc"][0])]
        named.append({"field": ".".join(location), "rule": _RULES.get(item["type"]) or str(item["msg"])})
    return named


def shown(name: int | str) -> str:
    """A field's name as answers may hold it; ``?`` for one that is no plain name of at most 32 characters."""
    return str(name) if isinstance(name, int) or _NAME.fullmatch(name) else "?"


_PLACES = ("body", "query", "path", "header")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,31}")

_INTERNAL = re.compile(r"constrained-(?:int|str)|literal\['throw','next'\]")
"""What pydantic adds for the branches of a union, ``dealer.constrained-int``: of no use to a client."""

# Where pydantic's own message could quote the input, ours stands in its place.
_RULES = {
    "extra_forbidden": "unknown field",
    "missing": "missing field",
    "json_invalid": "must be JSON",
    "model_attributes_type": "must be an object",
}
