"""What a person decides about a round: confirming what was read, or correcting it, always with a name and a reason.

A decision holds as long as the parts it is about are read as they were when it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from calibration.table.places import Place
from engine.errors import EngineError
from service.rounds.bank import known_bank
from service.rounds.judge.throws import report_throw
from service.rounds.judge.verdicts import judge_hand, status_of
from service.rounds.reports import (
    AbsentHandReport,
    DiceReviewReport,
    DieReport,
    FrozenModel,
    HandReadReport,
    HandReport,
    HandReviewReport,
    Outcome,
    RoundReport,
    face_pair,
    parse_pair,
)
from service.words.wording import Quote, WordedError, part_name, place_name, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from engine.game.tiles import Tile
    from engine.house_way import HouseWay
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.words.wording import Sayable

Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Face = Annotated[str, Field(max_length=8, examples=["6-5"])]
PlaceText = Annotated[str, Field(pattern=r"^(house|box[1-8]|hand[1-9][0-9]?)$", examples=["house"])]
PartText = Annotated[str, Field(pattern=r"^(house|box[1-8]|hand[1-9][0-9]?|die[1-9])$", examples=["die2"])]
"""A part of a round: a hand by its place, or a die by its number in the order in which the round lists the dice."""


OutcomePart = Annotated[
    str, Field(pattern=r"^(house|box[1-8]|hand[1-9][0-9]?|finding[1-9][0-9]?)$", examples=["house", "finding1"])
]
"""A hand by its place, or a finding by its number in the order in which a revision of the round lists them."""


class ReviewError(WordedError):
    """A decision that cannot be taken about this round."""


class HandIn(FrozenModel):
    """A hand as the person sees it lie.

    Attributes:
        place: where it lies: ``house``, ``box1`` to ``box8``, or ``hand1`` and on without a calibration.
    """

    place: PlaceText
    low: tuple[Face, Face] = Field(examples=[("6-3", "5-3")])
    high: tuple[Face, Face] = Field(examples=[("6-6", "6-1")])


class DieIn(FrozenModel):
    """A die as the person sees it lie.

    Attributes:
        role: box die or cut die; null where the table's dice do not differ.
        value: pips of its upper face; none for a cocked one.
        cocked: whether it does not lie flat, so that the dice must be shaken again.
    """

    role: Literal["box", "cut"] | None = "box"
    value: Annotated[int, Field(ge=1, le=6, strict=True)] | None = None
    cocked: bool = False

    @model_validator(mode="after")
    def _lies_flat_or_not(self) -> Self:
        if (self.value is None) is not self.cocked:
            raise ValueError("a die has either a value or is cocked")
        return self


class OutcomeIn(FrozenModel):
    """What was done about a finding, or about a hand set against the House Way.

    Attributes:
        part: the hand by its place, or a finding such as ``finding1`` by its number in the order in which the revision
            lists them.
        outcome: ``corrected``, ``too_late``, ``accepted`` or ``called``.
        title: of the person who accepted it, as the rulebook prints it; only if accepted.
        called: who was called; only if somebody was.
    """

    part: OutcomePart
    outcome: Outcome
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)] | None = None
    called: Literal["surveillance", "supervisor"] | None = None

    @model_validator(mode="after")
    def _says_who(self) -> Self:
        if (self.outcome == "accepted") != (self.title is not None):
            raise WordedError(words("'accepted' needs the title of the person who accepted it; others have none"))
        if (self.outcome == "called") != (self.called is not None):
            raise WordedError(words("'called' needs whom: 'surveillance' or 'supervisor'; others have none"))
        return self


class ReviewIn(FrozenModel):
    """A decision about a round, or a report of what was done about it.

    Attributes:
        action: ``confirm`` the reading, ``correct`` it, or report an ``outcome``.
        by: who decides; a signed-in person is named by the account, a machine names the person it speaks for.
        reason: why; for an outcome a note, which may be omitted.
        revision: the revision that the person looked at; a newer one must be looked at first, except for an outcome.
        only: what the decision is about, everything else stays in doubt. A confirmation names hands and dice; without
            any it is about all that is in doubt. A correction names the dice that ``dice`` says, in that order.
        hands: the hands as they lie; only when correcting.
        dice: the dice as they lie; all dice of the round unless ``only`` names some; only when correcting.
        absent: places where a hand was read but none lies; only when correcting.
        outcome: only with the action ``outcome``.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"action": "confirm", "by": "A. Supervisor", "reason": "Looked at the table", "revision": 2},
                {
                    "action": "correct",
                    "by": "A. Supervisor",
                    "reason": "Clear in the picture",
                    "revision": 2,
                    "only": ["die2"],
                    "dice": [{"role": "box", "value": 5}],
                },
                {
                    "action": "correct",
                    "by": "A. Supervisor",
                    "reason": "Glare on the 5-3",
                    "revision": 2,
                    "hands": [{"place": "house", "low": ["6-3", "5-3"], "high": ["6-6", "6-1"]}],
                },
                {
                    "action": "outcome",
                    "by": "A. Supervisor",
                    "revision": 2,
                    "outcome": {"part": "house", "outcome": "called", "called": "surveillance"},
                },
            ]
        }
    )

    action: Literal["confirm", "correct", "outcome"]
    by: Name = Field(default_factory=str)  # nobody, which may not be sent: no default that the schema would refuse
    reason: Reason = Field(default_factory=str)  # optional for an outcome alone
    revision: Annotated[int, Field(ge=1, le=1_000_000)]
    only: Annotated[tuple[PartText, ...], Field(max_length=18)] = ()
    hands: Annotated[tuple[HandIn, ...], Field(max_length=9)] = ()
    dice: Annotated[tuple[DieIn, ...], Field(max_length=8)] | None = None
    absent: Annotated[tuple[PlaceText, ...], Field(max_length=99)] = ()
    outcome: OutcomeIn | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        says = bool(self.hands or self.dice is not None or self.absent)
        if (self.action == "outcome") != (self.outcome is not None) or (self.outcome and (says or self.only)):
            raise WordedError(words("'outcome' says what was done, and nothing else; other actions say none"))
        if self.action != "outcome" and not self.reason:
            raise WordedError(words("'confirm' and 'correct' need a reason"))
        if self.action == "confirm" and says:
            raise WordedError(words("'confirm' accepts the reading unchanged; to change it, use 'correct'"))
        if self.action == "correct" and not says:
            raise WordedError(words("'correct' needs the actual hands or dice, or the places without a hand"))
        places = [*(hand.place for hand in self.hands), *self.absent]
        if len(set(places)) != len(places) or len(set(self.only)) != len(self.only):
            raise WordedError(words("name each place only once"))
        if (
            self.action == "correct"
            and self.only
            and (len(self.only) != len(self.dice or ()) or not all(map(_die_number, self.only)))
        ):
            raise WordedError(words("with 'only', a correction names every die that it corrects: die1, die2 and so on"))
        return self


