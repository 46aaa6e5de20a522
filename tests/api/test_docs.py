"""docs/api.md does what it says: its curl lines get the answers that stand below them from a real service."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import httpx2
from fairdeal_api.server import serving
from fairdeal_api.settings import Settings

STORES = ("sqlite",)

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def blocks() -> Iterator[tuple[str, str | None]]:
    """Each ``sh`` block with the answer that follows it, if one does."""
    text = PAGE.read_text(encoding="utf-8")
    for found in re.finditer(r"```sh\n(.*?)```\n(?:\n```\n(\d+\n.*?)```\n)?", text, re.DOTALL):
        yield found[1], found[2]


def run(line: str, http: httpx2.Client, variables: dict[str, str]) -> httpx2.Response:
    """What a curl line of the page does."""
    for name, value in variables.items():
        line = line.replace(f"${name}", value)
    words = shlex.split(line)
    assert words[:2] == ["curl", "-sS"]
    method, body, headers, url = "GET", None, {}, ""
    rest = iter(words[2:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-d":
            body = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        else:
            url = word
    return http.request(method, url, content=body, headers=headers)


def test_the_calls_of_the_page_get_the_answers_of_the_page(settings: Settings) -> None:
    ran = 0
    with serving(settings) as url, httpx2.Client() as http:
        variables = {"URL": url, "KEY": settings.operator_key_path.read_text().strip()}
        for commands, expected in blocks():
            for line in commands.replace("\\\n", " ").splitlines():
                answer = run(line, http, variables)
                assert answer.status_code == (int(expected.split("\n", 1)[0]) if expected else 200), (
                    answer.text
                )
                ran += 1
                if expected:
                    variables.setdefault("HAND", answer.json()["hand"])
                    said = expected.replace("$HAND", variables["HAND"])
                    stated = re.findall(r'"(?:hand|operator|table|state|outcome|number)": [^,…]+(?=,)', said)
                    assert len(stated) >= 2
                    for member in stated:
                        assert member.replace('": ', '":') in answer.text, member
    assert ran == 10
