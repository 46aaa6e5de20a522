"""Hands: commit, deal, open, reveal, void, and what anyone may read of them."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from sqlalchemy import Connection

from fairdeal.errors import UsageError
from fairdeal.openings import open_slots
from fairdeal_api import store
from fairdeal_api.acts import CommitAct, EndAct, LockAct, digest_of
from fairdeal_api.answers import deal_text, hand_text
from fairdeal_api.auth import CurrentOperator
from fairdeal_api.examples import examples
from fairdeal_api.hands import derive, public_deal, server_seed
from fairdeal_api.ledger import Result
from fairdeal_api.moves import ended, seed_unavailable
from fairdeal_api.problems import Problem
from fairdeal_api.schemas import (
    Batch,
    BatchRequest,
    CommitRequest,
    DealRequest,
    Hand,
    HandWithReceipt,
    OpenHands,
    Openings,
    OpeningsRequest,
    Receipt,
    RevealedHand,
    RevealRequest,
    VoidRequest,
)
from fairdeal_api.service import service_of
from fairdeal_api.specs import commit_spec, contributions
from fairdeal_api.vault import SeedLostError
from fairdeal_api.wire import HandId, StrictRoute, answers, known_query, public_json, repeated, written

router = APIRouter(prefix="/v1", route_class=StrictRoute, tags=["hands"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same request answers the same hand again, for two days.",
        examples=["salon-7-hand-1841"],
    ),
]

_WRITES = (
    "bad_json", "unauthorized", "too_slow", "too_large", "invalid", "rate_limited", "internal", "busy",
    "unavailable",
)  # fmt: skip
_ON_A_HAND = (*_WRITES, "not_yours", "not_found")


@router.post(
    "/hands",
    status_code=201,
    response_model=HandWithReceipt,
    summary="Commit a hand",
    responses=answers("seal_used", "idempotency_mismatch", *_WRITES, ok_201=examples()["commit"])
    | repeated(HandWithReceipt, examples()["commit"]),
)
async def commit_hand(
    body: CommitRequest,
    operator: CurrentOperator,
    request: Request,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Draws a server seed, logs its commitment with the seats' seals, and answers the commit receipt.

    A client opens its seed only after it has checked that receipt. With an `Idempotency-Key` the call may be
    repeated after a lost answer: the first answer comes again, with status 200.
    """
    claim = (
        (idempotency_key, digest_of(["hand", body.model_dump(exclude_unset=True)]))
        if idempotency_key
        else None
    )
    act = CommitAct(operator, [commit_spec(body, service_of(request).settings)], batch=False, claim=claim)
    return written(await service_of(request).ledger.submit(act))


@router.post(
    "/hands/batch",
    status_code=201,
    response_model=Batch,
    summary="Commit many hands, all or none",
    responses=answers("seal_used", "idempotency_mismatch", *_WRITES, ok_201={"hands": [examples()["commit"]]})
    | repeated(Batch, {"hands": [examples()["commit"]]}),
)
async def commit_batch(
    body: BatchRequest, operator: CurrentOperator, request: Request, idempotency_key: IdempotencyKey = None
) -> Response:
    """Commits up to 1000 hands in one transaction. Where one is refused, none is committed."""
    claim = (
        (idempotency_key, digest_of(["batch", body.model_dump(exclude_unset=True)]))
        if idempotency_key
        else None
    )
    service = service_of(request)
    specs = [commit_spec(hand, service.settings, f"hands.{k}.") for k, hand in enumerate(body.hands)]
    return written(await service.ledger.submit(CommitAct(operator, specs, batch=True, claim=claim)))


