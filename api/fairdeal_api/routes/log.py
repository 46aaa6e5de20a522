"""The log as others read it: checkpoint, key, and tiles in the C2SP tlog-tiles layout (protocol §8.2)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from fairdeal.errors import MalformedError
from fairdeal.tiling import parse_tile_path
from fairdeal_api import store
from fairdeal_api.examples import examples
from fairdeal_api.problems import Problem
from fairdeal_api.service import service_of
from fairdeal_api.wire import answers

router = APIRouter(tags=["log"])

_TEXT = "text/plain; charset=utf-8"


def _text(example: str) -> dict[int | str, dict[str, object]]:
    return {200: {"description": "Text.", "content": {"text/plain": {"example": example}}}}


@router.get(
    "/checkpoint",
    response_class=Response,
    summary="The log's signed head",
    responses=_text(examples()["checkpoint"]),
)
async def read_checkpoint(request: Request) -> Response:
    """The newest checkpoint, a C2SP signed note."""
    head = await service_of(request).read(store.head)
    return Response(head.checkpoint, 200, {"Cache-Control": "no-cache"}, _TEXT)


@router.get(
    "/log/key",
    response_class=Response,
    summary="The log's verifier key",
    responses=_text(examples()["vkey"] + "\n"),
)
async def read_key(request: Request) -> Response:
    """The key to check checkpoints with. Pin it: a key taken from the log itself proves nothing about it."""
    head = await service_of(request).read(store.head)
    return Response(head.vkey + "\n", 200, {"Cache-Control": "no-cache"}, _TEXT)


@router.get(
    "/tile/{path:path}",
    response_class=Response,
    summary="A tile of hashes, or a bundle of entries",
    responses={
        **answers("not_found"),
        200: {
            "description": "The tile's bytes; they never change.",
            "content": {"application/octet-stream": {"example": ""}},
        },
    },
)
async def read_tile(
    path: Annotated[
        str,
        Path(description="`<L>/<N>` or `entries/<N>`, with `.p/<W>` while partial.", examples=["0/000.p/3"]),
    ],
    request: Request,
) -> Response:
    """`/tile/<L>/<N>[.p/<W>]` and `/tile/entries/<N>[.p/<W>]` as tlog-tiles has them."""
    try:
        tile = parse_tile_path(f"tile/{path}")
    except MalformedError:
        raise Problem("not_found") from None
    data = await service_of(request).read(lambda connection: store.tile_bytes(connection, tile))
    if data is None:
        raise Problem("not_found")
    return Response(
        data, 200, {"Cache-Control": "public, max-age=31536000, immutable"}, "application/octet-stream"
    )
