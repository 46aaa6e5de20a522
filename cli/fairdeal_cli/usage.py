"""How commands show what they take: `SOURCE` as everywhere, and no value where an option takes none.

Typer writes `{SOURCE}` and `--help <bool>`. A class of one's own for commands and groups is its way to
change that.
"""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

_BRACED = re.compile(r"\{(.*?)\}(?:\.\.\.)?")


class Command(TyperCommand):
    """A command whose help reads as usual."""

    def get_help_option(self, ctx: Any) -> Any:
        """``--help``, which takes no value."""
        return _without_value(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line's words after the command's name."""
        return [_BRACED.sub(r"\1", piece) for piece in super().collect_usage_pieces(ctx)]


class Group(TyperGroup):
    """A group of commands whose help reads as usual."""

    def get_help_option(self, ctx: Any) -> Any:
        """``--help``, which takes no value."""
        return _without_value(super().get_help_option(ctx))


def _without_value(option: Any) -> Any:
    if option is not None:
        option.metavar = ""
    return option
