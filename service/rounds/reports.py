"""What a reading says to people and programs: the one JSON shape of ``houseway read --json`` and of the HTTP side.

Faces are written ``6-5``, larger half first; coordinates are pixels of the picture as displayed. A verdict is given on
verified hands only: a hand with any doubt is handed to a person, with the reasons, and nothing is worked out from
tiles that were guessed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict

from engine.books.registry import BOOKS
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.game.tiles import Tile
from engine.house_way import HouseWay
from engine.house_way.rules import Moment
from engine.vocabulary.irregularities import Whose
from service.codes import ServiceCode
from service.judge.throws import ThrownDie, decided
from service.rounds.round_tracker import Round, RoundFinding
from service.words.findings import CODES, english, message_of, words_of
from vision.findings import Finding
from vision.reading import DieReading, HandReading, Reading, TileReading

FacePair = tuple[str, str]
Corner = tuple[float, float]
Param = str | int | float | tuple[str, ...]
Quad = tuple[Corner, Corner, Corner, Corner]
Status = Literal["verified", "uncertain"]
RoundMoment = Literal["no-hand-exposed", "first-hand-exposed", "bank-put-away"]
SettledStatus = Literal["verified", "confirmed", "uncertain"]
"""``confirmed`` is a person's word where the reading left a doubt."""


_MOMENTS: Final[dict[Moment, RoundMoment]] = {
    Moment.NO_HAND_EXPOSED: "no-hand-exposed",
    Moment.FIRST_HAND_EXPOSED: "first-hand-exposed",
    Moment.BANK_PUT_AWAY: "bank-put-away",
}


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DoubtReport(_Model):
    """A doubt as a value.

    Attributes:
        code: of a closed list.
        params: by name.
        about: the face of the tile of a hand that it is about; empty for what carries it.
    """

    code: str
    params: dict[str, Param] = {}
    about: str = ""

    @classmethod
    def of(cls, doubt: Finding) -> Self:
        """Write a doubt down."""
        return cls(code=doubt.code, params=dict(doubt.params), about=doubt.about)


@dataclass(frozen=True, slots=True)
class Reason:
    """A doubt for people.

    Attributes:
        text: in English, as it was recorded.
        doubt: as a value; None in entries of a record written before there were any.
    """

    text: str
    doubt: DoubtReport | None


Doubts = tuple[DoubtReport, ...] | None
"""The doubts behind ``reasons``, in their order; null in entries of a record written before there were codes."""


class _Doubted(_Model):
    """Something with doubts, in words and as values."""

    @property
    def said(self) -> tuple[Reason, ...]:
        """Each reason with its value."""
        doubts: Iterable[DoubtReport | None] = self.doubts or repeat(None)
        return tuple(Reason(text, doubt) for text, doubt in zip(self.reasons, doubts, strict=False))

    reasons: tuple[str, ...]
    doubts: Doubts = None


class SettingReport(_Model):
    """Two pairs of faces."""

    low: FacePair
    high: FacePair

    @classmethod
    def of(cls, setting: Setting) -> Self:
        """Write a setting by its faces."""
        return cls(low=_pair(setting.low.tiles), high=_pair(setting.high.tiles))


class HouseWayReport(_Doubted):
    """Whether a hand lies the House Way.

    Attributes:
        verdict: ``correct``, ``wrong``, or ``needs_review`` where the reading leaves a doubt.
        expected: how the rulebook sets these four tiles; None if the hand needs review.
        rule: citation of the rule that decides.
        rule_text: that rule in its book's words or close to them.
        explanation: the decision in words for a supervisor.
        remedy: what the rulebook allows now if the hand lies wrong.
        reasons: why a person must look, if one must.
    """

    verdict: Literal["correct", "wrong", "needs_review"]
    expected: SettingReport | None
    rule: str | None
    rule_text: str | None = None
    explanation: str
    remedy: str | None
    reasons: tuple[str, ...] = ()


