"""A game server's side of the service, typed: synchronous and asynchronous, with repeats that are safe.

    from fairdeal.client import Client

    with Client("https://deals.example", operator_key) as deals:
        hand = deals.commit("salon:7", seals=seals)          # seals from the seats' clients
        dealt = deals.deal(hand.hand, seeds)                 # their seeds, opened against hand.receipt
        ...                                                  # play with dealt.tiles(seat)
        ended = deals.reveal(hand.hand)                      # ended.receipt is the proof

A write is answered the same however often it is repeated, and every call here is repeated where an answer was
lost; docs/integrate.md tells the whole of it. The protocol's modules never import this one.
"""

from fairdeal.client.errors import (
    AnswerError,
    ClientError,
    EndedError,
    InvalidError,
    MismatchError,
    NotFoundError,
    NotLockedError,
    NotYoursError,
    OutOfOrderError,
    ProblemError,
    RateLimitedError,
    SealMismatchError,
    SealsUnopenedError,
    SealUsedError,
    UnauthorizedError,
    UnavailableError,
    UnreachableError,
)
from fairdeal.client.gameserver import Client, new_idempotency_key
from fairdeal.client.gameserver_async import AsyncClient
from fairdeal.client.models import Hand, NewHand, Summary
from fairdeal.client.player import Player
from fairdeal.client.talk import Retry

__all__ = [
    "AnswerError",
    "AsyncClient",
    "Client",
    "ClientError",
    "EndedError",
    "Hand",
    "InvalidError",
    "MismatchError",
    "NewHand",
    "NotFoundError",
    "NotLockedError",
    "NotYoursError",
    "OutOfOrderError",
    "Player",
    "ProblemError",
    "RateLimitedError",
    "Retry",
    "SealMismatchError",
    "SealUsedError",
    "SealsUnopenedError",
    "Summary",
    "UnauthorizedError",
    "UnavailableError",
    "UnreachableError",
    "new_idempotency_key",
]
