"""Choose a threshold for verifying tiles that guarantees an error rate.

``python -m datasets.evaluation.thresholds FILE``: which readings may be verified for a share of errors.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path  # noqa: TC003  typer resolves annotations
from typing import Annotated, Final, Literal, NoReturn

import numpy as np
import typer

from datasets.evaluation.guarantee import Combined, Selection, fit, halves, select
from datasets.evaluation.rates import upper_bound

FEWEST: Final = 100
"""Readings that each half needs at least."""


def main(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Files from houseway evaluate --scores.")],
    risk: Annotated[
        list[float] | None, typer.Option(help="Share of errors allowed among what passes. May be repeated.")
    ] = None,
    delta: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="Probability with which the guarantee may fail.")
    ] = 0.05,
    method: Annotated[
        Literal["sequence", "sgr"], typer.Option(help="How the threshold is chosen; docs/enrolment.md explains both.")
    ] = "sequence",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the division into two halves.")] = 1,
    *,
    per_picture: Annotated[bool, typer.Option(help="Count pictures instead of tiles.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Choose a threshold for verifying tiles that guarantees an error rate.

    At most the share --risk is wrong, except with probability --delta. Half of the pictures fit the combined score, the
    other half choose the threshold. Exit status 2 if the input is bad.
    """
    risks = sorted(risk or (0.01, 0.005, 0.002, 0.001), reverse=True)
    if not all(0 < each < 1 for each in risks):
        _refuse(f"--risk is a share above 0 and below 1, not {risks}")
    lines = [line for path in files for line in _lines(path)]
    right = np.array([bool(line["right"]) for line in lines])
    pictures = [str(line["image"]) for line in lines]
    scores = [line["scores"] for line in lines]
    first = halves(pictures, seed)
    if first.sum() < FEWEST or (~first).sum() < FEWEST or right[first].all():
        _refuse(f"{len(lines)} readings, {int((~right).sum())} wrong: more are needed, with some errors, to learn from")
    combined = fit([each for each, use in zip(scores, first, strict=True) if use], right[first])
    rest = np.flatnonzero(~first)
    score, wrong = combined([scores[each] for each in rest]), ~right[rest]
    names = [pictures[each] for each in rest] if per_picture else None
    found = {each: select(score, wrong, each, delta, method, names) for each in risks}
    now = np.array([bool(lines[each]["verified"]) for each in rest])
    rules = (int((now & wrong).sum()), int(now.sum()))
    bound = upper_bound(*rules, 1 - delta)
    if as_json:
        rule = {"wrong": rules[0], "passed": rules[1], "of": len(rest), "bound": bound}
        by_risk = {str(each): _selection_json(one) for each, one in found.items()}
        typer.echo(json.dumps({"combined": _combined_json(combined), "delta": delta, "by_risk": by_risk, "now": rule}))
        return
    _print_selections(combined, found, delta, "pictures" if per_picture else "tiles")
    typer.echo(
        f"by the rules in force {rules[1]} of {len(rest)} tiles are verified, {rules[0]} wrong: at most {bound:.3%}"
    )


def _refuse(reason: str) -> NoReturn:
    typer.echo(f"thresholds: {reason}", err=True)
    raise typer.Exit(2)


def _lines(path: Path) -> list[dict[str, dict[str, float]]]:
    """Read labelled readings from a file; leave with status 2 if it holds anything else."""
    found = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        _refuse(f"{path}: cannot be read: {fault}")
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entry = json.loads(line)
            known = {"image", "right", "verified", "scores"} <= entry.keys() and entry["scores"]
            values = [float(each) for each in entry["scores"].values()]
        except (ValueError, TypeError, AttributeError) as fault:
            _refuse(f"{path}, line {number}: not a line of `houseway evaluate --scores` ({fault})")
        if not known or not all(math.isfinite(each) for each in values):
            _refuse(f"{path}, line {number}: expected image, right, verified and finite scores")
        found.append(entry)
    if len({tuple(sorted(entry["scores"])) for entry in found}) > 1:
        _refuse(f"{path}: not all lines have the same scores; evaluate them all with one version")
    return found


def _print_selections(combined: Combined, found: dict[float, Selection], delta: float, what: str) -> None:
    typer.echo("combined score: log-odds of being right, by")
    for name, weight in sorted(zip(combined.names, combined.weights.tolist(), strict=True), key=lambda each: -each[1]):
        typer.echo(f"  {name:12} {weight:6.3f} a spread")
    typer.echo(f"risk      threshold  coverage            wrong  at most ({1 - delta:.0%})   of {what}")
    for risk, one in found.items():
        if not one.passed:
            typer.echo(f"{risk:<9.3%} no threshold keeps the promise on these {one.of} {what}")
            continue
        share = f"{one.coverage:.2%} ({one.passed}/{one.of})"
        typer.echo(f"{risk:<9.3%} {one.threshold:9.2f}  {share:19} {one.wrong:5d}  {one.bound:.3%}")


def _combined_json(combined: Combined) -> dict[str, object]:
    return {
        "names": list(combined.names),
        "middle": combined.middle.tolist(),
        "spread": combined.spread.tolist(),
        "weights": combined.weights.tolist(),
        "offset": combined.offset,
    }


def _selection_json(one: Selection) -> dict[str, object]:
    """A selection without an infinite threshold, which JSON does not know."""
    found = {**asdict(one), "coverage": one.coverage}
    return {key: None if value == math.inf else value for key, value in found.items()}


if __name__ == "__main__":
    typer.run(main)