class TileReport(_Doubted):
    """One tile; ``place``, ``center_mm`` and ``angle_deg`` only with a calibration."""

    face: str | None
    face_up: bool
    polygon: Quad
    confidence: float
    runner_up: str | None
    status: Status
    place: str | None = None
    center_mm: Corner | None = None
    angle_deg: float | None = None


class ReviewReport(_Model):
    """What a person decided about a part of a round; it is recorded as theirs."""

    action: Literal["confirm", "correct"]
    by: str
    reason: str
    at: datetime


class HandReadReport(_Doubted):
    """A hand as it had been read before a person decided."""

    low: FacePair
    high: FacePair
    status: Status


class HandReviewReport(ReviewReport):
    """The decision about a hand; ``read`` is null where none had been read."""

    read: HandReadReport | None


class AbsentHandReport(_Model):
    """A place where a hand was read and a person says that none lies."""

    place: str
    review: HandReviewReport


class DieReport(_Doubted):
    """One die; ``cocked`` if it seems to lean, of a round if most pictures are sure and none verified it as flat."""

    value: int | None
    role: Literal["box", "cut"] | None
    colour: str
    cocked: bool
    polygon: Quad
    confidence: float
    status: SettledStatus


class DiceReviewReport(ReviewReport):
    """The decision about the dice."""

    read: tuple[DieReport, ...]


class HandReport(_Doubted):
    """Four tiles as they lie; ``house_way`` is null for a hand its player set himself."""

    place: str
    low: FacePair
    high: FacePair
    status: SettledStatus
    house_way: HouseWayReport | None
    review: HandReviewReport | None = None


class FindingReport(_Model):
    """Something about the picture or the table that a person should know.

    Attributes:
        code: of a closed list.
        message: the same in words, with rule and remedy.
        params: by name; null in entries of a record written before there were any.
        rule: citation of the rule that it departs from.
        remedy: what the rulebook says must or may be done, in its words.
    """

    code: str
    message: str
    params: dict[str, Param] | None = None
    rule: str | None = None
    remedy: str | None = None

    @classmethod
    def of(cls, found: Finding) -> Self:
        """Write a finding down."""
        return cls(code=found.code, message=str(words_of(found)), params=dict(found.params))


class ThrowReport(_Doubted):
    """What the dice of a round decide while the House banks.

    Attributes:
        total: of the box dice; null where it cannot be said.
        first_box: the box that gets the first tiles.
        cut: the cut that the cut die names; null without one.
        rule: citation of the rules.
        status: the least sure of the dice, ``uncertain`` too if the book has other dice.
        reasons: why it is not, or why the dice are to be shaken again.
    """

    total: int | None
    first_box: int | None
    cut: str | None
    rule: str | None
    status: SettledStatus


class EvidenceReport(_Model):
    """A picture that shows what was seen; ``/v1/evidence/{sha256}`` has it.

    Attributes:
        role: ``frame`` as the camera gave it, ``annotated`` with what was read drawn on it.
    """

    sha256: str
    role: Literal["frame", "annotated"]
    media_type: str
    bytes: int


class ReadingReport(_Model):
    """All that was read from one picture."""

    image: str
    size: tuple[int, int]
    calibrated: bool
    single_frame: bool
    rulebook: str
    house_way: str
    tiles: tuple[TileReport, ...]
    dice: tuple[DieReport, ...]
    hands: tuple[HandReport, ...]
    findings: tuple[FindingReport, ...]
    versions: dict[str, str]
    elapsed_ms: dict[str, float]


