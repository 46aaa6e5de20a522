"""Rectangles of text that can be set side by side: what pictures are put together from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.text import Text

Align = Literal["left", "centre", "right"]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are all ``width`` columns wide."""

    width: int
    lines: tuple[Text, ...]

    @property
    def height(self) -> int:
        """Number of lines."""
        return len(self.lines)


def block(lines: Iterable[Text | str], align: Align = "left", width: int = 0) -> Block:
    """A block of lines, each padded to the widest, or to ``width`` where that is more."""
    texts = [Text(line) if isinstance(line, str) else line for line in lines]
    width = max([width, *(text.cell_len for text in texts)])
    return Block(width, tuple(_pad(text, width, align) for text in texts))


def beside(blocks: Sequence[Block], gap: int = 2) -> Block:
    """Blocks set side by side, each centred in height."""
    height = max(b.height for b in blocks)
    columns = [_centred(b, height) for b in blocks]
    space = Text(" " * gap)
    lines = tuple(space.join(row) for row in zip(*columns, strict=True))
    return Block(sum(b.width for b in blocks) + gap * (len(blocks) - 1), lines)


def above(blocks: Sequence[Block], align: Align = "centre") -> Block:
    """Blocks set one above the other."""
    return block((line for b in blocks for line in b.lines), align)


def _centred(part: Block, height: int) -> list[Text]:
    over = (height - part.height) // 2
    under = height - part.height - over
    empty = Text(" " * part.width)
    return [*(empty for _ in range(over)), *part.lines, *(empty for _ in range(under))]


def _pad(text: Text, width: int, align: Align) -> Text:
    missing = width - text.cell_len
    left = {"left": 0, "centre": missing // 2, "right": missing}[align]
    return Text.assemble(" " * left, text, " " * (missing - left))
