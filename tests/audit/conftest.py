"""Fixtures of the audit's tests: the running service and the terminal are those of the other tests."""

from tests.api.conftest import starting
from tests.cli.conftest import fairdeal

__all__ = ["fairdeal", "starting"]
