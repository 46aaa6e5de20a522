"""What holds for every test: no silent skip in CI, and Hypothesis profiles that do not depend on the machine.

Each folder of tests is a package (an `__init__.py` in it), so that helpers are imported by their full name,
`from tests.core.builders import …`, and no installed package called `tests` gets in between.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import hypothesis
import pytest

# Other processes share the machine: a slow example is no finding. In CI the examples are the same each time.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
hypothesis.settings.load_profile("ci" if IN_CI else "dev")


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
