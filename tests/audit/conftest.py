"""Fixtures of the audit's tests; the running service is the one of the service's own tests."""

from tests.api.conftest import starting

__all__ = ["starting"]
