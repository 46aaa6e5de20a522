"""The verifier page and its files, from the package's ``web`` folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from fairdeal_api.problems import Problem
from fairdeal_api.schemas import HAND
from fairdeal_api.wire import answers

WEB = FilePath(__file__).parent.parent / "web"
ASSETS = "/verify-assets"

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}

_NO_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Fairdeal</title>
<h1>Fairdeal</h1>
<p>This service was installed without its verifier page. A hand can be checked with the command line:
<code>fairdeal verify</code> and the hand's address, <code>/v1/hands/</code> and its id.</p>
</html>
"""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page: its bytes, type and entity tag."""

    data: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, data: bytes, suffix: str) -> Asset:
        """An asset from a file's bytes and its name's ending."""
        return cls(data, _TYPES[suffix], f'"{hashlib.sha256(data).hexdigest()[:32]}"')


def load_assets(folder: FilePath = WEB) -> dict[str, Asset]:
    """Every servable file below a folder by its path. Requests are looked up here, never on the disk."""
    if not folder.is_dir():
        return {}
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix in _TYPES)
    return {str(file.relative_to(folder)): Asset.of(file.read_bytes(), file.suffix) for file in files}


router = APIRouter(tags=["pages"])

_HTML: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page.", "content": {"text/html": {"example": "<!doctype html>…"}}}
}


@router.get("/", include_in_schema=False)
async def front() -> Response:
    """Sends whoever looks at the service's address to the verifier page."""
    # Relative: a proxy may have the service below a path of its own.
    return Response(status_code=307, headers={"Location": "verify", "Cache-Control": "no-cache"})


@router.get("/verify", response_class=Response, summary="The verifier page", responses=_HTML)
async def verifier(request: Request) -> Response:
    """A page that checks receipts in the browser, without asking this service to be believed."""
    return _page(request)


@router.get(
    "/verify/{hand}",
    response_class=Response,
    summary="The verifier page for a hand",
    responses={**answers("not_found", "invalid"), **_HTML},
)
async def verifier_for_hand(
    request: Request, _: Annotated[str, Path(alias="hand", max_length=64, examples=[HAND])]
) -> Response:
    """The same page; it fetches the receipt of the hand that its address names."""
    return _page(request)


@router.get(
    ASSETS + "/{path:path}",
    response_class=Response,
    summary="Files of the verifier page",
    responses={
        **answers("not_found"),
        200: {"description": "The file.", "content": {"text/javascript": {"example": "export …"}}},
    },
)
async def asset(request: Request, path: Annotated[str, Path(examples=["app.js"])]) -> Response:
    """Modules, styles and images of the page, for this and, through CORS, for other sites."""
    found: Asset | None = request.app.state.assets.get(path)
    if found is None:
        raise Problem("not_found")
    return _asset(request, found)


def _page(request: Request) -> Response:
    page = request.app.state.assets.get("index.html") or Asset.of(_NO_PAGE.encode(), ".html")
    response = _asset(request, page)
    response.headers["Content-Security-Policy"] = CSP
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _asset(request: Request, found: Asset) -> Response:
    headers = {"Cache-Control": "no-cache", "ETag": found.etag}
    if found.etag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.data, 200, headers, found.media_type)