class RoundReport(_Model):
    """One round as the table service knows it.

    Attributes:
        id: names this round for ever.
        table: the table's name.
        number: counts the table's rounds since its record began.
        revision: counts what was learned about this round; a higher one supersedes a lower one.
        rulebook: the one whose remedies hold.
        house_way: the id of the House Way that hands were judged by; the rulebook's own, or the one named under it.
        state: ``open`` while tiles lie, ``closed`` once they have left.
        status: ``verified`` if every hand and die is, ``confirmed`` if a person cleared what was in doubt.
        agreeing_frames: pictures in a row in which each hand was read alike.
        exposed: the places whose hands were opened, in that order.
        asked: the places whose hands the dealer was asked to set; these are judged too.
        moment: how far the round has come, on which the remedy depends; null where that is not known.
        throw: what the dice decide; null where none were seen, or the rulebook is not one with dice.
        evidence: the pictures that made this revision.
        dice_review: what a person decided about the dice.
        absent: hands that were read but, on a person's word, do not lie on the table.
        versions: of all that made this result: models, libraries, settings, calibration, rulebook.
    """

    id: str
    table: str
    number: int
    revision: int
    state: Literal["open", "closed"]
    opened_at: datetime
    changed_at: datetime
    closed_at: datetime | None
    rulebook: str
    house_way: str
    status: Literal["verified", "confirmed", "needs_review"]
    agreeing_frames: int
    hands: tuple[HandReport, ...]
    dice: tuple[DieReport, ...]
    findings: tuple[FindingReport, ...]
    versions: dict[str, str]
    exposed: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    moment: RoundMoment | None = None
    throw: ThrowReport | None = None
    evidence: tuple[EvidenceReport, ...] = ()
    dice_review: DiceReviewReport | None = None
    absent: tuple[AbsentHandReport, ...] = ()

    @property
    def judged(self) -> tuple[HandReport, ...]:
        """The hands the House Way is asked of."""
        return tuple(hand for hand in self.hands if hand.house_way is not None)

    @property
    def house(self) -> HandReport | None:
        """The first of them; at a calibrated table the House hand."""
        return next(iter(self.judged), None)


def report_reading(reading: Reading, house_way: HouseWay) -> ReadingReport:
    """Write a reading down, its hands judged by a House Way."""
    return ReadingReport(
        image=reading.image,
        size=reading.size,
        calibrated=reading.calibrated,
        single_frame=reading.single_frame,
        rulebook=house_way.played_under,
        house_way=house_way.rulebook,
        tiles=tuple(_tile(tile) for tile in reading.tiles),
        dice=tuple(report_die(die) for die in reading.dice),
        hands=tuple(report_hand(hand, house_way) for hand in reading.hands),
        findings=tuple(map(FindingReport.of, reading.findings)),
        versions=reading.versions,
        elapsed_ms={stage: round(spent, 2) for stage, spent in reading.elapsed_ms.items()},
    )


def report_round(played: Round, *, table: str, house_way: HouseWay, versions: dict[str, str]) -> RoundReport:
    """Write a round down, its hands judged by a House Way."""
    hands = tuple(
        report_hand(hand, house_way, asked=hand.place in played.asked, moment=played.moment) for hand in played.hands
    )
    dice = tuple(report_die(die) for die in played.dice)
    return RoundReport(
        id=played.id,
        table=table,
        number=played.number,
        revision=played.revision,
        state="open" if played.closed_at is None else "closed",
        opened_at=played.opened_at,
        changed_at=played.changed_at,
        closed_at=played.closed_at,
        rulebook=house_way.played_under,
        house_way=house_way.rulebook,
        status=status_of(hands, dice),
        agreeing_frames=played.agreeing_frames,
        hands=hands,
        dice=dice,
        findings=tuple(map(report_finding, played.findings)),
        versions=versions,
        exposed=played.exposed,
        asked=played.asked,
        moment=None if played.moment is None else _MOMENTS[played.moment],
        throw=report_throw(dice, house_way),
    )


def status_of(
    hands: Sequence[HandReport], dice: Sequence[DieReport], absent: Sequence[AbsentHandReport] = ()
) -> Literal["verified", "confirmed", "needs_review"]:
    """A round is as sure as its least sure part; that a hand does not lie is a person's word."""
    parts = {hand.status for hand in hands} | {die.status for die in dice} | {"confirmed" for _ in absent}
    return "needs_review" if "uncertain" in parts else "confirmed" if "confirmed" in parts else "verified"