def part_of_die(number: int) -> str:
    """What a decision calls a die, by its number from 1."""
    return f"die{number}"


def _die_number(part: str) -> int | None:
    return int(part.removeprefix("die")) if part.startswith("die") else None


def doubtful_parts(known: RoundReport) -> tuple[str, ...]:
    """The parts of a round that are in doubt: hands by their places, then dice by number."""
    hands = (hand.place for hand in known.hands if hand.status == "uncertain")
    dice = (part_of_die(number) for number, die in enumerate(known.dice, start=1) if die.status == "uncertain")
    return (*hands, *dice)


def review(known: RoundReport, requested: ReviewIn, at: datetime, rules: RulesInForce) -> RoundReport:
    """The round as a person decided; ReviewError if there is nothing to confirm, or tiles lie outside the set."""
    decision = _Decision(known, requested, at, rules.house_way)
    hands, dice = decision.confirmed() if requested.action == "confirm" else decision.corrected()
    _check_set(hands)
    absent = decision.absent()
    dice_review = known.dice_review
    if dice != known.dice:
        read = known.dice if dice_review is None else dice_review.read
        kept = known.dice if len(known.dice) == len(dice) else (None,) * len(dice)
        parts = (part_of_die(n) for n, pair in enumerate(zip(kept, dice, strict=True), start=1) if pair[0] != pair[1])
        dice_review = DiceReviewReport(**decision.signed, read=read, parts=tuple(parts))
    decided = known.model_copy(
        update={
            "revision": known.revision + 1,
            "changed_at": at,
            "hands": hands,
            "dice": dice,
            "dice_review": dice_review,
            "throw": report_throw(dice, rules.book, known.order, known_bank(known.bank)),
            "absent": absent,
        }
    )
    return decided.model_copy(update={"status": status_of(decided)})


