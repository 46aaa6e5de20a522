"""Terms: what shapes a deal besides the seeds (protocol §1.4)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from fairdeal.encoding import boolean, canonical, integer, members
from fairdeal.errors import MalformedError

Game = Literal["okey", "okey101"]
Layout = Literal["wall", "plain"]
Dealer = int | Literal["throw"]

OKEY_SEATS = (2, 4)
DECK_SEATS = (1, 16)
DECK_SIZE = (2, 1024)


@dataclass(frozen=True, slots=True)
class OkeyTerms:
    """A hand of Okey (14 tiles) or Okey 101 (21 tiles).

    ``dealer`` is a seat below ``seats`` or ``"throw"``; ``dice`` (1 or 2) is how many are thrown at the
    wall, and is stated though unused in the plain layout.
    """

    game: Game
    layout: Layout
    seats: int
    dealer: Dealer
    dice: int
    openings: bool

    @property
    def hand_size(self) -> int:
        """Tiles in a full hand; the starter is dealt one more."""
        return 14 if self.game == "okey" else 21

    @property
    def stack_height(self) -> int:
        """Tiles in a stack of the wall (protocol §4)."""
        return 5 if self.game == "okey" else 7

    @property
    def size(self) -> int:
        """Tiles in play: always 106."""
        return 106

    def as_json(self) -> dict[str, Any]:
        """The terms as a JSON object with every field written out."""
        return asdict(self)

    def canonical(self) -> bytes:
        """RFC 8785 form, which the deal key binds (protocol §2.3)."""
        return canonical(self.as_json())


@dataclass(frozen=True, slots=True)
class DeckTerms:
    """Any other set of ``size`` tiles or cards for ``seats`` players: only the order is derived."""

    size: int
    seats: int
    openings: bool

    @property
    def game(self) -> Literal["deck"]:
        """Always ``"deck"``."""
        return "deck"

    def as_json(self) -> dict[str, Any]:
        """The terms as a JSON object with every field written out."""
        return {"game": self.game, **asdict(self)}

    def canonical(self) -> bytes:
        """RFC 8785 form, which the deal key binds (protocol §2.3)."""
        return canonical(self.as_json())


Terms = OkeyTerms | DeckTerms


def parse_terms(value: object, field: str = "terms") -> Terms:
    """Terms from a JSON object that states every field and no other.

    Raises :class:`MalformedError` naming the field, such as ``terms.seats``.
    """
    if not isinstance(value, dict):
        raise MalformedError(field, "must be an object")
    game = value.get("game")
    if game == "deck":
        members(value, field, ("game", "size", "seats", "openings"))
        return DeckTerms(
            size=integer(value["size"], f"{field}.size", *DECK_SIZE),
            seats=integer(value["seats"], f"{field}.seats", *DECK_SEATS),
            openings=boolean(value["openings"], f"{field}.openings"),
        )
    if game not in ("okey", "okey101"):
        raise MalformedError(f"{field}.game", "must be okey, okey101 or deck")
    members(value, field, ("game", "layout", "seats", "dealer", "dice", "openings"))
    if value["layout"] not in ("wall", "plain"):
        raise MalformedError(f"{field}.layout", "must be wall or plain")
    seats = integer(value["seats"], f"{field}.seats", *OKEY_SEATS)
    dealer = value["dealer"]
    if dealer != "throw" and (type(dealer) is not int or not 0 <= dealer < seats):
        raise MalformedError(f"{field}.dealer", f'must be a seat from 0 to {seats - 1}, or "throw"')
    return OkeyTerms(
        game=game,
        layout=value["layout"],
        seats=seats,
        dealer=dealer,
        dice=integer(value["dice"], f"{field}.dice", 1, 2),
        openings=boolean(value["openings"], f"{field}.openings"),
    )
