"""Parquet out and in: the same hands, the same verdicts, and no malformed row taken for a hand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairdeal.audit.histories.arrowtypes import arrow_schema
from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.columns import chosen
from fairdeal.audit.histories.hands import read_hands
from fairdeal.audit.histories.lines import Lines, check_plainly
from fairdeal.audit.histories.packing import unpack
from fairdeal.audit.histories.parquet import batches, read_rows
from fairdeal.audit.histories.parquetout import ParquetWriter, to_batch, to_columns
from fairdeal.audit.histories.schema import COLUMNS, OPTIONAL
from fairdeal.audit.log.source import SourceError
from fairdeal.errors import UsageError
from fairdeal.receipt import Record, parse_record
from fairdeal.terms import DeckTerms
from tests.audit.histories import ALL_TERMS, DECKS, SPOILS, line, record

SMALL = [terms for terms in [*ALL_TERMS, *DECKS] if terms.size <= 106]


def outcome(path: Path, given: Given | None = None) -> Checked:
    found = Checked()
    for one in read_hands(path, given, workers=1):
        for name in ("verdicts", "absent", "grinding", "evidence", "findings", "hands"):
            setattr(found, name, getattr(found, name) + getattr(one, name))
    return found


def written(path: Path, records: list[Record]) -> Path:
    with ParquetWriter(str(path)) as out:
        for one in records:
            out.add(one)
    return path


def spoilt(rng: random.Random, count: int) -> list[Record]:
    """Records that are well-formed, whatever else is wrong with them, and fit the columns."""
    found: list[Record] = []
    while len(found) < count:
        document = json.loads(line(record(rng, rng.choice(SMALL), rng.randrange(5))))
        for spoil in rng.sample(SPOILS, rng.choice([0, 1, 2])):
            spoil(rng, document)
        try:
            one = parse_record(document)
            to_columns([one])
        except (ValueError, KeyError):
            continue
        if _states_what_terms_ask_for(one):
            found.append(one)
    return found


def _states_what_terms_ask_for(one: Record) -> bool:
    # Parquet's columns say the stacks' height, the dice and the deck's size by the terms alone.
    if one.deal is None:
        return True
    size = len(one.deal["order"]) == one.terms.size
    if isinstance(one.terms, DeckTerms):
        return size and "wall" not in one.deal
    height, dice = {one.terms.stack_height}, {one.terms.dice}
    walled = "wall" in one.deal
    even = not walled or ({*map(len, one.deal["wall"])} == height and {*map(len, one.deal["throws"])} == dice)
    return size and even and (not walled or sum(map(len, one.deal["wall"])) == 105)


def test_every_kind_of_terms_comes_back_as_it_was() -> None:
    rng = random.Random(1)
    made = [record(rng, terms, k % 5) for k, terms in enumerate(SMALL)]
    made += [
        Record(r.hand, r.terms, None, None, r.seals, r.contributions, r.deal_root, None) for r in made[:9]
    ]
    hands, faults = read_rows(to_batch(to_columns(made)))
    assert not faults
    assert [unpack(hands, row) for row in range(len(made))] == made


def test_a_file_has_the_outcome_that_its_lines_have(tmp_path: Path) -> None:
    made = spoilt(random.Random(2), 150)
    found = outcome(written(tmp_path / "hands.parquet", made))
    plain = check_plainly((Lines("hands.parquet", 1, b"\n".join(map(line, made))), Given()))
    for name in ("verdicts", "absent", "grinding", "evidence", "findings", "hands"):
        assert getattr(found, name) == getattr(plain, name), name
    assert set(found.verdicts) == {"consistent", "incomplete", "refuted"}


def test_the_file_says_what_its_columns_hold(tmp_path: Path) -> None:
    schema = pq.read_schema(written(tmp_path / "hands.parquet", [record(random.Random(1), SMALL[0])]))
    assert schema.names == [column.name for column in COLUMNS]
    assert schema.field("order").type == pa.binary(106)
    assert schema.field("server_seed").metadata[b"holds"] == b"the server seed"
    assert not {column.name for column in OPTIONAL} & set(schema.names)


def test_hands_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    large = record(random.Random(1), DeckTerms(107, 2, openings=False))
    with pytest.raises(UsageError, match=large.hand.hex()), ParquetWriter(str(tmp_path / "x.parquet")) as out:
        out.add(large)


def _set(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row.update({name: value})


MALFORMED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "terms not canonical": (lambda row: row.update(terms=row["terms"].replace(",", ", ")), "terms"),
    "terms unknown": (_set("terms", "{}"), "terms.game"),
    "terms no JSON": (_set("terms", "{"), "terms"),
    "terms too large": (_set("terms", DeckTerms(107, 2, openings=False).canonical().decode()), "terms.size"),
    "seals cut": (lambda row: row.update(seals=row["seals"][:-1]), "seals"),
    "seals repeated": (lambda row: row.update(seals=row["seals"][:33] * 2), "seals"),
    "five contributions": (
        _set("contributions", b"".join(bytes([k]) * 33 for k in range(5))),
        "contributions",
    ),
    "a seal's seat beyond the terms'": (_set("seals", bytes([4]) * 33), "seals"),
    "a contribution's seat beyond any": (_set("contributions", bytes([16]) * 33), "contributions"),
    "a table in part": (_set("stock", None), "deal"),
    "a wall in part": (_set("spare", None), "deal"),
    "a wall without an order": (_set("order", None), "deal"),
    "hands that overrun": (lambda row: row.update(hands=row["hands"][:-1]), "deal"),
    "five hands": (lambda row: row.update(hands=row["hands"] + b"\x00"), "deal"),
    "a stock too long": (_set("stock", bytes(81)), "deal"),
    "throws too long": (_set("throws", b"\x01" * 33), "deal"),
    "half a throw": (_set("throws", b"\x01\x02\x03"), "deal"),
    "a die of seven": (_set("throws", b"\x07\x02"), "deal"),
    "no throws": (_set("throws", b""), "deal"),
    "a round of none": (_set("dealer_throws", b"\x00"), "deal"),
    "a round cut short": (_set("dealer_throws", b"\x02\x00\x01"), "deal"),
    "a dealer's die of nought": (_set("dealer_throws", b"\x01\x00\x00"), "deal"),
    "dealer's throws too long": (_set("dealer_throws", b"\x01\x00\x01" * 27), "deal"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_row_is_a_finding_and_the_rest_goes_on(name: str, tmp_path: Path) -> None:
    spoil, where = MALFORMED[name]
    rng = random.Random(4)
    terms = next(
        t for t in ALL_TERMS if t.as_json() == {**t.as_json(), "dealer": "throw", "dice": 2, "seats": 4}
    )
    rows = to_batch(to_columns([record(rng, terms, 2) for _ in range(3)])).to_pylist()
    spoil(rows[1])
    path = tmp_path / "hands.parquet"
    pq.write_table(pa.Table.from_pylist(rows, arrow_schema()), path)
    found = outcome(path)
    assert found.verdicts == {"consistent": 2, "refuted": 1}
    assert [(f.code, f.line, f.hand) for f in found.findings] == [("check-format", 2, rows[1]["hand"].hex())]
    assert found.findings[0].detail.partition(":")[0] == where


def test_a_smaller_deck_is_filled_up_with_nothing_else(tmp_path: Path) -> None:
    rows = to_batch(to_columns([record(random.Random(5), DeckTerms(52, 4, openings=False))])).to_pylist()
    assert rows[0]["order"][52:] == b"\xff" * 54
    rows[0]["order"] = rows[0]["order"][:-1] + b"\x00"
    path = tmp_path / "hands.parquet"
    pq.write_table(pa.Table.from_pylist(rows, arrow_schema()), path)
    assert [f.code for f in outcome(path).findings] == ["check-format"]


def test_other_writers_types_are_taken_where_they_mean_the_same(tmp_path: Path) -> None:
    made = [record(random.Random(6), terms, 1) for terms in SMALL[:20]]
    wide = {
        pa.binary(16): pa.large_binary(),
        pa.uint8(): pa.int64(),
        arrow_schema().field("terms").type: pa.string(),
    }
    fields = [pa.field(f.name, wide.get(f.type, f.type)) for f in arrow_schema()]
    table = pa.Table.from_pylist(to_batch(to_columns(made)).to_pylist(), pa.schema(fields))
    pq.write_table(
        table.append_column("more", pa.array(np.arange(20))), tmp_path / "hands.parquet", row_group_size=7
    )
    assert outcome(tmp_path / "hands.parquet").verdicts == {"consistent": 20}


def test_a_file_is_never_in_memory_whole(tmp_path: Path) -> None:
    hands = to_columns([record(random.Random(7), SMALL[0]) for _ in range(64)])
    some = chosen(hands, np.arange(4096) % 64)
    rng = np.random.default_rng(1)
    path = tmp_path / "hands.parquet"
    with ParquetWriter(str(path)) as out:
        for _ in range(40):
            # What does not compress, so that the file's size is the hands'.
            for column in (some.hand, some.seed, some.commitment, some.deal[:, :106]):
                column[:] = rng.integers(0, 256, column.shape, np.uint8)
            out.add_columns(some)
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in batches(path, rows=512))
    assert most < path.stat().st_size / 4


@pytest.mark.parametrize("code", ["missing", "unreadable", "malformed"])
def test_what_is_no_such_file_is_said_to_be(code: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.parquet"
    if code == "unreadable":
        path.write_bytes(b"PAR1" + bytes(100))
    elif code == "malformed":
        pq.write_table(pa.table({"hand": [b"x"]}), path)
    with pytest.raises(SourceError) as error:
        list(read_hands(path))
    assert error.value.code == code


def test_names_that_are_no_utf8_are_damage(tmp_path: Path) -> None:
    path = written(tmp_path / "file.parquet", [record(random.Random(4), SMALL[0])])
    whole = path.read_bytes()
    # The footer names every column, in Parquet's own form and in Arrow's.
    for name in (b"server_seed", b"commitment", b"dealer_throws"):
        path.write_bytes(whole.replace(name, b"\xc9" + name[1:]))
        with pytest.raises(SourceError) as error:
            list(read_hands(path))
        assert error.value.code in ("unreadable", "malformed")


def test_a_column_of_another_meaning_is_malformed(tmp_path: Path) -> None:
    made = to_batch(to_columns([record(random.Random(6), SMALL[0])]))
    table = pa.Table.from_batches([made])
    for name, other in (("okey", pa.array([1])), ("dealer", pa.array([300])), ("hand", pa.array([b"short"]))):
        changed = table.set_column(table.schema.get_field_index(name), name, other)
        pq.write_table(changed, tmp_path / "hands.parquet")
        with pytest.raises(SourceError):
            list(read_hands(tmp_path / "hands.parquet"))


@pytest.mark.parametrize("name", ["hand", "terms", "seals", "contributions"])
def test_a_null_where_none_may_be_is_the_rows_fault(name: str, tmp_path: Path) -> None:
    made = to_batch(to_columns([record(random.Random(6), SMALL[0], 2) for _ in range(3)]))
    rows = made.to_pylist()
    hand = None if name == "hand" else rows[1]["hand"].hex()
    rows[1][name] = None
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema()])
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "hands.parquet")
    found = outcome(tmp_path / "hands.parquet")
    assert found.verdicts == {"consistent": 2, "refuted": 1}
    assert [(f.code, f.line, f.hand, f.detail) for f in found.findings] == [
        ("check-format", 2, hand, f"{name}: must not be null")
    ]


def test_terms_that_are_no_utf8_are_the_rows_fault(tmp_path: Path) -> None:
    table = pa.Table.from_batches([to_batch(to_columns([record(random.Random(6), SMALL[0], 2)] * 2))])
    terms = pa.array(
        [text.encode() + tail for text, tail in zip(table["terms"].to_pylist(), (b"", b"\xff"), strict=True)]
    )
    column = pa.Array.from_buffers(pa.string(), 2, terms.buffers())
    changed = table.set_column(table.schema.get_field_index("terms"), "terms", column)
    pq.write_table(changed, tmp_path / "hands.parquet")
    found = outcome(tmp_path / "hands.parquet")
    assert [(f.line, f.detail) for f in found.findings] == [(2, "terms: must be UTF-8")]


def test_a_column_that_is_there_twice_is_malformed(tmp_path: Path) -> None:
    table = pa.Table.from_batches([to_batch(to_columns([record(random.Random(6), SMALL[0], 2)]))])
    names = [*table.column_names, "order"]
    pq.write_table(
        pa.Table.from_arrays([*table.columns, table["order"]], names=names), tmp_path / "hands.parquet"
    )
    with pytest.raises(SourceError, match="the column order twice") as error:
        list(read_hands(tmp_path / "hands.parquet"))
    assert error.value.code == "malformed"
