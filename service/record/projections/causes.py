"""The causes of alarms in rounds and checks; used for alarms and notices."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE
from engine.house_way.rules import Moment
from service.record.store.entries import canonical_json
from service.rounds.reports import DICE, MOMENTS, FacePair, FindingReport, FrozenModel, RoundMoment
from service.words.declared.all_codes import declaration_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.record.store.entries import Entry
    from service.rounds.reports import HandReport, RoundReport
    from service.system.subscriber_settings import AlarmKind
    from service.words.doubts import DoubtReport

_OF_PICTURES: Final = frozenset({"part", "hidden"})
"""Groups of doubts that further pictures may remove."""
RECORD = "record"
"""The check that says whether the record can be written."""


class Details(FrozenModel):
    """Details of an alarm beside its kind and subject.

    Attributes:
        rulebook: of the round; empty for a check.
        rulebook_version: of the same; empty if it has none.
        number: of the round.
        revision: of the round, in which this was seen last.
        places: where to look: the place of the hand, or every place in doubt; ``dice`` is the throw.
        low: the low hand as laid, of a hand set wrongly.
        high: the high hand as laid.
        moment: how far the round had come then; None if unknown.
        findings: the departure from the rulebook, or how the check is.
    """

    rulebook: str = ""
    rulebook_version: str = ""
    number: int | None = None
    revision: int | None = None
    places: tuple[str, ...] = ()
    low: FacePair | None = None
    high: FacePair | None = None
    moment: RoundMoment | None = None
    findings: tuple[FindingReport, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """A condition that raises an alarm while it lasts.

    Attributes:
        subject: place of the hand, code of the departure, first place in doubt, or name of the check.
        line: causes of one kind and line in one round, or of one check, are the same thing again.
        parts: what exactly; whatever is more than before raises the alarm again.
    """

    kind: AlarmKind
    subject: str
    line: str
    parts: frozenset[str]
    details: Details


def causes_of_round(played: RoundReport) -> tuple[Cause, ...]:
    """All that a round, as it now stands, gives alarm about."""
    return (*_wrong_hands(played), *_departures(played), *_doubts(played))


def causes_of_checks(entry: Entry) -> tuple[Cause, ...]:
    """All checks that are not well, as an ``alarm`` entry has them."""
    return tuple(
        cause_of_check(str(check["name"]), tuple(map(FindingReport.model_validate, check["findings"])))
        for check in entry.data["checks"]
    )


def cause_of_outage(entry: Entry) -> Cause:
    """That nothing could be recorded, as an ``outage`` entry tells afterwards."""
    body = entry.data
    return cause_of_check(RECORD, (FindingReport(code=body["code"], params=body["params"]),))


def cause_of_check(name: str, findings: tuple[FindingReport, ...]) -> Cause:
    return Cause("health", name, name, frozenset({name}), Details(findings=findings))


def wrong_lay(hand: HandReport | None) -> frozenset[str] | None:
    """How a hand lies if that is against the House Way, each pair as a text; None if it is not."""
    if hand is None or not hand.is_set_wrongly:
        return None
    return frozenset((f"low {' '.join(sorted(hand.low))}", f"high {' '.join(sorted(hand.high))}"))


def departures_of(played: RoundReport) -> Mapping[str, FindingReport]:
    """The departures from the rulebook in a round, by names that stay the same from revision to revision."""
    return {line_of(found.alone): found for found in played.departures}


def is_of_throw(departure: FindingReport) -> bool:
    """Whether a departure from the rulebook is seen where the dice lie."""
    declaration = declaration_of(departure.code)
    return declaration is not None and declaration.about == "throw"


def line_of(found: DoubtReport) -> str:
    """The line of a departure, by its code and values."""
    return hashlib.sha256(canonical_json(found.model_dump(mode="json")).encode()).hexdigest()


def _of(played: RoundReport) -> Details:
    version = played.versions.get("rulebook_version", "")
    return Details(rulebook=played.rulebook, rulebook_version=version, number=played.number, revision=played.revision)


def _wrong_hands(played: RoundReport) -> Iterator[Cause]:
    for hand in played.judged:
        if (lay := wrong_lay(hand)) is not None:
            moment = None if played.reached is None else MOMENTS[played.reached]
            laid = {"places": (hand.place,), "low": hand.low, "high": hand.high, "moment": moment}
            details = _of(played).model_copy(update=laid)
            yield Cause("house_hand_wrong", hand.place, hand.place, lay, details)


def _departures(played: RoundReport) -> Iterator[Cause]:
    for name, found in departures_of(played).items():
        place = DICE if is_of_throw(found) else found.params.get("place")
        places = (place,) if isinstance(place, str) else ()
        details = _of(played).model_copy(update={"places": places, "findings": (found,)})
        yield Cause("procedure", found.code, name, frozenset({name}), details)


def places_to_review(played: RoundReport) -> tuple[str, ...]:
    """The places that a person must look at.

    While the round is open, further pictures may remove any doubt but those because of camera, clock, record or set of
    tiles, and those about the House hand once its tiles have been put away. A hand that is read clearly, but that no
    rule of the House Way sets, is among the places.
    """
    places = [hand.place for hand in played.judged if hand.status != "uncertain" and _is_not_judged(hand)]
    lasting = {hand.place for hand in played.hands if _lasts(hand.doubts)}
    if any(_lasts(die.doubts) for die in played.dice if die.status == "uncertain"):
        lasting.add(DICE)
    if played.reached is Moment.BANK_PUT_AWAY:
        lasting.add(str(HOUSE))
    over = played.state == "closed"
    return tuple(dict.fromkeys((*(each for each in played.places_in_doubt if over or each in lasting), *places)))


def is_to_review(played: RoundReport) -> bool:
    """Whether a round is an alarm for review: further pictures will not settle it by themselves."""
    return bool(places_to_review(played)) or (played.status == "needs_review" and played.state == "closed")


def _is_not_judged(hand: HandReport) -> bool:
    return hand.house_way is not None and hand.house_way.verdict == "needs_review"


def _lasts(doubts: Sequence[DoubtReport]) -> bool:
    declared = [declaration_of(each.code) for each in doubts]
    return any(each is None or each.group not in _OF_PICTURES for each in declared)


def _doubts(played: RoundReport) -> Iterator[Cause]:
    if is_to_review(played):
        places = places_to_review(played)
        details = _of(played).model_copy(update={"places": places})
        yield Cause("needs_review", places[0] if places else "", "", frozenset(places), details)
