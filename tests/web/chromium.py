"""The protocol modules asked in a real browser, from the page that a site serves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page

ASK = """async text => {
  const p = await import("/verify-assets/protocol/index.js");
  const { answer } = await import("/tests/answers.js");
  const answers = [];
  for (const request of JSON.parse(text)) answers.push(await answer(p, request));
  return JSON.stringify(answers);
}"""
AT_ONCE = 200


class Asker:
    """Puts questions as tests/web/protocol/answers.js knows them, and hands the answers back in order."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def __call__(self, requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = []
        for at in range(0, len(requests), AT_ONCE):
            answers += json.loads(self._page.evaluate(ASK, json.dumps(requests[at : at + AT_ONCE])))
        assert len(answers) == len(requests)
        return answers
