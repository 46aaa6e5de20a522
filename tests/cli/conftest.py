"""Fixtures of the command line's tests."""

from __future__ import annotations

import pytest

from tests.cli.running import Terminal


@pytest.fixture
def fairdeal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The command line, run in this process."""
    return Terminal(capsys, monkeypatch)
