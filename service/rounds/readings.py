"""Convert readings to the values of a round, and withhold readings; nothing is judged here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.rounds.reports import (
    Corner,
    DieReport,
    FindingReport,
    HandReport,
    MarkerReport,
    Quad,
    ReadingReport,
    TileReport,
    face_pair,
)
from service.words.doubts import DoubtReport

if TYPE_CHECKING:
    from vision.findings import Finding
    from vision.reading import DieReading, HandReading, MarkerReading, Reading, TileReading


def doubted(reading: Reading, doubt: Finding, *, as_finding: bool = False) -> Reading:
    """Return the reading with nothing verified; with ``as_finding``, the doubt is also a finding of the reading."""
    return replace(
        reading,
        findings=(*reading.findings, doubt) if as_finding else reading.findings,
        tiles=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.tiles),
        dice=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.dice),
        hands=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.hands),
        markers=reading.markers
        and tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.markers),
    )


def reading_of(reading: Reading) -> ReadingReport:
    return ReadingReport(
        image=reading.image,
        size=reading.size,
        calibrated=reading.calibrated,
        single_frame=reading.single_frame,
        tiles=tuple(map(_tile, reading.tiles)),
        dice=tuple(map(die_of, reading.dice)),
        hands=tuple(map(hand_of, reading.hands)),
        findings=tuple(map(FindingReport.of, reading.findings)),
        versions=reading.versions,
        elapsed_ms={stage: round(spent, 2) for stage, spent in reading.elapsed_ms.items()},
        markers=None if reading.markers is None else tuple(map(_marker, reading.markers)),
    )


def hand_of(hand: HandReading) -> HandReport:
    return HandReport(
        place=str(hand.place),
        low=face_pair(hand.low),
        high=face_pair(hand.high),
        status=hand.status,
        doubts=tuple(map(DoubtReport.of, hand.doubts)),
    )


def die_of(die: DieReading) -> DieReport:
    return DieReport(
        value=die.value,
        role=die.role,
        colour=die.colour,
        cocked=die.cocked,
        polygon=_quad(die.polygon),
        confidence=round(die.confidence, 6),
        status=die.status,
        doubts=tuple(map(DoubtReport.of, die.doubts)),
    )


def _marker(marker: MarkerReading) -> MarkerReport:
    return MarkerReport(
        kind=marker.kind.value,
        value=marker.value,
        center=_corner(marker.center_px),
        center_mm=_corner(marker.center_mm),
        outline=tuple(map(_corner, marker.outline)),
        diameter_mm=round(marker.diameter_mm, 1),
        confidence=round(marker.confidence, 6),
        status=marker.status,
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
        doubts=tuple(map(DoubtReport.of, tile.doubts)),
        place=None if tile.place is None else str(tile.place),
        center_mm=None if tile.center_mm is None else _corner(tile.center_mm),
        angle_deg=None if tile.angle_deg is None else round(tile.angle_deg, 2),
    )


def _corner(point: tuple[float, float]) -> Corner:
    return (round(float(point[0]), 2), round(float(point[1]), 2))


def _quad(polygon: tuple[Corner, Corner, Corner, Corner]) -> Quad:
    first, second, third, fourth = polygon
    return (_corner(first), _corner(second), _corner(third), _corner(fourth))
