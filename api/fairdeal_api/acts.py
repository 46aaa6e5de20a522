"""What a request asks of the ledger: commit, lock, reveal or void; and the ends that time brings.

An act plans on a :class:`Work` and says what will be answered. It decides everything that could refuse it
before it changes anything, so a refused act leaves no trace in the transaction that it shares with others.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fairdeal.entries import Outcome
from fairdeal.openings import deal_root
from fairdeal.seeds import Contribution, opens, seal
from fairdeal_api.answers import Evidence, deal_text
from fairdeal_api.hands import Hand, derive, server_seed
from fairdeal_api.moves import (
    CommitSpec,
    Draft,
    commit,
    end,
    end_if_overdue,
    ended,
    lock,
    own_hand,
    refuse_out_of_order,
    refuse_used_seals,
    seed_unavailable,
)
from fairdeal_api.problems import Problem
from fairdeal_api.tables import LOCKED, REVEALED
from fairdeal_api.vault import SeedLostError, Vault
from fairdeal_api.work import Claimed, Needs, Work

log = logging.getLogger("fairdeal.ledger")

MANY = 16
"""Hands of a request from which on their seeds are drawn before its turn."""

KEEP_ANSWERS = 48 * 3_600_000
"""Milliseconds that an idempotency key is remembered: twice what is promised."""


@dataclass(slots=True)
class Planned:
    """An answer to be: its status, and its body once the entries are under a signed checkpoint."""

    status: int
    build: Callable[[Evidence], str]
    hands: Sequence[Hand] = ()
    """Where their receipts are all that takes time in the body, it may be built outside the ledger."""
    _text: str | None = None

    @property
    def built(self) -> bool:
        """Whether there is a body already."""
        return self._text is not None

    def text(self, evidence: Evidence) -> str:
        """The body, built once."""
        if self._text is None:
            self._text = self.build(evidence)
        return self._text


@dataclass(slots=True)
class CommitAct:
    """Commit hands, all or none."""

    operator: str
    specs: list[CommitSpec]
    batch: bool
    claim: tuple[str, bytes] | None = None
    """Idempotency key and the request's digest."""
    _drafts: list[Draft] = field(default_factory=list)

    def prepare(self, vault: Vault) -> None:
        """Draw the seeds of many hands.

        Those of a few are drawn in the act's turn: asking the system for random bytes gives the interpreter
        away, and getting it back costs the event loop more than that has saved the ledger.
        """
        if len(self.specs) >= MANY:
            self._drafts = Draft.draw(self.specs, vault)

    def needs(self) -> Needs:
        """What to read first."""
        return Needs(
            tables=tuple({(self.operator, spec.table) for spec in self.specs if spec.table}),
            seals=tuple(s.seal for spec in self.specs for s in spec.seals),
            claim=(self.operator, self.claim[0]) if self.claim else None,
        )

    def plan(self, work: Work) -> Planned:
        """Decide; raises :class:`Problem`."""
        claimed = work.claims.get((self.operator, self.claim[0])) if self.claim else None
        if self.claim and claimed:
            return _replay(claimed, self.claim[1])
        refuse_used_seals(work, self.specs, batch=self.batch)
        drafts = Draft.current(self._drafts, work.vault) or Draft.draw(self.specs, work.vault)
        hands = [commit(work, self.operator, draft) for draft in drafts]

        def build(evidence: Evidence) -> str:
            texts = [evidence.with_receipt(hand) for hand in hands]
            return f'{{"hands":[{",".join(texts)}]}}' if self.batch else texts[0]

        planned = Planned(201, build, hands)
        if self.claim:
            work.claims[self.operator, self.claim[0]] = Claimed(self.claim[1], planned, stored=False)
        return planned


@dataclass(slots=True)
class LockAct:
    """Lock a hand with the opened client seeds and answer its deal (protocol §2)."""

    operator: str
    hand: bytes
    seeds: tuple[Contribution, ...] = field(repr=False)
    reveal_within: int

    def prepare(self, vault: Vault) -> None:
        """Nothing to draw."""

    def needs(self) -> Needs:
        """What to read first."""
        return Needs(hands=(self.hand,))

    def plan(self, work: Work) -> Planned:
        """Decide; raises :class:`Problem`."""
        hand = own_hand(work, self.operator, self.hand)
        end_if_overdue(work, hand)
        if hand.lock_index is None:
            if hand.state == REVEALED:
                raise ended(hand)
            self._check_seeds(hand)
            refuse_out_of_order(work, hand)
        elif hand.state == LOCKED:
            self._check_seeds(hand)
        elif hand.server_seed is None or not opens(hand.parsed_seals, self.seeds):
            raise ended(hand)
        try:
            dealt = derive(hand, server_seed(hand, work.vault), self.seeds)
        except SeedLostError:
            # Its key file may yet be put back: the hand ends as lost only when its time has come.
            log.critical("the stored seed of hand %s does not open", hand.hand.hex())
            raise seed_unavailable() from None
        if hand.lock_index is None:
            terms = hand.parsed_terms
            root = deal_root(dealt.key, terms, dealt.deal) if terms.openings else None
            lock(work, hand, self.seeds, root, self.reveal_within)
        secret = deal_text(dealt.deal) if hand.state == LOCKED else None
        return Planned(200, lambda evidence: evidence.with_receipt(hand, secret_deal=secret))

    def _check_seeds(self, hand: Hand) -> None:
        seals = {s.seat: s.seal for s in hand.parsed_seals}
        wrong = [c.seat for c in self.seeds if seals.get(c.seat) != seal(c.seed)]
        if wrong:
            raise Problem("seal_mismatch", seats=wrong)
        if missing := sorted(seals.keys() - {c.seat for c in self.seeds}):
            raise Problem("seals_unopened", seats=missing)


