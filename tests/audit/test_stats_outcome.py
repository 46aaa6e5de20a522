from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from fairdeal.audit.stats import Outcome
from fairdeal.audit.stats.outcome import (
    chi_square,
    chi_square_power,
    holm,
    normal,
    normal_power,
    poisson,
    poisson_power,
    reach,
)


def _outcome(p: float | None) -> Outcome:
    return Outcome(name="t", title="", question="", measure="", hands=1, minimum=1, p=p)


def test_holm_adjusts_step_by_step_and_leaves_out_what_was_not_run() -> None:
    adjusted = holm([_outcome(p) for p in (0.01, None, 0.04, 0.03, 0.002)], 0.05)
    assert [o.p_adjusted for o in adjusted] == [pytest.approx(0.03), None, 0.06, 0.06, pytest.approx(0.008)]
    assert [o.alarm for o in adjusted] == [True, False, False, False, True]
    assert holm([_outcome(0.9), _outcome(0.9)], 0.05)[0].p_adjusted == 1.0


@pytest.mark.parametrize("degrees", [3, 47, 11025])
def test_chi_square_is_two_sided_and_its_power_is_that_of_many_draws(degrees: int) -> None:
    level, strength = 0.01, 3 * sqrt(2 * degrees)
    rng = np.random.default_rng(1)
    fair = stats.chi2.rvs(degrees, size=40_000, random_state=rng)
    shifted = stats.ncx2.rvs(degrees, strength, size=40_000, random_state=rng)
    assert np.mean([chi_square(x, degrees) <= level for x in fair]) == pytest.approx(level, abs=0.002)
    assert chi_square_power(strength, degrees, level) == pytest.approx(
        np.mean([chi_square(x, degrees) <= level for x in shifted]), abs=0.01
    )
    assert chi_square(degrees / 50, degrees) < 0.05
    assert chi_square_power(5000.0, degrees, level) > 0.99


def test_normal_and_poisson_power_are_those_of_many_draws() -> None:
    rng = np.random.default_rng(2)
    seen = rng.normal(2.5, 1.0, 40_000)
    assert normal_power(2.5, 1.0, 0.01) == pytest.approx(
        np.mean([normal(x, 0.0, 1.0) <= 0.01 for x in seen]), abs=0.01
    )
    for other in (80.0, 100.0, 140.0):
        drawn = rng.poisson(other, 40_000)
        assert poisson_power(100.0, other, 0.01) == pytest.approx(
            np.mean([poisson(int(x), 100.0) <= 0.01 for x in drawn]), abs=0.01
        )
    assert poisson_power(100.0, 0.0, 0.01) == 1.0
    assert poisson(0, 100.0) < 1e-40
    assert poisson(100, 100.0) == 1.0


def test_reach_is_the_size_that_is_found_nine_times_in_ten() -> None:
    assert reach(lambda size: size / 0.5, 1.0, "{} more") == "45 % more"
    assert reach(lambda size: 0.1, 1.0, "{} more") == ""
    assert reach(lambda size: size / 20, 100.0, "a rate {} higher") == "a rate 1800 % higher"
