"""Time to load a House Way, and to set a hand by rule or table: `python -m benchmarks.house_way [RULEBOOK_OR_FILE]`."""

import statistics
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path

from benchmarks.measure import parser_of, report, timed_ms
from engine.books import house_ways
from engine.books.registry import BOOKS
from engine.game.setting import Deal, all_deals
from engine.house_way import HouseWay
from engine.house_way.written.reading import way_of


def per_deal_us(work: Callable[[Deal], object], deals: list[Deal], runs: int) -> float:
    """Return the median time of one deal, in microseconds, over runs through all deals."""
    return statistics.median(timed_ms(lambda: [work(deal) for deal in deals]) for _ in range(runs)) / len(deals) * 1e3


def text_of_way(way: HouseWay, named: str) -> tuple[bytes, bool]:
    """Return the file of a House Way, and whether it is a printed one."""
    for folder in ("crown", "nz", "star_2024", "star_classic"):
        text = (resources.files("engine.books") / folder / "house_way.toml").read_bytes()
        if f'id = "{way.rulebook}"'.encode() in text:
            return text, True
    return Path(named).read_bytes(), False


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("rulebook", nargs="?", default="crown-6.1")
    options = parser.parse_args()
    way = house_ways.get(options.rulebook)
    text, printed = text_of_way(way, options.rulebook)
    source = way.source if printed else None
    read = partial(way_of, text, "", source=source, rulebooks=tuple(BOOKS), find_rule=house_ways.printed_rule)
    load_ms = statistics.median(timed_ms(read) for _ in range(21))
    built_ms = timed_ms(lambda: way.table)
    deals = list(all_deals()[::4])
    by_table = per_deal_us(way.table.__getitem__, deals, 7)
    by_rule = per_deal_us(way.decide, deals, 3)
    result = {
        "rulebook": way.rulebook,
        "lines of its file": text.count(b"\n"),
        "load, ms": load_ms,
        "kinds of deal": len(way.table),
        "all set, s": built_ms / 1e3,
        "by table, us a hand": by_table,
        "by rule, us a hand": by_rule,
    }
    report(result, as_json=options.as_json)


if __name__ == "__main__":
    main()
