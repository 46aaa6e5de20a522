"""docs/audit.md lists what the code has: every finding's code, every column, every option."""

from __future__ import annotations

import re
from pathlib import Path

from fairdeal.audit.findings import CODES
from fairdeal.audit.histories.schema import COLUMNS
from tests.cli.running import Terminal

PAGE = (Path(__file__).parents[2] / "docs/audit.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return re.split(r"^#+ ", PAGE.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(title: str) -> list[list[str]]:
    found = [line for line in section(title).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found]


def test_every_code_is_explained() -> None:
    assert {code.strip("`"): meaning for code, meaning in rows("Findings")} == CODES


def test_every_column_is_described() -> None:
    listed = [(name.strip("`"), kind, null == "yes", holds) for name, kind, null, holds in rows("Parquet")]
    assert listed == [(c.name, c.kind, c.null, c.holds) for c in COLUMNS]


def test_every_option_on_the_page_exists(fairdeal: Terminal) -> None:
    known = "".join(
        fairdeal(*command, "--help", COLUMNS="200").out
        for command in (("audit",), ("log", "mirror"), ("log", "check"), ("export",))
    )
    for option in sorted(set(re.findall(r"--[a-z][a-z-]+", PAGE))):
        assert option in known, option
