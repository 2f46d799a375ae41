"""Compare two programs on the same labelled pictures, object by object, with McNemar's test.

``houseway evaluate DIR --json > FILE`` with each, then ``python -m datasets.evaluation.paired BEFORE AFTER``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003  typer resolves annotations
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from scipy.stats import binomtest

from datasets.evaluation.scoring import OF_LABELS, RATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Trials = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Paired:
    """Trials of one rate with both programs.

    Attributes:
        before: successes of the first program.
        after: of the second.
        of: trials.
        lost: successes of the first only.
        won: of the second only.
    """

    before: int
    after: int
    of: int
    lost: int
    won: int

    @property
    def chance(self) -> float:
        """Probability of as uneven a division of the differing trials, or a more uneven one, by chance.

        McNemar's test, exact: a differing trial is lost or won with equal probability if both programs are equally
        good (McNemar, "Note on the sampling error of the difference between correlated proportions", 1947).
        """
        return float(binomtest(self.lost, self.lost + self.won).pvalue) if self.lost + self.won else 1.0

    @classmethod
    def of_trials(cls, before: str, after: str) -> Paired:
        """Compare a digit for each trial, 1 for success.

        >>> Paired.of_trials("1101", "1011")
        Paired(before=3, after=3, of=4, lost=1, won=1)
        """
        pairs = list(zip(before, after, strict=True))
        return cls(before.count("1"), after.count("1"), len(pairs), pairs.count(("1", "0")), pairs.count(("0", "1")))


def paired(before: Trials, after: Trials) -> dict[str, Paired]:
    """Compare the trials of all rates by picture; ValueError if they are not of the same pictures and labels."""
    if before.keys() != after.keys():
        raise ValueError("they are not of the same pictures")
    found: dict[str, Paired] = {}
    for rate in OF_LABELS:
        ours, theirs = ([each[picture].get(rate, "") for picture in before] for each in (before, after))
        if list(map(len, ours)) != list(map(len, theirs)):
            raise ValueError("they are not of the same labels")
        if any(ours):
            found[rate] = Paired.of_trials("".join(ours), "".join(theirs))
    return found


def main(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="JSON of houseway evaluate by the first program.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The same by the second.")],
    level: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="Probability below which a difference is not by chance.")
    ] = 0.05,
) -> None:
    """Compare two programs on the same labelled pictures, object by object.

    Exit status: 1 if the second is worse at any rate, not by chance, or has more silent errors; 2 if the files cannot
    be compared.
    """
    one, other = _read(before), _read(after)
    try:
        found = paired(one["trials"], other["trials"])
    except ValueError as fault:
        _refuse(f"{before} and {after} cannot be compared: {fault}")
    silent = [sum(bool(error["silent"]) for error in each["errors"]) for each in (one, other)]
    width = max(map(len, RATES.values()))
    typer.echo(f"{'':{width}}  before   after      of  lost   won  by chance")
    for rate, each in found.items():
        figures = f"{each.before:6}  {each.after:6}  {each.of:6}  {each.lost:4}  {each.won:4}  {each.chance:9.3f}"
        typer.echo(f"{RATES[rate]:{width}}  {figures}")
    typer.echo(f"{RATES['silent']:{width}}  {silent[0]:6}  {silent[1]:6}")
    if silent[1] > silent[0] or any(_worse(found.values(), level)):
        raise typer.Exit(1)


def _worse(rates: Iterable[Paired], level: float) -> Iterable[bool]:
    return (each.lost > each.won and each.chance < level for each in rates)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as fault:
        _refuse(f"{path}: cannot be read: {fault}")
    if not isinstance(found, dict) or not {"trials", "errors"} <= found.keys():
        _refuse(f"{path}: is not the JSON of `houseway evaluate --json`")
    return found


def _refuse(reason: str) -> NoReturn:
    typer.echo(f"paired: {reason}", err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    typer.run(main)
