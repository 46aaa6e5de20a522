"""What both clients share of HTTP: addresses, headers, and answers read within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2

from fairdeal.client.calls import Call
from fairdeal.client.talk import Answer, Failure
from fairdeal.errors import UsageError

MOST_CONNECTIONS = 64
"""Connections that a client keeps to the service."""


def settings(address: str, operator_key: str | None, timeout: float) -> dict[str, Any]:
    """Arguments of the HTTP client. Raises :class:`UsageError` for an address that is none."""
    if not address.startswith(("http://", "https://")):
        raise UsageError("the address must begin with http:// or https://")
    headers = {"User-Agent": "fairdeal-client", "Accept": "application/json"}
    if operator_key:
        headers["Authorization"] = f"Bearer {operator_key}"
    return {
        "base_url": address.rstrip("/"),
        "headers": headers,
        "timeout": timeout,
        "limits": httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
        # An operator key follows no redirect, and goes through no proxy that the environment happens to name.
        "follow_redirects": False,
        "trust_env": False,
    }


def request(call: Call[Any]) -> dict[str, Any]:
    """Arguments of one request."""
    found: dict[str, Any] = {"method": call.method, "url": call.path}
    if call.body is not None:
        found["json"] = call.body
    if call.idempotency_key is not None:
        found["headers"] = {"Idempotency-Key": call.idempotency_key}
    return found


def answered(response: httpx2.Response) -> Answer:
    """A response as the talk takes it."""
    return Answer(
        response.status_code,
        response.headers.get("Content-Type", ""),
        response.content,
        _seconds(response.headers),
    )


def failed(error: httpx2.TransportError) -> Failure:
    """A failure as the talk takes it; the error's own text may hold an address, its name does not."""
    return Failure(type(error).__name__)


def _seconds(headers: Mapping[str, str]) -> float:
    found = headers.get("Retry-After", "")
    return float(found) if found.isascii() and found.isdecimal() and len(found) < 6 else 0.0
