"""README.md and docs/cli.md say what the command line does: commands, options, output.

After a change of the command line, ``python -m tests.cli.documents`` writes what they show anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.documents import BLOCK, PAGE, README, command_lines, commands, help_block, renewed
from tests.cli.running import Terminal


def test_readme_lists_the_commands_that_there_are() -> None:
    found = BLOCK.search(README.read_text(encoding="utf-8"))
    assert found, "README.md has no <!-- help:begin --> … <!-- help:end -->"
    assert found[0] == help_block()


def test_help_lists_the_same(fairdeal: Terminal) -> None:
    ran = fairdeal("--help")
    assert (ran.code, ran.err) == (0, "")
    for word, command in commands().items():
        if " " not in word:
            assert re.search(rf"│ {word} +{re.escape(command.help.splitlines()[0])} +│", ran.out)


@pytest.mark.parametrize("page", [README, PAGE], ids=lambda page: page.name)
def test_every_command_line_shown_exists(page: Path) -> None:
    known = commands()
    shown = list(command_lines(page.read_text(encoding="utf-8")))
    assert shown
    for words in shown:
        name = " ".join(words[:2]) if " ".join(words[:2]) in known else words[0]
        if name.startswith("-"):
            continue
        assert name in known, f"fairdeal {name}"
        options = {option for param in known[name].params for option in param.opts} | {"--help", "-h"}
        for word in words[1:]:
            if word.startswith("--"):
                assert word.partition("=")[0] in options, f"fairdeal {name} {word}"


@pytest.mark.parametrize("name", commands())
def test_help_of_every_command_names_its_options_and_has_an_example(fairdeal: Terminal, name: str) -> None:
    ran = fairdeal(*name.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    command = commands()[name]
    for param in command.params:
        for option in param.opts:
            assert option.removeprefix("--") in ran.out or param.metavar in ran.out
    if " " not in name:
        assert re.search(rf"^   (\S+=\S+ )?fairdeal {name}", ran.out, re.MULTILINE)
    text = "\n".join(line.strip() for line in ran.out.splitlines()).replace("\\\n", " ")
    examples = [line for line in text.splitlines() if line.startswith("fairdeal ")]
    for line in command_lines("\n".join(["```sh", *examples, "```"])):
        assert line[0] in commands()


def test_examples_fit_a_terminal_of_80_columns() -> None:
    for command in commands().values():
        for line in (command.epilog or "").splitlines():
            assert len(line) <= 78


def test_the_pages_transcripts_are_what_is_printed() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page


def test_the_version(fairdeal: Terminal) -> None:
    ran = fairdeal("--version")
    assert ran.code == 0
    assert re.fullmatch(r"fairdeal \d+\.\d+\.\d+\n", ran.out)


def test_without_a_command_there_is_help(fairdeal: Terminal) -> None:
    ran = fairdeal()
    assert ran.code == 2
    assert "Commands" in ran.out + ran.err
    assert "Error" not in ran.err


def test_the_help_of_every_command_reads_as_usual(fairdeal: Terminal) -> None:
    for words in ("", *commands()):
        shown = fairdeal(*words.split(), "--help")
        assert shown.code == 0
        told = next(line for line in shown.out.splitlines() if "--help" in line and "-h" in line)
        assert "<bool>" not in shown.out, words
        assert "Show this message and exit." in told
        usage = next(line for line in shown.out.splitlines() if "Usage:" in line)
        assert not set("{}") & set(usage), words
        assert "[[" not in usage, words
    assert "fairdeal audit [OPTIONS] SOURCE…" in " ".join(fairdeal("audit", "--help").out.split())
    assert "Usage: fairdeal log mirror [OPTIONS] URL DIR" in fairdeal("log", "mirror", "only").err
