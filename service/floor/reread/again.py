"""One recorded round read again: what came of it, as it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from engine.errors import EngineError
from engine.vocabulary.play import Lie
from service.codes import RereadCode
from service.floor.reread.rules import Difference, book_and_way, decide_again, differences, laid_as
from service.judge.low_hand import low_hand_of
from service.judge.verdicts import judge_round
from service.record.results import report_of
from service.rounds.doubts import DoubtReport
from service.rounds.reports import FrozenModel
from vision.findings import Finding

if TYPE_CHECKING:
    from service.floor.reread.pictures import PictureReading
    from service.floor.reread.told import Chosen
    from service.record.store.chain import Entry
    from service.rounds.reports import RoundReport

Outcome = Literal["same", "otherwise", "could_not"]


class RoundAgain(FrozenModel):
    """What came of reading a round again.

    Attributes:
        outcome: it would be decided the ``same``, or ``otherwise``; ``could_not`` if nothing of it could be read.
        differences: what would be otherwise.
        unread: what could not be read again, and why; also of a round of which other parts could.
    """

    outcome: Outcome
    differences: tuple[Difference, ...] = ()
    unread: tuple[DoubtReport, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """Reads rounds again.

    Attributes:
        chosen: rulebook and House Way, where they are others than the recorded ones.
        pictures: reads pictures; None to decide by the rules alone.
    """

    chosen: Chosen
    pictures: PictureReading | None = None

    def read(self, entry: Entry, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        """Read a round again, from the entry that has it; raises as :meth:`PictureReading.read`.

        Args:
            entry: the entry.
            settings: of its table when it was recorded.
            last_try: see there.
        """
        try:
            return self._read(report_of(entry), settings, last_try=last_try)
        except ValidationError as error:
            return could_not(Finding.of(RereadCode.UNREADABLE, why=error.errors()[0]["msg"]))
        except EngineError as error:
            return could_not(Finding.of(RereadCode.NOT_DECIDABLE, why=str(error)))

    def _read(self, report: RoundReport, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        book, way = book_and_way(report, self.chosen)
        found = differences(report, decide_again(report, book, way), "rules")
        if self.pictures is None:
            return _came_of(found)
        low_hand = low_hand_of(_lie(settings), way)
        again = self.pictures.read(report, low_hand, last_try=last_try)
        unread = tuple(map(DoubtReport.of, again.unread))
        if not again.parts:
            return RoundAgain(outcome="could_not", unread=unread)

        before, now = (decide_again(judge_round(each, way), book, way) for each in (again.before, again.now))
        seen = differences(before, now, "pictures")
        return _came_of((*found, *(_with_decision(each, report) for each in seen)), unread)


def could_not(why: Finding) -> RoundAgain:
    """Nothing of it could be read."""
    return RoundAgain(outcome="could_not", unread=(DoubtReport.of(why),))


def _came_of(found: tuple[Difference, ...], unread: tuple[DoubtReport, ...] = ()) -> RoundAgain:
    return RoundAgain(outcome="otherwise" if found else "same", differences=found, unread=unread)


def _with_decision(difference: Difference, report: RoundReport) -> Difference:
    """Beside what is read otherwise, what a person said that lies there."""
    if difference.what == "dice" and report.dice_review is not None:
        said = [{"role": die.role, "value": die.value} for die in report.dice]
        return difference.model_copy(update={"decided": said})
    if difference.what != "hand":
        return difference
    hand = next((each for each in report.hands if each.place == difference.place and each.review is not None), None)
    if hand is not None:
        return difference.model_copy(update={"decided": laid_as(hand.low, hand.high, hand.status)})
    gone = any(each.place == difference.place for each in report.absent)
    return difference.model_copy(update={"decided": "absent"}) if gone else difference


def _lie(settings: dict[str, Any]) -> Lie | None:
    """How low hands lie by the settings of a table; None if they do not say."""
    table = settings.get("table")
    said = table.get("low_hand") if isinstance(table, dict) else None
    return Lie(said) if said in set(Lie) else None
