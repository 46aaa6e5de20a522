"""Fetching the files of a log from its address: bounded, tried again where the network fails."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2

from fairdeal_cli.failures import SourceError

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
TRIES = 4
LARGEST = 256 * (2 + 65_535)
"""Bytes in the largest entry bundle that the layout allows."""


class LogFetch:
    """The files below a log's address. Several threads may fetch at once."""

    def __init__(self, address: str) -> None:
        """Raises :class:`SourceError` where ``address`` is no address."""
        try:
            parts = urlsplit(address)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            parts, usable = urlsplit(""), False
        if not usable:
            raise SourceError(
                "unreachable", "the log's address must begin with http:// or https:// and a host"
            )
        self.address = parts._replace(query="", fragment="").geturl().rstrip("/")
        timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
        # Compressed answers are not asked for: a small one could unfold without bound.
        headers = {"Accept-Encoding": "identity", "User-Agent": "fairdeal"}
        self._client = httpx2.Client(timeout=timeout, follow_redirects=True, max_redirects=3, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def __call__(self, path: str) -> bytes | None:
        """The bytes at ``path`` below the address, ``None`` where there is nothing.

        Raises :class:`SourceError` ``unreachable`` or ``too-large``.
        """
        target = f"{self.address}/{path}"
        for attempt in range(TRIES):
            try:
                return self._get(target)
            except (httpx2.TransportError, _BusyError) as error:
                reason = str(error) or type(error).__name__
                if attempt == TRIES - 1:
                    raise SourceError("unreachable", f"{target}: cannot be reached ({reason})") from None
                time.sleep(0.2 * 4**attempt)
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                reason = str(error) or type(error).__name__
                raise SourceError("unreachable", f"{target}: cannot be fetched ({reason})") from None
        return None

    def _get(self, target: str) -> bytes | None:
        with self._client.stream("GET", target) as response:
            status = response.status_code
            if status in (404, 410):
                return None
            if status == 429 or status >= 500:
                raise _BusyError(f"HTTP {status}")
            if status != 200:
                raise SourceError("unreachable", f"{target}: the log answered HTTP {status}")
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                what = "the answer is compressed though that was not asked for"
                raise SourceError("unreachable", f"{target}: {what}")
            data = bytearray()
            for chunk in response.iter_raw():
                data += chunk
                if len(data) > LARGEST:
                    raise SourceError("too-large", f"{target}: larger than any file of a log may be")
            return bytes(data)


class _BusyError(Exception):
    """The log asks to come again later."""
