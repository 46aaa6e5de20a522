"""``fairdeal deal``: the published vectors, what it draws, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Terminal, spawn

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "deal.json").read_text(encoding="utf-8")
)["cases"]
BY_NAME = {case["name"]: case for case in CASES}
WALL = BY_NAME["wall, four seats, no client seeds"]


def arguments(case: dict[str, Any]) -> list[str]:
    seeds = [f"--client-seed={c['seat']}={c['seed']}" for c in case["contributions"]]
    terms = json.dumps(case["terms"])
    return ["deal", "--terms", terms, "--seed", case["server_seed"], "--hand", case["hand"], *seeds]


def answer(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("commitment", "key", "deal", "deal_root")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors_come_out_identical(fairdeal: Terminal, case: dict[str, Any]) -> None:
    ran = fairdeal(*arguments(case), "--json")
    assert (ran.code, ran.json, ran.err) == (0, answer(case), "")


@pytest.mark.parametrize("name", ["four client seeds", "deck of 1024, openings"])
def test_vectors_come_out_identical_from_the_installed_command(name: str) -> None:
    ran = spawn(*arguments(BY_NAME[name]), "--json")
    assert (ran.code, ran.json, ran.err) == (0, answer(BY_NAME[name]), "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors_by_their_deal_key(fairdeal: Terminal, case: dict[str, Any]) -> None:
    ran = fairdeal("deal", "--terms", json.dumps(case["terms"]), "--key", case["key"], "--json")
    assert (ran.code, ran.json) == (0, {**answer(case), "commitment": None})


def test_seeds_come_from_files_and_standard_input(fairdeal: Terminal, tmp_path: Path) -> None:
    case = BY_NAME["four client seeds"]
    (tmp_path / "terms.json").write_text(json.dumps(case["terms"]))
    seeds = []
    for c in reversed(case["contributions"]):
        (tmp_path / f"seat{c['seat']}").write_text(c["seed"] + "\n")
        seeds += ["--client-seed", f"{c['seat']}=@{tmp_path}/seat{c['seat']}"]
    rest = [
        "deal",
        "--terms",
        f"@{tmp_path}/terms.json",
        "--seed",
        "-",
        "--hand",
        case["hand"],
        *seeds,
        "--json",
    ]
    assert fairdeal(*rest, stdin=case["server_seed"] + "\n").json == answer(case)


def drawn(fairdeal: Terminal, name: str, **environment: str) -> str:
    ran = fairdeal(*arguments(BY_NAME[name]), **environment)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_the_table_is_drawn(fairdeal: Terminal) -> None:
    assert drawn(fairdeal, WALL["name"]) == TABLE


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("columns", [100, 80])
def test_every_drawing_fits_its_width(fairdeal: Terminal, case: dict[str, Any], columns: int) -> None:
    lines = drawn(fairdeal, case["name"], COLUMNS=str(columns)).splitlines()
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_very_narrow_terminal_gets_the_tiles_in_columns_it_has(
    fairdeal: Terminal, case: dict[str, Any]
) -> None:
    lines = drawn(fairdeal, case["name"], COLUMNS="40").splitlines()
    # Words are the terminal's to wrap; tiles are not.
    assert (
        max(len(line) for line in lines if line.startswith((" ", "1", "0", "2")) and "seat" not in line) <= 42
    )


def test_every_tile_of_the_deal_is_drawn_once_in_the_wall_and_once_in_hands_and_stock(
    fairdeal: Terminal,
) -> None:
    text = drawn(fairdeal, WALL["name"]).replace("»", " ").replace("*", " ").replace("+", " ")
    wall, _, rest = text.partition("Hands by seat")
    # The header names indicator and okeys, the dice the tile that the second throw found.
    assert sum(wall.count(shape) for shape in "●◆▲■★") == 106 + 3 + 1
    assert sum(rest.count(shape) for shape in "●◆▲■★") == 105 + 5


def test_a_false_joker_that_was_hit_is_shown_with_every_throw(fairdeal: Terminal) -> None:
    text = drawn(fairdeal, "false joker hit twice or more")
    throws = len(BY_NAME["false joker hit twice or more"]["deal"]["throws"])
    assert text.count("again") == throws - 2


def test_tied_dealer_throws_are_shown(fairdeal: Terminal) -> None:
    text = drawn(fairdeal, "dealer thrown for, tied twice")
    assert text.count("tied again:") == 2
    assert "deals, seat" in text


def test_without_unicode_letters_stand_for_shapes() -> None:
    ran = spawn(*arguments(WALL), environment={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert ran.out.isascii()
    assert "?" not in ran.out
    assert "R red  Y yellow  B blue  K black  J false joker" in ran.out


def test_colour_only_on_a_terminal() -> None:
    assert "\x1b" not in spawn(*arguments(WALL)).out


REFUSED: dict[str, tuple[list[str], str]] = {
    "no seed": (["--hand", WALL["hand"]], "--seed: is needed"),
    "no hand": (["--seed", WALL["server_seed"]], "--hand: is needed"),
    "short seed": (["--seed", WALL["server_seed"][:-2], "--hand", WALL["hand"]], "--seed: must be 64"),
    "long seed": (["--seed", WALL["server_seed"] + "00", "--hand", WALL["hand"]], "--seed: must be 64"),
    "upper case": (["--seed", WALL["server_seed"].upper(), "--hand", WALL["hand"]], "--seed: must be 64"),
    "0x": (["--seed", "0x" + WALL["server_seed"][2:], "--hand", WALL["hand"]], "--seed: must be 64"),
    "quoted": (["--seed", f"'{WALL['server_seed']}'", "--hand", WALL["hand"]], "--seed: must be 64"),
    "short hand": (["--seed", WALL["server_seed"], "--hand", WALL["hand"][1:]], "--hand: must be 32"),
    "no such file": (["--seed", "@/nowhere/seed", "--hand", WALL["hand"]], "--seed: there is no such file"),
    "key and seed": (["--key", WALL["key"], "--seed", WALL["server_seed"]], "--key: stands in place of"),
    "key and hand": (["--key", WALL["key"], "--hand", WALL["hand"]], "--key: stands in place of"),
    "short key": (["--key", WALL["key"][:-1]], "--key: must be 64"),
    "seat too high": (
        ["--seed", WALL["server_seed"], "--hand", WALL["hand"], "--client-seed", f"4={WALL['key']}"],
        "--client-seed: the terms have seats 0 to 3",
    ),
    "seat twice": (
        ["--seed", WALL["server_seed"], "--hand", WALL["hand"], *[f"--client-seed=1={WALL['key']}"] * 2],
        "--client-seed: seat 1 is given twice",
    ),
    "no seat": (
        ["--seed", WALL["server_seed"], "--hand", WALL["hand"], "--client-seed", WALL["key"]],
        "--client-seed: must be SEAT=HEX",
    ),
    "extra argument": (["--hand", WALL["hand"], WALL["server_seed"]], "Unexpected extra argument"),
    "unknown option": ([f"--{WALL['server_seed']}"], "No such option"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_without_repeating_a_secret(fairdeal: Terminal, name: str) -> None:
    given, message = REFUSED[name]
    ran = fairdeal("deal", "--terms", json.dumps(WALL["terms"]), *given)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    for secret in (WALL["server_seed"], WALL["key"]):
        assert secret[4:40] not in ran.err.lower()
    with_json = fairdeal("deal", "--terms", json.dumps(WALL["terms"]), *given, "--json")
    assert with_json.code == 2
    assert with_json.json["error"]["code"] == "usage"
    assert with_json.json["error"].keys() == {"code", "message"}


@pytest.mark.parametrize("field", WALL["terms"])
def test_terms_must_be_whole(fairdeal: Terminal, field: str) -> None:
    part = {name: value for name, value in WALL["terms"].items() if name != field}
    ran = fairdeal("deal", "--terms", json.dumps(part), "--key", WALL["key"])
    assert ran.code == 2
    assert f"--terms: terms.{field}" in ran.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"game":"okey","game":"okey"}',
        '{"game":"deck","size":52.0,"seats":4,"openings":false}',
    ],
)
def test_terms_are_strict_json(fairdeal: Terminal, text: str) -> None:
    ran = fairdeal("deal", "--terms", text, "--key", WALL["key"])
    assert (ran.code, "--terms: " in ran.err) == (2, True)


TABLE = """\
Okey · wall layout · 4 seats · dealer seat 0 · one die

