"""Re-reads one recorded round, and names what every worker of a run must have in common."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from engine.errors import EngineError
from engine.vocabulary.play import Lie
from rereading.pictures import Unread, Why
from rereading.rules import Cause, Chosen, Difference, decide_again, differences, laid_as, rules_for
from service import __version__
from service.record.results import report_of
from service.rounds.judge.verdicts import judge_round
from service.rounds.reports import FrozenModel
from service.system.versions import code_state
from vision.networks.model_card import NETWORKS, card_path, check_unaltered, read_card
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from rereading.pictures import PictureReading
    from service.record.store.entries import Entry
    from service.rounds.reports import RoundReport


class RoundAgain(FrozenModel):
    """The result of re-reading a round.

    Attributes:
        outcome: the decision would be the ``same`` or ``different``; ``unread`` if nothing could be re-read.
        unread: what could not be re-read, even if other parts could.
    """

    outcome: Literal["same", "different", "unread"]
    differences: tuple[Difference, ...] = ()
    unread: tuple[Unread, ...] = ()


class NotTheSameError(ValueError):
    """This computer does not have what the run was started with; the message says what."""


class Basis(FrozenModel):
    """What a run re-reads with: every worker must have exactly the same, or results would be a mixture.

    Attributes:
        depth: ``rules``: from the recorded tiles and dice. ``pictures``: recorded pictures are read again too.
        rulebook: instead of the recorded one.
        house_way: instead of the recorded one: an id, or the name of a file that each worker is given.
        day: whose versions of rulebook and House Way these are; None if neither is chosen.
        all_rounds: whether the House Way of that day also decides rounds that an earlier version of it judged.
        versions: of everything that decides: program, rulebook, House Way, models.
    """

    depth: Cause
    day: date | None = None
    all_rounds: bool = False
    rulebook: str | None = None
    rulebook_version: str | None = None
    house_way: str | None = None
    versions: dict[str, str]


def basis_here(depth: Cause, chosen: Chosen, models: Path | None) -> Basis:
    """What this computer would re-read with; ModelError if a model is missing or does not match its card."""
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    if chosen.book is not None:
        versions["rulebook"] = f"{chosen.book.id} {chosen.book.version}"
    if chosen.way is not None:
        versions["house_way"] = f"{chosen.way.rulebook} sha256:{chosen.way.sha256}"
    if depth == "pictures":
        folder = models or default_weights()
        paths = {name: folder / f"{name}.onnx" for name in NETWORKS}
        versions |= {
            name: f"sha256:{check_unaltered(path, read_card(card_path(path)))}" for name, path in paths.items()
        }
    return Basis(
        depth=depth,
        day=chosen.day,
        all_rounds=chosen.all_rounds,
        rulebook=None if chosen.book is None else chosen.book.id,
        rulebook_version=None if chosen.book is None else chosen.book.version,
        house_way=None if chosen.named is None else Path(chosen.named).name,
        versions=versions,
    )


def check_same(run: Basis, here: Basis) -> None:
    """Make sure that this computer has what a run was started with; NotTheSameError."""
    names = sorted(run.versions.keys() | here.versions.keys())
    differing = "; ".join(
        f"{name}: the run has {run.versions.get(name, 'none')}, this computer {here.versions.get(name, 'none')}"
        for name in names
        if run.versions.get(name) != here.versions.get(name)
    )
    if differing:
        raise NotTheSameError(f"this computer would not read as the run was started: {differing}")


@dataclass(frozen=True, slots=True)
class Again:
    """Re-reads rounds; without ``pictures`` by the rules alone."""

    chosen: Chosen
    pictures: PictureReading | None = None

    def read(self, entry: Entry, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        """Re-read the round of an entry, with its table's settings at that time; raises like PictureReading.read."""
        try:
            return self._read(report_of(entry), settings, last_try=last_try)
        except ValidationError as error:
            return nothing_read(Why.ENTRY_INVALID, error.errors()[0]["msg"])
        except EngineError as error:
            return nothing_read(Why.NOT_DECIDABLE, str(error))

    def _read(self, report: RoundReport, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        rules = rules_for(report, self.chosen)
        found = differences(report, decide_again(report, rules), "rules")
        if self.pictures is None:
            return _result(found)
        again = self.pictures.read(report, rules.low_hand(_low_hand(settings)), last_try=last_try)
        if not again.parts:
            return RoundAgain(outcome="unread", unread=again.unread)
        before, now = (decide_again(judge_round(each, rules), rules) for each in (again.before, again.now))
        seen = differences(before, now, "pictures")
        return _result((*found, *(_with_entered(each, report) for each in seen)), again.unread)


def nothing_read(code: Why, details: str = "") -> RoundAgain:
    return RoundAgain(outcome="unread", unread=(Unread(code=code, details=details),))


def _result(found: tuple[Difference, ...], unread: tuple[Unread, ...] = ()) -> RoundAgain:
    return RoundAgain(outcome="different" if found else "same", differences=found, unread=unread)


def _with_entered(difference: Difference, report: RoundReport) -> Difference:
    if difference.what == "dice" and report.dice_review is not None:
        entered = [{"role": die.role, "value": die.value} for die in report.dice]
        return difference.model_copy(update={"entered": entered})
    if difference.what != "hand":
        return difference
    hand = next((each for each in report.hands if each.place == difference.place and each.review is not None), None)
    if hand is not None:
        return difference.model_copy(update={"entered": laid_as(hand.low, hand.high, hand.status)})
    absent = any(each.place == difference.place for each in report.absent)
    return difference.model_copy(update={"entered": "absent"}) if absent else difference


def _low_hand(settings: dict[str, Any]) -> Lie | None:
    """How low hands lie by a table's settings; None if they do not say."""
    table = settings.get("table")
    value = table.get("low_hand") if isinstance(table, dict) else None
    return Lie(value) if value in set(Lie) else None