def round_of(report: RoundReport) -> Round:
    """The round as the reading had it when it was written down, without what a person decided."""
    as_read = [(hand.place, hand if hand.review is None else hand.review.read) for hand in report.hands]
    as_read += [(gone.place, gone.review.read) for gone in report.absent]
    return Round(
        id=report.id,
        number=report.number,
        revision=report.revision,
        opened_at=report.opened_at,
        changed_at=report.changed_at,
        closed_at=report.closed_at,
        hands=tuple(
            HandReading(place, parse_pair(read.low), parse_pair(read.high), _read_status(read.status), _doubts_of(read))
            for place, read in as_read
            if read is not None
        ),
        dice=tuple(
            DieReading(
                die.value,
                die.role,
                die.colour,
                die.cocked,
                die.polygon,
                die.confidence,
                _read_status(die.status),
                _doubts_of(die),
            )
            for die in (report.dice if report.dice_review is None else report.dice_review.read)
        ),
        findings=tuple(map(_finding_of, report.findings)),
        agreeing_frames=report.agreeing_frames,
        picture=0,
        exposed=report.exposed,
        asked=report.asked,
        moment=moment_of(report),
    )


def report_finding(found: RoundFinding) -> FindingReport:
    """Write a finding of a round down."""
    if found.recorded is not None:
        return FindingReport(code=found.finding.code, message=found.recorded)
    return FindingReport.of(found.finding).model_copy(
        update={"message": message_of(found), "rule": found.rule, "remedy": found.remedy}
    )


def _finding_of(report: FindingReport) -> RoundFinding:
    code = CODES.get(report.code, ServiceCode.AS_RECORDED)
    if report.params is None or code is ServiceCode.AS_RECORDED:
        return RoundFinding(Finding(code), recorded=report.message)
    return RoundFinding(Finding.of(code, **report.params), report.rule, report.remedy)


def _doubts_of(report: HandReport | HandReadReport | DieReport) -> tuple[Finding, ...]:
    """The doubts as they were written down; sentences written before there were codes stay as they are."""
    if report.doubts is None or any(doubt.code not in CODES for doubt in report.doubts):
        return tuple(Finding.of(ServiceCode.AS_RECORDED, why=reason) for reason in report.reasons)
    return tuple(Finding.of(CODES[doubt.code], **doubt.params).regarding(doubt.about) for doubt in report.doubts)


def moment_of(report: RoundReport) -> Moment | None:
    """How far the round had come when it was written down; None where that is not known."""
    return next((moment for moment, word in _MOMENTS.items() if word == report.moment), None)


def parse_pair(faces: FacePair) -> tuple[Tile, Tile]:
    """Two tiles from their faces; EngineError if one is none."""
    return (Tile.parse(faces[0]), Tile.parse(faces[1]))


def _read_status(status: SettledStatus) -> Status:
    return "verified" if status == "verified" else "uncertain"


def judge_hand(
    hand: HandReading, house_way: HouseWay, *, whose: Whose = Whose.HOUSE, moment: Moment | None = None
) -> HouseWayReport:
    """Say whether a hand lies the House Way, or why that cannot be said.

    Args:
        hand: as it lies.
        house_way: what it is judged by.
        whose: whose hand it is; the dealer also sets players' hands when asked.
        moment: how far the round has come, on which the remedy depends; None where that is not known.
    """
    if hand.status != "verified":
        return _needs_review(hand.doubts or (Finding(ServiceCode.TILES_NOT_CERTAIN),))
    try:
        low, high = Hand(*hand.low), Hand(*hand.high)
        verdict = house_way.judge(Deal.of((*hand.low, *hand.high)), Setting.of(low, high), whose=whose, moment=moment)
    except EngineError as error:
        return _needs_review((Finding.of(ServiceCode.CANNOT_BE_JUDGED, why=str(error)),))
    laid_other_way = outranks(low, high)  # ruling 18: the higher hand is the high hand; the record says how it lay
    note = " The pair laid as the low hand outranks the other, so it was judged as the high hand."
    return HouseWayReport(
        verdict="correct" if verdict.correct else "wrong",
        expected=SettingReport.of(verdict.decision.setting),
        rule=verdict.decision.rule.cite,
        rule_text=verdict.decision.rule.text,
        # The remedy has its own field, so it is not said twice.
        explanation=verdict.explanation.removesuffix(verdict.remedy or "").rstrip() + (note if laid_other_way else ""),
        remedy=verdict.remedy,
    )


