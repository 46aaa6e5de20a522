"""Every way to change one value of a JSON document: replaced, dropped, added, doubled, moved, at any depth.

``changes(document)`` walks the whole document, into entry texts too, and yields each changed copy with a
label that says what was done and where.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from fairdeal.encoding import canonical
from fairdeal.note import Signer, sign

Path = tuple[str | int, ...]
Change = tuple[str, Any]

STRANGER = Signer("log.example/stranger", bytes([9]) * 32)
ABSURD: tuple[Any, ...] = (None, False, 0, "", [], {})


def text_changes(text: str) -> Iterator[Change]:
    """Texts that differ in one character, or in length, or in case."""
    for at in sorted({0, len(text) // 2, len(text) - 1} - {-1}):
        if text:
            other = "1" if text[at] == "0" else "0"
            yield f"[{at}] changed", text[:at] + other + text[at + 1 :]
    yield "cut", text[:-1]
    yield "longer", text + "0"
    yield "with a line end", text + "\n"
    yield "in the other case", text.swapcase()


def leaf_changes(value: Any) -> Iterator[Change]:
    """Near misses of a single value, and values of every other type."""
    if isinstance(value, bool):
        yield "negated", not value
        yield "as a number", int(value)
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "one less", value - 1
        yield "as text", str(value)
        yield "as a truth value", bool(value)
        yield "replaced by null", None
        return
    if isinstance(value, str):
        yield from text_changes(value)
    for other in ABSURD:
        yield f"replaced by {other!r}", other


def list_changes(items: list[Any]) -> Iterator[Change]:
    """Items dropped, doubled, swapped with a neighbour, appended."""
    # Long lists are tiles, whose every place is changed by value anyway.
    for k in range(0, len(items), 1 if len(items) < 24 else 11):
        yield f"without [{k}]", items[:k] + items[k + 1 :]
        yield f"with [{k}] twice", items[: k + 1] + items[k:]
        if k:
            yield f"with [{k}] moved forward", [*items[: k - 1], items[k], items[k - 1], *items[k + 1 :]]
    yield "with null appended", [*items, None]
    yield "with a list appended", [*items, []]
    yield "reversed", items[::-1]
    yield "emptied", []


def object_changes(members: dict[str, Any]) -> Iterator[Change]:
    """Members dropped, added, or with their values swapped."""
    names = list(members)
    for name in names:
        yield f"without {name}", {k: v for k, v in members.items() if k != name}
    yield "with another member", members | {"x": None}
    for one, other in pairwise(names):
        yield f"with {one} and {other} swapped", members | {one: members[other], other: members[one]}


def changes(value: Any, path: str = "") -> Iterator[Change]:
    """Every change of one value, at any depth."""
    for what, other in leaf_changes(value):
        yield f"{path} {what}", other
    if isinstance(value, list):
        for what, other in list_changes(value):
            yield f"{path} {what}", other
        for k, item in enumerate(value):
            found = changes(item, f"{path}[{k}]")
            if isinstance(item, int) and k % 12:
                # Tiles and dice by the hundred: one change each, and every kind of change for one in twelve.
                found = islice(found, 1)
            for what, other in found:
                yield what, [*value[:k], other, *value[k + 1 :]]
    elif isinstance(value, dict):
        for what, other in object_changes(value):
            yield f"{path} {what}", other
        for name, item in value.items():
            for what, other in changes(item, f"{path}.{name}"):
                yield what, value | {name: other}
    elif isinstance(value, str) and value.startswith("{"):
        # An entry's text: change what it says and keep it in its exact form.
        for what, other in changes(json.loads(value), f"{path}»"):
            yield what, canonical(other).decode()
    elif isinstance(value, str) and "\n" in value:
        yield from note_changes(value, path)


def note_changes(note: str, path: str) -> Iterator[Change]:
    """A checkpoint with lines changed, dropped, doubled, added; or signed by somebody else."""
    lines = note.splitlines(keepends=True)
    for what, other in list_changes(list(lines)):
        if all(isinstance(line, str) for line in other):
            yield f"{path} lines {what}", "".join(other)
    for k, line in enumerate(lines):
        for what, other in text_changes(line.rstrip("\n")):
            yield f"{path} line {k} {what}", "".join([*lines[:k], other + "\n", *lines[k + 1 :]])
    text = note[: note.index("\n\n") + 1]
    yield f"{path} signed by a stranger", sign(text, [STRANGER])
    yield (
        f"{path} signed under its own name by a stranger",
        sign(text, [Signer(lines[0].strip(), STRANGER.seed)]),
    )


def changed_documents(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Labels and texts of all changed copies of a document that differ from it."""
    seen = {json.dumps(document, sort_keys=True)}
    for what, other in changes(document):
        text = json.dumps(other, sort_keys=True)
        if text not in seen:
            seen.add(text)
            yield what, text
