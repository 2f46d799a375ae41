"""The figures of an audit: the rate of silent errors by model version and month, with its bound."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from service.audit.estimate import CONFIDENCE, Cell, as_seen, at_worst
from service.audit.history import Outcome
from service.audit.population import HANDS
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.audit.estimate import Rate
    from service.audit.history import History
    from service.audit.population import Stratum

Of: TypeAlias = Literal["hands", "throws"]
ENOUGH: Final = 29
"""With fewer seen, the bound would be above 10 % even without an error: too few to say anything."""


class RateReport(FrozenModel):
    """A rate of silent errors.

    Attributes:
        asked: how many it rests on.
        errors: of those, silent errors.
        rate: estimated share of silent errors among all that was verified; null if nothing was asked.
        upper: with 95 % confidence the share is no higher.
    """

    asked: int
    errors: int
    rate: float | None
    upper: float

    @classmethod
    def of(cls, rate: Rate) -> RateReport:
        """Write a rate down."""
        return cls(asked=rate.asked, errors=rate.errors, rate=rate.rate, upper=rate.upper)


class FigureReport(FrozenModel):
    """What was measured of hands or of throws.

    Attributes:
        version: short hash of the models and the code that read them; null for all of them.
        month: in which they were read (UTC), ``2026-01``; null for all of them.
        verified: how many were verified and could be drawn.
        drawn: how many of those were.
        answered: how many of those a person answered; the rates rest on the days of which all that was drawn is.
        seen: the rate among what the person could see; a difference that the person takes back counts as right.
        at_worst: the rate if all that could not be seen or told, and every difference, were a silent error.
        enough: false if so few were seen that the figures say nothing.
        of: ``hands`` or ``throws``.
    """

    of: Of
    version: str | None
    month: str | None
    verified: int
    drawn: int
    answered: int
    seen: RateReport
    at_worst: RateReport
    enough: bool


class FiguresReport(FrozenModel):
    """The figures of a table's audit.

    Attributes:
        confidence: of the upper bounds.
        enough_from: figures that rest on fewer say nothing.
        waiting: drawn, and not answered yet.
        undecided: answered otherwise than read, without a verdict yet.
        unfinished: answers that count once all that was drawn of their day is answered.
        unfinished_errors: silent errors among them.
        figures: of all that was read, then by version, the newest first, and by month.
    """

    table: str
    confidence: float
    enough_from: int
    waiting: int
    undecided: int
    unfinished: int
    unfinished_errors: int
    figures: tuple[FigureReport, ...]


def figures_of(table: str, history: History) -> FiguresReport:
    """All figures: of all that was read, then by version, the newest first, and by month.

    A day counts once all hands, or throws, that were drawn of it are answered: a part would stand for all of the day.
    """
    days = _Days(history)
    unfinished = [item for item in history.items if not days.is_finished(item.draw, item.drawn.member.stratum)]
    found = Counter(item.outcome for item in unfinished)
    return FiguresReport(
        table=table,
        confidence=CONFIDENCE,
        enough_from=ENOUGH,
        waiting=len(history.waiting),
        undecided=int(history.undecided is not None),
        unfinished=len(unfinished) - found[Outcome.WAITING],
        unfinished_errors=found[Outcome.READING_WRONG] + found[Outcome.UNDECIDED],
        figures=(*days.figures("hands"), *days.figures("throws")),
    )


class _Days:
    """What was drawn, counted by draw, stratum and version."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._found: dict[tuple[int, Stratum, str], Counter[Outcome]] = defaultdict(Counter)
        self._open: set[tuple[int, Of]] = set()
        for item in history.items:
            member = item.drawn.member
            self._found[item.draw, member.stratum, member.version][item.outcome] += 1
            if item.outcome is Outcome.WAITING:
                self._open.add((item.draw, _of(member.stratum)))

    def is_finished(self, draw: int, stratum: Stratum) -> bool:
        return (draw, _of(stratum)) not in self._open

    def figures(self, of: Of) -> Iterator[FigureReport]:
        cells = [(*cell, size) for cell, size in self._history.sizes.items() if _of(cell[1]) == of]
        groups: dict[tuple[str | None, str | None], list[tuple[int, Stratum, str, int]]] = defaultdict(list)
        for cell in reversed(cells):
            read_by, when = cell[2], self._history.days[cell[0]][:7]
            for group in ((None, None), (read_by, None), (read_by, when)):
                groups[group].append(cell)
        versions = list(dict.fromkeys(version for version, _ in groups))
        for version, month in sorted(groups, key=lambda group: versions.index(group[0])):
            figure = self._figure(of, version, month, groups[version, month])
            if figure.drawn:
                yield figure

    def _figure(
        self, of: Of, version: str | None, month: str | None, cells: list[tuple[int, Stratum, str, int]]
    ) -> FigureReport:
        found = [self._found[cell[:3]] for cell in cells]
        counted = [_cell(cell[3], self._found[cell[:3]]) for cell in cells if self.is_finished(cell[0], cell[1])]
        seen = as_seen(counted)
        return FigureReport(
            of=of,
            version=version,
            month=month,
            verified=sum(cell[3] for cell in cells),
            drawn=sum(each.total() for each in found),
            answered=sum(each.total() - each[Outcome.WAITING] for each in found),
            seen=RateReport.of(seen),
            at_worst=RateReport.of(at_worst(counted)),
            enough=seen.asked >= ENOUGH,
        )


def _of(stratum: Stratum) -> Of:
    return "hands" if stratum in HANDS else "throws"


def _cell(size: int, found: Counter[Outcome]) -> Cell:
    return Cell(
        members=size,
        errors=found[Outcome.READING_WRONG] + found[Outcome.UNDECIDED],
        right=found[Outcome.RIGHT],
        slips=found[Outcome.ANSWER_WRONG],
        unseen=found[Outcome.UNSEEN] + found[Outcome.CANNOT_TELL],
    )
