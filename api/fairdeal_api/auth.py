"""Who calls: an operator by its bearer key. Everything that players and auditors need is open."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from fairdeal_api import operators
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service, service_of

FRESH = 0.25
"""Seconds that a key's validity is remembered; a revoked key works no longer than that."""

_MOST = 1024

_scheme = HTTPBearer(auto_error=False, description="An operator key, from `fairdeal operator add`.")


async def _operator(
    request: Request, service: Annotated[Service, Depends(service_of)], _: Annotated[object, Depends(_scheme)]
) -> str:
    scheme, key = get_authorization_scheme_param(request.headers.get("Authorization"))
    if scheme.lower() != "bearer" or not 0 < len(key) <= 200:
        raise _unauthorized()
    # Only digests are remembered, and compared by the store's index or a dict: no timing tells anything of a key.
    digest = operators.key_digest(key)
    known, now = service.known_keys, time.monotonic()
    found = known.get(digest)
    if found and now - found[1] < FRESH:
        return found[0]
    name = await service.read(lambda connection: operators.find(connection, digest))
    if name is None:
        known.pop(digest, None)
        raise _unauthorized()
    if len(known) >= _MOST:
        known.clear()
    known[digest] = (name, now)
    return name


def _unauthorized() -> Problem:
    return Problem("unauthorized", headers={"WWW-Authenticate": "Bearer"})


CurrentOperator = Annotated[str, Depends(_operator)]
"""The calling operator's name; the call is refused with ``unauthorized`` without a good key."""
