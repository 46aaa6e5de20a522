"""Seeds at rest: bound to their hand, opened by any key of the file, wrapped by the first."""

from __future__ import annotations

from pathlib import Path

import pytest
from fairdeal_api import keys
from fairdeal_api.moves import CommitSpec, Draft
from fairdeal_api.vault import SeedLostError, Vault
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.seeds import commitment
from fairdeal.terms import OkeyTerms

HAND, SEED = bytes(range(16)), bytes(range(100, 132))


def line(key: bytes) -> str:
    return f"fairdeal-seed-key-1 {key.hex()}\n"


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=32, max_size=32))
def test_what_is_wrapped_unwraps(hand: bytes, seed: bytes) -> None:
    vault = Vault([bytes(32)])
    wrapped = vault.wrap(hand, seed)
    assert len(wrapped) == 64
    assert seed not in wrapped
    assert vault.unwrap(hand, wrapped) == seed
    assert vault.wrap(hand, seed) != wrapped


def test_many_hands_are_drawn_at_once_and_share_nothing() -> None:
    vault, drawn = Vault([bytes(32)]), []
    spec = CommitSpec("t", OkeyTerms("okey", "wall", 4, "throw", 1, openings=False), False, (), None, 60_000)
    for many in (0, 1, 3, 1000):
        drafts = Draft.draw([spec] * many, vault)
        assert len(drafts) == many
        drawn += drafts
    for draft in drawn:
        assert commitment(vault.unwrap(draft.hand, draft.wrapped_seed)) == draft.commitment
    for values in (
        {d.hand for d in drawn},
        {d.commitment for d in drawn},
        {d.wrapped_seed[4:16] for d in drawn},
    ):
        assert len(values) == len(drawn)


def test_a_seed_opens_for_its_own_hand_only_and_only_whole() -> None:
    vault = Vault([bytes(32)])
    wrapped = vault.wrap(HAND, SEED)
    with pytest.raises(SeedLostError):
        vault.unwrap(bytes(16), wrapped)
    for k in range(len(wrapped)):
        with pytest.raises(SeedLostError):
            vault.unwrap(HAND, wrapped[:k] + bytes([wrapped[k] ^ 1]) + wrapped[k + 1 :])
        with pytest.raises(SeedLostError):
            vault.unwrap(HAND, wrapped[:k])
    for gone in (None, b""):
        with pytest.raises(SeedLostError):
            vault.unwrap(HAND, gone)


def test_the_first_key_wraps_and_every_key_unwraps(tmp_path: Path) -> None:
    old, new = b"o" * 32, b"n" * 32
    keys.write_new(tmp_path / "old", line(old))
    keys.write_new(tmp_path / "both", "# promoted in spring\n" + line(new) + line(old))
    keys.write_new(tmp_path / "new", line(new))
    wrapped = Vault.load(tmp_path / "old").wrap(HAND, SEED)
    both = Vault.load(tmp_path / "both")
    assert both.unwrap(HAND, wrapped) == SEED
    assert Vault.load(tmp_path / "new").unwrap(HAND, both.wrap(HAND, SEED)) == SEED
    with pytest.raises(SeedLostError):
        Vault.load(tmp_path / "new").unwrap(HAND, wrapped)


@pytest.mark.parametrize(
    "text", ["", "\n", line(bytes(31)), line(bytes(32)) * 2, bytes(32).hex(), line(bytes(32)).upper()]
)
def test_odd_key_files_are_refused(tmp_path: Path, text: str) -> None:
    keys.write_new(tmp_path / "k", text)
    with pytest.raises(keys.KeyFileError, match="every line"):
        Vault.load(tmp_path / "k")


def test_new_key_files_differ_and_load(tmp_path: Path) -> None:
    texts = {Vault.new_file_text() for _ in range(3)}
    assert len(texts) == 3
    keys.write_new(tmp_path / "k", texts.pop())
    Vault.load(tmp_path / "k")
    with pytest.raises(FileExistsError):
        keys.write_new(tmp_path / "k", "again")
