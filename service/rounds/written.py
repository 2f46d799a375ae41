"""Readings and rounds written down: the one place where what was read becomes the JSON shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibration.table.places import Place, PlaceKind
from engine.vocabulary.facts import Whose
from service.judge.throws import report_throw
from service.judge.verdicts import judge_hand
from service.rounds.bank import known_bank
from service.rounds.reports import (
    MOMENTS,
    AbsentHandReport,
    Corner,
    DieReport,
    FindingReport,
    HandReport,
    MarkerReport,
    ObservationReport,
    Quad,
    ReadingReport,
    RoundLogReport,
    RoundReport,
    TileReport,
    face_pair,
)
from service.words.coded import DoubtReport
from service.words.findings import english, message_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from engine.game.box_order import BoxOrder
    from engine.house_way import HouseWay
    from engine.house_way.rules import Moment
    from service.rounds.round import Round, RoundFinding, RoundLog
    from vision.reading import DieReading, HandReading, MarkerReading, Reading, TileReading


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
        markers=None if reading.markers is None else tuple(map(report_marker, reading.markers)),
    )


def report_round(
    played: Round,
    *,
    table: str,
    house_way: HouseWay,
    versions: dict[str, str],
    box_order: BoxOrder | None = None,
    number: int = 1,
    revision: int = 1,
) -> RoundReport:
    """Write a round down, its hands judged by a House Way; the record gives it its number and revision.

    `box_order` is where the boxes of the table lie; None where that is not known.
    """
    hands = tuple(
        report_hand(hand, house_way, asked=hand.place in played.asked, moment=played.moment) for hand in played.hands
    )
    dice = tuple(report_die(die) for die in played.dice)
    return RoundReport(
        id=played.id,
        table=table,
        number=number,
        revision=revision,
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
        exposed=tuple(map(str, played.exposed)),
        asked=tuple(map(str, played.asked)),
        moment=None if played.moment is None else MOMENTS[played.moment],
        throw=report_throw(dice, house_way, box_order, known_bank(played.bank)),
        box_order=None if box_order is None else box_order.numbers,
        bank=played.bank,
        log=None if played.log is None else report_log(played.log),
    )


def report_log(log: RoundLog) -> RoundLogReport:
    """Write down what was seen of a round."""
    written: dict[str, Any] = log.observed.to_dict()
    seen = tuple(
        ObservationReport(number=each.pop("number"), kind=each.pop("kind"), at=at, facts=each)
        for each, at in zip(written.pop("seen"), log.at, strict=True)
    )
    return RoundLogReport(**written, seen=seen)


def report_finding(found: RoundFinding) -> FindingReport:
    """Write a finding of a round down."""
    if found.recorded is not None:
        return FindingReport(code=found.finding.code, message=found.recorded)
    return FindingReport.of(found.finding).model_copy(
        update={"message": message_of(found), "rule": found.rule, "remedy": found.remedy, "options": found.options}
    )


def status_of(
    hands: Sequence[HandReport], dice: Sequence[DieReport], absent: Sequence[AbsentHandReport] = ()
) -> Literal["verified", "confirmed", "needs_review"]:
    """A round is as sure as its least sure part; that a hand does not lie is a person's word."""
    parts = {hand.status for hand in hands} | {die.status for die in dice} | {"confirmed" for _ in absent}
    return "needs_review" if "uncertain" in parts else "confirmed" if "confirmed" in parts else "verified"


def report_hand(
    hand: HandReading, house_way: HouseWay, *, asked: bool = False, moment: Moment | None = None
) -> HandReport:
    """Write a hand down, judged if it is the House's, or one that the dealer was asked to set."""
    judged = _is_judged(hand.place)
    whose = Whose.HOUSE if judged else Whose.PLAYER
    return HandReport(
        place=str(hand.place),
        low=face_pair(hand.low),
        high=face_pair(hand.high),
        status=hand.status,
        reasons=english(hand.doubts),
        doubts=tuple(map(DoubtReport.of, hand.doubts)),
        house_way=judge_hand(hand, house_way, whose=whose, moment=moment) if judged or asked else None,
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


def report_marker(marker: MarkerReading) -> MarkerReport:
    """Write a marker down."""
    return MarkerReport(
        kind=marker.kind.value,
        value=marker.value,
        center=_corner(marker.center_px),
        center_mm=_corner(marker.center_mm),
        outline=tuple(map(_corner, marker.outline)),
        diameter_mm=round(marker.diameter_mm, 1),
        confidence=round(marker.confidence, 6),
        status=marker.status,
        reasons=english(marker.doubts),
        doubts=tuple(map(DoubtReport.of, marker.doubts)),
        place=None if marker.place is None else str(marker.place),
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
        place=None if tile.place is None else str(tile.place),
        center_mm=None if tile.center_mm is None else _corner(tile.center_mm),
        angle_deg=None if tile.angle_deg is None else round(tile.angle_deg, 2),
    )


def _is_judged(place: Place) -> bool:
    """The House hand; and where no calibration says whose hands they are, every hand."""
    return place.kind in (PlaceKind.HOUSE, PlaceKind.HAND)


def _corner(point: tuple[float, float]) -> Corner:
    return (round(float(point[0]), 2), round(float(point[1]), 2))


def _quad(polygon: tuple[Corner, Corner, Corner, Corner]) -> Quad:
    first, second, third, fourth = polygon
    return (_corner(first), _corner(second), _corner(third), _corner(fourth))
