"""How a floor grows with its tables, drawn as SVG: processor time, and how long a result takes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_WIDTH: Final = 400
_HEIGHT: Final = 260
_LEFT: Final = 52
_RIGHT: Final = 118
_TOP: Final = 34
_BELOW: Final = 40
_COLOURS: Final = ("#1f5fa8", "#b3541e", "#3d7a3d")


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart: lines over the number of tables.

    Attributes:
        title: with the unit of what it shows.
        lines: by name, what each is of every number of tables.
    """

    title: str
    lines: Mapping[str, Sequence[float]]


def draw(found: Sequence[Sequence[Mapping[str, Any]]], to: Path) -> None:
    """Draw results of ``benchmarks.floor_load``, a row for each pace, the fewest tables of it first."""
    rows = [_row(of_pace) for of_pace in found]
    size = f"{_WIDTH * 2} {_HEIGHT * len(rows)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">',
        "<style>text { font: 11px sans-serif } .title { font-weight: bold }</style>",
        "<title>A floor as the number of its tables grows</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for down, row in enumerate(rows):
        for across, panel in enumerate(row):
            moved = f"translate({across * _WIDTH} {down * _HEIGHT})"
            parts += (f'<g transform="{moved}">', *_panel(panel, [_tables(one) for one in found[down]]), "</g>")
    to.write_text("\n".join((*parts, "</svg>")) + "\n", encoding="utf-8")


def _row(found: Sequence[Mapping[str, Any]]) -> tuple[Panel, Panel]:
    pace = found[0]["load"]["pace"]
    at = "real pace" if pace == 1 else f"{pace:g} times real pace"
    cores = {name: [one[f"{key}_cost"]["cores"] for one in found] for name, key in _PROCESSES.items()}
    late = {
        f"{words}, {shown}": [one[key][name] for one in found]
        for key, words in (("durable_s", "durable"), ("served_s", "served"))
        for name, shown in (("median", "median"), ("p99", "99 %"))
    }
    return Panel(f"Processor, cores, at {at}", cores), Panel(f"From a table's entry, seconds, at {at}", late)


def _tables(one: Mapping[str, Any]) -> int:
    found: int = one["load"]["tables"]
    return found


_PROCESSES: Final = {"floor": "floor", "PostgreSQL": "postgresql", "all tables": "tables"}


def _panel(panel: Panel, tables: Sequence[int]) -> Iterator[str]:
    most = max(max(values) for values in panel.lines.values()) or 1.0
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BELOW

    def x(count: float) -> float:
        return _LEFT + (right - _LEFT) * count / tables[-1]

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * value / most

    yield f'<text x="{_LEFT}" y="20" class="title">{escape(panel.title)}</text>'
    for share in (0.0, 0.5, 1.0):
        at = y(share * most)
        yield f'<line x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{share * most:.2g}</text>'
    for count in tables:
        yield f'<text x="{x(count):.1f}" y="{bottom + 16}" text-anchor="middle">{count}</text>'
    yield f'<text x="{(_LEFT + right) / 2:.1f}" y="{bottom + 32}" text-anchor="middle">tables</text>'
    taken: list[float] = []
    for number, (name, values) in enumerate(sorted(panel.lines.items(), key=lambda line: -line[1][-1])):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value in zip(tables, values, strict=True))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        at = max(y(values[-1]), taken[-1] + 14 if taken else 0.0)
        taken.append(at)
        yield f'<text x="{right + 6}" y="{at + 4:.1f}" fill="{colour}">{escape(name)}</text>'