Commitment  14c215e72d86b57132117395ad8b94b9e3d3256dd9d33cb18f786db47fce5398
Deal key    c66a2a1ddd8b66a2eb9c4899763075a195ef9aa73ca1db53a8e683e3161a4801

Dealer  seat 0; seat 1 starts
Indicator (gösterge) »◆10   okeys (wild) *◆11*◆11

                                 seat 2 · opposite
                                 16  15  14  13  12
                                 ■4  ◆1  ■6  ●2  ▲3
                                 ●3  ■10 ●13 ●6  ●7
                                 ■8  ■11 ▲12 ▲2  ◆7
                                 ●7  ●10 ▲5  ■3  ■9
     seat 3 · left               ■1  ●5 *◆11 ●3  ●8         seat 1 · right · starts

 17  ●10 ■12 ■2  ◆3  ▲6          ⚁ 2 → stack 2               ●2  ●1  ■5  ▲12 ◆7  11
 18  ■13 ◆3  ◆6  ●8  ●9          ⚃ 4 → tile 4 »◆10           ●5  ■1  ■9  ◆8  ◆12 10
 19  ▲4  ◆8  ▲11 ■11 ▲1                                      ●13 ▲13 ●4  ◆10 ◆2   9
 20  ▲1  ◆6  ▲11 ■3  ◆4           +●11                       ▲7  ▲7  ◆9  ◆13 ■4   8
 21  ■10 ●4  ▲8  ▲10 ■6        ■12 ▲9  ■2  ★   ▲3 *◆11       ■5  ▲8  ■13 ◆4  ▲5   7
                               ▲4 »◆10 ●6  ◆1  ●12 ◆12
                               ▲9  ★   ◆2  ◆5  ●1  ●9
                               ▲6  ◆9  ◆5  ■7  ■8  ■7
                               ▲2  ●11 ▲13 ●12 ▲10 ◆13
                                1  [2]  3   4   5   6
                                  seat 0 · dealer

