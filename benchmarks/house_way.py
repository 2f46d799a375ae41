"""How long a House Way takes by rule and by table: `python -m benchmarks.house_way [RULEBOOK]`."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.measure import parser_of, report, timed_ms
from engine.books import house_ways
from engine.game.setting import Deal, all_deals

if TYPE_CHECKING:
    from collections.abc import Callable


def per_deal_us(work: Callable[[Deal], object], deals: list[Deal], runs: int) -> float:
    """Return the median time of one deal, in microseconds, over runs through all deals."""
    return statistics.median(timed_ms(lambda: [work(deal) for deal in deals]) for _ in range(runs)) / len(deals) * 1e3


def main() -> None:
    """Time both, and building the table."""
    parser = parser_of(__doc__)
    parser.add_argument("rulebook", nargs="?", default="crown-6.1")
    options = parser.parse_args()
    way = house_ways.get(options.rulebook)
    built_ms = timed_ms(lambda: way.table)
    deals = list(all_deals()[::4])
    by_table = per_deal_us(way.table.__getitem__, deals, 7)
    by_rule = per_deal_us(way.decide, deals, 3)
    result = {
        "rulebook": way.rulebook,
        "kinds of deal": len(way.table),
        "all set, s": built_ms / 1e3,
        "by table, us a hand": by_table,
        "by rule, us a hand": by_rule,
    }
    report(result, as_json=options.as_json)


if __name__ == "__main__":
    main()
