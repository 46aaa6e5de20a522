"""Files that hold no history are told so at once, and those in an unusual dress are read all the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from fairdeal.audit.histories.hands import read_hands
from fairdeal.audit.histories.parquetout import to_batch, to_columns
from fairdeal.audit.log.source import SourceError
from tests.cheats.house import House
from tests.cli.running import Terminal
from tests.dealer import text_of

HANDS = 6


def lines() -> bytes:
    house = House(3).evening(HANDS)
    return "".join(f"{text_of(house.receipt(hand))}\n" for hand in house.hands).encode()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "h.JSONL": bytes,
    "h.Jsonl.GZ": gzip.compress,
    "h.JSONL.Zst": zstandard.compress,
}


@pytest.mark.parametrize("name", PACKED)
def test_a_suffix_may_be_in_capitals(name: str, fairdeal: Terminal, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name](lines()))
    ran = fairdeal("audit", str(tmp_path / name), "--no-statistics", "--json")
    assert (ran.json["hands"], ran.json["findings"]) == (HANDS, [])


def test_so_may_parquets(fairdeal: Terminal, tmp_path: Path) -> None:
    house = House(3)
    records = [house.record(house.play()) for _ in range(HANDS)]
    path = tmp_path / "h.Parquet"
    pq.write_table(pa.Table.from_batches([to_batch(to_columns([*records, records[0]]))]), path)
    ran = fairdeal("audit", str(path), "--no-statistics", "--json")
    # Rows that repeat are read a second time, so that path must know the suffix, too.
    assert (ran.json["hands"], [f["code"] for f in ran.json["findings"]]) == (HANDS + 1, ["repeated-hand"])


OTHERS = {
    "parquet": (b"PAR1" + bytes(99), ".parquet"),
    "gzip": (gzip.compress(b"{}\n" * 99), "must end in .gz"),
    "zstd": (zstandard.compress(b"{}\n" * 99), "must end in .zst"),
    "zip": (b"PK\x03\x04\n\n\n", "ZIP archive"),
    "utf-16": ("{}\n".encode("utf-16"), "UTF-16"),
    "mark": (b"\xef\xbb\xbf{}\n", "byte order mark"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n\n\n", "no text"),
    "late": ((b"{" + bytes(999).replace(b"\0", b" ") + b"}\n") * 70 + b"\0\n", None),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_no_text_ends_with_four(name: str, packed: bool, fairdeal: Terminal, tmp_path: Path) -> None:
    data, said = OTHERS[name]
    path = tmp_path / ("h.jsonl.gz" if packed else "h.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)
    findings = ("--findings", str(tmp_path / "findings.jsonl"))
    ran = fairdeal("audit", str(path), "--no-statistics", "--json", *findings)
    if said is None:
        # A line that is broken further on is a finding; what is before it was read.
        assert (ran.code, ran.json["findings_total"]) == (1, 71)
        return
    assert (ran.code, (tmp_path / "findings.jsonl").read_bytes()) == (4, b"")
    assert said in json.loads(ran.err)["error"]["detail"] if ran.err.startswith("{") else said in ran.err


@pytest.mark.parametrize("cut", ["h.jsonl.gz", "h.jsonl.zst"])
def test_compressed_data_that_breaks_off_ends_with_four(cut: str, fairdeal: Terminal, tmp_path: Path) -> None:
    data = (gzip.compress if cut.endswith("gz") else zstandard.compress)(lines())
    for size in (len(data) - 1, len(data) // 2, 3):
        (tmp_path / cut).write_bytes(data[:size])
        ran = fairdeal("audit", str(tmp_path / cut), "--no-statistics")
        assert (ran.code, "damaged or breaks off" in ran.err) == (4, True), size


COLUMNS: dict[str, tuple[str, pa.Array, str]] = {
    "text for bytes": ("server_seed", pa.array(["a" * 32]), "must be 32 bytes"),
    "too few bytes": ("hand", pa.array([b"short"]), "must be 16 bytes"),
    "a fraction": ("dealer", pa.array([1.0]), "must be a number from 0 to 255"),
    "a number in text": ("indicator", pa.array(["7"]), "must be a number from 0 to 255"),
    "a truth": ("starter", pa.array([True]), "must be a number from 0 to 255"),
    "a large number": ("dealer", pa.array([300]), "must be a number from 0 to 255"),
    "bytes for text": ("terms", pa.array([b"{}"]), "must be text"),
    "a list": ("stock", pa.array([[1, 2]]), "must be bytes"),
}


@pytest.mark.parametrize("what", COLUMNS)
def test_a_column_of_another_type_is_named_with_the_one_wanted(what: str, tmp_path: Path) -> None:
    name, column, wanted = COLUMNS[what]
    house = House(3)
    table = pa.Table.from_batches([to_batch(to_columns([house.record(house.play())]))])
    changed = table.set_column(table.schema.get_field_index(name), name, column)
    pq.write_table(changed, tmp_path / "h.parquet")
    with pytest.raises(SourceError, match=f"the column {name} {wanted}") as error:
        list(read_hands(tmp_path / "h.parquet"))
    assert error.value.code == "malformed"


def test_a_seen_file_with_nothing_in_it_is_refused(fairdeal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(lines())
    for text in ("", "\n \n", "# what the players kept\n"):
        (tmp_path / "seen.txt").write_text(text, encoding="utf-8")
        ran = fairdeal("audit", str(tmp_path / "h.jsonl"), "--seen", str(tmp_path / "seen.txt"))
        assert (ran.code, "nothing in it" in ran.err) == (2, True)


def test_a_mirrors_empty_key_is_damage_and_not_a_mirror_without_one(
    fairdeal: Terminal, tmp_path: Path
) -> None:
    house = House(3).evening(HANDS)
    for path, data in house.log.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    assert fairdeal("log", "check", str(tmp_path)).code == 3
    for key in ("", "\n"):
        (tmp_path / "key").write_text(key, encoding="utf-8")
        ran = fairdeal("log", "check", str(tmp_path))
        assert (ran.code, "damaged, it holds no key" in ran.err.replace("\n", " ")) == (4, True)
    (tmp_path / "empty").write_text("", encoding="utf-8")
    ran = fairdeal("log", "check", str(tmp_path), "--key", f"@{tmp_path / 'empty'}")
    assert (ran.code, "the file holds no key" in ran.err) == (2, True)