def as_read(known: RoundReport) -> RoundReport:
    """The round as the camera has it: without what persons decided, and not judged."""
    laid = [hand if hand.review is None else (hand.place, hand.review.read) for hand in known.hands]
    hands = [each if isinstance(each, HandReport) else _read_hand(*each) for each in laid]
    hands += [_read_hand(gone.place, gone.review.read) for gone in known.absent]
    dice = known.dice if known.dice_review is None else known.dice_review.read
    return known.model_copy(
        update={
            "hands": tuple(hand.model_copy(update={"house_way": None}) for hand in hands if hand is not None),
            "dice": dice,
            "dice_review": None,
            "absent": (),
            "outcomes": (),
        }
    )


def _read_hand(place: str, read: HandReadReport | None) -> HandReport | None:
    if read is None:
        return None
    return HandReport(place=place, low=read.low, high=read.high, status=read.status, doubts=read.doubts)


def carry(report: RoundReport, known: RoundReport, rules: RulesInForce) -> RoundReport:
    """A new reading of a round under what persons decided about it before."""
    decided = {hand.place: hand for hand in known.hands if hand.review is not None}
    laid = {hand.place: hand for hand in report.hands}
    absent = tuple(gone for gone in known.absent if gone.place not in laid or _is_still(gone, laid[gone.place]))
    gone = {each.place for each in absent}
    hands = [_carried(hand, decided.pop(hand.place, None)) for hand in report.hands if hand.place not in gone]
    hands += [hand for hand in decided.values() if hand.review is not None and hand.review.read is None]
    dice, dice_review, throw = report.dice, None, report.throw
    if known.dice_review is not None and _seen(known.dice_review.read) == _seen(report.dice):
        dice, dice_review = _still_decided(known, report.dice), known.dice_review
        throw = report_throw(dice, rules.book, report.order, known_bank(report.bank))
    carried = report.model_copy(
        update={
            "hands": tuple(hands),
            "dice": dice,
            "dice_review": dice_review,
            "throw": throw,
            "absent": absent,
            "outcomes": known.outcomes,
        }
    )
    return carried.model_copy(update={"status": status_of(carried)})


@dataclass(frozen=True, slots=True)
class _Decision:
    """A person's decision about a round, made at a moment and judged by a House Way."""

    known: RoundReport
    requested: ReviewIn
    at: datetime
    house_way: HouseWay

    @property
    def signed(self) -> dict[str, Any]:
        """What was done, by whom, why and when."""
        return {**self.requested.model_dump(include={"action", "by", "reason"}), "at": self.at}

    def confirmed(self) -> tuple[tuple[HandReport, ...], tuple[DieReport, ...]]:
        known = self.known
        doubtful = doubtful_parts(known)
        meant = self.requested.only or doubtful
        if not doubtful:
            raise ReviewError(words("Nothing in this round is in doubt; to change it, use the action 'correct'."))
        if settled := next((part for part in meant if part not in doubtful), None):
            raise ReviewError(words("%(part)s is not in doubt in this round.", part=part_name(settled)))
        dice = list(known.dice)
        for number, die in enumerate(dice):
            if part_of_die(number + 1) not in meant:
                continue
            if die.value is None or die.cocked:
                raise ReviewError(
                    words(
                        "A die is cocked or cannot be read, so there is nothing to confirm: correct the dice instead."
                    )
                )
            dice[number] = die.model_copy(update=_CLEAR)
        hands = (self._hand(hand, hand, hand.place) if hand.place in meant else hand for hand in known.hands)
        return tuple(hands), tuple(dice)

    def corrected(self) -> tuple[tuple[HandReport, ...], tuple[DieReport, ...]]:
        known, requested = self.known, self.requested
        hands = {hand.place: hand for hand in known.hands if hand.place not in requested.absent}
        gone = {each.place: each for each in known.absent}
        for sent in requested.hands:
            hands[sent.place] = self._hand(sent, hands.get(sent.place) or gone.get(sent.place), sent.place)
        ordered = sorted(hands.values(), key=lambda hand: Place.parse(hand.place))
        return tuple(ordered), self._dice()

    def _dice(self) -> tuple[DieReport, ...]:
        """The dice as they lie: all of them as given, or those that were named."""
        known, requested = self.known, self.requested
        if requested.dice is None:
            return known.dice
        if not requested.only:
            return tuple(map(_die, requested.dice))
        dice = list(known.dice)
        for part, sent in zip(requested.only, requested.dice, strict=True):
            number = _die_number(part)
            if number is None or number > len(dice):
                raise ReviewError(words("%(part)s is not in this round.", part=part_name(part)))
            seen = dice[number - 1]
            dice[number - 1] = seen.model_copy(
                update={"value": sent.value, "role": sent.role, "cocked": sent.cocked, **_CLEAR}
            )
        return tuple(dice)

    def absent(self) -> tuple[AbsentHandReport, ...]:
        """The hands that do not lie on the table, on this person's word or on an earlier one."""
        laid = {hand.place: hand for hand in self.known.hands}
        sent_places = {hand.place for hand in self.requested.hands}
        gone = {each.place: each for each in self.known.absent if each.place not in sent_places}
        for place in self.requested.absent:
            if place not in laid:
                none = words("%(place)s: no hand was read there, so no hand can be removed.", place=place_name(place))
                raise ReviewError(none)
            gone[place] = AbsentHandReport(place=place, review=self._reviewed(laid[place]))
        return tuple(gone.values())

    def _hand(self, sent: HandIn | HandReport, before: HandReport | AbsentHandReport | None, place: str) -> HandReport:
        """A hand on a person's word, judged as they say it lies."""
        try:
            low, high = (face_pair(parse_pair(pair)) for pair in (sent.low, sent.high))
        except EngineError as error:
            raise ReviewError(Quote(str(error))) from None
        laid = HandReport(place=place, low=low, high=high, status="confirmed", review=self._reviewed(before))
        return judge_hand(laid, self.house_way, asked=place in self.known.asked)

    def _reviewed(self, before: HandReport | AbsentHandReport | None) -> HandReviewReport:
        """A person's word about a hand, beside what had been read."""
        if before is None:
            read = None
        elif before.review is not None:
            read = before.review.read
        else:
            as_read = before.model_dump(include={"low", "high", "status", "doubts"})
            read = HandReadReport.model_validate(as_read)
        return HandReviewReport(**self.signed, read=read)


