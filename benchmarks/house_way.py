"""How long a House Way takes by rule and by table: `python benchmarks/house_way.py [RULEBOOK]`."""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from engine.books import house_ways as house_way
from engine.game.setting import Deal, all_deals

if TYPE_CHECKING:
    from collections.abc import Callable


def per_deal_us(work: Callable[[Deal], object], deals: list[Deal], rounds: int = 7) -> float:
    """Median microseconds a deal of `work(deal)` over the deals."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for deal in deals:
            work(deal)
        times.append((time.perf_counter() - start) / len(deals) * 1e6)
    return statistics.median(times)


def main() -> None:
    """Print both, and how long the table takes to build."""
    way = house_way.get(sys.argv[1] if len(sys.argv) > 1 else "crown-6.1")
    start = time.perf_counter()
    table = way.table
    built = time.perf_counter() - start
    deals = list(all_deals()[::4])
    by_table = per_deal_us(table.__getitem__, deals)
    by_rule = per_deal_us(way.decide, deals, rounds=3)
    print(f"{way.rulebook}: all {len(table)} kinds of deal set in {built:.2f} s")
    print(f"by table {by_table:.2f} us a hand, by rule {by_rule:.1f} us: {by_rule / by_table:.0f} times")


if __name__ == "__main__":
    main()
