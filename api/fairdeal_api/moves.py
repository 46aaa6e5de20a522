"""What happens to a hand (protocol §8.1): commit, lock, end; each a log entry and a change of its row."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO

from fairdeal.commitform import CommitForm
from fairdeal.draws import picker, throw_dealer
from fairdeal.entries import Lock, Outcome, Reveal
from fairdeal.merkle import leaf_hash
from fairdeal.seeds import HAND_SIZE, SEED_SIZE, Contribution, Seal, commitment, deal_key
from fairdeal.terms import OkeyTerms, Terms
from fairdeal_api.gametable import GameTable
from fairdeal_api.hands import Hand, server_seed
from fairdeal_api.problems import Problem
from fairdeal_api.tables import COMMITTED, LOCKED, REVEALED
from fairdeal_api.vault import NONCE_SIZE, SeedGoneError, SeedLostError, Vault
from fairdeal_api.work import Work

log = logging.getLogger("fairdeal.ledger")


@dataclass(slots=True)  # not frozen: a batch makes thousands a second, and that takes three times as long
class CommitSpec:
    """A commit as asked for; ``lock_within`` in milliseconds, no ``table`` for that of the hand before."""

    table: str | None
    terms: Terms
    dealer_next: bool
    seals: tuple[Seal, ...]
    note: bytes | None
    lock_within: int


@dataclass(slots=True)  # not frozen: see CommitSpec
class Draft:
    """A commit with its secrets drawn: nothing in it depends on the state of the store."""

    spec: CommitSpec
    hand: bytes
    commitment: bytes
    wrapped_seed: bytes = field(repr=False)

    @classmethod
    def draw(cls, specs: Sequence[CommitSpec], vault: Vault) -> list[Draft]:
        """New hand ids and server seeds from the operating system (§1.1); the seeds leave wrapped.

        It is asked once for all of them: each time, another thread may take the interpreter.
        """
        sizes = HAND_SIZE, SEED_SIZE, NONCE_SIZE
        drawn = BytesIO(secrets.token_bytes(sum(sizes) * len(specs)))
        drafts = []
        for spec in specs:
            hand, seed, nonce = map(drawn.read, sizes)
            drafts.append(cls(spec, hand, commitment(seed), vault.wrap(hand, seed, nonce)))
        return drafts

    @classmethod
    def current(cls, drafts: list[Draft], vault: Vault) -> list[Draft]:
        """The drafts, drawn anew where the vault wraps under another key by now.

        For the ledger's turn: a key is retired once no process wraps under it, whatever still waits there.
        """
        if all(vault.is_under_first(draft.wrapped_seed) for draft in drafts):
            return drafts
        return cls.draw([draft.spec for draft in drafts], vault)


def commit(work: Work, operator: str, draft: Draft, table_before: str = "") -> Hand:
    """Append a hand's commit (protocol §1). Its seals must have been checked."""
    spec = draft.spec
    table = work.table(operator, spec.table or table_before)
    number, terms = table.next_number(), _with_dealer(spec, table)
    if isinstance(terms, OkeyTerms) and isinstance(terms.dealer, int):
        table.learn_dealer(number, terms.dealer)
    lock_by = work.at + spec.lock_within
    form = _form(work, operator, terms, spec.note, lock_by)
    seals = json_text([s.as_json() for s in spec.seals]) if spec.seals else "[]"
    hand = Hand(
        commit_index=work.append(form.fill(table.name, number, draft.hand, draft.commitment, seals)),
        hand=draft.hand,
        table_id=table.id,
        operator=operator,
        game_table=table.name,
        number=number,
        state=COMMITTED,
        deadline=lock_by,
        terms=form.terms,
        commitment=draft.commitment,
        seals=seals,
        note=spec.note,
        committed_at=work.at,
        lock_by=lock_by,
        wrapped_seed=draft.wrapped_seed,
    )
    work.hands[hand.hand] = hand
    work.new_hands.append(hand)
    if spec.seals:
        work.seals.update(s.seal for s in spec.seals)
        work.new_seals += [(s.seal, hand.hand) for s in spec.seals]
    work.events.append(("commit", "", operator))
    return hand


def lock(
    work: Work, hand: Hand, seeds: tuple[Contribution, ...], root: bytes | None, reveal_within: int
) -> None:
    """Append a hand's lock (protocol §2.1, §2.2). Seeds and order must have been checked."""
    prev = leaf_hash(work.entries[hand.commit_index])
    reveal_by = work.at + reveal_within
    hand.lock_index = work.append(Lock(work.at, hand.hand, prev, seeds, root, reveal_by).encode())
    hand.state, hand.locked_at, hand.reveal_by, hand.deadline = LOCKED, work.at, reveal_by, reveal_by
    hand.contributions, hand.deal_root = json_text([c.as_json() for c in seeds]), root
    work.table(hand.operator, hand.game_table).locked(hand.number)
    work.changed[hand.hand] = hand
    work.events.append(("lock", "", hand.operator))


def end(work: Work, hand: Hand, outcome: Outcome, reason: str | None) -> None:
    """Append a hand's reveal (protocol §8.1).

    A hand whose stored seed does not open ends as ``lost`` once its time is past, or at once where no seed is
    stored at all; until then its key may be put back: raises ``unavailable``, and nothing is written.
    """
    seed: bytes | None
    try:
        seed = server_seed(hand, work.vault)
    except SeedLostError as error:
        if work.at < hand.deadline and not isinstance(error, SeedGoneError):
            log.critical("the stored seed of hand %s does not open: %s", hand.hand.hex(), error)
            raise seed_unavailable() from None
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
    work.events.append(("reveal", outcome, hand.operator))


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
    """Raise ``out_of_order`` where an earlier hand of the table is neither locked nor ended (§2.4)."""
    for earlier in work.waiting_before(hand):
        if work.at < earlier.deadline:
            raise Problem("out_of_order", waiting={"hand": earlier.hand.hex(), "number": earlier.number})
        end(work, earlier, "expired", None)


def refuse_used_seals(work: Work, specs: list[CommitSpec], *, batch: bool = False) -> None:
    """Raise ``seal_used`` where the log, or another hand of the request, has a seal already (§1.5)."""
    seen: set[bytes] = set()
    for k, spec in enumerate(specs):
        for item in spec.seals:
            if item.seal in work.seals or item.seal in seen:
                if batch:
                    raise Problem("seal_used", seat=item.seat, position=k)
                raise Problem("seal_used", seat=item.seat)
            seen.add(item.seal)


def seed_unavailable() -> Problem:
    """The ``unavailable`` problem for a stored seed that no loaded key opens."""
    return Problem("unavailable", "The hand's stored seed does not open. Nothing was written.")


def ended(hand: Hand) -> Problem:
    """The ``ended`` problem, saying how."""
    return Problem(
        "ended", hand=hand.hand.hex(), outcome=hand.outcome, reason=hand.reason, revealed_at=hand.revealed_at
    )


def _form(work: Work, operator: str, terms: Terms, note: bytes | None, lock_by: int) -> CommitForm:
    key = operator, terms, note, lock_by
    form = work.forms.get(key)
    if form is None:
        form = work.forms[key] = CommitForm(work.at, *key)
    return form


def _with_dealer(spec: CommitSpec, table: GameTable) -> Terms:
    terms = spec.terms
    if not spec.dealer_next or table.dealer is None or not isinstance(terms, OkeyTerms):
        return terms
    # Past the last seat of a smaller table the turn comes back to seat 0.
    seat = table.dealer + 1
    return replace(terms, dealer=seat if seat < terms.seats else 0)


def json_text(value: object) -> str:
    """JSON as rows keep it."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
