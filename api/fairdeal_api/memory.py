"""Python's cycle collector, set up for a process that serves: it no longer walks what never goes."""

from __future__ import annotations

import gc

THRESHOLDS = (20_000, 20, 50)
"""Objects before a look at the youngest, and looks at one generation for each at the next older one."""


def calm_collector() -> None:
    """Leave all that is loaded now out of collections, and have fewer of them.

    Once the application is made: its modules, models and statements are some hundred thousand objects that
    stay as long as the process. With 64 requests under way the collector went through all of them many times
    a second, a quarter of the processor time of a commit (docs/performance-service.md).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
