"""The compiled way finds a hand in order exactly where the core's verification finds nothing against it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fairdeal.audit.histories import trust
from fairdeal.audit.histories.checked import Given
from fairdeal.audit.histories.columns import pack_terms
from fairdeal.audit.histories.documents import EXPLAINED
from fairdeal.audit.histories.onehand import Examiner
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.sha import ShaKernel
from fairdeal.entries import Commit
from fairdeal.errors import MalformedError
from fairdeal.evidence import gather
from fairdeal.receipt import parse_object
from fairdeal.seen import Seen, SeenCommitment, SeenReceipt, SeenSeed
from fairdeal.verify import verify
from tests.audit.histories import ALL_TERMS, DECKS, SPOILS, line, receipt, record
from tests.audit.outcomes import HERE, checked


def test_every_kind_of_terms() -> None:
    rng = random.Random(1)
    made = [record(rng, terms, k % 6) for k, terms in enumerate([*ALL_TERMS, *DECKS] * 2)]
    found = checked(b"\n".join(map(line, made)))
    assert found.verdicts == {"consistent": len(made)}
    assert not found.findings


@pytest.mark.parametrize("seed", range(8))
def test_spoilt_records_are_told_as_the_core_tells_them(seed: int) -> None:
    rng = random.Random(seed)
    lines = []
    for _ in range(120):
        document = record(rng, rng.choice([*ALL_TERMS, *DECKS]), rng.randrange(6)).as_json()
        for spoil in rng.sample(SPOILS, rng.choice([0, 1, 1, 1, 2])):
            spoil(rng, document)
        lines.append(line(document, separators=rng.choice([(",", ":"), (", ", ": "), (" ,\t", " : ")])))
    found = checked(b"\n".join(lines) + b"\n")
    assert set(found.verdicts) >= {"consistent", "incomplete", "refuted"}


@pytest.mark.parametrize("name", ["commitment", "server_seed", "deal", "deal_root"])
def test_absent_evidence_is_counted_check_by_check(name: str) -> None:
    rng = random.Random(3)
    documents = [record(rng, terms, 2).as_json() | {name: None} for terms in ALL_TERMS[:40]]
    checked(b"\n".join(map(line, documents)))


def test_receipts_and_records_in_one_stream_with_broken_lines_between() -> None:
    rng = random.Random(4)
    whole = receipt(rng, ALL_TERMS[0], 2)
    spoilt = json.loads(line(whole))
    spoilt["deal"]["stock"].reverse()
    lines = [
        line(record(rng, ALL_TERMS[1])),
        line(whole),
        b"",
        b"{",
        line(spoilt),
        b" \t",
        b"[]",
        line(whole)[:-5],
    ]
    found = checked(b"\r\n".join(lines))
    assert found.verdicts == {"consistent": 2, "broken": 3, "refuted": 1}
    assert [(f.code, f.line, f.cause) for f in found.findings] == [
        ("bad-line", 10, None),
        ("check-hands", 11, "stock-from-wrong-end"),
        ("bad-line", 13, None),
        ("bad-line", 14, None),
    ]
    assert found.evidence == {"none": 1, "a key that was given": 2}
    assert [(f.operator, f.table, f.number, f.outcome) for f in found.receipts] == [
        ("house", "t1", 1, "played")
    ] * 2


def test_repeated_members_floats_and_odd_spellings_are_refused_as_the_core_refuses_them() -> None:
    text = line(record(random.Random(5), ALL_TERMS[0], 2), separators=(",", ":"))
    other = [
        text.replace(b'"deal_root":null', b'"deal_root":null,"deal_root":null'),
        text.replace(b'"dice":1', b'"dice":1.0'),
        text.replace(b'"dice":1', b'"dice":01'),
        text.replace(b'"dice":1', b'"dice":1e0'),
        text.replace(b'"dice":1', b'"dice":-0'),
        text.replace(b'"dice":1', b'"dice":true'),
        text.replace(b'"dice":1', b'"dice":"1"'),
        text.replace(b'"dice":1', b'"dice":10000000000000000000'),
        text.replace(b'"dice":1', b'"d\\u0069ce":1'),
        text.replace(b'"game":"okey"', b'"game":"okey","game":"okey"'),
        text.replace(b'"game":"okey"', b'"game":"OKEY"'),
        text.replace(b'"order":[', b'"order":[],"order":['),
        text.replace(b'"format":"', b'"format":" '),
        text.upper(),
        b"\xef\xbb\xbf" + text,
        text + b",",
        text + b" {}",
        text + b"\x00",
        b"[" + text + b"]",
        text.replace(b"}", b",}", 1),
        text.replace(b'","', b'",,"', 1),
        text.replace(b"[", b"[,", 1),
        text.replace(b"]", b",]", 1),
        text.replace(b'"', b"'"),
        text.replace(b":", b"\x0b:", 1),
        text.replace(b":", b"\xc2\xa0:", 1),
        b" \t\r" + text.replace(b":", b" \t\r: \t") + b" \r",
    ]
    assert len(set(other)) == len(other)
    found = checked(b"\n".join(other))
    assert found.verdicts == {"broken": 22, "refuted": 3, "consistent": 2}


@pytest.mark.parametrize("seed", range(4))
def test_no_changed_byte_makes_the_compiled_reader_laxer_than_the_core(seed: int) -> None:
    rng = random.Random(seed)
    lines = []
    for k in range(150):
        text = bytearray(line(record(rng, rng.choice(ALL_TERMS), k % 3), separators=(",", ":")))
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(text))
            text[at : at + rng.choice([0, 1, 1, 2])] = rng.choice(
                [
                    b"",
                    b" ",
                    b"0",
                    b"1",
                    b"5",
                    b",",
                    b'"',
                    b"[",
                    b"]",
                    b"{",
                    b"}",
                    b":",
                    b"a",
                    b"-",
                    b".",
                    b"\\",
                    b"\xff",
                ]
            )
        lines.append(bytes(text).replace(b"\n", b" "))
    checked(b"\n".join(lines))


def test_what_was_kept_from_before_a_hand_makes_it_verified() -> None:
    rng = random.Random(6)
    made = [record(rng, terms, 1) for terms in ALL_TERMS[:6]]
    kept, other = made[2].commitment, made[3].commitment
    assert kept is not None
    assert other is not None
    found = checked(b"\n".join(map(line, made)), Given(commitments=frozenset({kept, bytes(32)})))
    assert found.verdicts == {"verified": 1, "consistent": 5}
    assert found.kept == {kept: made[2].hand.hex()}


def test_a_kept_receipt_is_held_against_its_own_hand() -> None:
    rng = random.Random(7)
    whole, others = receipt(rng, ALL_TERMS[0], 1), [record(rng, terms) for terms in ALL_TERMS[:3]]
    hand = json.loads(whole.entries[0].entry)["hand"]
    early = type(whole)(whole.vkey, whole.checkpoint, whole.entries[:1], None)
    given = Given(keys=HERE.keys, seen={bytes.fromhex(hand): (SeenReceipt(early),)})
    found = checked(b"\n".join([*map(line, others), line(whole)]), given)
    assert found.verdicts == {"verified": 1, "consistent": 3}


def test_the_core_is_asked_about_the_exact_bytes_of_the_line(tmp_path: Path) -> None:
    text = line(record(random.Random(8), ALL_TERMS[5], 3))
    spoilt = text.replace(b'"level": ', b'"level": 1')
    report = verify(spoilt)
    found = checked(spoilt + b"\n" + text)
    assert report.verdict == "refuted"
    assert [f.code for f in found.findings] == ["check-table"]


def test_a_hand_examined_without_its_cause_is_as_verified_otherwise() -> None:
    rng = random.Random(9)
    hand = receipt(rng, ALL_TERMS[0], 2)
    documents: list[Any] = [json.loads(line(hand)) for _ in range(40)]
    documents += [json.loads(line(record(rng, rng.choice(ALL_TERMS), 2))) for _ in range(40)]
    own = hand.entries[0].content
    assert isinstance(own, Commit)
    kept: list[Seen] = [SeenCommitment(own.commitment), SeenSeed(own.seals[0].seat, bytes(32))]
    examiner = Examiner(HERE.keys)
    for k, document in enumerate(documents):
        if k % 4:
            _spoil_anywhere(rng, document)
        try:
            evidence = gather(parse_object(document))
        except MalformedError:
            continue
        for seen in ([], kept[:1], kept):
            whole = verify(line(document), keys=HERE.keys, seen=seen)
            ours = examiner.report(evidence, seen)
            assert [(c.name, c.result) for c in ours.checks] == [(c.name, c.result) for c in whole.checks]
            assert replace(ours, checks=()) == replace(whole, checks=(), cause=None)


def _spoil_anywhere(rng: random.Random, document: dict[str, Any]) -> None:
    """Change a digit somewhere in a receipt's entries, proofs or checkpoint, or in a record."""
    if "entries" not in document:
        rng.choice(SPOILS)(rng, document)
        return
    entry = rng.choice(document["entries"])
    if rng.random() < 0.3:
        document["entries"].remove(entry)
        return
    place: tuple[Any, Any] = rng.choice([(entry, "entry"), (entry["proof"], 0), (document, "checkpoint")])
    text = place[0][place[1]]
    at = rng.choice([k for k, c in enumerate(text) if c.isdigit()] or [0])
    place[0][place[1]] = text[:at] + str(rng.randrange(10)) + text[at + 1 :]


