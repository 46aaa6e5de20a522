"""The project's own files keep what the README promises of them: pinned, hashed, free of any one machine."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
REQUIREMENTS = sorted(ROOT.glob("requirements/*.txt"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(path: Path) -> dict[str, set[str]]:
    """Versions that a requirements file pins, by package; some differ from Python to Python."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(
        r"^([a-z0-9._-]+)==(\S+)", path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_requirements_are_pinned_and_hashed_and_name_no_address(path: Path) -> None:
    blocks = re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip())
    packages = [block for block in blocks if not block.startswith("#")]
    assert packages
    for block in packages:
        assert re.match(r"[a-z0-9._-]+==\S+", block), block.splitlines()[0]
        assert "--hash=sha256:" in block, block.splitlines()[0]
    assert "://" not in "".join(blocks)


def test_runtime_and_dev_agree_on_every_version() -> None:
    dev = pins(ROOT / "requirements/dev.txt")
    for name, versions in pins(ROOT / "requirements/runtime.txt").items():
        assert versions <= dev[name], name


def test_requirements_know_every_dependency() -> None:
    text = [*PROJECT["project"]["dependencies"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        text += extra
    for group in PROJECT["dependency-groups"].values():
        text += [entry for entry in group if isinstance(entry, str)]
    names = {re.split(r"[\[<>=!~ ;]", entry)[0] for entry in text}
    assert names <= pins(ROOT / "requirements/dev.txt").keys()


def test_package_lock_is_hashed_and_names_no_address() -> None:
    lock = json.loads((ROOT / "tests/web/package-lock.json").read_text(encoding="utf-8"))
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages
    for path, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), path
        assert "resolved" not in entry, path


def test_audit_has_a_wall_as_soon_as_it_exists() -> None:
    walls = PROJECT["tool"]["importlinter"]["contracts"]
    (wall,) = (w for w in walls if "fairdeal.audit" in w.get("forbidden_modules", []))
    core = {f"fairdeal.{path.stem}" for path in ROOT.glob("fairdeal/*.py") if path.stem != "__init__"}
    assert set(wall["source_modules"]) == core | {"fairdeal"}


EXTRAS = {"fast", "audit", "dask"}


@pytest.mark.parametrize("part", ["", "log", "mirror", "histories", "sources"])
def test_the_maps_of_the_audit_name_every_module(part: str) -> None:
    folder = ROOT / "fairdeal" / "audit" / part
    named = set(re.findall(r"``(\w+)/?``", (folder / "__init__.py").read_text(encoding="utf-8")))
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    parts = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert modules | parts == (named if part else named - EXTRAS)
