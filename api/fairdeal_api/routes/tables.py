"""A table's hands, for anyone."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from fairdeal_api import store
from fairdeal_api.answers import summary
from fairdeal_api.examples import examples
from fairdeal_api.schemas import TableHands
from fairdeal_api.service import service_of
from fairdeal_api.wire import answers, known_query, public_json

router = APIRouter(prefix="/v1", tags=["tables"])

_EXAMPLE = {"operator": "salon", "table": "salon:7", "hands": [examples()["summary"]], "next": None}


@router.get(
    "/tables/{operator}/{table}/hands",
    response_model=TableHands,
    summary="List a table's hands",
    responses=answers("not_found", "invalid", ok_200=_EXAMPLE),
)
async def list_table_hands(
    operator: Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$", examples=["salon"])],
    table: Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$", examples=["salon:7"])],
    request: Request,
    after: Annotated[int, Query(ge=0, le=2**53, description="Hands with higher numbers only.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Every hand of the table by number, voided, expired and lost ones included."""
    known_query(request, "after", "limit")
    found = await service_of(request).read(
        lambda connection: store.table_hands(connection, operator, table, after, limit + 1)
    )
    more = found[limit - 1].number if len(found) > limit else None
    return public_json(
        json.dumps(
            {
                "operator": operator,
                "table": table,
                "hands": [summary(hand) for hand in found[:limit]],
                "next": more,
            }
        )
    )
