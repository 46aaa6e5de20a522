"""Both languages say everything; the modules' types hold; the files keep the page's rules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "api" / "fairdeal_api" / "web"
NODE = shutil.which("node") or "node"

ASK = """
import { EN } from "%(web)s/i18n/en.js";
import { TR } from "%(web)s/i18n/tr.js";
import { BADGE_EN, BADGE_TR } from "%(web)s/badge-words.js";
import * as protocol from "%(web)s/protocol/index.js";
const { CAUSES, CHECKS, DETAIL_CODES, GRINDING, RESULTS, RULES, SEEN_REASONS, VERDICTS } = protocol;
const codes = { CAUSES, CHECKS, DETAIL_CODES, GRINDING, RESULTS, RULES, SEEN_REASONS, VERDICTS };
console.log(JSON.stringify({ EN, TR, BADGE_EN, BADGE_TR, ...codes }));
"""


@cache
def told() -> dict[str, Any]:
    """The texts, and every code that a report may hold."""
    script = ASK % {"web": WEB.as_uri()}
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sources() -> dict[str, str]:
    files = [*WEB.glob("page/*.js"), *WEB.glob("*.js")]
    return {file.name: file.read_text("utf-8") for file in files}


def needed() -> set[str]:
    """Every key that is put together from a code."""
    codes = told()
    return {
        *(f"detail.{code}" for code in codes["DETAIL_CODES"]),
        *(f"rule.{rule}" for rule in codes["RULES"]),
        *(f"{kind}.{cause}" for cause in codes["CAUSES"] for kind in ("cause", "short")),
        *(f"{kind}.{check}" for check in codes["CHECKS"] for kind in ("check", "what")),
        *(f"result.{result}" for result in codes["RESULTS"]),
        *(f"word.{verdict}" for verdict in [*codes["VERDICTS"], "refused"]),
        *(f"verdict.{verdict}" for verdict in codes["VERDICTS"]),
        *(f"grinding.{grinding}" for grinding in codes["GRINDING"]),
        *(f"seen.{how}.{reason}" for how, reasons in codes["SEEN_REASONS"].items() for reason in reasons),
        *(f"seen.{how}" for how in codes["SEEN_REASONS"]),
    }


def test_both_languages_have_every_text() -> None:
    assert told()["EN"].keys() == told()["TR"].keys()
    assert told()["BADGE_EN"].keys() == told()["BADGE_TR"].keys()
    assert needed() - told()["EN"].keys() == set()


def forms(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def test_both_languages_name_the_same_values() -> None:
    for key, english in told()["EN"].items():
        names = {name for form in forms(english) for name in re.findall(r"\{(\w+)\}", form)}
        for form in forms(told()["TR"][key]):
            assert set(re.findall(r"\{(\w+)\}", form)) <= names, key
        turkish = {name for form in forms(told()["TR"][key]) for name in re.findall(r"\{(\w+)\}", form)}
        assert turkish == names, key


def test_no_text_is_empty_or_left_in_english() -> None:
    same_by_right = re.compile(
        r"^(language\.|hand\.number\.value$|game\.okey$|field\.okey$|table\.okey$|tile\.okey$|tile\.words$|"
        r"detail\.format\.malformed$|field\.wrong$)"
    )
    for key, english in told()["EN"].items():
        turkish = told()["TR"][key]
        assert all(form.strip() for form in [*forms(english), *forms(turkish)]), key
        if not same_by_right.match(key):
            assert english != turkish, key


def test_every_text_is_used() -> None:
    code = "\n".join(sources().values())
    literal = set(re.findall(r'"([a-z0-9-]+(?:\.[a-z0-9-]+)*)"', code, re.IGNORECASE))
    prefixes = set(re.findall(r"`([a-z.-]+\.)\$\{", code))
    unused = [
        key
        for key in told()["EN"]
        if key not in literal and not any(key.startswith(prefix) for prefix in prefixes)
    ]
    assert unused == []


def test_types_hold() -> None:
    compiler = HERE / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        [NODE, str(compiler), "-p", str(HERE / "tsconfig.page.json")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_no_inline_script_or_style_in_the_pages() -> None:
    for name in ("index.html", "badge-example.html"):
        page = (WEB / name).read_text("utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
        assert not re.search(r"<script(?![^>]*\ssrc=)", page)
        assert not re.search(r"""(?:src|href)=["'](?!/verify-assets/|#)""", page)


@pytest.mark.parametrize("name", sorted(sources()))
def test_modules_keep_to_the_pages_rules(name: str) -> None:
    source = sources()[name]
    assert not re.search(r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b", source)
    assert not re.search(r"\bhttps?://(?!www\.w3\.org/2000/svg|…)", source)
    assert len(source.splitlines()) <= 400
