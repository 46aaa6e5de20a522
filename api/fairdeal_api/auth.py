"""Who calls: an operator by its bearer key. Everything that players and auditors need is open.

The key is looked up once, at the doorway (:mod:`fairdeal_api.doorway`), before anything else is done for a
request; routes ask for the name that was found.
"""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.types import Scope

from fairdeal_api import operators
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service

FRESH = 0.25
"""Seconds that a key's validity is remembered; a revoked key works no longer than that."""

FOUND = "fairdeal.operator"
"""Where a request's scope has the name of the operator that sent it."""

_MOST = 1024


class OperatorKey(HTTPBearer):
    """The security scheme of operators' calls; as a dependency it gives the operator's name or refuses."""

    async def __call__(self, request: Request) -> str:  # type: ignore[override]  # gives a name instead of credentials
        """The calling operator's name; raises ``unauthorized`` without a good key."""
        return operator_of(request)


def operator_of(request: Request) -> str:
    """The name that the doorway found; raises ``unauthorized`` where it found none."""
    name: str | None = request.scope.get(FOUND)
    if name is None:
        raise Problem("unauthorized", headers={"WWW-Authenticate": "Bearer"})
    return name


CurrentOperator = Annotated[
    str, Depends(OperatorKey(description="An operator key, from `fairdeal operator add`."))
]
"""The calling operator's name."""


async def calling_operator(service: Service, scope: Scope) -> str | None:
    """The name of the operator whose key a request carries; ``None`` without a good one."""
    given: bytes | None = None
    for name, value in scope["headers"]:
        if name == b"authorization":
            given = value
            break
    if given is None:
        return None
    scheme, _, key = given.partition(b" ")
    key = key.strip()
    if scheme.lower() != b"bearer" or not 0 < len(key) <= 200:
        return None
    # Only digests are remembered and compared, so that no timing tells anything of a key.
    return await _look_up(service, operators.key_digest(key.decode("latin-1")))


async def _look_up(service: Service, digest: bytes) -> str | None:
    known, now = service.known_keys, time.monotonic()
    looked_up = known.get(digest)
    if looked_up is None or now - looked_up[0] >= FRESH:
        if len(known) >= _MOST:
            known.clear()
        # The look-up itself is shared: a key in use by a hundred requests is read once, not a hundred times.
        found = asyncio.ensure_future(
            service.read(lambda connection: operators.find(connection, digest), of_key=True)
        )
        looked_up = known[digest] = (now, found)
    try:
        name = await asyncio.shield(looked_up[1])
    except Exception:
        known.pop(digest, None)
        raise
    if name is None:
        # A key that was just made must not be refused for what was read before.
        known.pop(digest, None)
    return name
