"""``fairdeal keys`` and ``fairdeal log``: the ceremonies and the checks, as an operator types them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fairdeal_api.server import prepare
from fairdeal_api.settings import Settings
from fairdeal_cli.output import print_table

from tests.cli.running import Terminal


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder after its first start; no service runs on it."""
    prepare(Settings(data=tmp_path / "data", origin="log.example"))
    return str(tmp_path / "data")


def test_a_seed_key_is_changed(fairdeal: Terminal, data: str) -> None:
    (old,) = fairdeal("keys", "seed", "list", "--data", data, "--json").json["keys"]
    assert (old["use"], old["seeds"], old["processes"]) == ("wraps", 0, 0)
    new = fairdeal("keys", "seed", "add", "--data", data, "--json").json["key"]
    assert fairdeal("keys", "seed", "promote", new, "--data", data).code == 0
    assert fairdeal("keys", "seed", "rewrap", "--data", data, "--json").json == {"rewrapped": 0, "lost": 0}
    refused = fairdeal("keys", "seed", "retire", new, "--data", data)
    assert (refused.code, "promote another one first" in refused.err) == (2, True)
    assert fairdeal("keys", "seed", "retire", old["key"], "--data", data).code == 0
    shown = fairdeal("keys", "seed", "list", "--data", data)
    assert (shown.code, new in shown.out, old["key"] in shown.out) == (0, True, False)


def test_the_log_s_key_is_changed(fairdeal: Terminal, data: str) -> None:
    vkey = fairdeal("keys", "log", "add", "--data", data, "--json").json["vkey"]
    listed = fairdeal("keys", "log", "list", "--data", data, "--json").json["keys"]
    old, new = (key["key"] for key in listed)
    assert [key["role"] for key in listed] == ["first", "waits"]
    signing = fairdeal("keys", "log", "cosign", new, "--data", data, "--json").json["signing"]
    assert signing == [listed[0]["vkey"], vkey]
    assert fairdeal("keys", "log", "promote", new, "--data", data).code == 0
    assert fairdeal("keys", "log", "retire", old, "--data", data).code == 0
    assert prepare(Settings(data=Path(data))).vkey == vkey


def test_keys_are_listed_a_line_each_and_unbroken(fairdeal: Terminal, data: str) -> None:
    for columns in ("20", "80"):
        for listed, headings in (
            (("keys", "log", "list"), ("Key", "Role", "Loaded by", "Processes", "Verifier key")),
            (("keys", "seed", "list"), ("Key", "Use", "Seeds", "Loaded by", "Processes")),
            (("keys", "operator", "list", "operator"), ("Key", "Since", "Revoked")),
            (("operator", "list"), ("Operator", "Since", "Key")),
        ):
            heading, row = fairdeal(*listed, "--data", data, COLUMNS=columns).out.splitlines()
            assert tuple(re.split(r" {2,}", heading)) == headings
            document = fairdeal(*listed, "--data", data, "--json").json
            ((first, *_),) = [list(entry.values()) for entry in next(iter(document.values()))]
            assert row.startswith(f"{first} ")
        vkey = fairdeal("keys", "log", "list", "--data", data, "--json").json["keys"][0]["vkey"]
        shown = fairdeal("keys", "log", "list", "--data", data, COLUMNS=columns).out
        assert shown.endswith(f"  {vkey}\n")


def test_a_table_keeps_its_columns_under_wide_letters_and_shows_nothing_unseen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(("Name", "Since"), [("卓", "1"), ("a\x1b", "22")])
    assert capsys.readouterr().out == "Name  Since\n卓    1\na\ufffd    22\n"


def test_an_operator_gets_a_further_key(fairdeal: Terminal, data: str) -> None:
    added = fairdeal("keys", "operator", "add", "operator", "--data", data)
    assert added.out.startswith("fdk_")
    first, second = fairdeal("keys", "operator", "list", "operator", "--data", data, "--json").json["keys"]
    assert fairdeal("keys", "operator", "revoke", "operator", first["key"], "--data", data).code == 0
    shown = fairdeal("keys", "operator", "list", "operator", "--data", data)
    assert second["key"] in shown.out
    assert added.out.strip() not in shown.out
    assert fairdeal("keys", "operator", "add", "operator", "--data", data, "--json").json["key"] != added.out


def test_the_store_is_checked_whole(fairdeal: Terminal, data: str, tmp_path: Path) -> None:
    assert fairdeal("log", "check", "--data", data, "--json").json == {"origin": "log.example", "size": 0}
    assert "0 stored entries, all as signed" in fairdeal("log", "check", "--data", data).out
    Path(data, "signed", "0.mark").write_text("nothing\n")
    damaged = fairdeal("log", "check", "--data", data)
    assert (damaged.code, "holds no checkpoint" in damaged.err) == (4, True)
    both = fairdeal("log", "check", str(tmp_path), "--data", data)
    assert (both.code, "not both" in both.err) == (2, True)
    keyed = fairdeal("log", "check", "--data", data, "--key", "x+1+y")
    assert (keyed.code, "--key is for a mirror" in keyed.err) == (2, True)


def test_recover_says_what_is_missing(fairdeal: Terminal, data: str, tmp_path: Path) -> None:
    missing = fairdeal("log", "recover", str(tmp_path / "none"), "--data", data)
    assert (missing.code, "cannot be read" in missing.err) == (4, True)
    nowhere = fairdeal("log", "recover", str(tmp_path), "--data", str(tmp_path / "nowhere"))
    assert (nowhere.code, "no store there" in nowhere.err) == (4, True)


def test_key_files_open_to_others_are_refused(fairdeal: Terminal, data: str) -> None:
    Path(data, "seed.keys").chmod(0o640)
    refused = fairdeal("keys", "seed", "list", "--data", data)
    assert (refused.code, "chmod 600" in refused.err) == (4, True)


def test_serve_refuses_workers_on_sqlite_and_an_older_store(
    fairdeal: Terminal, data: str, tmp_path: Path
) -> None:
    refused = fairdeal("serve", "--data", data, "--workers", "2")
    assert (refused.code, "several workers need PostgreSQL" in refused.err) == (4, True)
    published = tmp_path / "checkpoint"
    published.write_text("nothing\n")
    other = fairdeal("serve", "--data", data, "--checkpoint", str(published))
    assert (other.code, "holds no checkpoint" in other.err) == (4, True)
