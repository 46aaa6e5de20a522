"""What a client makes of answers and failures, without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import httpx2
import pytest
from fairdeal_api.examples import examples
from fairdeal_api.problems import CODES, document

from fairdeal import client as api
from fairdeal.client import Client, Retry, calls, reading
from fairdeal.client.talk import Answer, problem, talk
from fairdeal.errors import MalformedError, UsageError

HAND = "00" * 16


def scripted(
    *answers: Callable[[], httpx2.Response] | httpx2.Response,
) -> tuple[Client, list[float], list[Any]]:
    """A client whose service gives these answers, the pauses it makes, and the requests it sends."""
    left = list(answers)
    waits: list[float] = []
    sent: list[Any] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        answer = left.pop(0)
        return answer() if callable(answer) else answer

    made = Client("http://service/", "fdk_secret", transport=httpx2.MockTransport(handle), sleep=waits.append)
    return made, waits, sent


def refusal(code: str, **headers: str) -> httpx2.Response:
    kind = CODES[code]
    body = json.dumps(document(code, kind.meaning))
    return httpx2.Response(
        kind.status,
        content=body,
        headers={
            "Content-Type": "application/problem+json",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        },
    )


def good() -> httpx2.Response:
    return httpx2.Response(200, json=examples()["hand"])


def cut() -> httpx2.Response:
    raise httpx2.ReadError("cut")


@pytest.mark.parametrize("code", ["busy", "unavailable", "internal", "rate_limited"])
def test_what_may_pass_is_tried_again(code: str) -> None:
    deals, waits, sent = scripted(refusal(code), cut, httpx2.Response(502, text="bad gateway"), good())
    assert deals.hand(HAND).state == "revealed"
    assert len(sent) == 4
    assert [0 < wait <= 0.1 * 2**k for k, wait in enumerate(waits)] == [True] * 3


def test_what_cannot_pass_is_told_at_once() -> None:
    for code, kind in CODES.items():
        if kind.status in (429, 500, 503):
            continue
        deals, waits, sent = scripted(refusal(code))
        with pytest.raises(api.ProblemError) as refused:
            deals.hand(HAND)
        assert (refused.value.code, refused.value.status, waits, len(sent)) == (code, kind.status, [], 1)


def test_retry_after_is_waited_for_within_patience() -> None:
    for said, waited in (("2", 2.0), ("3600", 10.0), ("soon", 0.0), ("-1", 0.0), ("", 0.0)):
        deals, waits, _ = scripted(refusal("busy", Retry_After=said), good())
        deals.hand(HAND)
        assert waits[0] == waited if waited else 0.05 <= waits[0] <= 0.1


def test_repeats_end() -> None:
    deals, waits, _ = scripted(*[refusal("busy")] * 6)
    with pytest.raises(api.UnavailableError):
        deals.hand(HAND)
    assert len(waits) == 5
    deals, waits, _ = scripted(*[cut] * 6)
    with pytest.raises(api.UnreachableError, match="ReadError"):
        deals.hand(HAND)
    turns = talk(calls.read_hand(HAND), Retry(attempts=1))
    next(turns)
    with pytest.raises(api.UnreachableError, match="nothing was sent"):
        turns.send(None)


def test_every_try_of_a_commit_has_the_same_key() -> None:
    deals, _, sent = scripted(cut, httpx2.Response(201, json=examples()["commit"]))
    deals.commit("t")
    keys = [request.headers["Idempotency-Key"] for request in sent]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert sent[0].headers["Authorization"] == "Bearer fdk_secret"
    assert str(sent[0].url) == "http://service/v1/hands"


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(404, text="<html>"),
        httpx2.Response(302, headers={"Location": "http://elsewhere/"}),
        httpx2.Response(404, content=b"{", headers={"Content-Type": "application/problem+json"}),
        httpx2.Response(404, json=["code"], headers={"Content-Type": "application/problem+json"}),
        httpx2.Response(404, json={"code": 1}, headers={"Content-Type": "application/problem+json"}),
        httpx2.Response(200, text="<html>"),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, json={}),
    ],
)
def test_what_is_no_service_is_told_from_a_refusal(answer: httpx2.Response) -> None:
    deals, _, _ = scripted(answer)
    with pytest.raises(api.AnswerError):
        deals.hand(HAND)


def test_text_that_is_none() -> None:
    deals, _, _ = scripted(httpx2.Response(200, content=b"\xff"), httpx2.Response(200, text="no key\n"))
    for _ in range(2):
        with pytest.raises(api.AnswerError):
            deals.log_key()


def test_an_unknown_code_is_still_a_problem() -> None:
    body = {"code": "new_code", "detail": "d", "more": 1}
    found = problem(Answer(409, "application/problem+json", json.dumps(body).encode()))
    assert type(found) is api.ProblemError
    assert (found.code, found.members, str(found)) == ("new_code", {"more": 1}, "new_code: d")


def test_every_member_of_a_hand_is_checked() -> None:
    whole = deepcopy(examples()["reveal"])
    assert reading.read_hand(whole).receipt is not None
    for name in whole:
        tried: tuple[Any, ...] = ("absent", 1.5, [], "zz")
        for bent in tried:
            if name in ("operator", "table", "outcome", "reason") and bent == "zz":
                continue
            if name in ("seals", "contributions") and bent == []:
                continue
            answer = {**whole, name: bent}
            if bent == "absent":
                del answer[name]
                if name in ("receipt", "next"):
                    continue
            with pytest.raises(MalformedError):
                reading.read_hand(answer)


def test_every_member_of_a_summary_is_checked() -> None:
    item = {
        "hand": HAND, "number": 1, "state": "locked", "game": "okey", "committed_at": 1, "locked_at": 2,
        "revealed_at": None, "outcome": None, "reason": None,
    }  # fmt: skip
    assert reading.read_summaries({"hands": [item], "next": 4}).next == 4
    for name in item:
        with pytest.raises(MalformedError):
            reading.read_summaries({"hands": [{k: v for k, v in item.items() if k != name}], "next": None})
    tried: tuple[Any, ...] = (
        {"hands": [item]},
        {"hands": [item], "next": "4"},
        {"hands": {}, "next": None},
        {"next": None},
    )
    for wrong in tried:
        with pytest.raises(MalformedError):
            reading.read_summaries(wrong)


def test_an_address_must_be_one() -> None:
    for address in ("deals.example", "ftp://deals.example", ""):
        with pytest.raises(UsageError):
            Client(address, "fdk_x")


def test_what_an_operator_or_table_is_called_leads_nowhere_else() -> None:
    for operator, table in (("..", "t"), ("o", "../.."), ("o", "a?b"), ("o/p", "t")):
        with pytest.raises(MalformedError):
            calls.table_hands(operator, table, 0, 1)
