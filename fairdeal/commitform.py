"""Many commits of one moment: the text that they share is formed once (protocol §8.1).

What a service commits in one transaction differs in table, number, hand, commitment and seals. The rest, its
terms above all, takes most of the time that the canonical form of a commit takes.

>>> terms = DeckTerms(52, 4, openings=False)
>>> one = Commit(5, "club", "salon:1", 7, bytes(16), terms, bytes(32), (), None, 60_005)
>>> CommitForm(5, "club", terms, None, 60_005).fill("salon:1", 7, bytes(16), bytes(32)) == one.encode()
True
"""

from __future__ import annotations

from fairdeal.encoding import canonical
from fairdeal.entries import MAX_ENTRY, Commit, parse_table
from fairdeal.errors import MalformedError
from fairdeal.terms import DeckTerms, Terms

__all__ = ["Commit", "CommitForm", "DeckTerms"]


class CommitForm:
    """A commit's text but for what is each hand's own.

    ``at`` and ``lock_by`` are milliseconds since the Unix epoch, ``note`` is 32 bytes or ``None``.
    """

    __slots__ = ("_operator", "_shared", "_start", "_terms", "terms")

    def __init__(self, at: int, operator: str, terms: Terms, note: bytes | None, lock_by: int) -> None:
        self.terms = terms.canonical().decode()
        """The terms' own canonical form."""
        # Members stand in the order of their names; those of each hand come between these parts.
        shared = canonical({"lock_by": lock_by, "note": None if note is None else note.hex()}).decode()
        self._start = f'{{"at":{canonical(at).decode()},"commitment":"'
        self._shared = f'",{shared[1:-1]},"number":'
        self._operator = f',"operator":{canonical(operator).decode()},"seals":'
        self._terms = f'","terms":{self.terms},"type":"commit","v":1}}'

    def fill(self, table: str, number: int, hand: bytes, commitment: bytes, seals: str = "[]") -> bytes:
        """The entry of one hand, byte for byte what :meth:`Commit.encode` gives.

        ``seals`` is the canonical form of their list. Raises :class:`MalformedError` for a table's name that
        would need escapes in JSON, as for any that no table may have, and for an entry that is too long.
        """
        data = (
            f'{self._start}{commitment.hex()}","hand":"{hand.hex()}{self._shared}{number}{self._operator}{seals},'
            f'"table":"{parse_table(table, "table")}{self._terms}'
        ).encode()
        if len(data) > MAX_ENTRY:
            raise MalformedError("entry", f"must be at most {MAX_ENTRY} bytes")
        return data