def test_a_finding_says_what_was_expected_and_what_was_found() -> None:
    rng = random.Random(10)
    made = [json.loads(line(record(rng, ALL_TERMS[0]))) for _ in range(4)]
    order = made[0]["deal"]["order"]
    order[3], order[4] = order[4], order[3]
    made[1]["server_seed"] = bytes(32).hex()
    made[2]["deal"]["okey"] = [7, 8, 9]
    made[3]["deal"]["hands"][0].pop()
    found = checked(b"\n".join(map(line, made))).findings
    assert (found[0].expected, found[0].found) == (f"order[3] = {order[4]}", f"order[3] = {order[3]}")
    assert (found[1].expected, found[1].found) == (made[1]["commitment"], sha256(bytes(32)).hexdigest())
    assert found[2].expected is not None
    assert found[2].expected.startswith("okey[0] = ")
    assert (found[3].expected, found[3].found) == ("hands[0] of 14", "hands[0] of 13")


def test_the_cause_of_many_refuted_hands_is_looked_for_in_the_first() -> None:
    rng = random.Random(11)
    lines = []
    for _ in range(EXPLAINED + 3):
        spoilt = json.loads(line(record(rng, ALL_TERMS[1])))
        spoilt["deal"]["stock"].reverse()
        lines.append(line(spoilt))
    causes = [finding.cause for finding in checked(b"\n".join(lines)).findings]
    assert causes == ["stock-from-wrong-end"] * EXPLAINED + [None] * 3


