"""Shared by the benchmarks: timing, summaries, results as text or JSON."""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

ROOT: Final = Path(__file__).resolve().parents[1]
Result = Mapping[str, object]


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option ``--json``, for ``report``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", dest="as_json", action="store_true", help="print one JSON object instead of lines")
    return parser


def timed_ms(work: Callable[[], object]) -> float:
    """Return the duration of a call in milliseconds."""
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def summary(times_ms: Sequence[float]) -> dict[str, float]:
    """Return the median, 99th percentile, maximum and number of times."""
    return {
        "median_ms": statistics.median(times_ms),
        "p99_ms": float(np.quantile(times_ms, 0.99)),
        "longest_ms": max(times_ms),
        "count": len(times_ms),
    }


def report(result: Result, *, as_json: bool) -> None:
    """Print a result as one JSON object, or one line for each entry."""
    if as_json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        parts = value.items() if isinstance(value, Mapping) else ()
        text = ", ".join(f"{key} {_text(each)}" for key, each in parts) or _text(value)
        print(f"{name:<48} {text}")


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