Hands by seat, in the order taken
0 deals   *◆11 ◆12 ●9  ■7  ◆13   ●5  ■1  ■9  ◆8  ◆12   ●6  ●2 *◆11 ▲5
1 starts   ■2  ●6  ◆2  ◆5  ▲13   ■5  ▲8  ■13 ◆4  ▲5    ●2  ●1  ■5  ▲12 ◆7
2          ★   ◆1  ◆5  ■7  ●12   ▲7  ▲7  ◆9  ◆13 ■4    ●8  ■9  ◆7  ●7
3          ▲3  ●12 ●1  ■8  ▲10   ●13 ▲13 ●4  ◆10 ◆2    ▲3  ●3  ■3  ▲2

Stock, next tile first (48 tiles)
1          ▲12 ●13 ■6  ●5  ●10 ■11 ■10 ◆1  ■1  ●7  ■8  ●3  ■4  ▲6  ◆3  ■2  ■12 ●10 ●9  ●8
21         ◆6  ◆3  ■13 ▲1  ■11 ▲11 ◆8  ▲4  ◆4  ■3  ▲11 ◆6  ▲1  ■6  ▲10 ▲8  ●4  ■10 ■12 ▲4
41         ▲9  ▲6  ▲2 +●11 ▲9  ★   ◆9  ●11

● red  ◆ yellow  ▲ blue  ■ black  ★ false joker
» indicator  * okey  + spare  [n] selected stack; tops lie to the middle
"""