def _needs_review(doubts: tuple[Finding, ...]) -> HouseWayReport:
    return HouseWayReport(
        verdict="needs_review",
        expected=None,
        rule=None,
        explanation="Not judged: a person must look at this hand first.",
        remedy=None,
        reasons=english(doubts),
        doubts=tuple(map(DoubtReport.of, doubts)),
    )


def report_throw(dice: Sequence[DieReport], house_way: HouseWay) -> ThrowReport | None:
    """What the dice decide, under a rulebook that knows dice."""
    book = BOOKS.get(house_way.played_under)
    if not dice or book is None:
        return None
    thrown = [ThrownDie(die.value, die.role, die.cocked, die.status, _doubts_of(die)) for die in dice]
    said = decided(thrown, book)
    return ThrowReport(
        total=said.total,
        first_box=said.first_box,
        cut=said.cut,
        rule=said.rule,
        status=said.status,
        reasons=english(said.doubts),
        doubts=tuple(map(DoubtReport.of, said.doubts)),
    )


def _is_judged(place: str) -> bool:
    """The House hand; and where no calibration says whose hands they are, every hand."""
    return place == "house" or place.startswith("hand")


def report_hand(
    hand: HandReading, house_way: HouseWay, *, asked: bool = False, moment: Moment | None = None
) -> HandReport:
    """Write a hand down, judged if it is one the House Way is asked of.

    Args:
        hand: as it lies.
        house_way: what it is judged by.
        asked: whether it is a player's hand that the dealer was asked to set.
        moment: how far the round has come; None where that is not known.
    """
    judged = _is_judged(hand.place)
    whose = Whose.HOUSE if judged else Whose.PLAYER
    return HandReport(
        place=hand.place,
        low=_pair(hand.low),
        high=_pair(hand.high),
        status=hand.status,
        reasons=english(hand.doubts),
        doubts=tuple(map(DoubtReport.of, hand.doubts)),
        house_way=judge_hand(hand, house_way, whose=whose, moment=moment) if judged or asked else None,
    )


def _tile(tile: TileReading) -> TileReport:
    return TileReport(
        face=None if tile.face is None else str(tile.face),
        face_up=tile.face_up,
        polygon=_quad(tile.polygon),
        confidence=round(tile.confidence, 6),
        runner_up=None if tile.runner_up is None else str(tile.runner_up),
        status=tile.status,
        reasons=english(tile.doubts),
        doubts=tuple(map(DoubtReport.of, tile.doubts)),
        place=tile.place,
        center_mm=None if tile.center_mm is None else _corner(tile.center_mm),
        angle_deg=None if tile.angle_deg is None else round(tile.angle_deg, 2),
    )


def report_die(die: DieReading) -> DieReport:
    """Write a die down."""
    return DieReport(
        value=die.value,
        role=die.role,
        colour=die.colour,
        cocked=die.cocked,
        polygon=_quad(die.polygon),
        confidence=round(die.confidence, 6),
        status=die.status,
        reasons=english(die.doubts),
        doubts=tuple(map(DoubtReport.of, die.doubts)),
    )


def _pair(tiles: tuple[Tile, Tile]) -> FacePair:
    return (str(tiles[0]), str(tiles[1]))


def _corner(point: tuple[float, float]) -> Corner:
    return (round(float(point[0]), 2), round(float(point[1]), 2))


def _quad(polygon: tuple[Corner, Corner, Corner, Corner]) -> Quad:
    first, second, third, fourth = polygon
    return (_corner(first), _corner(second), _corner(third), _corner(fourth))
