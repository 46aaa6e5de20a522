"""Statistics over many deals: a fixed battery of tests, exact where it can be (docs/statistics.md).

Needs the extra ``audit``. Feed batches to a :class:`Battery`, merge batteries of parts, ask for results.
"""

from fairdeal.errors import UsageError

try:
    from fairdeal.audit.stats.battery import LEVEL, Battery, Statistics
    from fairdeal.audit.stats.columns import DealColumns
    from fairdeal.audit.stats.outcome import Outcome, Power
    from fairdeal.audit.stats.voids import SeatCounts, VoidComparison, compare_operators, compare_voids
except ModuleNotFoundError as error:
    raise UsageError(f"statistics need {error.name}: pip install '.[audit]' in fairdeal's folder") from error

__all__ = [
    "LEVEL",
    "Battery",
    "DealColumns",
    "Outcome",
    "Power",
    "SeatCounts",
    "Statistics",
    "VoidComparison",
    "compare_operators",
    "compare_voids",
]
