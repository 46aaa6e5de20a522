from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.errors import MalformedError
from fairdeal.merkle import EMPTY_ROOT
from tests.core import strategies as own

ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


def test_the_empty_log() -> None:
    text = f"log.example/okey\n0\n{ROOT}\n"
    assert parse_checkpoint(text) == Checkpoint("log.example/okey", 0, EMPTY_ROOT)
    assert Checkpoint("log.example/okey", 0, EMPTY_ROOT).text() == text


@given(st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1), own.numbers, own.hashes)
def test_round_trip(origin: str, size: int, root: bytes) -> None:
    checkpoint = Checkpoint(origin, size, root)
    assert parse_checkpoint(checkpoint.text()) == checkpoint
    assert parse_checkpoint(checkpoint.text()).text() == checkpoint.text()


SIZES = [
    "",
    "-1",
    "+5",
    " 5",
    "5 ",
    "05",
    "00",
    "5_0",
    "1e3",
    "1.0",
    "0x5",
    "٥",
    "５",
    "9007199254740992",
    "9" * 5000,
]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: repr(size[:20]))
def test_sizes_that_are_refused(size: str) -> None:
    with pytest.raises(MalformedError, match="checkpoint: its size"):
        parse_checkpoint(f"log.example\n{size}\n{ROOT}\n")
    assert parse_checkpoint(f"log.example\n9007199254740991\n{ROOT}\n").size == 2**53 - 1


NOT_CHECKPOINTS = {
    "empty": "",
    "no origin": f"\n5\n{ROOT}\n",
    "two lines": "log.example\n5\n",
    "no last line end": f"log.example\n5\n{ROOT}",
    "an extension line": f"log.example\n5\n{ROOT}\nmore\n",
    "an empty extension line": f"log.example\n5\n{ROOT}\n\n",
    "a short root": "log.example\n5\nAAAA\n",
    "a long root": f"log.example\n5\n{'A' * 48}\n",
    "a root without padding": f"log.example\n5\n{ROOT[:-1]}\n",
    "a root with trailing bits": f"log.example\n5\n{ROOT[:-2]}V=\n",
    "a root in hex": f"log.example\n5\n{EMPTY_ROOT.hex()}\n",
    "separated otherwise": f"log.example\u20285\u2028{ROOT}\u2028",
}


@pytest.mark.parametrize("text", NOT_CHECKPOINTS.values(), ids=NOT_CHECKPOINTS.keys())
def test_checkpoints_that_are_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^kept: "):
        parse_checkpoint(text, "kept")
