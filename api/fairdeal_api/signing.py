"""The log's private keys: a file with a line for each, loaded again when it changes.

Which of them sign is not the file's matter but the head's: every process signs with the same keys, those that
the head row names, from one transaction to the next (docs/adr/0012-key-changes.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from fairdeal.errors import MalformedError
from fairdeal.note import Signer
from fairdeal_api import keys
from fairdeal_api.head import Head


class MissingKeyError(RuntimeError):
    """A key that the log is signed with is not in the key file; the text names it."""


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The private keys of a file, in its sequence."""

    signers: tuple[Signer, ...] = field(repr=False)
    vkeys: tuple[str, ...]
    """Their verifier keys."""

    @classmethod
    def of(cls, signers: tuple[Signer, ...]) -> LogKeys:
        """These keys."""
        return cls(signers, tuple(signer.verifier.text() for signer in signers))

    def text(self) -> str:
        """The file's text."""
        return "".join(signer.private_text() + "\n" for signer in self.signers)


def parse_log_keys(path: Path, text: str) -> LogKeys:
    """The keys in a file's text; raises :class:`fairdeal_api.keys.KeyFileError`. All must have one name."""
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    try:
        found = tuple(Signer.parse(line, "key") for line in lines)
    except MalformedError as error:
        raise keys.KeyFileError(f"{path}: {error}") from None
    if not found or len(set(found)) != len(found) or len({signer.name for signer in found}) != 1:
        raise keys.KeyFileError(f"{path}: must hold different keys of one log, a line for each")
    return LogKeys.of(found)


class Signing:
    """What signs checkpoints: the keys that the head asks for, out of those that the file has."""

    def __init__(self, path: Path) -> None:
        """Load the file; raises :class:`fairdeal_api.keys.KeyFileError`."""
        self._file = keys.KeyFile(path, lambda text: parse_log_keys(path, text))
        self._changing = Lock()

    @property
    def keys(self) -> LogKeys:
        """The loaded keys."""
        return self._file.value

    def refresh(self) -> bool:
        """Load the key file again if it has changed; says whether it had."""
        with self._changing:
            return self._file.refresh()

    def signers(self, head: Head) -> list[Signer]:
        """The head's signers, its own key first. Raises :class:`MissingKeyError`."""
        try:
            return self._signers(head)
        except MissingKeyError:
            # A key may have been put in a moment ago, and another process was first to sign with it.
            self.refresh()
            return self._signers(head)

    def _signers(self, head: Head) -> list[Signer]:
        known = dict(zip(self.keys.vkeys, self.keys.signers, strict=True))
        missing = [vkey for vkey in head.signing if vkey not in known]
        if missing:
            raise MissingKeyError(f"{self._file.path} lacks the key that signs this log: {missing[0]}")
        return [known[vkey] for vkey in head.signing]
