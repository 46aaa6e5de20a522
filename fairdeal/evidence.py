"""What a receipt or record shows of its hand, brought into one shape for the checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from fairdeal.deal import Deal, make_deal
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.receipt import Document, LoggedEntry, Record
from fairdeal.seeds import Contribution, Seal, deal_key, transcript
from fairdeal.terms import Terms

Kind = TypeVar("Kind", Commit, Lock, Reveal)


@dataclass(frozen=True)
class Stated:
    """What was fixed before the hand: by the commit entry, or as a record has it."""

    hand: bytes
    terms: Terms
    commitment: bytes | None
    seals: tuple[Seal, ...]


@dataclass(frozen=True)
class Evidence:
    """One hand's evidence. ``None`` stands for what was not shown."""

    document: Document
    stated: Stated | None
    contributions: tuple[Contribution, ...] | None
    """The opened client seeds, where the hand was locked."""
    deal_root: bytes | None
    server_seed: bytes | None = field(repr=False)
    deal: dict[str, Any] | None
    ended_unlocked: bool
    """The hand ended without a lock: nothing was dealt."""
    unsupported: bool
    """Some entry is of a version or type not known here."""

    @property
    def locked(self) -> bool:
        """Whether a lock was shown."""
        return self.contributions is not None

    @cached_property
    def transcript(self) -> bytes | None:
        """The 96 bytes under the deal key (protocol §2.3), where commit and lock are there."""
        if self.stated is None or self.contributions is None:
            return None
        return transcript(self.stated.hand, self.stated.terms, self.contributions)

    @cached_property
    def key(self) -> bytes | None:
        """The deal key that follows from what was shown, whether or not that holds."""
        if self.stated is None or self.contributions is None or self.server_seed is None:
            return None
        return deal_key(self.server_seed, self.stated.hand, self.stated.terms, self.contributions)

    @cached_property
    def truth(self) -> Deal | None:
        """The deal that follows from :attr:`key`."""
        if self.key is None or self.stated is None:
            return None
        return make_deal(self.key, self.stated.terms)

    @cached_property
    def true_document(self) -> dict[str, Any] | None:
        """:attr:`truth` as a deal document."""
        return None if self.truth is None else self.truth.as_json()


def gather(document: Document) -> Evidence:
    """The evidence in a well-formed receipt or record."""
    if isinstance(document, Record):
        return Evidence(
            document=document,
            stated=Stated(document.hand, document.terms, document.commitment, document.seals),
            contributions=document.contributions,
            deal_root=document.deal_root,
            server_seed=document.server_seed,
            deal=document.deal,
            ended_unlocked=False,
            unsupported=False,
        )
    commit = first(document.entries, Commit)
    lock = first(document.entries, Lock)
    reveal = first(document.entries, Reveal)
    unsupported = any(item.content is None for item in document.entries)
    return Evidence(
        document=document,
        stated=Stated(commit.hand, commit.terms, commit.commitment, commit.seals) if commit else None,
        contributions=lock.contributions if lock else None,
        deal_root=lock.deal_root if lock else None,
        server_seed=reveal.server_seed if reveal else None,
        deal=document.deal,
        ended_unlocked=bool(commit and reveal and not lock and not unsupported),
        unsupported=unsupported,
    )


def first(entries: Sequence[LoggedEntry], kind: type[Kind]) -> Kind | None:
    """The first entry of a kind, wherever it stands."""
    return next((item.content for item in entries if isinstance(item.content, kind)), None)