@dataclass(slots=True)
class EndAct:
    """Reveal a hand as played (no ``reason``), with a next commit where asked for, or end it as void."""

    operator: str
    hand: bytes
    reason: str | None
    following: CommitSpec | None = None
    following_digest: bytes | None = None

    def prepare(self, vault: Vault) -> None:
        """Nothing: the next hand's seed is drawn in the act's turn."""

    def needs(self) -> Needs:
        """What to read first."""
        seals = self.following.seals if self.following else ()
        return Needs(hands=(self.hand,), seals=tuple(s.seal for s in seals))

    def plan(self, work: Work) -> Planned:
        """Decide; raises :class:`Problem`."""
        hand = own_hand(work, self.operator, self.hand)
        end_if_overdue(work, hand)
        outcome: Outcome = "void" if self.reason else "played"
        if hand.state == REVEALED:
            return self._repeat(work, hand, outcome)
        if outcome == "played" and hand.state != LOCKED:
            raise Problem("not_locked")
        if self.reason == "seat-silent" and (hand.state == LOCKED or not hand.parsed_seals):
            raise Problem("reason_not_allowed")
        if self.following:
            refuse_used_seals(work, [self.following])
        drafts = Draft.draw([self.following], work.vault) if self.following else []
        end(work, hand, outcome, self.reason)
        if hand.outcome != outcome:
            raise ended(hand)
        following = None
        for draft in drafts:
            following = commit(work, self.operator, draft, hand.game_table)
            hand.next_hand, hand.next_digest = following.hand, self.following_digest
        return Planned(200, lambda evidence: evidence.with_receipt(hand, following=following))

    def _repeat(self, work: Work, hand: Hand, outcome: Outcome) -> Planned:
        if (hand.outcome, hand.reason) != (outcome, self.reason):
            raise ended(hand)
        if self.following and hand.next_digest is None:
            raise ended(hand)
        if self.following and self.following_digest != hand.next_digest:
            raise Problem("repeat_mismatch")
        following = None
        if hand.next_hand:
            work.fetch_hands([hand.next_hand])
            following = work.hands[hand.next_hand]
        return Planned(200, lambda evidence: evidence.with_receipt(hand, following=following))


@dataclass(slots=True)
class ExpireAct:
    """End hands whose time is past; answers how many, so that the caller knows whether to ask again."""

    most: int = 500

    def prepare(self, vault: Vault) -> None:
        """Nothing to draw."""

    def needs(self) -> Needs:
        """Nothing is known in advance."""
        return Needs()

    def plan(self, work: Work) -> Planned:
        """End what is due, and forget idempotency keys that are old enough."""
        work.drop_answers(work.at - KEEP_ANSWERS)
        due = work.overdue(self.most)
        for hand in due:
            end(work, hand, "expired", None)
        return Planned(200, lambda _: str(len(due)))


@dataclass(slots=True)
class ProbeAct:
    """Do nothing in a transaction that could write: shows that the ledger is alive."""

    def prepare(self, vault: Vault) -> None:
        """Nothing to draw."""

    def needs(self) -> Needs:
        """Nothing."""
        return Needs()

    def plan(self, work: Work) -> Planned:
        """Answer the log's size."""
        return Planned(200, lambda _: str(work.first))


class Act(Protocol):
    """What the ledger does with a request."""

    def prepare(self, vault: Vault) -> None:
        """Draw what is random, before the act's turn."""

    def needs(self) -> Needs:
        """What to read first."""

    def plan(self, work: Work) -> Planned:
        """Decide; raises :class:`Problem`."""


def digest_of(value: object) -> bytes:
    """What two equal requests share: SHA-256 over sorted JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()


def _replay(claimed: Claimed, digest: bytes) -> Planned:
    if claimed.digest != digest:
        raise Problem("idempotency_mismatch")
    answer = claimed.answer
    if isinstance(answer, Planned):
        return Planned(200, answer.text)
    return Planned(200, lambda _: bytes(answer).decode())
