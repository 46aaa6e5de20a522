"""What can go wrong in a call: the service refuses, cannot be reached, or answers something else.

ClientError
├── ProblemError         the service answered a problem; ``code`` is its stable code
│   ├── EndedError       the hand has ended; how, is in ``outcome`` and ``reason``
│   ├── …                one class for each code that a game server acts on
├── UnreachableError     no answer came: whether a write was done is not known; repeat it
└── AnswerError          an answer that is none of the service's
"""

from __future__ import annotations

from typing import Any

from fairdeal.errors import FairdealError


class ClientError(FairdealError):
    """A call that came to nothing."""

    code = "client"


class UnreachableError(ClientError):
    """No answer, after all repeats. A write may have been done: the same call, repeated, tells.

    A commit is repeated with the same idempotency key, which is in ``idempotency_key``.
    """

    code = "unreachable"

    def __init__(self, message: str, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class AnswerError(ClientError):
    """Something else than the service answered: a proxy, another program, or another version."""

    code = "answer"


class ProblemError(ClientError):
    """The service refused (RFC 9457). ``members`` holds what the problem says beside the usual members."""

    def __init__(self, status: int, code: str, detail: str, members: dict[str, Any]) -> None:
        super().__init__(f"{code}: {detail}")
        self.status, self.code, self.detail, self.members = status, code, detail, members


class UnauthorizedError(ProblemError):
    """The operator key is missing, wrong or revoked."""


class NotYoursError(ProblemError):
    """The hand belongs to another operator."""


class NotFoundError(ProblemError):
    """There is no such hand or table."""


class InvalidError(ProblemError):
    """A field is not in its form; ``errors`` names fields and rules."""

    @property
    def errors(self) -> list[dict[str, str]]:
        """``{"field", "rule"}`` of each."""
        found: list[dict[str, str]] = self.members.get("errors", [])
        return found


class EndedError(ProblemError):
    """The hand has ended already, in another way than was asked for."""

    @property
    def outcome(self) -> str:
        """``played``, ``void``, ``expired`` or ``lost``."""
        return str(self.members.get("outcome"))

    @property
    def reason(self) -> str | None:
        """Why it is void; ``None`` otherwise."""
        found: str | None = self.members.get("reason")
        return found


class NotLockedError(ProblemError):
    """The call needs a hand that was dealt."""


class OutOfOrderError(ProblemError):
    """An earlier hand of the table is neither locked nor ended: deal or void that one first."""

    @property
    def waiting(self) -> str | None:
        """The id of the hand that stands in the way."""
        found: str | None = self.members.get("waiting", {}).get("hand")
        return found


class SealUsedError(ProblemError):
    """The log has a seal already: that seat's client draws a new seed and seals it."""


class SeatsError(ProblemError):
    """Something about some seats' seeds; ``seats`` lists them."""

    @property
    def seats(self) -> list[int]:
        """The seats."""
        found: list[int] = self.members.get("seats", [])
        return found


class SealsUnopenedError(SeatsError):
    """The seats in ``seats`` have not given their seeds. Ask again, or void the hand as ``seat-silent``."""


class SealMismatchError(SeatsError):
    """The seeds of the seats in ``seats`` do not open their seals."""


class MismatchError(ProblemError):
    """The same idempotency key, or the same reveal, with another request."""


class RateLimitedError(ProblemError):
    """The operator's rate stayed used up through all repeats."""


class UnavailableError(ProblemError):
    """The service stayed busy or unavailable through all repeats. Nothing was written."""


BY_CODE: dict[str, type[ProblemError]] = {
    "busy": UnavailableError,
    "ended": EndedError,
    "idempotency_mismatch": MismatchError,
    "invalid": InvalidError,
    "not_found": NotFoundError,
    "not_locked": NotLockedError,
    "not_yours": NotYoursError,
    "out_of_order": OutOfOrderError,
    "rate_limited": RateLimitedError,
    "repeat_mismatch": MismatchError,
    "seal_mismatch": SealMismatchError,
    "seal_used": SealUsedError,
    "seals_unopened": SealsUnopenedError,
    "unauthorized": UnauthorizedError,
    "unavailable": UnavailableError,
}
"""The class for each code; any other code is a plain :class:`ProblemError`."""
