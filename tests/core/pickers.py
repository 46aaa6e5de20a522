"""Draws that a test chooses, in place of those that a deal key gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Recorded:
    """A picker with the answers given by label; ``default`` where a label has none. Keeps what was asked."""

    answers: Mapping[str, int] = field(default_factory=dict)
    default: int | None = None
    asked: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, label: str, m: int) -> int:
        self.asked.append((label, m))
        answer = self.answers.get(label, self.default)
        assert answer is not None, f"no answer for {label}"
        assert 0 <= answer < m
        return answer


def dice(*values: int) -> Recorded:
    """A picker that throws these dice at the wall, one after another."""
    return Recorded({f"die:{k}": value - 1 for k, value in enumerate(values)})


def with_tiles(placed: Mapping[int, int], size: int = 106) -> Sequence[int]:
    """An order that has the given tiles at the given positions, the others moved as little as possible."""
    order = list(range(size))
    for position, tile in placed.items():
        other = order.index(tile)
        order[position], order[other] = order[other], order[position]
    return order
