"""The table of ``make bench``."""

from __future__ import annotations

from benchmarks.bench.measures import COLD, NETWORK, Measure, Series, Unit, loop_measure, rows
from benchmarks.bench.table import lines, row, worse

RATE = Measure("loop", "whole loop", Unit.RATE)
STAGE = Measure("cold-detect", "detect", part=True)


def series(**values: list[float]) -> Series:
    return Series(values={key.replace("_", "-"): each for key, each in values.items()})


def test_a_row_has_both_sides_and_the_general_network() -> None:
    made = row(COLD, series(cold=[10.0] * 12, yolox=[30.0] * 12), series(cold=[20.0] * 12))
    assert (made["median"], made["p95"], made["before"]["median"]) == (10.0, 10.0, 20.0)
    assert made["ratio"] == {"ratio": 2.0, "low": 2.0, "high": 2.0}
    assert made["as_yolox"] == 3.0


def test_a_rate_is_better_when_it_is_more_and_95_percent_of_it_are_at_least() -> None:
    rates = [float(n) for n in range(1, 21)]
    made = row(RATE, series(loop=rates, yolox=[100.0]), series(loop=[each / 2 for each in rates]))
    assert made["ratio"]["ratio"] == 2.0
    assert made["p95"] < made["median"]
    assert made["as_yolox"] == 100.0 / (1000.0 / made["median"])


def test_few_figures_say_nothing_about_95_percent() -> None:
    assert "p95" not in row(COLD, series(cold=[1.0, 2.0]), None)


def test_what_an_older_commit_cannot_measure_is_a_dash_with_its_reason() -> None:
    before = Series(missing={COLD.key: "ModuleNotFoundError: no service_loop"})
    text = list(lines({"before": "abc1234", "rows": [row(COLD, series(cold=[10.0]), before)]}))
    assert text[1].split() == ["cold", "picture", "ms", "10.0", "-", "-", "-", "-", "-"]
    assert text[2] == "Not measured at abc1234: cold picture: ModuleNotFoundError: no service_loop"


def test_what_was_not_measured_here_says_so() -> None:
    text = list(lines({"rows": [row(COLD, Series(missing={COLD.key: "why"}), None), row(RATE, Series(), None)]}))
    assert text[-2:] == ["Not measured: cold picture: why", "Not measured: whole loop: not measured"]


def test_columns_stand_below_their_heads() -> None:
    made = [row(COLD, series(cold=[123.0]), series(cold=[12.3])), row(STAGE, series(cold_detect=[4.5]), None)]
    text = list(lines({"before": "abc1234", "rows": made}))[:3]
    ends = text[0].index("median") + len("median")
    assert [line[:ends].split()[-1] for line in text] == ["median", "123", "4.5"]
    assert text[2].startswith("  detect")


def test_only_what_surely_got_worse_is_told() -> None:
    noisy = [1.0, 30.0] * 10
    now = series(cold=[20.0] * 12, loop=[5.0] * 12, rest=noisy, cold_detect=[9.0] * 12)
    before = series(cold=[10.0] * 12, loop=[5.0] * 12, rest=list(reversed(noisy)), cold_detect=[1.0] * 12)
    made = [row(each, now, before) for each in (COLD, RATE, Measure("rest", "at rest"), STAGE)]
    assert worse(made) == ["cold picture"]
    assert list(lines({"before": "abc1234", "rows": made}))[-1] == "WORSE than at abc1234: cold picture"


def test_an_approximation_says_that_it_is_one() -> None:
    reading = {"at rest": {"here_ms": 100.0, "low_ms": 90.0, "high_ms": 200.0}}
    pi = {"here_ms": 50.0, "published_ms": 47.0, "factor": 0.94, "readings": reading}
    told = list(lines({"rows": [], "pi": pi}))
    assert "APPROXIMATED, nothing was run on one" in told[1]
    assert told[2] == "  at rest: 100 ms here, 90 to 200 ms on a Pi"
    assert "not approximated (why)" in list(lines({"rows": [], "pi": {"missing": "why"}}))[1]


def test_rows_have_the_stages_that_were_measured_in_their_order() -> None:
    keys = [each.key for each in rows(["cold", "cold-detect", "cold-pips", "rest", NETWORK])]
    assert keys[:5] == ["cold", "cold-detect", "cold-pips", "rest", "play"]
    assert loop_measure("play", 5).key in keys