@router.get(
    "/hands",
    response_model=OpenHands,
    summary="List open hands",
    responses=answers("unauthorized", "invalid", ok_200={"hands": [examples()["open"]], "next": None}),
)
async def list_open_hands(
    operator: CurrentOperator,
    request: Request,
    _: Annotated[
        str, Query(alias="state", pattern="^open$", description="Only `open` is known: committed or locked.")
    ] = "open",
    after: Annotated[int, Query(ge=-1, le=2**53, description="`next` of the page before.")] = -1,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """The operator's hands not revealed yet, in log order: what a game server asks for after a crash."""
    known_query(request, "state", "after", "limit")
    found = await service_of(request).read(
        lambda connection: store.open_hands(connection, operator, after, limit + 1)
    )
    more = str(found[limit - 1].commit_index) if len(found) > limit else "null"
    hands = ",".join(hand_text(hand) for hand in found[:limit])
    return public_json(f'{{"hands":[{hands}],"next":{more}}}')


@router.get(
    "/hands/{hand}",
    response_model=Hand,
    summary="Read a hand",
    responses=answers("not_found", "invalid", ok_200=examples()["hand"]),
)
async def read_hand(hand: HandId, request: Request) -> Response:
    """The public hand document. What is not public yet is null; the deal is there after the reveal."""
    return public_json(
        await service_of(request).read(
            lambda connection: hand_text(store.find_hand(connection, bytes.fromhex(hand)))
        )
    )


@router.get(
    "/hands/{hand}/receipt",
    response_model=Receipt,
    summary="Read a hand's receipt",
    responses=answers("not_found", "invalid", ok_200=examples()["receipt"]),
)
async def read_receipt(hand: HandId, request: Request) -> Response:
    """The receipt as far as the hand has come, under the log's newest checkpoint."""

    def read(connection: Connection) -> str:
        found = store.find_hand(connection, bytes.fromhex(hand))
        return store.receipt(connection, service_of(request).full, found, deal_text(public_deal(found)))

    return public_json(await service_of(request).read(read))


@router.post(
    "/hands/{hand}/deal",
    response_model=HandWithReceipt,
    summary="Lock a hand and get its deal",
    responses=answers(
        "seals_unopened", "seal_mismatch", "out_of_order", "ended", *_ON_A_HAND, ok_200=examples()["deal"]
    ),
)
async def deal_hand(
    hand: HandId, operator: CurrentOperator, request: Request, body: DealRequest | None = None
) -> Response:
    """Logs the lock with the opened client seeds, then answers the deal with the lock receipt.

    The deal is secret until the reveal: this answer alone holds it. Repeated, the call answers the same.
    """
    body = body or DealRequest()
    within = (body.reveal_within or service_of(request).settings.reveal_within) * 1000
    act = LockAct(operator, bytes.fromhex(hand), contributions(body.seeds), within)
    return written(await service_of(request).ledger.submit(act))


@router.post(
    "/hands/{hand}/openings",
    response_model=Openings,
    summary="Prove single tiles of a locked hand",
    responses=answers(
        "not_locked",
        "no_openings",
        "ended",
        "unknown_slot",
        *_ON_A_HAND,
        ok_200={"openings": examples()["openings"]},
    ),
)
async def open_tiles(
    hand: HandId, body: OpeningsRequest, operator: CurrentOperator, request: Request
) -> Response:
    """Openings of slots of the deal, for the operator to hand to the players who may see those tiles."""

    def read(connection: Connection) -> list[dict[str, object]]:
        found = store.find_hand(connection, bytes.fromhex(hand))
        if found.operator != operator:
            raise Problem("not_yours")
        if found.outcome == "lost":
            raise ended(found)
        if found.lock_index is None:
            raise Problem("not_locked")
        if not found.parsed_terms.openings:
            raise Problem("no_openings")
        try:
            dealt = derive(found, server_seed(found, service_of(request).vault), found.opened)
            slots = open_slots(found.hand, dealt.key, found.parsed_terms, dealt.deal, body.slots)
        except SeedLostError:
            raise seed_unavailable() from None
        except UsageError:
            raise Problem("unknown_slot") from None
        return [opening.as_json() for opening in slots]

    return written(Result(200, json.dumps({"openings": await service_of(request).read(read)}).encode()))


@router.post(
    "/hands/{hand}/reveal",
    response_model=RevealedHand,
    summary="Reveal a hand that was played",
    responses=answers(
        "not_locked", "ended", "seal_used", "repeat_mismatch", *_ON_A_HAND, ok_200=examples()["reveal"]
    ),
)
async def reveal_hand(
    hand: HandId, operator: CurrentOperator, request: Request, body: RevealRequest | None = None
) -> Response:
    """Logs the server seed and answers the full receipt; with `next`, commits the table's next hand with it.

    Repeated with the same `next`, the call answers the same next hand, never a second one.
    """
    following = body.next if body else None
    spec = commit_spec(following, service_of(request).settings, "next.") if following else None
    digest = digest_of(following.model_dump(exclude_unset=True)) if following else None
    act = EndAct(operator, bytes.fromhex(hand), None, spec, digest)
    return written(await service_of(request).ledger.submit(act))


@router.post(
    "/hands/{hand}/void",
    response_model=HandWithReceipt,
    summary="End a hand without play",
    responses=answers("reason_not_allowed", "ended", *_ON_A_HAND, ok_200=examples()["reveal"]),
)
async def void_hand(hand: HandId, body: VoidRequest, operator: CurrentOperator, request: Request) -> Response:
    """Ends the hand as void and reveals its seed; `seat-silent` is for a sealed seat that will not open."""
    return written(
        await service_of(request).ledger.submit(EndAct(operator, bytes.fromhex(hand), body.reason))
    )
