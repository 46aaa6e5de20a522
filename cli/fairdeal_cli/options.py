"""Option values into the core's values. A refusal names the option and the rule, never the value."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import typer

from fairdeal.encoding import parse_hex, parse_json
from fairdeal.errors import MalformedError
from fairdeal.note import Verifier
from fairdeal.seeds import SEED_SIZE, Contribution
from fairdeal.seen import Seen, SeenSeed, parse_seen, parse_seen_text
from fairdeal.terms import Terms, parse_terms
from fairdeal_cli.failures import SourceError
from fairdeal_cli.reading import read_file

_SEATED = re.compile(r"(0|[1-9][0-9]?)=(.*)", re.ASCII | re.DOTALL)
_OWN_SEED = re.compile(r"seed:(0|[1-9][0-9]?)=@(.+)", re.ASCII | re.DOTALL)
_BARE_HEX = re.compile(r"[0-9A-Fa-f]{60,68}", re.ASCII)


def refused(option: str, message: str) -> typer.BadParameter:
    """A usage error of one option."""
    return typer.BadParameter(message, param_hint=option)


def terms_from(text: str) -> Terms:
    """``--terms``: JSON, or ``@FILE`` with it. Every field must be there (protocol §1.4)."""
    data = _file("--terms", text[1:]) if text.startswith("@") else text
    try:
        return parse_terms(parse_json(data, "terms"))
    except MalformedError as error:
        raise refused("--terms", str(error)) from None


def hex_from(option: str, text: str, size: int = SEED_SIZE) -> bytes:
    """Hex of ``size`` bytes: itself, ``@FILE`` with it, or ``-`` for a line on standard input."""
    value = secret_text(option, text)
    try:
        return parse_hex(value, "value", size)
    except MalformedError as error:
        raise refused(option, error.rule) from None


def secret_text(option: str, text: str) -> str:
    """A value that need not stand on the command line, where others on the machine could read it."""
    if text == "-":
        return sys.stdin.readline(4096).strip()
    if text.startswith("@"):
        return _file(option, text[1:]).decode("utf-8", "replace").strip()
    return text


def contributions_from(texts: Iterable[str], terms: Terms) -> tuple[Contribution, ...]:
    """``--client-seed SEAT=HEX`` (or ``SEAT=@FILE``), in any sequence; ascending by seat (protocol §2.1)."""
    option = "--client-seed"
    found: dict[int, Contribution] = {}
    for text in texts:
        parts = _SEATED.fullmatch(text)
        if not parts:
            raise refused(option, "must be SEAT=HEX, such as 2=3f… with 64 hex digits")
        seat = int(parts[1])
        if seat >= terms.seats:
            raise refused(option, f"the terms have seats 0 to {terms.seats - 1}")
        if seat in found:
            raise refused(option, f"seat {seat} is given twice")
        found[seat] = Contribution(seat, hex_from(option, parts[2]))
    return tuple(found[seat] for seat in sorted(found))


def keys_from(texts: Iterable[str]) -> list[Verifier]:
    """``--key VKEY`` or ``@FILE`` with one verifier key a line."""
    option = "--key"
    keys = []
    for text in texts:
        lines = [text]
        if text.startswith("@"):
            lines = _file(option, text[1:]).decode("utf-8", "replace").split("\n")
            lines = [line.strip() for line in lines if line.strip()]
            if not lines:
                raise refused(option, "the file holds no key")
        try:
            keys += [Verifier.parse(line, "value") for line in lines]
        except MalformedError as error:
            raise refused(option, error.rule) from None
    return keys


def seen_from(texts: Iterable[str]) -> list[Seen]:
    """``--seen``: a commitment, ``seed:SEAT=HEX``, ``tiles:SEAT=R10,K1,J``, or a kept file."""
    found: list[Seen] = []
    for text in texts:
        found += _seen(text)
    return found


def _seen(text: str) -> list[Seen]:
    option = "--seen"
    from_file = _OWN_SEED.fullmatch(text)
    try:
        if from_file:
            return [SeenSeed(int(from_file[1]), hex_from(option, f"@{from_file[2]}"))]
        if text.startswith(("seed:", "tiles:")):
            return [_own(text)]
        if _BARE_HEX.fullmatch(text):
            return [parse_seen(text)]
        return parse_seen_text(_file(option, text).decode("utf-8"))
    except UnicodeDecodeError:
        raise refused(option, "the file is not UTF-8 text") from None
    except MalformedError as error:
        raise refused(option, str(error)) from None


def _own(text: str) -> Seen:
    kind = text.partition(":")[0]
    if not _SEATED.fullmatch(text.removeprefix(f"{kind}:")):
        rule = "seed:SEAT=HEX" if kind == "seed" else "tiles:SEAT=R10,K1,J"
        raise refused("--seen", f"must be {rule}")
    return parse_seen(text)


def _file(option: str, path: str) -> bytes:
    try:
        return read_file(path)
    except SourceError as error:
        # The path is not repeated: what stands there may be a seed whose prefix was forgotten.
        what = "there is no such file" if error.code == "missing" else "the file cannot be read"
        hint = ", and it is no commitment, seed:SEAT=HEX or tiles:SEAT=…" if option == "--seen" else ""
        raise refused(option, f"{what}{hint}") from None
