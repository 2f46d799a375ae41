"""Rounds read back from what was written down, also by versions before this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration.table.places import Place
from engine.game.tiles import Tile
from engine.observed import ObservedRound
from service.codes import ServiceCode
from service.rounds.reports import MOMENTS
from service.rounds.round import Round, RoundFinding, RoundLog
from service.words.coded import DoubtReport
from service.words.sentences.every import CODES
from vision.findings import Finding
from vision.reading import DieReading, HandReading

if TYPE_CHECKING:
    from engine.house_way.rules import Moment
    from service.rounds.reports import (
        DieReport,
        FacePair,
        FindingReport,
        HandReadReport,
        HandReport,
        RoundLogReport,
        RoundReport,
        SettledStatus,
    )
    from vision.reading import Status


def round_of(report: RoundReport) -> Round:
    """The round as the reading had it when it was written down, without what a person decided."""
    as_read = [(hand.place, hand if hand.review is None else hand.review.read) for hand in report.hands]
    as_read += [(gone.place, gone.review.read) for gone in report.absent]
    return Round(
        id=report.id,
        opened_at=report.opened_at,
        changed_at=report.changed_at,
        closed_at=report.closed_at,
        hands=tuple(
            HandReading(
                Place.parse(place),
                parse_pair(read.low),
                parse_pair(read.high),
                _read_status(read.status),
                doubts_of(read),
            )
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
                doubts_of(die),
            )
            for die in (report.dice if report.dice_review is None else report.dice_review.read)
        ),
        findings=tuple(map(_finding_of, report.findings)),
        agreeing_frames=report.agreeing_frames,
        exposed=tuple(map(Place.parse, report.exposed)),
        asked=tuple(map(Place.parse, report.asked)),
        moment=moment_of(report),
        bank=report.bank,
        log=None if report.log is None else log_of(report.log),
    )


def log_of(report: RoundLogReport) -> RoundLog:
    """What was seen of a round, as it was written down.

    Raises:
        RecordError: it is not written as this version writes.
    """
    written = report.model_dump(exclude={"seen"})
    seen = [{"number": each.number, "kind": each.kind, **each.facts} for each in report.seen]
    return RoundLog(ObservedRound.from_dict({**written, "seen": seen}), tuple(each.at for each in report.seen))


def moment_of(report: RoundReport) -> Moment | None:
    """How far the round had come when it was written down; None where that is not known."""
    return next((moment for moment, word in MOMENTS.items() if word == report.moment), None)


def _finding_of(report: FindingReport) -> RoundFinding:
    written = DoubtReport(code=report.code, params=report.params or {})
    if report.params is None or not written.known or report.code == ServiceCode.AS_RECORDED:
        return RoundFinding(Finding(CODES.get(report.code, ServiceCode.AS_RECORDED)), recorded=report.message)
    return RoundFinding(written.finding(), report.rule, report.remedy, report.options)


def doubts_of(report: HandReport | HandReadReport | DieReport) -> tuple[Finding, ...]:
    """The doubts as they were written down; sentences written before there were codes stay as they are."""
    if report.doubts is None or not all(doubt.known for doubt in report.doubts):
        return tuple(Finding.of(ServiceCode.AS_RECORDED, why=reason) for reason in report.reasons)
    return tuple(doubt.finding() for doubt in report.doubts)


def parse_pair(faces: FacePair) -> tuple[Tile, Tile]:
    """Two tiles from their faces; EngineError if one is none."""
    return (Tile.parse(faces[0]), Tile.parse(faces[1]))


def _read_status(status: SettledStatus) -> Status:
    return "verified" if status == "verified" else "uncertain"
