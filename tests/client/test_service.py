"""Both clients against a real service: a whole hand, every refusal that they name, lists, and repeats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest
from fairdeal_api import operators
from fairdeal_api.server import prepare, serving
from fairdeal_api.settings import Settings

from fairdeal import client as api
from fairdeal.client import AsyncClient, Client, NewHand, Player, Retry
from fairdeal.encoding import canonical
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.note import Signer, Verifier
from fairdeal.openings import check_opening
from fairdeal.receipt import parse_receipt
from fairdeal.seeds import Contribution
from fairdeal.seen import Seen, SeenReceipt, SeenSeed
from fairdeal.verify import verify
from tests import coroutines

TERMS = {"dealer": 0, "openings": True}


@dataclass(frozen=True)
class Served:
    address: str
    key: str
    other_key: str
    log_key: Verifier


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = Settings(data=tmp_path_factory.mktemp("client") / "data")
    started = prepare(settings)
    other = operators.add(settings, "other")
    with serving(settings) as address:
        key = started.operator_key_file.read_text().strip()
        yield Served(address, key, other, Verifier.parse(started.vkey))


@pytest.fixture
def deals(served: Served) -> Iterator[Client]:
    with Client(served.address, served.key) as client:
        yield client


def test_a_whole_hand_is_proved_to_a_player(served: Served, deals: Client) -> None:
    players = [Player(seat) for seat in (0, 2)]
    log_key = deals.log_key()
    assert log_key == served.log_key
    hand = deals.commit("salon:1", terms=TERMS, seals=[p.seal for p in players], note=bytes(32))
    assert (hand.state, hand.number, hand.deal, hand.server_seed) == ("committed", 1, None, None)
    assert hand.terms.as_json()["game"] == "okey"
    assert hand.receipt is not None
    seeds = [player.open(hand.receipt, log_key) for player in players]
    dealt = deals.deal(hand.hand, list(reversed(seeds)), reveal_within=600)
    assert sorted(len(dealt.tiles(seat)) for seat in range(4)) == [14, 14, 14, 15]
    (opening,) = deals.openings(hand.hand, ["indicator"])
    entries = [item.content for item in parse_receipt(dealt.receipt).entries]
    check_opening(opening, entries[0], entries[1])  # type: ignore[arg-type]  # a commit and a lock, as asked for
    ended = deals.reveal(hand.hand, following=NewHand(terms={"dealer": "next"}, lock_within=120))
    assert (ended.state, ended.outcome, ended.server_seed is None) == ("revealed", "played", False)
    assert ended.next is not None
    assert (ended.next.number, ended.next.terms.as_json()["dealer"]) == (2, 1)
    kept = players[1].kept
    assert kept is not None
    seen: list[Seen] = [SeenReceipt(parse_receipt(kept)), SeenSeed(2, players[1].seed)]
    report = verify(canonical(deals.receipt(hand.hand)), keys=[log_key], seen=seen)
    assert (report.verdict, report.grinding) == ("verified", "nobody")
    assert deals.hand(hand.hand).deal == ended.deal
    assert deals.checkpoint().startswith(log_key.name + "\n")
    assert deals.void(ended.next.hand, "table-closed").reason == "table-closed"


def test_seeds_and_deal_stay_out_of_reprs(deals: Client) -> None:
    player = Player(1)
    hand = deals.commit("secret", seals=[player.seal])
    assert hand.receipt is not None
    dealt = deals.deal(hand.hand, [player.open(hand.receipt, deals.log_key())])
    text = repr((player, hand, dealt))
    assert player.seed.hex() not in text
    assert repr(player.seed) not in text
    assert str(dealt.tiles(0))[1:-1] not in text


def test_a_player_opens_only_against_a_logged_commit_with_its_seal(deals: Client) -> None:
    player, stranger = Player(0), Player(0)
    hand = deals.commit("honest", seals=[player.seal])
    assert hand.receipt is not None
    log_key = deals.log_key()
    own = Signer(log_key.name, bytes(32)).verifier
    for receipt, key, who in (
        (hand.receipt, log_key, stranger),
        (hand.receipt, own, player),
        ({**hand.receipt, "entries": []}, log_key, player),
        (deals.deal(hand.hand, [player.open(hand.receipt, log_key)]).receipt, log_key, player),
    ):
        with pytest.raises(EvidenceError) as refused:
            who.open(receipt or {}, key)
        assert refused.value.code == "not-committed"
    assert stranger.kept is None
    with pytest.raises(MalformedError):
        player.open({}, log_key)


def test_every_refusal_is_an_error_of_its_own(served: Served, deals: Client) -> None:
    used = Player(0)
    first = deals.commit("refusals", seals=[used.seal])
    second = deals.commit("refusals")
    with Client(served.address, served.other_key) as other, Client(served.address) as nobody:
        with pytest.raises(api.NotYoursError):
            other.deal(second.hand)
        with pytest.raises(api.UnauthorizedError):
            nobody.commit("refusals")
        assert nobody.hand(first.hand).number == 1
    with pytest.raises(api.SealUsedError):
        deals.commit("refusals", seals=[used.seal])
    with pytest.raises(api.SealsUnopenedError) as unopened:
        deals.deal(first.hand)
    assert unopened.value.seats == [0]
    with pytest.raises(api.SealMismatchError) as mismatch:
        deals.deal(first.hand, [Contribution(0, bytes(32))])
    assert mismatch.value.seats == [0]
    with pytest.raises(api.OutOfOrderError) as waiting:
        deals.deal(second.hand)
    assert waiting.value.waiting == first.hand
    with pytest.raises(api.NotLockedError):
        deals.reveal(first.hand)
    deals.void(first.hand, "seat-silent")
    with pytest.raises(api.EndedError) as ended:
        deals.deal(first.hand)
    assert (ended.value.outcome, ended.value.reason) == ("void", "seat-silent")
    with pytest.raises(api.NotFoundError):
        deals.hand("00" * 16)
    with pytest.raises(api.InvalidError) as invalid:
        deals.commit("no table name")
    assert invalid.value.errors[0]["field"] == "table"
    with pytest.raises(api.ProblemError) as plain:
        deals.openings(deals.deal(second.hand).hand, ["indicator"])
    assert (plain.value.code, plain.value.status) == ("no_openings", 409)
    for path in ("../../metrics", "zz" * 16):
        with pytest.raises(MalformedError):
            deals.hand(path)


def test_commits_are_repeated_under_their_key(deals: Client) -> None:
    key = api.new_idempotency_key()
    first = deals.commit("keyed", idempotency_key=key)
    assert deals.commit("keyed", idempotency_key=key) == first
    with pytest.raises(api.MismatchError):
        deals.commit("keyed", lock_within=60, idempotency_key=key)
    batch = deals.commit_batch([NewHand("keyed"), NewHand("keyed:2")])
    assert [(hand.table, hand.number) for hand in batch] == [("keyed", 2), ("keyed:2", 1)]
    with pytest.raises(KeyError):
        first.tiles(0)


def test_lists_are_read_to_their_end(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.gameserver, "PAGE", 3)
    with Client(served.address, served.other_key) as deals:
        hands = deals.commit_batch([NewHand("listed")] * 7)
        deals.void(hands[0].hand, "technical")
        assert [hand.hand for hand in deals.open_hands()] == [hand.hand for hand in hands[1:]]
        listed = list(deals.table_hands("other", "listed"))
        assert [item.number for item in listed] == list(range(1, 8))
        assert (listed[0].outcome, listed[0].state, listed[1].outcome) == ("void", "revealed", None)
        assert [item.number for item in deals.table_hands("other", "listed", after=5)] == [6, 7]


def test_the_asynchronous_client_does_the_same(served: Served) -> None:
    async def play() -> None:
        async with AsyncClient(served.address, served.key) as deals:
            player, log_key = Player(3), await deals.log_key()
            hand = await deals.commit("async", seals=[player.seal], terms=TERMS)
            assert hand.receipt is not None
            await deals.deal(hand.hand, [player.open(hand.receipt, log_key)])
            assert len(await deals.openings(hand.hand, ["indicator", "stock/0"])) == 2
            ended = await deals.reveal(hand.hand, following=NewHand())
            assert ended.next is not None
            assert [h.hand async for h in deals.open_hands() if h.table == "async"] == [ended.next.hand]
            await deals.void(ended.next.hand, "technical")
            assert [s.number async for s in deals.table_hands("operator", "async")] == [1, 2]
            assert verify(canonical(await deals.receipt(hand.hand)), keys=[log_key]).verdict == "consistent"
            assert (await deals.hand(hand.hand)).server_seed == ended.server_seed
            assert (await deals.checkpoint()).startswith(log_key.name)
            batch = await deals.commit_batch([NewHand("async")] * 2)
            assert [h.number for h in batch] == [3, 4]

    coroutines.run(play())


def test_a_service_that_is_not_there(served: Served) -> None:
    waits: list[float] = []
    retry = Retry(attempts=3)
    with (
        Client("http://127.0.0.1:9", served.key, retry=retry, sleep=waits.append) as deals,
        pytest.raises(api.UnreachableError) as lost,
    ):
        deals.commit("t", idempotency_key="mine")
    assert (lost.value.idempotency_key, len(waits)) == ("mine", 2)
    assert served.key not in str(lost.value)

    async def nobody() -> None:
        async def sleep(_: float) -> None:
            waits.append(_)

        async with AsyncClient("http://127.0.0.1:9", retry=retry, sleep=sleep) as deals:
            await deals.hand("00" * 16)

    with pytest.raises(api.UnreachableError):
        coroutines.run(nobody())
    assert len(waits) == 4


def test_an_answer_lost_on_the_way_is_asked_for_again(served: Served) -> None:
    """The first answer to each write is thrown away after the service has given it."""
    lost: set[tuple[str, str]] = set()

    class Losing(httpx2.HTTPTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            response = super().handle_request(request)
            response.read()
            call = request.method, str(request.url)
            if request.method == "POST" and call not in lost:
                lost.add(call)
                raise httpx2.ReadError("cut")
            return response

    with Client(served.address, served.key, transport=Losing(), sleep=lambda _: None) as deals:
        hand = deals.commit("cut")
        deals.deal(hand.hand)
        ended = deals.reveal(hand.hand, following=NewHand())
        assert ended.next is not None
        deals.void(ended.next.hand, "technical")
        assert [item.number for item in deals.table_hands("operator", "cut")] == [1, 2]
    assert len(lost) == 4
