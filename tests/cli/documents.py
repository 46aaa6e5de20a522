"""What README.md and docs/cli.md show of the command line, taken from it to be compared or renewed.

    python -m tests.cli.documents          # write both anew

README.md holds the list of commands between two marks. In docs/cli.md the ``$ fairdeal …`` line of each
``console`` block is followed by what it prints, from a folder with the files of :func:`prepare`.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairdeal_cli.commands import app
from typer.main import get_command

from fairdeal.tiles import name
from tests.cli.running import spawn
from tests.dealer import OPENED, Dealer

ROOT = Path(__file__).parents[2]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "cli.md"

BLOCK = re.compile(r"(?<=<!-- help:begin -->\n)(.*?)(?=<!-- help:end -->)", re.DOTALL)
FENCE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCED = re.compile(r"^```(?:sh|console|bash|text|)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHOWN = "…"
"""A line that stands for those left out, in a page's output."""


def commands() -> dict[str, Any]:
    """Every command by its full name without ``fairdeal``, such as ``operator add``, in help's sequence."""
    found: dict[str, Any] = {}

    def walk(group: Any, path: tuple[str, ...]) -> None:
        for word, command in group.commands.items():
            found[" ".join((*path, word))] = command
            if hasattr(command, "commands"):
                walk(command, (*path, word))

    walk(get_command(app), ())
    return found


def help_block() -> str:
    """The list of commands with their one-line help, as README.md holds it."""
    rows = [(word, command.help.splitlines()[0]) for word, command in commands().items() if " " not in word]
    width = max(len(word) for word, _ in rows)
    lines = [f"fairdeal {word:<{width}}  {said}" for word, said in rows]
    return "\n".join(["```text", *lines, "```", ""])


def command_lines(text: str) -> Iterator[list[str]]:
    """Every ``fairdeal`` command line in the fenced blocks of a page, in words."""
    for fence in FENCED.findall(text):
        for line in fence.replace("\\\n", " ").splitlines():
            for part in re.split(r"[|&;]", line.removeprefix("$ ").partition(" # ")[0]):
                words = shlex.split(part.strip()) if "fairdeal " in part else []
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words = words[1:]
                if words and words[0] == "fairdeal":
                    yield words[1:]


def prepare(folder: Path) -> None:
    """The files that the commands of docs/cli.md work on; the same ones every time."""
    dealer = Dealer(2024)
    hand = dealer.play(OPENED, sealed=(0, 1, 2, 3))
    receipt = dealer.receipt(hand).as_json()
    vectors = json.loads((ROOT / "tests" / "vectors" / "deal.json").read_text(encoding="utf-8"))
    case = vectors["cases"][0]
    bent = json.loads(json.dumps(receipt))
    hands = bent["deal"]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    files = {
        "terms.json": json.dumps(case["terms"]),
        "seed.txt": case["server_seed"],
        "receipt.json": json.dumps(receipt),
        "commit-receipt.json": json.dumps(dealer.receipt(hand, upto="commit", size=1).as_json()),
        "log.vkey": dealer.log.signer.verifier.text(),
        "mine.txt": hand.client_seeds[2].hex(),
        "tiles.txt": ",".join(map(name, receipt["deal"]["hands"][2])),
        "bent.json": json.dumps(bent),
    }
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")


def renewed(page: str) -> str:
    """docs/cli.md with every console block's output taken anew.

    A block whose output ends with :data:`SHOWN` keeps its length: only what stands before is renewed.
    """
    with tempfile.TemporaryDirectory() as name_:
        folder = Path(name_)
        prepare(folder)
        return FENCE.sub(lambda found: f"```console\n{_transcript(found[1], folder)}```", page)


def _transcript(block: str, folder: Path) -> str:
    command, _, shown = re.sub(r"\\\n", "\\\\\0", block).partition("\n")
    command = command.replace("\0", "\n")
    words = shlex.split(command.removeprefix("$ ").replace("\\\n", " "))
    ran = spawn(*words[1:], environment={"COLUMNS": "80"}, folder=folder)
    lines = [line.rstrip() for line in (ran.out + ran.err).splitlines()]
    if shown.rstrip().endswith(SHOWN):
        lines = [*lines[: len(shown.rstrip().splitlines()) - 1], SHOWN]
    return "\n".join([command, *lines, ""])


def main() -> None:
    """Write both pages anew."""
    readme = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda _: help_block(), readme), encoding="utf-8")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
