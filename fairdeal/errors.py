"""What can go wrong, drawn as a tree by whose fault it is.

    FairdealError
    ├── MalformedError      the input is not in the form it must have
    │   └── UnsupportedError    well-formed, but of a kind or version this release does not know
    ├── EvidenceError       the input is well-formed and proves the contrary of what it claims
    └── UsageError          the caller asked for something that makes no sense

Every class carries a stable ``code``. Messages name the field and the rule; they never repeat a
value, since seeds and keys pass through the same functions.
"""

from __future__ import annotations


class FairdealError(Exception):
    """Root of all errors raised by this package; ``code`` is stable, the text is for people."""

    code = "error"


class MalformedError(FairdealError, ValueError):
    """Input that breaks a rule of form. ``field`` is its path, ``rule`` what was expected there."""

    code = "malformed"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}" if field else rule)
        self.field = field
        self.rule = rule

    def __reduce__(self) -> tuple[type[MalformedError], tuple[str, str]]:
        # Exceptions pickle by their args, which here hold the joined text: name the two parts.
        return type(self), (self.field, self.rule)


class UnsupportedError(MalformedError):
    """An entry of another version or type: nothing can be said about it (protocol §8.3)."""

    code = "unsupported"


class EvidenceError(FairdealError):
    """A signature, proof or opening that does not hold. ``code`` says which kind."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[EvidenceError], tuple[str, str]]:
        return type(self), (self.code, str(self))


class UsageError(FairdealError, ValueError):
    """A call whose arguments contradict each other or what they are applied to."""

    code = "usage"
