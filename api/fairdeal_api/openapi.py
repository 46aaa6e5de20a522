"""The OpenAPI document, with problems stated as what they are."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_PROBLEM = "application/problem+json"


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, corrected: it states problems as plain JSON, and a 422 that is never answered."""
    if app.openapi_schema is None:
        found = app.openapi_schema = FastAPI.openapi(app)
        for item in found["paths"].values():
            for operation in item.values():
                _correct(operation["responses"])
        for name in ("HTTPValidationError", "ValidationError"):
            found["components"]["schemas"].pop(name, None)
    return app.openapi_schema or {}


def _correct(responses: dict[str, Any]) -> None:
    for status, answer in list(responses.items()):
        content = answer.get("content", {})
        if _PROBLEM in content:
            content[_PROBLEM] |= content.pop("application/json")
        elif "HTTPValidationError" in str(content):
            del responses[status]
