"""The rate of silent errors with its exact upper bound, by model version and month.

A cell is a stratum on one day, sampled at random without replacement. Its sample stands for all its members, so the
rate weighs each cell by its members.

The bound: a hypergeometric count is a sum of independent Bernoulli variables (Vatutin and Mikhailov 1982), hence so is
the number of errors in all samples together. By Hoeffding (1956) its lower tail is no heavier than the binomial's, so
the Clopper-Pearson bound holds for the mean rate weighed by *samples*. No cell weighs more in the population than
``weight`` times what it weighs in the sample, so ``weight`` times that bound holds for the rate weighed by *members*,
whatever the rates of the cells. Where all were drawn with the same probability, ``weight`` is 1 and the bound is
Clopper-Pearson's own. It requires a rate below one half.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from service.rounds.reports import FrozenModel
from service.table.audit.audit_log import AuditOutcome
from service.table.audit.sampling import HANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.table.audit.audit_log import AuditHistory
    from service.table.audit.sampling import Stratum

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Cell:
    """Counts of one stratum on one day, or of the part of it that one version read.

    Attributes:
        members: verified hands or throws in it.
        errors: silent errors among the answered ones, undecided differences included.
        right: answers that agree with the reading.
        slips: differences that the person took back after seeing the reading.
        unseen: those that the person could not make out.
    """

    members: int
    errors: int = 0
    right: int = 0
    slips: int = 0
    unseen: int = 0

    def __post_init__(self) -> None:
        """Reject impossible counts."""
        if min(self.errors, self.right, self.slips, self.unseen) < 0 or self.members < self.asked:
            raise ValueError(f"{self}: a count is negative, or there are more answers than members")

    @property
    def asked(self) -> int:
        """Number of members that a person answered."""
        return self.errors + self.right + self.slips + self.unseen


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of silent errors.

    Attributes:
        members: verified hands or throws in the cells with at least one counted answer.
        asked: number of answers that the rate is based on.
        errors: silent errors among those answers.
        weight: the highest ratio of a cell's weight in the population to its weight in the sample; 1 or more.
        rate: estimated share of silent errors; None without answers.
        upper: upper bound of the share with 95 % confidence; 1 without answers.
    """

    members: int
    asked: int
    errors: int
    weight: float
    rate: float | None
    upper: float


def upper_bound(errors: int, asked: int, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided Clopper-Pearson bound; without an error ``1 - (1 - confidence) ** (1 / asked)``.

    >>> round(upper_bound(0, 59), 4)
    0.0495
    """
    if errors >= asked:
        return 1.0
    from scipy.special import betaincinv  # noqa: PLC0415  not at import: most tables are not audited

    return float(betaincinv(errors + 1, asked - errors, confidence))


def as_seen(cells: Iterable[Cell]) -> Rate:
    """Return the rate among what the person could see; a difference taken back counts as a correct reading."""
    return _rate([(cell.members, cell.asked - cell.unseen, cell.errors) for cell in cells])


def at_worst(cells: Iterable[Cell]) -> Rate:
    """Return the rate if everything unseen, and every difference taken back, were a silent error."""
    return _rate([(cell.members, cell.asked, cell.errors + cell.slips + cell.unseen) for cell in cells])


def _rate(counted: Iterable[tuple[int, int, int]]) -> Rate:
    """Return the rate over cells given as tuples of members, asked, errors."""
    cells = [cell for cell in counted if cell[1]]
    members, asked, errors = (sum(each[column] for each in cells) for column in range(3))
    if not asked:
        return Rate(0, 0, 0, 1.0, None, 1.0)
    weight = max(of / members * asked / taken for of, taken, _ in cells)
    rate = sum(of * wrong / taken for of, taken, wrong in cells) / members
    return Rate(members, asked, errors, weight, rate, min(1.0, weight * upper_bound(errors, asked)))


Of: TypeAlias = Literal["hands", "throws"]
ENOUGH: Final = 29
"""With fewer answers the bound exceeds 10 % even without an error: too few for a conclusion."""


class RateReport(FrozenModel):
    """A rate of silent errors.

    Attributes:
        asked: number of answers that it is based on.
        errors: silent errors among those answers.
        rate: estimated share of silent errors among everything verified; null without answers.
        upper: upper bound of the share with 95 % confidence.
    """

    asked: int
    errors: int
    rate: float | None
    upper: float

    @classmethod
    def of(cls, rate: Rate) -> RateReport:
        return cls(asked=rate.asked, errors=rate.errors, rate=rate.rate, upper=rate.upper)


class FigureReport(FrozenModel):
    """The figures of hands or of throws.

    Attributes:
        version: short hash of the models and the code that read them; null for all of them.
        month: in which they were read (UTC), ``2026-01``; null for all of them.
        verified: number verified, which could be drawn.
        drawn: number drawn of those.
        answered: number answered of the drawn; the rates use only days whose draw is answered completely.
        seen: the rate among what the person could see; a difference that the person takes back counts as right.
        at_worst: the rate if everything unseen or undecidable, and every difference, were a silent error.
        enough: false if there are too few answers for a conclusion.
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
        enough_from: figures based on fewer answers allow no conclusion.
        waiting: drawn, and not answered yet.
        undecided: answers that differ from the reading, without a verdict yet.
        unfinished: answers that count once their day's draw is answered completely.
        unfinished_errors: silent errors among them.
        figures: of everything read, then by version, newest first, and by month.
    """

    table: str
    confidence: float
    enough_from: int
    waiting: int
    undecided: int
    unfinished: int
    unfinished_errors: int
    figures: tuple[FigureReport, ...]


def audit_figures(table: str, history: AuditHistory) -> FiguresReport:
    """Return all figures: of everything read, then by version, newest first, and by month.

    A day counts once all its drawn hands, or throws, are answered: a part of a draw is not a random sample.
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
        unfinished=len(unfinished) - found[AuditOutcome.WAITING],
        unfinished_errors=found[AuditOutcome.READING_WRONG] + found[AuditOutcome.UNDECIDED],
        figures=(*days.figures("hands"), *days.figures("throws")),
    )


class _Days:
    """Outcomes of drawn items, counted by draw, stratum and version."""

    def __init__(self, history: AuditHistory) -> None:
        self._history = history
        self._found: dict[tuple[int, Stratum, str], Counter[AuditOutcome]] = defaultdict(Counter)
        self._open: set[tuple[int, Of]] = set()
        for item in history.items:
            member = item.drawn.member
            self._found[item.draw, member.stratum, member.version][item.outcome] += 1
            if item.outcome is AuditOutcome.WAITING:
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
            answered=sum(each.total() - each[AuditOutcome.WAITING] for each in found),
            seen=RateReport.of(seen),
            at_worst=RateReport.of(at_worst(counted)),
            enough=seen.asked >= ENOUGH,
        )


def _of(stratum: Stratum) -> Of:
    return "hands" if stratum in HANDS else "throws"


def _cell(size: int, found: Counter[AuditOutcome]) -> Cell:
    return Cell(
        members=size,
        errors=found[AuditOutcome.READING_WRONG] + found[AuditOutcome.UNDECIDED],
        right=found[AuditOutcome.RIGHT],
        slips=found[AuditOutcome.ANSWER_WRONG],
        unseen=found[AuditOutcome.UNSEEN] + found[AuditOutcome.CANNOT_TELL],
    )
