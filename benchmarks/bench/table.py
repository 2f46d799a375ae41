"""The result of ``make bench``: one row for each measure, as JSON and as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.bench.measures import NETWORK, Measure, Series, Unit
from benchmarks.bench.summary import Ratio, Summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEWEST_FOR_P95: Final = 10
"""With fewer figures there is no 95th percentile."""
SLOWER: Final = 0.95
"""A measure got worse if its range is entirely below this."""
Row = dict[str, Any]


def row(measure: Measure, now: Series, before: Series | None) -> Row:
    """Return one row.

    Args:
        measure: of the row.
        now: figures of this side.
        before: figures of the other side, if any.
    """
    made: Row = {"key": measure.key, "name": measure.name, "unit": str(measure.unit), "part": measure.part}
    ours = now.values.get(measure.key)
    if not ours:
        return {**made, "missing": now.missing.get(measure.key, "not measured")}
    made |= _summed(ours, measure.unit)
    if measure.unit in (Unit.MS, Unit.RATE) and (network := now.values.get(NETWORK)):
        ms = made["median"] if measure.unit is Unit.MS else 1000 / made["median"]
        made["as_yolox"] = Summary.of(network).median / ms
    if before is None or measure.key == NETWORK:
        return made
    if theirs := before.values.get(measure.key):
        ratio = Ratio.of(ours, theirs, more_is_better=measure.unit.more_is_better)
        made["before"] = _summed(theirs, measure.unit)
        made["ratio"] = {"ratio": ratio.ratio, "low": ratio.low, "high": ratio.high}
    else:
        made["before"] = {"missing": before.missing.get(measure.key, "not measured")}
    return made


def _summed(values: Sequence[float], unit: Unit) -> Row:
    summed = Summary.of([-each for each in values] if unit.more_is_better else values)
    sign = -1 if unit.more_is_better else 1
    p95 = {"p95": sign * summed.p95} if summed.count >= FEWEST_FOR_P95 else {}
    return {"median": sign * summed.median, **p95, "count": summed.count}


def worse(rows: Sequence[Row]) -> list[str]:
    """Return the names of the measures that got worse, without the stages of a reading."""
    ratios = [(each["name"], each["ratio"]["high"]) for each in rows if "ratio" in each and not each["part"]]
    return [name for name, high in ratios if high is not None and high < SLOWER]


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Return the table as text.

    Args:
        result: as written by ``benchmarks.bench``.
    """
    before = result.get("before")
    compared = (f"at {before}", "times as good", "range") if before else ()
    head = ["measure", "", "median", "95 %", *compared, "times YOLOX-Nano"]
    cells = [head, *(_cells(each, compared=before is not None) for each in result["rows"])]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    for line in cells:
        name, unit, *figures = (f"{text:<{width}}" for text, width in zip(line, widths, strict=True))
        yield "  ".join((name, unit, *(figure.strip().rjust(len(figure)) for figure in figures))).rstrip()
    yield from _reasons("Not measured", result["rows"])
    others = [{"name": each["name"], **each["before"]} for each in result["rows"] if "before" in each]
    yield from _reasons(f"Not measured at {before}", others)
    yield from _pi_lines(result.get("pi", {}))
    for name in worse(result["rows"]):
        yield f"WORSE than at {before}: {name}"


def _reasons(words: str, rows: Sequence[Row]) -> Iterator[str]:
    """Return the reasons for rows without figures, grouped."""
    missing = {each["name"]: each["missing"] for each in rows if "missing" in each}
    for why in dict.fromkeys(missing.values()):
        yield f"{words}: {', '.join(name for name in missing if missing[name] == why)}: {why}"


def _cells(each: Row, *, compared: bool) -> list[str]:
    ratio, before = each.get("ratio", {}), each.get("before", {})
    cells = ["  " * each["part"] + each["name"], each["unit"], _figure(each.get("median")), _figure(each.get("p95"))]
    if compared:
        spread = f"{ratio['low']:.2f} to {ratio['high']:.2f}" if ratio.get("low") is not None else "-"
        cells += [_figure(before.get("median")), _ratio(ratio.get("ratio")), spread]
    return [*cells, _ratio(each.get("as_yolox"))]


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _pi_lines(pi: Mapping[str, Any]) -> Iterator[str]:
    if "missing" in pi:
        yield f"Raspberry Pi 5: not approximated ({pi['missing']})"
    elif pi:
        yield (
            "Raspberry Pi 5, APPROXIMATED, nothing was run on one: YOLOX-Nano at 416 x 416 takes "
            f"{pi['here_ms']:.0f} ms here in one thread without AVX, and {pi['published_ms']:.0f} ms on a Pi as "
            f"published, so a Pi is taken to need {pi['factor']:.2f} times as long"
        )
        for name, each in pi["readings"].items():
            yield f"  {name}: {each['here_ms']:.0f} ms here, {each['low_ms']:.0f} to {each['high_ms']:.0f} ms on a Pi"
