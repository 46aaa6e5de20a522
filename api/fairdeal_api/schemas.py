"""What goes over the wire, for checking requests and for the OpenAPI document.

Requests are strict: unknown fields, numbers as text and upper-case hex are refused. Answers are not built
through these models (:mod:`fairdeal_api.answers` writes them); a test checks that they have this form.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Hex16 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="16 bytes in lower-case hex.")]
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="32 bytes in lower-case hex.")]
Seat = Annotated[int, Field(ge=0, le=15, description="A seat; seat s + 1 sits to the right of seat s.")]
Time = Annotated[int, Field(description="Milliseconds since the Unix epoch.")]
Within = Annotated[int, Field(ge=60, le=30 * 86_400, description="Seconds, from one minute to 30 days.")]
TableName = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$", description="A table of this operator.")
]

HAND = "3f0a1c5be2d84f6790ab12cd34ef5678"
SEAL = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
SEED = "00" * 32


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SealItem(_Request):
    """A seat's seal: SHA-256 of its client seed, drawn anew for this commit."""

    seat: Seat
    seal: Hex32


class SeedItem(_Request):
    """A seat's opened client seed."""

    seat: Seat
    seed: Hex32 = Field(repr=False)


class TermsRequest(_Request):
    """Terms, whole or in part: what is missing is okey, wall, 4 seats, thrown dealer, one die, no openings.

    A `deck` takes `size`, `seats` and `openings` only.
    """

    model_config = ConfigDict(frozen=True)

    game: Literal["okey", "okey101", "deck"] = "okey"
    layout: Literal["wall", "plain"] = "wall"
    seats: Annotated[int, Field(ge=1, le=16)] = 4
    dealer: Annotated[
        Annotated[int, Field(ge=0, le=3)] | Literal["throw", "next"],
        Field(description="A seat, `throw`, or `next`: right of the table's last dealer that is public."),
    ] = "throw"
    dice: Annotated[int, Field(ge=1, le=2)] = 1
    openings: bool = False
    size: Annotated[int, Field(ge=2, le=1024, description="Tiles or cards of a `deck`.")] = 106

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Itself: it is frozen, and a copy of the default for each hand took a tenth of a batch's time."""
        return self


DEFAULT_TERMS = TermsRequest()


class _CommitFields(_Request):
    terms: TermsRequest = DEFAULT_TERMS
    seals: Annotated[
        list[SealItem], Field(max_length=16, description="One for each seat that takes part in the shuffle.")
    ] = ()  # type: ignore[assignment]  # a list's default would be copied for every hand
    note: Annotated[
        Hex32 | None, Field(description="32 bytes of the operator's choosing, logged as they are.")
    ] = None
    lock_within: Annotated[
        Within | None, Field(description="Seconds until the hand must be locked; one hour by default.")
    ] = None


class CommitRequest(_CommitFields):
    """A hand to commit."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"table": "salon:7", "terms": {"dealer": "next"}, "seals": [{"seat": 0, "seal": SEAL}]},
            ]
        }
    )

    table: TableName


class NextRequest(_CommitFields):
    """The next hand to commit, on the same table where none is named."""

    table: TableName | None = None


class BatchRequest(_Request):
    """Hands to commit, all or none."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"hands": [{"table": "salon:7"}, {"table": "salon:8"}]}]}
    )

    hands: Annotated[list[CommitRequest], Field(min_length=1, max_length=1000)]


class DealRequest(_Request):
    """The opened client seeds, one for every seal of the hand."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"seeds": [{"seat": 0, "seed": SEED}], "reveal_within": 1800}]}
    )

    seeds: Annotated[list[SeedItem], Field(max_length=16)] = []
    reveal_within: Annotated[
        Within | None, Field(description="Seconds until the hand must be revealed; one hour by default.")
    ] = None


class OpeningsRequest(_Request):
    """Slots of the deal: `hand/<seat>/<k>`, `indicator`, `stock/<k>`; of a deck `order/<k>`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"slots": ["indicator", "hand/2/0"]}]})

    slots: Annotated[list[Annotated[str, Field(max_length=16)]], Field(min_length=1, max_length=1024)]


class RevealRequest(_Request):
    """Ends the hand as played; with `next`, commits the table's next hand in the same transaction."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"next": {"terms": {"dealer": "next"}}}]})

    next: NextRequest | None = None


class VoidRequest(_Request):
    """Ends the hand without play."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "table-closed"}]})

    reason: Literal["seat-silent", "table-closed", "technical"]


class LoggedEntry(_Answer):
    """A log entry, exactly as logged, with its index and inclusion proof."""

    index: int
    entry: str
    proof: list[Annotated[str, Field(description="A hash in base64.")]]


class Receipt(_Answer):
    """Self-contained evidence for one hand, as far as it has come (protocol §9.1)."""

    format: Literal["fairdeal/1 receipt"]
    vkey: str
    checkpoint: str
    entries: list[LoggedEntry]
    deal: dict[str, Any] | None


class Hand(_Answer):
    """A hand. What is not public yet is null."""

    hand: Hex16
    operator: str
    table: str
    number: int
    state: Literal["committed", "locked", "revealed"]
    terms: dict[str, Any]
    commitment: Hex32
    seals: list[SealItem]
    note: Hex32 | None
    committed_at: Time
    lock_by: Time
    locked_at: Time | None
    reveal_by: Time | None
    contributions: list[SeedItem] | None
    revealed_at: Time | None
    outcome: Literal["played", "void", "expired", "lost"] | None
    reason: Literal["seat-silent", "table-closed", "technical"] | None
    server_seed: Hex32 | None = Field(repr=False)
    deal: dict[str, Any] | None


class HandWithReceipt(Hand):
    """What a write answers."""

    receipt: Receipt


class RevealedHand(HandWithReceipt):
    """What a reveal answers; `next` is there where it was asked for."""

    next: HandWithReceipt | None = None


class Batch(_Answer):
    """The committed hands, in the order asked for."""

    hands: list[HandWithReceipt]


class OpenHands(_Answer):
    """An operator's open hands; `next` is what to pass as `after` for more, or null."""

    hands: list[Hand]
    next: int | None


class Summary(_Answer):
    """A hand in a table's list."""

    hand: Hex16
    number: int
    state: Literal["committed", "locked", "revealed"]
    game: str
    committed_at: Time
    locked_at: Time | None
    revealed_at: Time | None
    outcome: str | None
    reason: str | None


class TableHands(_Answer):
    """A table's hands by number; `next` is what to pass as `after` for more, or null."""

    operator: str
    table: str
    hands: list[Summary]
    next: int | None


class Opening(_Answer):
    """The proof that a slot of a locked hand holds a tile (protocol §7.3)."""

    hand: Hex16
    slot: str
    tile: int
    salt: Hex32
    index: int
    size: int
    proof: list[str]


class Openings(_Answer):
    """The openings, in the order asked for."""

    openings: list[Opening]


class ProblemDocument(BaseModel):
    """An error (RFC 9457). Some codes add members, such as `outcome` with `ended`."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[dict[str, str]] | None = None


class Health(_Answer):
    """Liveness or readiness."""

    status: str