_CLEAR: Final[Mapping[str, object]] = {"status": "confirmed", "doubts": ()}


def _die(sent: DieIn) -> DieReport:
    nowhere = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    return DieReport(
        value=sent.value,
        role=sent.role,
        colour="",
        cocked=sent.cocked,
        polygon=nowhere,
        confidence=1.0,
        status="confirmed",
    )


def _check_set(hands: tuple[HandReport, ...]) -> None:
    """No face more often than the set holds it, in hands that nobody doubts any more."""
    faces: list[Tile] = []
    for hand in hands:
        if hand.status != "uncertain":
            four = (*parse_pair(hand.low), *parse_pair(hand.high))
            for tile in four:
                if four.count(tile) > tile.copies:
                    raise ReviewError(_too_often(hand.place, tile, four.count(tile)))
            faces += four
    for tile in set(faces):
        if faces.count(tile) > tile.copies:
            raise ReviewError(
                words(
                    "%(face)s would be on the table %(times)s times, but the set has it %(copies)s times.",
                    face=tile,
                    times=faces.count(tile),
                    copies=tile.copies,
                )
            )


def _too_often(place: str, tile: Tile, times: int) -> Sayable:
    fields = {"place": place_name(place), "face": tile, "times": times}
    if tile.copies == 1:
        return words(
            "%(place)s: %(face)s is entered %(times)s times, but a set has only one: check the tiles", **fields
        )
    return words("%(place)s: %(face)s is entered %(times)s times, but a set has only two: check the tiles", **fields)


def _carried(now: HandReport, decided: HandReport | None) -> HandReport:
    if decided is None or decided.review is None or decided.review.read is None:
        return now
    return decided if _lay(now) == _lay(decided.review.read) else now


def _is_still(gone: AbsentHandReport, now: HandReport) -> bool:
    """Whether the same is read again where a person saw that no hand lies."""
    return gone.review.read is not None and _lay(now) == _lay(gone.review.read)


def _lay(hand: HandReport | HandReadReport) -> tuple[list[str], list[str]]:
    return sorted(hand.low), sorted(hand.high)


def _still_decided(known: RoundReport, now: tuple[DieReport, ...]) -> tuple[DieReport, ...]:
    """Return the dice with persons' decisions; the others keep their current reading."""
    if known.dice_review is None or len(known.dice) != len(now) or _in_order(known.dice_review.read) != _in_order(now):
        return known.dice
    return tuple(read if die.status == "uncertain" else die for die, read in zip(known.dice, now, strict=True))


def _in_order(dice: tuple[DieReport, ...]) -> list[tuple[str | None, str, int | None]]:
    return [(die.role, die.colour, die.value) for die in dice]


def _seen(dice: tuple[DieReport, ...]) -> list[tuple[str, str, int]]:
    return sorted((die.role or "", die.colour, die.value or 0) for die in dice)
