"""Many commits of one moment: the text that they share is formed once (protocol §8.1).

What a service commits in one transaction differs in table, number, hand, commitment and seals. The rest, its
terms above all, takes most of the time that the canonical form of a commit takes.

>>> from fairdeal.entries import Commit
>>> from fairdeal.terms import DeckTerms
>>> terms = DeckTerms(52, 4, openings=False)
>>> one = Commit(5, "club", "salon:1", 7, bytes(16), terms, bytes(32), (), None, 60_005)
>>> CommitForm(5, "club", terms, None, 60_005).fill("salon:1", 7, bytes(16), bytes(32)) == one.encode()
True
"""

from __future__ import annotations

from fairdeal.encoding import canonical
from fairdeal.entries import MAX_ENTRY, parse_table
from fairdeal.errors import MalformedError
from fairdeal.terms import Terms


class CommitForm:
    """A commit's text but for what is each hand's own.

    ``at`` and ``lock_by`` are milliseconds since the Unix epoch, ``note`` is 32 bytes or ``None``.
    """

    __slots__ = ("_to_commitment", "_to_end", "_to_number", "_to_seals", "terms")

    def __init__(self, at: int, operator: str, terms: Terms, note: bytes | None, lock_by: int) -> None:
        self.terms = terms.canonical().decode()
        """The terms' own canonical form."""
        # Members stand in the order of their names; those of each hand come between these parts.
        between = canonical({"lock_by": lock_by, "note": None if note is None else note.hex()}).decode()
        self._to_commitment = f'{{"at":{canonical(at).decode()},"commitment":"'
        self._to_number = f'",{between[1:-1]},"number":'
        self._to_seals = f',"operator":{canonical(operator).decode()},"seals":'
        self._to_end = f'","terms":{self.terms},"type":"commit","v":1}}'

    def fill(self, table: str, number: int, hand: bytes, commitment: bytes, seals: str = "[]") -> bytes:
        """The entry of one hand, byte for byte what :meth:`fairdeal.entries.Commit.encode` gives.

        ``seals`` is the canonical form of their list. Raises :class:`MalformedError` for a name that no table
        may have (in the text it would need escapes), and for an entry that is too long.
        """
        data = (
            f'{self._to_commitment}{commitment.hex()}","hand":"{hand.hex()}{self._to_number}{number}'
            f'{self._to_seals}{seals},"table":"{parse_table(table, "table")}{self._to_end}'
        ).encode()
        if len(data) > MAX_ENTRY:
            raise MalformedError("entry", f"must be at most {MAX_ENTRY} bytes")
        return data
