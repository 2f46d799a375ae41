"""What the page of one round shows: the moment that matters, and what is asked about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibration.table.places import BOX_PLACES, HOUSE
from service.rounds.reports import DICE
from service.web.deciding.moments import moments
from service.web.deciding.questions import questions
from service.web.decision_form import DICE_AT_MOST
from service.web.round_history import picture_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.record.store.entries import Entry
    from service.rounds.reports import RoundReport
    from service.web.deciding.moments import Moment
    from service.web.deciding.questions import Question

_PLACES = (HOUSE, *BOX_PLACES)


def round_page(
    entries: Sequence[tuple[Entry, RoundReport]], record: str, is_kept: Callable[[str], bool], place: str = ""
) -> dict[str, Any]:
    """All that the page of a round needs of the record.

    Args:
        entries: the revisions of the round, oldest first.
        record: id of the record.
        is_kept: whether a picture is still there.
        place: what to look at: a place, ``dice``, or a die such as ``die2``; what is worst if it is empty.
    """
    revisions = tuple(report for _, report in entries)
    played = revisions[-1]
    laid = {hand.place for hand in played.hands}
    kept = {one.sha256 for each in revisions for one in each.evidence if is_kept(one.sha256)}
    found = moments(revisions, kept)
    shown, question = _shown(found, questions(played), place)
    return {
        "played": played,
        "moments": found,
        "moment": shown,
        "question": question,
        "picture": picture_of(revisions),
        "revisions": revisions,
        "recorded_as": {"record": record, "entry": entries[-1][0]},
        "free": tuple(str(place) for place in _PLACES if str(place) not in laid),
        "dice_rows": range(1, min(DICE_AT_MOST, len(played.dice) + 2) + 1),
        "kept": kept,
    }


def _shown(found: tuple[Moment, ...], asked: tuple[Question, ...], place: str) -> tuple[Moment | None, Question | None]:
    """What to look at: the place that was asked for, or what is worst; and what is in doubt there."""
    at = DICE if place.startswith("die") else place
    shown = next((each for each in found if each.place == at), found[0] if found else None)
    if shown is None:
        return None, None
    there = [each for each in asked if each.place == shown.place]
    if place.startswith("die"):
        return shown, next((each for each in there if each.part == place), None)
    return shown, there[0] if there else None
