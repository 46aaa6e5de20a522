"""A call with its repeats, without any input or output: what to send next, or how long to wait first.

The synchronous and the asynchronous client drive the same generator, so that they can't differ.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from fairdeal.client.calls import Call
from fairdeal.client.errors import BY_CODE, AnswerError, ClientError, ProblemError, UnreachableError
from fairdeal.encoding import parse_json
from fairdeal.errors import MalformedError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a call is tried, and how long it waits in between, in seconds.

    The pause doubles from ``first`` to ``longest``, a random part of it is taken so that clients don't come
    back all at once, and a ``Retry-After`` is waited for in full, up to ``patience``.
    """

    attempts: int = 6
    first: float = 0.1
    longest: float = 3.0
    patience: float = 10.0

    def pause(self, attempt: int, retry_after: float) -> float:
        """Seconds to wait after the given attempt, counted from 1."""
        most = min(self.longest, self.first * 2 ** (attempt - 1))
        # Spreading, not secrecy.
        return max(min(retry_after, self.patience), random.uniform(most / 2, most))  # noqa: S311


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    content_type: str
    body: bytes
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Nothing came back; ``reason`` names the kind of failure."""

    reason: str


Turn = Answer | Failure | None
"""What the driver brings: an answer or a failure after sending, ``None`` after a pause."""

_AGAIN = frozenset((429, 500, 502, 503, 504))


def talk(call: Call[T], retry: Retry) -> Generator[float | None, Turn, T]:
    """Yields ``None`` for "send now" or seconds to wait; returns what the call gives.

    Raises :class:`ClientError`.
    """
    attempt = 0
    while True:
        attempt += 1
        turn = yield None
        last = attempt >= retry.attempts
        if isinstance(turn, Answer):
            if turn.status < 400:
                return _read(call, turn)
            if last or turn.status not in _AGAIN:
                raise problem(turn)
            yield retry.pause(attempt, turn.retry_after)
        else:
            if last:
                reason = turn.reason if turn else "nothing was sent"
                raise UnreachableError(f"the service could not be reached ({reason})", call.idempotency_key)
            yield retry.pause(attempt, 0.0)


def problem(answer: Answer) -> ClientError:
    """The error for an answer that is none of success."""
    found: Any = None
    if answer.content_type.startswith("application/problem+json"):
        try:
            found = parse_json(answer.body, "problem")
        except MalformedError:
            found = None
    if not isinstance(found, dict) or not isinstance(found.get("code"), str):
        return AnswerError(f"HTTP {answer.status}, and no problem document with it")
    code, detail = found["code"], str(found.get("detail", ""))
    members = {k: v for k, v in found.items() if k not in ("type", "title", "status", "code", "detail")}
    return BY_CODE.get(code, ProblemError)(answer.status, code, detail, members)


def _read(call: Call[T], answer: Answer) -> T:
    try:
        if call.text:
            return call.read(answer.body.decode())
        return call.read(parse_json(answer.body, "answer"))
    except (MalformedError, UnicodeDecodeError) as error:
        what = str(error) if isinstance(error, MalformedError) else "not text"
        raise AnswerError(f"the answer is none of a fairdeal service: {what}") from None
