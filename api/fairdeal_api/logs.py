"""Log lines as JSON, one an event, each with the id of the request that it belongs to.

A line holds what this code says about an event and nothing that a client sent: no body, no header, no query,
no address that names a hand. Of an exception its type and its frames are written, never its message, which
could quote a row, a parameter or a seed (docs/metrics.md, "Logs").
"""

from __future__ import annotations

import contextvars
import itertools
import json
import logging
import os
import re
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal

Form = Literal["auto", "json", "text"]

request_id: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="")
"""The id of the request that is being answered; empty outside one."""

_GIVEN = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_counter = itertools.count(1)
_prefix = ""

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}
_LONG_HEX = re.compile(r"[0-9A-Fa-f]{40,}")


def new_request_id(given: bytes | None) -> str:
    """The caller's own id where it has a harmless form, else a new one, unique among all workers."""
    if given and _GIVEN.fullmatch(given):
        return given.decode("ascii")
    global _prefix  # noqa: PLW0603 -- drawn once a process, after any fork
    if not _prefix:
        _prefix = os.urandom(6).hex()
    return f"{_prefix}-{next(_counter):x}"


class JsonFormatter(logging.Formatter):
    """A JSON object a line: ``time``, ``level``, ``logger``, ``event``, ``request``, the event's fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        fields: dict[str, Any] = {
            "time": _time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _said(record),
        }
        if found := request_id.get():
            fields["request"] = found
        fields.update(_extra(record))
        if record.exc_info and record.exc_info[1]:
            fields["error"] = type(record.exc_info[1]).__name__
            fields["frames"] = frames(record.exc_info[2])
        return json.dumps(fields, default=_plain)


class TextFormatter(logging.Formatter):
    """The same for a person at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        extra = "".join(f" {name}={value}" for name, value in _extra(record).items())
        line = f"{_time(record.created)} {record.levelname.lower()} {record.name}: {_said(record)}{extra}"
        if found := request_id.get():
            line += f" request={found}"
        if record.exc_info and record.exc_info[1]:
            line += f" error={type(record.exc_info[1]).__name__}"
            line += "".join(f"\n    {frame}" for frame in frames(record.exc_info[2]))
        return line


def frames(found: TracebackType | None) -> list[str]:
    """Where an exception passed, innermost last: file, line and function, without values."""
    return [
        f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(found)[-20:]
    ]


def configuration(form: Form = "auto", level: str = "INFO") -> dict[str, Any]:
    """The logging configuration of a serving process, in the form of :func:`logging.config.dictConfig`.

    ``auto`` writes text to a terminal and JSON to anything else.
    """
    text = form == "text" or (form == "auto" and sys.stderr.isatty())
    formatter = TextFormatter if text else JsonFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{__name__}.{formatter.__name__}"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "fairdeal": {"level": level},
            "uvicorn": {"level": level},
            # A malformed request may be anything, a key in the wrong place included: it is only counted.
            "uvicorn.error": {"level": level},
            # Paths name hands. In a worker uvicorn has set its loggers up before this: it would start anew.
            "uvicorn.access": {"level": "CRITICAL", "propagate": False},
        },
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _said(record: logging.LogRecord) -> str:
    # No message of this code has a long hex text in it; one of a library's that has might be a key.
    return _LONG_HEX.sub("(hidden)", record.getMessage())


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _OWN}


def _plain(value: object) -> str:
    return type(value).__name__
