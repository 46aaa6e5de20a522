"""The Parquet columns of an audit file: one row a hand, the parts of a record (protocol §9.2) as bytes.

What is hex in JSON is bytes here, and every tile is one byte, so the file holds games of up to 106 tiles;
other decks stay in JSON Lines. A part that is null in the record is null here. Where ``order`` is null
there was no deal, and where ``dealer`` is null the deal is a deck's and ``order`` all of it; where ``wall``
is null its layout is plain.
"""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column: Arrow's type in words, whether it may be null, and what its bytes are."""

    name: str
    kind: str
    null: bool
    holds: str


COLUMNS = (
    Column("hand", "fixed 16", False, "the hand's id"),
    Column("terms", "dictionary", False, "the terms in canonical JSON, as the deal key binds them (§2.3)"),
    Column("commitment", "fixed 32", True, "SHA-256 of the server seed"),
    Column("server_seed", "fixed 32", True, "the server seed"),
    Column("seals", "binary", False, "33 bytes a seal: the seat, then the 32 bytes"),
    Column("contributions", "binary", False, "33 bytes a contribution: the seat, then the client seed"),
    Column("deal_root", "fixed 32", True, "the openings' root (§7.2)"),
    Column("order", "fixed 106", True, "the shuffled tiles; decks of fewer are filled up with ff"),
    Column("dealer", "uint8", True, "the dealer's seat"),
    Column("dealer_throws", "binary", True, "for each round: how many threw, then seat and value of each"),
    Column("starter", "uint8", True, "the starter's seat"),
    Column("indicator", "uint8", True, "the indicator"),
    Column("okey", "fixed 2", True, "both okeys, ascending"),
    Column(
        "hands", "binary", True, "for each seat from 0: how many tiles, then the tiles in the order taken"
    ),
    Column("stock", "binary", True, "the stock, next tile first"),
    Column(
        "wall", "fixed 105", True, "the stacks around the ring, each bottom first (5 or 7 tiles by the game)"
    ),
    Column("spare", "uint8", True, "the spare tile"),
    Column(
        "throws",
        "binary",
        True,
        "every die of every throw at the wall, in turn (1 or 2 a throw by the terms)",
    ),
    Column("selected", "uint8", True, "the selected stack, from 0"),
    Column("level", "uint8", True, "the indicator's place in that stack, from 0"),
)
"""Every column that an audit needs, in the order they are written."""

OPTIONAL = (
    Column("operator", "dictionary", True, "who dealt; counted by, and otherwise only repeated"),
    Column("table", "dictionary", True, "the operator's table"),
    Column("number", "int64", True, "the hand's number at that table, from 1"),
)
"""Columns that a file may have besides. The seeds do not prove them."""

DECK_FILL = 0xFF
"""What fills up the order of a deck of fewer than 106 cards."""
