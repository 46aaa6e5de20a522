"""Acts put to a service's ledger past HTTP, and what came of them."""

from __future__ import annotations

import asyncio

from fairdeal_api.acts import Act, CommitAct
from fairdeal_api.ledger import Result
from fairdeal_api.moves import CommitSpec
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service

from fairdeal.terms import OkeyTerms
from tests import coroutines

TERMS = OkeyTerms("okey", "wall", 4, "throw", 1, openings=False)


def commit_act(table: str = "t", number: int = 1) -> CommitAct:
    return CommitAct("operator", [CommitSpec(table, TERMS, False, (), None, 3_600_000)] * number, batch=False)


def together(service: Service, *acts: Act) -> list[Result | BaseException]:
    """All acts at once, so that they share a transaction."""

    async def all_at_once() -> list[Result | BaseException]:
        return await asyncio.gather(*map(service.ledger.submit, acts), return_exceptions=True)

    return coroutines.run(all_at_once())


def size(service: Service) -> int:
    with service.reader.begin() as connection:
        found: int = connection.exec_driver_sql("SELECT size FROM head").scalar_one()
        assert connection.exec_driver_sql("SELECT count(*) FROM entries").scalar_one() == found
        return found


def code(outcome: Result | BaseException) -> str | None:
    return outcome.code if isinstance(outcome, Problem) else None


def numbers(service: Service, table: str = "t") -> list[int]:
    with service.reader.begin() as connection:
        query = f"SELECT number FROM hands WHERE game_table = '{table}' ORDER BY commit_index"
        return list(connection.exec_driver_sql(query).scalars().all())
