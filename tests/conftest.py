"""What holds for every test: no silent skip in CI, Hypothesis profiles that do not depend on the machine,
which tests come first, and which count for the core's coverage.

Each folder of tests is a package (an `__init__.py` in it), so that helpers are imported by their full name,
`from tests.core.builders import …`, and no installed package called `tests` gets in between.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import coverage
import hypothesis
import pytest

# Other processes share the machine: a slow example is no finding. In CI the examples are the same each time.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)

LONG = (
    # Kill, stop and restart services: they mostly wait, so that others use the processors meanwhile.
    "tests/faults/test_points.py",
    "tests/faults/test_disk.py",
    "tests/faults/test_kills.py",
    "tests/faults/test_unsynced.py",
    "tests/api/test_shared.py",
    "tests/api/test_durability.py",
    "tests/api/test_stopping.py",
    "tests/api/test_beside.py",
    "tests/api/test_backup.py",
    "tests/api/test_doorway.py",
    "tests/cli/test_running.py",
    "tests/packaging/test_image.py",
    # One test of half a minute each.
    "tests/audit/test_cluster.py",
    "tests/audit/test_clients.py",
    "tests/audit/test_command.py",
    "tests/fuzz/test_life.py",
)
"""Modules that come first: one of their tests, begun last, would have all other processes wait for it."""

MEASURED = ("tests/core/", "tests/client/")
NOT_MEASURED = (
    # Tens of thousands of whole verifications; being measured makes each take three times as long.
    "tests/core/test_tampering.py",
)

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
hypothesis.settings.load_profile("ci" if IN_CI else "dev")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first, the core's many short ones last, where they even out what the processes have left."""

    def place(item: pytest.Item) -> int:
        module = item.nodeid.partition("::")[0]
        if module in LONG:
            return LONG.index(module)
        return len(LONG) + module.startswith("tests/core/")

    items.sort(key=place)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure coverage in the tests of the core and its client alone.

    They have to reach every branch themselves, not by way of a service or a page that happens to pass it; and
    measuring costs the others a third of their time.
    """
    if item.nodeid.startswith(MEASURED) and not item.nodeid.startswith(NOT_MEASURED):
        return (yield)
    stopped = []
    # A process of xdist has two: when the upper one stops, the one below it goes on.
    while measuring := coverage.Coverage.current():
        measuring.stop()
        stopped.append(measuring)
    try:
        return (yield)
    finally:
        for measuring in reversed(stopped):
            measuring.start()


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure: in CI a test that did not run would look like one that passed.

    An expected failure (`xfail`) is reported as a skip too and stays what it is.
    """
    if report.skipped and not hasattr(report, "wasxfail"):
        where = report.longrepr
        reason = where[2] if isinstance(where, tuple) else str(where)
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """See `_refuse_skip`: for tests that skip themselves or are marked so."""
    report = yield
    if IN_CI:
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """See `_refuse_skip`: for whole modules, as `pytest.importorskip` leaves them out."""
    report = yield
    if IN_CI:
        _refuse_skip(report)
    return report
