"""What a request does to hands: commit, lock, reveal or void, and the ends that time brings (protocol §1, §2, §8.1).

An act plans on a :class:`Work` and says what will be answered. It decides everything that could refuse it before it
changes anything, so a refused act leaves no trace in the transaction that it shares with others.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fairdeal.draws import picker, throw_dealer
from fairdeal.entries import Commit, Lock, Outcome, Reveal
from fairdeal.merkle import leaf_hash
from fairdeal.openings import deal_root
from fairdeal.seeds import HAND_SIZE, SEED_SIZE, Contribution, Seal, commitment, deal_key, opens, seal
from fairdeal.terms import OkeyTerms, Terms
from fairdeal_api.answers import Evidence, deal_text
from fairdeal_api.hands import Hand, derive, server_seed, terms_text
from fairdeal_api.problems import Problem
from fairdeal_api.tables import COMMITTED, LOCKED, REVEALED
from fairdeal_api.vault import SeedLostError, Vault
from fairdeal_api.work import Claimed, GameTable, Needs, Work

log = logging.getLogger("fairdeal.ledger")

KEEP_ANSWERS = 48 * 3_600_000
"""Milliseconds that an idempotency key is remembered: twice what is promised."""


@dataclass(slots=True)
class Planned:
    """An answer to be: its status, and its body once the entries are under a signed checkpoint."""

    status: int
    build: Callable[[Evidence], str]
    _text: str | None = None

    def text(self, evidence: Evidence) -> str:
        """The body, built once."""
        if self._text is None:
            self._text = self.build(evidence)
        return self._text


@dataclass(frozen=True, slots=True)
class CommitSpec:
    """A commit as asked for. ``table`` ``None`` is the table of the hand before; ``lock_within`` is in milliseconds."""

    table: str | None
    terms: Terms
    dealer_next: bool
    seals: tuple[Seal, ...]
    note: bytes | None
    lock_within: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A commit with its secrets drawn: nothing in it depends on the state of the store."""

    spec: CommitSpec
    hand: bytes
    commitment: bytes
    wrapped_seed: bytes = field(repr=False)

    @classmethod
    def draw(cls, spec: CommitSpec, vault: Vault) -> Draft:
        """A new hand id and server seed from the operating system (protocol §1.1); the seed leaves wrapped."""
        hand, seed = secrets.token_bytes(HAND_SIZE), secrets.token_bytes(SEED_SIZE)
        return cls(spec, hand, commitment(seed), vault.wrap(hand, seed))


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
        """Draw seeds, outside the transaction."""
        self._drafts = [Draft.draw(spec, vault) for spec in self.specs]

    def needs(self) -> Needs:
        """What to read first."""
        return Needs(
            tables=tuple({(self.operator, spec.table) for spec in self.specs if spec.table}),
            seals=tuple(s.seal for spec in self.specs for s in spec.seals),
            claim=(self.operator, self.claim[0]) if self.claim else None,
        )

    def plan(self, work: Work) -> Planned:
        """Decide; raises :class:`Problem`."""
        if self.claim:
            key, digest = (self.operator, self.claim[0]), self.claim[1]
            claimed = work.claims.get(key)
            if claimed:
                return _replay(claimed, digest)
        refuse_used_seals(work, self.specs)
        hands = [commit(work, self.operator, draft) for draft in self._drafts]

        def build(evidence: Evidence) -> str:
            texts = [evidence.with_receipt(hand) for hand in hands]
            return f'{{"hands":[{",".join(texts)}]}}' if self.batch else texts[0]

        planned = Planned(201, build)
        if self.claim:
            work.claims[key] = Claimed(digest, planned, stored=False)
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
        return Needs(locks=(self.hand,))

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
            raise Problem(
                "unavailable", "The hand's stored seed does not open. Nothing was written."
            ) from None
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
    """Reveal a hand as played (``reason`` ``None``), with a next commit where asked for, or end it as void."""

    operator: str
    hand: bytes
    reason: str | None
    following: CommitSpec | None = None
    following_digest: bytes | None = None
    _draft: Draft | None = None

    def prepare(self, vault: Vault) -> None:
        """Draw the next hand's seed."""
        self._draft = Draft.draw(self.following, vault) if self.following else None

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
        end(work, hand, outcome, self.reason)
        if hand.outcome != outcome:
            raise ended(hand)
        following = None
        if self._draft:
            following = commit(work, self.operator, self._draft, hand.game_table)
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


Act = CommitAct | LockAct | EndAct | ExpireAct | ProbeAct


