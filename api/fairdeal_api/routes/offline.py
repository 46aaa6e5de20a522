"""The offline verifier: the whole page as one file to keep.

Its address lies below `/verify/{hand}`, so this router comes before the pages'.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from fairdeal_api.offline import offline_page

router = APIRouter(tags=["pages"], include_in_schema=False)


@router.get("/verify/offline.html", response_class=Response)
async def offline_verifier() -> Response:
    """One HTML file that verifies hands without any network, also from a disk."""
    page = await asyncio.to_thread(offline_page)
    return Response(
        page,
        media_type="text/html; charset=utf-8",
        headers={
            "Cache-Control": "no-cache",
            # To be kept, not opened here: it belongs to the reader, not to this service's origin.
            "Content-Disposition": 'attachment; filename="fairdeal-verifier.html"',
        },
    )
