"""The demo's hand, step by step: players, a game server, the service between them, a check at the end."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from fairdeal.client import Client, ClientError, Hand, Player
from fairdeal.entries import Commit, Lock
from fairdeal.errors import EvidenceError
from fairdeal.evidence import first
from fairdeal.note import Verifier
from fairdeal.openings import check_opening
from fairdeal.receipt import parse_receipt
from fairdeal.seeds import Contribution
from fairdeal.seen import Seen, SeenOpening, SeenReceipt, SeenSeed, SeenTiles
from fairdeal.tiles import name
from fairdeal.verify import Report, verify
from fairdeal_cli import itself, words
from fairdeal_cli.drawing.ink import Ink
from fairdeal_cli.failures import SourceError
from fairdeal_cli.fetch import fetch
from fairdeal_cli.report import show
from fairdeal_cli.tampering import cheats

SEATS = 4
ME = 2
"""The seat that keeps everything and verifies at the end."""

TERMS = {"game": "okey", "layout": "wall", "seats": SEATS, "dealer": "throw", "dice": 1, "openings": True}


class Play:
    """One hand through a running service, told as it goes.

    ``address`` is the service's, ``folder`` where seat 2's player keeps what it will verify with.
    """

    def __init__(self, console: Console, address: str, operator_key: str, folder: Path) -> None:
        self.console = console
        self.address = address
        self.folder = folder
        self.deals = Client(address, operator_key, timeout=30.0)
        self.hand = ""
        self.commitment = ""
        self.steps = 0

    def run(self) -> Report:
        """Play the hand, verify it as seat 2, and show what becomes of forgeries.

        Raises :class:`SourceError` where the service does not answer as it should, :class:`EvidenceError`
        where a player sees something that does not hold.
        """
        try:
            with self.deals:
                return self._play()
        except ClientError as error:
            raise SourceError("unreachable", str(error)) from None

    def _play(self) -> Report:
        self.folder.mkdir(mode=0o700)
        log_key = self._meet()
        players = [Player(seat) for seat in range(SEATS)]
        committed = self._commit(players)
        opened = self._open(players, _receipt(committed), log_key)
        locked = self._lock(opened)
        kept = self._prove_indicator(players[ME], locked)
        self._reveal()
        text = fetch(f"{self.address}/v1/hands/{self.hand}")
        kept.append(SeenTiles(ME, tuple(map(name, locked.tiles(ME)))))
        report = self._verify(text, log_key, kept)
        self._tamper(text, log_key, kept)
        return report

    def invite(self) -> None:
        """Say where the hand can be looked at, and how to verify it from another terminal."""
        self._step("Look for yourself")
        tiles = (self.folder / "tiles").read_text(encoding="ascii")
        seed = (self.folder / "seed").read_text(encoding="ascii").strip()
        page = f"{self.address}/verify/{self.hand}#commitment={self.commitment}&seed={ME}:{seed}"
        self._say(f"The verifier page, with the commitment and the seed that seat {ME} kept:")
        self.console.print(Text(f"    {page}", style="bold"), soft_wrap=True)
        self.console.print()
        called = itself.words()
        here = called[0] != itself.NAME and not Path(called[0]).is_absolute()
        self._say(f"From another terminal{', in this folder' if here else ''}, with what seat {ME} kept:")
        command = [
            [*called, "verify", f"{self.address}/verify/{self.hand}"],
            ["--key", f"@{self.folder / 'log.vkey'}"],
            ["--seen", f"{self.folder / 'commit-receipt.json'}"],
            ["--seen", f"{self.folder / 'openings.json'}"],
            ["--seen", f"seed:{ME}=@{self.folder / 'seed'}"],
            ["--seen", f"tiles:{ME}={tiles}"],
        ]
        lines = " \\\n      ".join(map(shlex.join, command))
        self.console.print(Text(f"    {lines}", style="bold"), soft_wrap=True)
        self.console.print()

    def _meet(self) -> Verifier:
        self._step("A service starts on an embedded database, with a log of its own")
        key = self.deals.log_key()
        self._keep("log.vkey", key.text() + "\n")
        self._say(self.address)
        self._say(f"log key {key.text()}")
        return key

    def _commit(self, players: Sequence[Player]) -> Hand:
        self._step("Four players draw seeds, keep them, and hand over their seals")
        for player in players:
            self._say(f"seat {player.seat}: {player.seal.seal.hex()}")
        self._step("The game server commits a hand; its own seed is fixed before it knows any other")
        committed = self.deals.commit("demo", terms=TERMS, seals=[player.seal for player in players])
        self.hand = committed.hand
        self.commitment = committed.commitment.hex()
        self._say(f"hand {self.hand}, number {committed.number} of its table")
        index = _receipt(committed)["entries"][0]["index"]
        self._say(f"commitment {committed.commitment.hex()}, logged as entry {index}")
        return committed

    def _open(
        self, players: Sequence[Player], receipt: dict[str, Any], log_key: Verifier
    ) -> list[Contribution]:
        self._step("Each player checks the commit receipt, keeps it, and only then opens its seed")
        opened = []
        for player in players:
            opened.append(player.open(receipt, log_key))
            self._good(f"seat {player.seat}: signed, in the log, and my seal is in it")
        self._keep("commit-receipt.json", json.dumps(players[ME].kept))
        self._keep("seed", players[ME].seed.hex() + "\n")
        return opened

    def _lock(self, opened: Sequence[Contribution]) -> Hand:
        self._step("The game server locks the hand with all seeds, and gets the deal for itself alone")
        locked = self.deals.deal(self.hand, opened)
        okey = (locked.deal or {}).get("okey", ())
        ink = Ink(self.console.options.ascii_only, wild=frozenset(okey))
        tiles = locked.tiles(ME)
        self._keep("tiles", ",".join(map(name, tiles)))
        self.console.print(
            Text.assemble(f"   seat {ME} is told its tiles:", *map(ink.tile, tiles)), soft_wrap=True
        )
        return locked

    def _prove_indicator(self, me: Player, locked: Hand) -> list[Seen]:
        self._step(f"While the hand is played, seat {ME} has the indicator proved to it")
        (opening,) = self.deals.openings(self.hand, ["indicator"])
        self._keep("openings.json", json.dumps({"openings": [opening.as_json()]}))
        entries = parse_receipt(_receipt(locked)).entries
        commit, lock = first(entries, Commit), first(entries, Lock)
        if commit is None or lock is None or me.kept is None:
            raise EvidenceError("no-lock", "the service answered without a lock receipt")
        check_opening(opening, commit, lock)
        self._good(f"it is {name(opening.tile)}, and the lock's root covers it; nothing else was given away")
        return [SeenReceipt(parse_receipt(me.kept)), SeenOpening(opening), SeenSeed(ME, me.seed)]

    def _reveal(self) -> None:
        self._step("The hand is over; the game server reveals its seed")
        revealed = self.deals.reveal(self.hand)
        self._say(f"server seed {(revealed.server_seed or b'').hex()}")

    def _verify(self, text: bytes, log_key: Verifier, kept: Sequence[Seen]) -> Report:
        self._step(f"Seat {ME} fetches the receipt and verifies it with all that it kept")
        self.console.print()
        report = verify(text, keys=[log_key], seen=kept)
        show(self.console, report, text, kept)
        return report

    def _tamper(self, text: bytes, log_key: Verifier, kept: Sequence[Seen]) -> None:
        self.console.print()
        self._step("And if somebody cheats? The same receipt with one lie in it each")
        for lie, false in cheats(json.loads(text)):
            report = verify(json.dumps(false), keys=[log_key], seen=kept)
            names = [c.name for c in report.checks if c.result == "fail"]
            failed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            line = (
                Text("   ").append(f"{lie}: ").append(report.verdict, "bold red" if failed else "bold yellow")
            )
            self.console.print(line.append(f" by {failed}" if failed else ""), soft_wrap=True)
            if report.cause not in (None, "unknown"):
                self._say(f"  {words.CAUSES[report.cause]}", style="dim")
        self.console.print()

    def _keep(self, file: str, text: str) -> None:
        path = self.folder / file
        path.touch(mode=0o600)
        path.write_text(text, encoding="ascii")

    def _step(self, said: str) -> None:
        self.steps += 1
        self.console.print(Text.assemble((f"{self.steps:>2} ", "bold cyan"), (said, "bold")), soft_wrap=True)

    def _say(self, said: str, style: str = "") -> None:
        self.console.print(Text(f"   {said}", style=style), soft_wrap=True)

    def _good(self, said: str) -> None:
        mark = "ok" if self.console.options.ascii_only else "✓"
        self.console.print(Text.assemble("   ", (mark, "green"), f" {said}"), soft_wrap=True)


def _receipt(hand: Hand) -> dict[str, Any]:
    """The receipt that came with a write's answer."""
    if hand.receipt is None:
        raise SourceError("unreachable", "the service answered without a receipt")
    return hand.receipt