def commit(work: Work, operator: str, draft: Draft, table_before: str = "") -> Hand:
    """Append a hand's commit (protocol §1). Its seals must have been checked."""
    spec = draft.spec
    table = work.table(operator, spec.table or table_before)
    number, terms = table.next_number(), _with_dealer(spec, table)
    if isinstance(terms, OkeyTerms) and isinstance(terms.dealer, int):
        table.learn_dealer(number, terms.dealer)
    entry = Commit(
        work.at,
        operator,
        table.name,
        number,
        draft.hand,
        terms,
        draft.commitment,
        spec.seals,
        spec.note,
        work.at + spec.lock_within,
    )
    hand = Hand(
        commit_index=work.append(entry.encode()),
        hand=draft.hand,
        operator=operator,
        game_table=table.name,
        number=number,
        state=COMMITTED,
        deadline=entry.lock_by,
        terms=terms_text(terms),
        commitment=draft.commitment,
        seals=_text([s.as_json() for s in spec.seals]),
        note=spec.note,
        committed_at=work.at,
        lock_by=entry.lock_by,
        wrapped_seed=draft.wrapped_seed,
    )
    work.hands[hand.hand] = hand
    work.new_hands.append(hand)
    work.seals.update(s.seal for s in spec.seals)
    work.new_seals += [{"seal": s.seal, "hand": hand.hand} for s in spec.seals]
    work.events.append(("commit", ""))
    return hand


def lock(
    work: Work, hand: Hand, seeds: tuple[Contribution, ...], root: bytes | None, reveal_within: int
) -> None:
    """Append a hand's lock (protocol §2.1, §2.2). Seeds and order must have been checked."""
    prev = leaf_hash(work.entries[hand.commit_index])
    reveal_by = work.at + reveal_within
    hand.lock_index = work.append(Lock(work.at, hand.hand, prev, seeds, root, reveal_by).encode())
    hand.state, hand.locked_at, hand.reveal_by, hand.deadline = LOCKED, work.at, reveal_by, reveal_by
    hand.contributions, hand.deal_root = _text([c.as_json() for c in seeds]), root
    work.changed[hand.hand] = hand
    work.events.append(("lock", ""))


def end(work: Work, hand: Hand, outcome: Outcome, reason: str | None) -> None:
    """Append a hand's reveal (protocol §8.1); as ``lost`` where its stored seed does not open."""
    seed: bytes | None
    try:
        seed = server_seed(hand, work.vault)
    except SeedLostError as error:
        log.critical("hand %s ends as lost: %s", hand.hand.hex(), error)
        outcome, reason, seed = "lost", None, None
    prev = leaf_hash(work.entries[hand.indexes[-1]])
    hand.reveal_index = work.append(Reveal(work.at, hand.hand, prev, outcome, reason, seed).encode())
    hand.state, hand.revealed_at, hand.outcome, hand.reason = REVEALED, work.at, outcome, reason
    if seed is not None:
        hand.server_seed, hand.wrapped_seed = seed, None
        terms = hand.parsed_terms
        if hand.lock_index is not None and isinstance(terms, OkeyTerms) and terms.dealer == "throw":
            key = deal_key(seed, hand.hand, terms, hand.opened)
            dealer, _ = throw_dealer(picker(key), terms.seats)
            work.table(hand.operator, hand.game_table).learn_dealer(hand.number, dealer)
    # A hand committed in this very transaction is written whole by its insert.
    work.changed[hand.hand] = hand
    work.events.append(("reveal", outcome))


def own_hand(work: Work, operator: str, hand: bytes) -> Hand:
    """The operator's hand of that id; raises ``not_found`` or ``not_yours``."""
    found = work.hands.get(hand)
    if found is None:
        raise Problem("not_found")
    if found.operator != operator:
        raise Problem("not_yours")
    return found


def end_if_overdue(work: Work, hand: Hand) -> None:
    """End an open hand whose time is past, whoever asks; raises ``ended`` then (protocol §8.1)."""
    if hand.state != REVEALED and work.at >= hand.deadline:
        end(work, hand, "expired", None)
        raise ended(hand)


def refuse_out_of_order(work: Work, hand: Hand) -> None:
    """Raise ``out_of_order`` where an earlier hand of the table is neither locked nor ended (protocol §2.4)."""
    for earlier in work.waiting_before(hand):
        if work.at < earlier.deadline:
            raise Problem("out_of_order", waiting={"hand": earlier.hand.hex(), "number": earlier.number})
        end(work, earlier, "expired", None)


def refuse_used_seals(work: Work, specs: list[CommitSpec]) -> None:
    """Raise ``seal_used`` where the log, or another hand of the same request, has a seal already (protocol §1.5)."""
    seen: set[bytes] = set()
    for k, spec in enumerate(specs):
        for item in spec.seals:
            if item.seal in work.seals or item.seal in seen:
                raise Problem("seal_used", seat=item.seat, position=k)
            seen.add(item.seal)


def ended(hand: Hand) -> Problem:
    """The ``ended`` problem, saying how."""
    return Problem(
        "ended", hand=hand.hand.hex(), outcome=hand.outcome, reason=hand.reason, revealed_at=hand.revealed_at
    )


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


def _with_dealer(spec: CommitSpec, table: GameTable) -> Terms:
    terms = spec.terms
    if not spec.dealer_next or table.dealer is None or not isinstance(terms, OkeyTerms):
        return terms
    # Past the last seat of a smaller table the turn comes back to seat 0.
    seat = table.dealer + 1
    return replace(terms, dealer=seat if seat < terms.seats else 0)


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
