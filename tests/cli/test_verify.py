"""``fairdeal verify``: verdicts, what they rest on, exit codes, and what is said about each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fairdeal_cli import words

from fairdeal.diagnose import CAUSES
from fairdeal.receipt import Receipt, Record
from fairdeal.tiles import name
from fairdeal.verify import CHECKS
from tests.cli.running import Ran, Terminal, spawn
from tests.dealer import DECK, OKEY, OPENED, PLAIN, Dealer, Hand


class Kept:
    """A played hand in files, with everything that a player at seat 2 kept."""

    def __init__(self, folder: Path, dealer: Dealer, hand: Hand) -> None:
        self.folder, self.dealer, self.hand = folder, dealer, hand
        self.receipt = self.write("receipt.json", dealer.receipt(hand))
        self.commit = self.write("commit.json", dealer.receipt(hand, upto="commit"))
        self.record = self.write("record.json", dealer.record(hand))
        self.vkey = dealer.log.signer.verifier.text()
        self.document: dict[str, Any] = dealer.receipt(hand).as_json()

    def write(self, file: str, document: Receipt | Record | dict[str, Any]) -> str:
        value = document if isinstance(document, dict) else document.as_json()
        path = self.folder / file
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    @property
    def seen(self) -> list[str]:
        tiles = ",".join(name(t) for t in self.document["deal"]["hands"][2])
        seed = self.hand.client_seeds[2].hex()
        return ["--seen", self.commit, "--seen", f"seed:2={seed}", "--seen", f"tiles:2={tiles}"]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    dealer = Dealer(5)
    return Kept(tmp_path, dealer, dealer.play(OPENED, sealed=(0, 2)))


def checks(ran: Ran) -> dict[str, str]:
    report = ran.json
    assert list(report) == ["verdict", "checks", "grinding", "log_evidence", "cause"]
    assert [list(check) for check in report["checks"]] == [["name", "result", "detail"]] * len(CHECKS)
    assert tuple(check["name"] for check in report["checks"]) == CHECKS
    return {check["name"]: check["result"] for check in report["checks"]}


def test_verified_with_all_that_was_kept(fairdeal: Terminal, kept: Kept) -> None:
    ran = fairdeal("verify", kept.receipt, "--key", kept.vkey, *kept.seen, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert set(checks(ran).values()) == {"pass"}
    assert (ran.json["verdict"], ran.json["grinding"]) == ("verified", "nobody")
    assert (ran.json["log_evidence"], ran.json["cause"]) == ("a key that was given", None)


def test_verified_in_words(fairdeal: Terminal, kept: Kept) -> None:
    ran = fairdeal("verify", kept.receipt, "--key", kept.vkey, *kept.seen)
    assert (ran.code, ran.err) == (0, "")
    first, *_ = ran.out.splitlines()
    assert "VERIFIED" in first
    assert "Nobody: your own seed is in the deal" in ran.out
    assert "signed by a key you gave" in ran.out
    assert "seat 2's tiles" in ran.out
    assert "not compared: whether the log grew" in ran.out


@pytest.mark.parametrize(
    ("source", "grinding", "evidence"),
    [
        ("receipt", "operator-with-all-seats", "only the receipt's own key"),
        ("record", "operator-with-all-seats", "none"),
    ],
)
def test_consistent_without_anything_kept(
    fairdeal: Terminal, kept: Kept, source: str, grinding: str, evidence: str
) -> None:
    ran = fairdeal("verify", getattr(kept, source), "--json")
    assert (ran.code, ran.json["verdict"]) == (3, "consistent")
    assert (ran.json["grinding"], ran.json["log_evidence"]) == (grinding, evidence)
    said = fairdeal("verify", getattr(kept, source))
    assert said.code == 3
    assert "CONSISTENT" in said.out.splitlines()[0]
    assert "(seats 0 and 2)" in said.out


def test_incomplete_as_long_as_the_hand_is(fairdeal: Terminal, kept: Kept) -> None:
    for upto, stage in (("commit", "committed"), ("lock", "locked")):
        receipt = kept.dealer.receipt(kept.hand, upto="commit" if upto == "commit" else "lock")
        ran = fairdeal("verify", kept.write("part.json", receipt))
        assert ran.code == 3
        assert "INCOMPLETE" in ran.out.splitlines()[0]
        assert f"the hand is only {stage}" in ran.out.replace("\n", " ").replace("│ │ ", "")


def test_a_hand_that_ended_before_its_lock(fairdeal: Terminal, tmp_path: Path) -> None:
    dealer = Dealer(6)
    hand = dealer.end(dealer.commit(sealed=(1,)), "void", "seat-silent")
    (tmp_path / "void.json").write_text(json.dumps(dealer.receipt(hand).as_json()))
    commitment = hand.commitment.hex()
    ran = fairdeal("verify", str(tmp_path / "void.json"), "--seen", commitment)
    assert (ran.code, ran.err) == (0, "")
    assert "The hand ended before anything was dealt" in ran.out
    assert "void (seat-silent)" in ran.out
    assert "there is no deal to choose" in ran.out


def test_refuted_with_the_cause_in_words(fairdeal: Terminal, kept: Kept) -> None:
    hands = kept.document["deal"]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    path = kept.write("bent.json", kept.document)
    ran = fairdeal("verify", path)
    assert (ran.code, ran.err) == (1, "")
    assert "REFUTED" in ran.out.splitlines()[0]
    assert "the check hands fails" in ran.out
    assert "hands-misdealt" in ran.out
    assert "The deal that the seeds give" in ran.out
    assert "hand of seat 0: 1 of 14 places" in ran.out or "hand of seat 0: 1 of 15 places" in ran.out
    with_json = fairdeal("verify", path, "--json")
    assert (with_json.code, with_json.json["cause"]) == (1, "hands-misdealt")


def test_a_malformed_inside_is_refuted_and_not_an_error(fairdeal: Terminal, kept: Kept) -> None:
    kept.document["extra"] = 1
    ran = fairdeal("verify", kept.write("bent.json", kept.document))
    assert ran.code == 1
    assert "not in the form of a receipt" in ran.out
    assert "extra: unknown field" in ran.out


def test_a_key_of_the_log_that_did_not_sign_refutes(fairdeal: Terminal, kept: Kept) -> None:
    other = Dealer(99).log.signer.verifier.text()
    ran = fairdeal("verify", kept.receipt, "--key", other, "--json")
    assert (ran.code, checks(ran)["signature"]) == (1, "fail")


def test_keys_come_from_files(fairdeal: Terminal, kept: Kept) -> None:
    path = kept.folder / "keys"
    path.write_text(f"\n{Dealer(9, origin='elsewhere').log.signer.verifier.text()}\n{kept.vkey}\n")
    ran = fairdeal("verify", kept.receipt, "--key", f"@{path}", "--json")
    assert checks(ran)["signature"] == "pass"


def test_openings_and_a_commitment_as_seen(fairdeal: Terminal, kept: Kept) -> None:
    openings = kept.dealer.openings(kept.hand, "indicator", "stock/0")
    path = kept.write("openings.json", {"openings": [opening.as_json() for opening in openings]})
    ran = fairdeal("verify", kept.receipt, "--seen", path, "--seen", kept.hand.commitment.hex(), "--json")
    assert (ran.code, checks(ran)["seen"]) == (0, "pass")
    assert "the opening of stock/0" in ran.json["checks"][-1]["detail"]


def test_own_seed_from_a_file(fairdeal: Terminal, kept: Kept) -> None:
    (kept.folder / "seed").write_text(kept.hand.client_seeds[2].hex() + "\n")
    seen = ["--seen", f"seed:2=@{kept.folder}/seed", "--seen", kept.commit]
    assert fairdeal("verify", kept.receipt, *seen, "--json").json["grinding"] == "nobody"


def test_standard_input_and_the_services_answer(fairdeal: Terminal, kept: Kept) -> None:
    text = Path(kept.receipt).read_text()
    assert fairdeal("verify", "-", "--json", stdin=text).code == 3
    answer = json.dumps({"hand": kept.hand.hand.hex(), "state": "revealed", "receipt": json.loads(text)})
    ran = fairdeal("verify", "-", "--json", stdin=answer)
    assert (ran.code, ran.json["verdict"]) == (3, "consistent")
    assert "took the receipt out" in ran.err


UNREADABLE = {
    "empty": ("", "malformed"),
    "not JSON": ("receipt", "malformed"),
    "a float": ('{"format":"fairdeal/1 receipt","x":1.0}', "malformed"),
    "a repeated member": ('{"format":"fairdeal/1 receipt","format":"fairdeal/1 receipt"}', "malformed"),
    "another format": ('{"format":"fairdeal/2 receipt"}', "no-receipt"),
    "another object": ('{"hello":"world"}', "no-receipt"),
    "a hand document": ('{"hand":"00","state":"revealed"}', "no-receipt"),
    "a number": ("7", "no-receipt"),
    "a list": ("[]", "several"),
    "a batch answer": ('{"hands":[]}', "several"),
    "JSON Lines": ('{"format":"fairdeal/1 record"}\n{"format":"fairdeal/1 record"}\n', "several"),
    "too deep": ("[" * 40 + "]" * 40, "malformed"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_source_that_holds_no_hand(fairdeal: Terminal, tmp_path: Path, what: str) -> None:
    text, code = UNREADABLE[what]
    (tmp_path / "source").write_text(text)
    ran = fairdeal("verify", str(tmp_path / "source"))
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith("Error: ")
    with_json = fairdeal("verify", str(tmp_path / "source"), "--json")
    assert (with_json.code, with_json.json["error"]["code"]) == (4, code)


def test_json_lines_are_sent_to_the_audit(fairdeal: Terminal) -> None:
    ran = fairdeal("verify", "-", stdin='{"a":1}\n\n{"a":2}\n')
    assert "fairdeal audit" in ran.err


@pytest.mark.parametrize(("source", "code"), [("/nowhere/receipt.json", "missing"), ("/", "unreadable")])
def test_a_source_that_is_not_there(fairdeal: Terminal, source: str, code: str) -> None:
    ran = fairdeal("verify", source, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, code)


def test_a_source_without_end_is_not_read_to_its_end(fairdeal: Terminal) -> None:
    ran = fairdeal("verify", "/dev/zero", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, "too-large")


BAD_OPTIONS = {
    "seen: no such file": ["--seen", "nothing-kept"],
    "seen: a short commitment": ["--seen", "ab" * 31],
    "seen: upper case": ["--seen", "AB" * 32],
    "seen: no seat": ["--seen", "seed:" + "ab" * 32],
    "seen: a short seed": ["--seen", "seed:1=" + "ab" * 31],
    "seen: no such tile": ["--seen", "tiles:1=R14"],
    "seen: no tiles": ["--seen", "tiles:1="],
    "key: no key": ["--key", "ab" * 32],
    "key: no such file": ["--key", "@/nowhere/key"],
    "an unknown option": ["--trust-me"],
    "two sources": ["ab" * 32],
}


@pytest.mark.parametrize("what", BAD_OPTIONS)
def test_options_that_make_no_sense(fairdeal: Terminal, kept: Kept, what: str) -> None:
    ran = fairdeal("verify", kept.receipt, *BAD_OPTIONS[what])
    assert (ran.code, ran.out) == (2, "")
    assert "ab" * 20 not in ran.err.lower()
    assert fairdeal("verify", kept.receipt, *BAD_OPTIONS[what], "--json").json["error"]["code"] == "usage"


def test_a_kept_receipt_must_be_well_formed(fairdeal: Terminal, kept: Kept) -> None:
    kept.document["deal"] = {}
    bent = kept.write("bent.json", kept.document)
    ran = fairdeal("verify", kept.receipt, "--seen", bent)
    assert (ran.code, "--seen: seen.deal" in ran.err) == (2, True)


def test_a_text_from_elsewhere_cannot_steer_the_terminal(fairdeal: Terminal, tmp_path: Path) -> None:
    dealer = Dealer(5, origin="log.example/\u202e\x9b2J")
    kept = Kept(tmp_path, dealer, dealer.play(sealed=(2,)))
    ran = fairdeal("verify", kept.receipt)
    assert ran.code == 3
    assert not {"\x1b", "\x9b", "\u202e"} & set(ran.out)
    assert "log.example/\ufffd\ufffd2J" in ran.out


@pytest.mark.parametrize("terms", [OKEY, PLAIN, DECK], ids=lambda terms: terms.game)
@pytest.mark.parametrize("columns", ["100", "80", "40"])
def test_reports_fit_their_terminal(fairdeal: Terminal, tmp_path: Path, terms: Any, columns: str) -> None:
    dealer = Dealer(8)
    record = dealer.record(dealer.play(terms, sealed=(1,))).as_json()
    (tmp_path / "record").write_text(json.dumps(record))
    ran = fairdeal("verify", str(tmp_path / "record"), COLUMNS=columns)
    assert ran.code == 3
    before, _, _ = ran.out.partition("The deal\n")
    assert max(map(len, before.splitlines())) <= int(columns)


def test_a_deal_without_its_seed_is_drawn_as_shown(fairdeal: Terminal, kept: Kept) -> None:
    record = json.loads(Path(kept.record).read_text()) | {"server_seed": None}
    ran = fairdeal("verify", kept.write("record.json", record))
    assert ran.code == 3
    assert "the seeds that would give it are not here" in ran.out
    assert "Hands by seat" in ran.out


def test_a_shown_deal_that_cannot_be_drawn_is_not(fairdeal: Terminal, kept: Kept) -> None:
    record = json.loads(Path(kept.record).read_text()) | {"server_seed": None}
    record["deal"]["hands"] = [[1000]]
    ran = fairdeal("verify", kept.write("record.json", record))
    assert ran.code == 3
    assert "is not drawn" in ran.out


def test_every_cause_is_explained() -> None:
    assert words.CAUSES.keys() == {*CAUSES, "unknown"}
    for said in words.CAUSES.values():
        assert said.endswith(".")


def test_exit_codes_of_the_installed_command(kept: Kept) -> None:
    assert spawn("verify", kept.receipt, "--key", kept.vkey, *kept.seen).code == 0
    hands = kept.document["deal"]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    assert spawn("verify", "-", stdin=json.dumps(kept.document)).code == 1
    assert spawn("verify").code == 2
    assert spawn("verify", kept.receipt).code == 3
    assert spawn("verify", "/nowhere").code == 4