def test_a_stated_deal_counts_for_statistics_with_and_without_its_seed() -> None:
    made = record(random.Random(12), ALL_TERMS[0]).as_json()
    lines = [line(made), line(made | {"server_seed": None}), line(made | {"deal": None})]
    lines.append(line(made | {"server_seed": None, "deal": None}))
    assert [p for part in checked(b"\n".join(lines)).deals for p in part.positions] == [7, 8, 9]


@pytest.mark.parametrize("what", ["shuffle", "keys", "digest", "reader"])
def test_compiled_code_that_computes_wrongly_is_not_used(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trust.deals_hold.cache_clear()
    trust.records_hold.cache_clear()
    data = b"\n".join(line(record(random.Random(13), ALL_TERMS[k], 2)) for k in range(4))
    try:
        if what == "reader":
            monkeypatch.setattr(trust, "read_records", lambda text, starts, hands, guesses: None)
        else:
            honest = getattr(LaneKernel, what)
            wrong = lambda self, *values: honest(self, *values) ^ 1  # noqa: E731  # one wrong bit
            for kernel in (LaneKernel, ShaKernel):
                monkeypatch.setattr(kernel, what, wrong)
        assert not trust.deals_hold(LaneKernel(), pack_terms(ALL_TERMS[0])) or what == "reader"
        assert checked(data).verdicts == {"consistent": 4}
    finally:
        trust.deals_hold.cache_clear()
        trust.records_hold.cache_clear()
