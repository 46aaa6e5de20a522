"""A copy of the log in a folder, in the tlog-tiles layout, as `fairdeal log mirror` makes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.tiling import WIDTH, entries_path, parse_bundle


class MirrorError(RuntimeError):
    """The folder holds no usable copy of this log; the text says which file is missing or damaged."""


class Mirror:
    """A mirror at the checkpoint that it holds, whose signature was checked."""

    def __init__(self, folder: Path, verifiers: Sequence[Verifier]) -> None:
        """Read the folder's checkpoint; raises :class:`MirrorError` unless one of the keys has signed it."""
        self._folder = folder
        path = folder / "checkpoint"
        try:
            note = parse_note(path.read_text(encoding="utf-8"))
            signed_by = {(v.name, v.key_id): v for v in open_note(note, verifiers)}
            self.checkpoint: Checkpoint = parse_checkpoint(note.text)
        except OSError as error:
            raise MirrorError(f"{path}: cannot be read ({error.strerror})") from None
        except (MalformedError, EvidenceError, UnicodeDecodeError):
            raise MirrorError(f"{path}: is no checkpoint that this log's keys have signed") from None
        self.signers = tuple(
            signed_by[line.name, line.key_id].text()
            for line in note.signatures
            if (line.name, line.key_id) in signed_by
        )
        """Verifier keys that signed the checkpoint, in its sequence: the log's own key first."""

    def entries(self, first: int) -> Iterator[bytes]:
        """The log's entries from index ``first`` to the checkpoint's size; raises :class:`MirrorError`."""
        for n in range(first // WIDTH, -(-self.checkpoint.size // WIDTH)):
            start = n * WIDTH
            bundle = self._bundle(n, min(WIDTH, self.checkpoint.size - start))
            yield from bundle[max(0, first - start) :]

    def _bundle(self, n: int, width: int) -> list[bytes]:
        # A partial bundle may be gone once a wider one is there; its entries begin that one, too.
        for wide in range(width, WIDTH + 1):
            path = self._folder / entries_path(n, wide)
            try:
                return parse_bundle(path.read_bytes(), wide)[:width]
            except FileNotFoundError:
                continue
            except (OSError, MalformedError):
                raise MirrorError(f"{path}: is damaged") from None
        raise MirrorError(f"{self._folder / entries_path(n, width)}: is missing")
