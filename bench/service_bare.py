"""What the service is measured against: the best that this machine does without the service's own work.

``python bench/service_bare.py PORT`` serves one async FastAPI endpoint on the service's own uvicorn, which
parses the same body into the same model and answers a constant. :func:`batch_loop` is the work of
`/v1/hands/batch` that nothing can do without: seed, encryption, canonical entry, leaf, the answer's JSON.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable
from json.encoder import encode_basestring_ascii as quote

import uvicorn
from fairdeal_api.hands import terms_text
from fairdeal_api.protocol import PatientProtocol
from fairdeal_api.schemas import CommitRequest
from fairdeal_api.vault import Vault
from fastapi import FastAPI
from starlette.responses import Response

from fairdeal.commitform import CommitForm
from fairdeal.entries import Commit
from fairdeal.merkle import leaf_hash
from fairdeal.seeds import commitment
from fairdeal.terms import OkeyTerms

HOUR = 3_600_000
TERMS = OkeyTerms("okey", "wall", 4, "throw", 1, openings=False)
PROOF = ",".join([f'"{"A" * 43}="'] * 20)
CHECKPOINT = quote("log.example/okey\n1000000\n" + "A" * 43 + "=\n\n— log.example/okey " + "A" * 92 + "\n")
VKEY = quote("log.example/okey+00000000+" + "A" * 44)


def bare_app() -> FastAPI:
    """One endpoint; nothing behind it."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    answer = b'{"ok":true}'

    @app.post("/v1/hands")
    async def commit(body: CommitRequest) -> Response:
        return Response(answer, 201 if body.table else 400, media_type="application/json")

    return app


Form = Callable[[int, int, bytes, bytes], bytes]
"""(at, number, hand, commitment) → the entry's canonical form."""


def batch_loop(seconds: float, *, shared: bool = False) -> float:
    """Hands a second in a bare loop, without database and without HTTP.

    Each entry is formed by itself; with ``shared``, what a hundred have in common is formed once, as the
    service does it.
    """
    vault = Vault([secrets.token_bytes(32)])
    count, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        form = filled_in() if shared else alone
        for number in range(100):
            one_hand(vault, number, form)
        count += 100
    return count / spent


def alone(at: int, number: int, hand: bytes, committed: bytes) -> bytes:
    """An entry formed by itself."""
    return Commit(at, "operator", "salon:1", number, hand, TERMS, committed, (), None, at + HOUR).encode()


def filled_in() -> Form:
    """Entries of one moment, formed but for what is each hand's own."""
    now = time.time_ns() // 1_000_000
    form = CommitForm(now, "operator", TERMS, None, now + HOUR)
    return lambda _, number, hand, committed: form.fill("salon:1", number, hand, committed)


def one_hand(vault: Vault, number: int, form: Form) -> tuple[bytes, str]:
    """A hand's leaf and the answer's text."""
    hand, seed = secrets.token_bytes(16), secrets.token_bytes(32)
    wrapped, committed, at = vault.wrap(hand, seed), commitment(seed), time.time_ns() // 1_000_000
    entry = form(at, number, hand, committed)
    leaf = leaf_hash(entry)
    answer = (
        f'{{"hand":"{hand.hex()}","operator":"operator","table":"salon:1","number":{number},"state":"committed",'
        f'"terms":{terms_text(TERMS)},"commitment":"{committed.hex()}","seals":[],"note":null,"committed_at":{at},'
        f'"lock_by":{at + HOUR},"locked_at":null,"reveal_by":null,"contributions":null,"revealed_at":null,'
        f'"outcome":null,"reason":null,"server_seed":null,"deal":null,'
        f'"receipt":{{"format":"fairdeal/1 receipt",'
        f'"vkey":{VKEY},"checkpoint":{CHECKPOINT},"entries":[{{"index":{number},"entry":{quote(entry.decode())},'
        f'"proof":[{PROOF}]}}],"deal":null}}}}'
    )
    return leaf + wrapped, answer


if __name__ == "__main__":
    uvicorn.run(
        bare_app(),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        http=PatientProtocol,
        ws="none",
        access_log=False,
        server_header=False,
        log_config=None,
        timeout_keep_alive=75,
    )
