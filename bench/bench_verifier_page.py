"""How long the verifier page takes in Chromium: one hand from receipt to verdict, a thousand in its workers.

    .venv/bin/python bench/bench_verifier_page.py            prints the figures
    .venv/bin/python bench/bench_verifier_page.py --keep     also writes them to bench/verifier_page.json

One hand: from the moment its receipt is in hand to the frame that shows the verdict, median of 20, table and
checks included. A thousand: from the file in hand to the last row.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.dealer import Dealer, text_of  # noqa: E402 - the folder has to be on the path first
from tests.web.conftest import launch  # noqa: E402
from tests.web.site import serve  # noqa: E402

RUNS = 20
HANDS = 1000
LIMIT_ONE, LIMIT_MANY = 150.0, 2000.0

ONE = """async text => {
  const { take, start } = await import("/verify-assets/page/state.js");
  start();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const begun = performance.now();
  await take(text, "");
  // The frame after the next one begins when the verdict has been painted.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const taken = performance.now() - begun;
  if (document.querySelector(".verdict h1") === null) throw new Error("no verdict");
  return taken;
}"""
MANY = """async text => {
  const { take, state } = await import("/verify-assets/page/state.js");
  const begun = performance.now();
  await take(text, "");
  while (!state.batch.finished) await new Promise((done) => setTimeout(done, 5));
  if (state.batch.problem !== null) throw new Error(state.batch.problem);
  return performance.now() - begun;
}"""


def measure(page: Page, text: str, script: str, runs: int) -> list[float]:
    """Milliseconds of each run, slowest first run included."""
    return [float(page.evaluate(script, text)) for _ in range(runs)]


def main() -> int:
    """Measure, print, and answer whether the limits hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--keep", action="store_true", help="write the figures to bench/verifier_page.json")
    keep = parser.parse_args().keep

    dealer = Dealer(1)
    hands = [dealer.play(sealed=(0, 1, 2, 3)) for _ in range(HANDS)]
    lines = [text_of(dealer.receipt(hand)) for hand in hands]
    with serve() as site, sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        page.goto(f"{site.url}/verify")
        page.wait_for_selector("body[data-shown=start]")
        one = measure(page, lines[0], ONE, RUNS)
        many = measure(page, "\n".join(lines), MANY, 3)
        version = browser.version
        browser.close()
    figures = {
        "one_hand_ms": {"median": round(statistics.median(one), 1), "first": round(one[0], 1), "runs": RUNS},
        "thousand_hands_ms": {"median": round(statistics.median(many)), "best": round(min(many)), "runs": 3},
        "limits_ms": {"one_hand": LIMIT_ONE, "thousand_hands": LIMIT_MANY},
        "chromium": version,
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
    }
    print(json.dumps(figures, indent=2))
    if keep:
        (ROOT / "bench" / "verifier_page.json").write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if statistics.median(one) < LIMIT_ONE and min(many) < LIMIT_MANY else 1


if __name__ == "__main__":
    sys.exit(main())
