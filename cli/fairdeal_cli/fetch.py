"""Fetching a hand's receipt from its address, bounded in time and size."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

import httpx2

from fairdeal_cli.failures import SourceError
from fairdeal_cli.reading import MAX_DOCUMENT

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0
OVERALL_SECONDS = 60.0

_HAND = re.compile(r"(?P<base>.*)/(?:v1/hands|verify)/(?P<hand>[0-9a-f]{32})(?:/receipt)?/?", re.ASCII)


def receipt_address(address: str) -> str:
    """The address of the receipt that a hand's address leads to.

    ``…/v1/hands/{hand}``, ``…/v1/hands/{hand}/receipt`` and the verifier page's ``…/verify/{hand}`` all lead
    to the receipt; any other address is taken as it is, as that of a document somebody put up.
    Raises :class:`SourceError` where it is no address.
    """
    try:
        parts = urlsplit(address)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if not usable:
        raise SourceError("unreachable", "the address has no usable host")
    found = _HAND.fullmatch(parts.path)
    if not found:
        return parts._replace(fragment="").geturl()
    path = f"{found['base']}/v1/hands/{found['hand']}/receipt"
    # Whatever the verifier page carries after ? or # is for the page alone.
    return parts._replace(path=path, query="", fragment="").geturl()


def fetch(address: str) -> bytes:
    """The bytes at a hand's address.

    Raises :class:`SourceError` ``unreachable``, ``missing`` or ``too-large``.
    """
    target = receipt_address(address)
    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    # Compressed answers are not asked for: a small one could unfold without bound.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "fairdeal"}
    # No proxy can reach what listens on this machine alone.
    proxies = urlsplit(target).hostname not in ("127.0.0.1", "localhost", "::1")
    try:
        with (
            httpx2.Client(
                timeout=timeout, follow_redirects=True, max_redirects=5, headers=headers, trust_env=proxies
            ) as client,
            client.stream("GET", target) as response,
        ):
            return _body(response, target)
    except httpx2.TimeoutException:
        raise SourceError("unreachable", f"{target}: no answer in time") from None
    except httpx2.TooManyRedirects:
        raise SourceError("unreachable", f"{target}: redirects without end") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise SourceError("unreachable", f"{target}: cannot be reached ({_reason(error)})") from None


def _body(response: httpx2.Response, target: str) -> bytes:
    status = response.status_code
    if status in (404, 410):
        raise SourceError(
            "missing", f"{target}: nothing there (HTTP {status}); does this service have the hand?"
        )
    if status != 200:
        raise SourceError("unreachable", f"{target}: the service answered HTTP {status}")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise SourceError("unreachable", f"{target}: the answer is compressed though that was not asked for")
    deadline = time.monotonic() + OVERALL_SECONDS
    data = bytearray()
    for chunk in response.iter_raw():
        data += chunk
        if len(data) > MAX_DOCUMENT:
            raise SourceError("too-large", f"{target}: the answer is larger than any receipt (4 MiB)")
        if time.monotonic() > deadline:
            raise SourceError(
                "unreachable", f"{target}: the answer takes longer than {OVERALL_SECONDS:.0f} s"
            )
    return bytes(data)


def _reason(error: Exception) -> str:
    cause = error.__cause__ or error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
