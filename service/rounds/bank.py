"""The bank of a round, from the chung and buttons that the camera sees and from a person's report.

A value that neither gives, or that they contradict each other about, is unknown; a contradiction is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.observed.possible import THE_HOUSE, KnownBank
from engine.vocabulary.facts import Bank
from service.rounds.reports import AdjustmentReport, BankerReport, BankReport, OffBoxReport, OtherCutReport
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.findings import Finding

if TYPE_CHECKING:
    from vision.tracking.marker_watch import MarkersSeen


@dataclass(frozen=True, slots=True)
class ReportedBank:
    """A report about the bank of the open or next round.

    Attributes:
        by: who reported it.
        held: who holds the bank; None if not reported.
        box: the banker's box; None if not reported.
        out_of_play: boxes out of play.
        adjusted: value of the plus/minus button; None if not reported.
        other_cut: whether somebody with the authority accepted another cut than the die's; None if not reported.
    """

    by: str
    held: Bank | None = None
    box: int | None = None
    out_of_play: tuple[int, ...] = ()
    adjusted: int | None = None
    other_cut: bool | None = None


def bank_of(
    seen: MarkersSeen | None, reported: ReportedBank | None, *, players_bank: bool = False
) -> BankReport | None:
    """Return the bank from markers and reports; without either, None, or an unknown bank if `players_bank`."""
    if seen is None and reported is None:
        return BankReport() if players_bank else None
    doubts: list[Finding] = []
    banker, contradicted = _banker(seen, reported)
    if contradicted is not None:
        doubts.append(contradicted)
    adjustment, contradicted = _adjustment(seen, reported)
    if contradicted is not None:
        doubts.append(contradicted)
    return BankReport(
        banker=banker,
        out_of_play=_out_of_play(seen, reported),
        adjustment=adjustment,
        other_cut=_other_cut(reported),
        doubts=tuple(map(DoubtReport.of, doubts)),
    )


def known_bank(report: BankReport | None) -> KnownBank:
    """What the rulebook may rely on; the House if no chung is enrolled and no player is reported to bank."""
    if report is None:
        return THE_HOUSE
    banker, button = report.banker, None if report.adjustment is None else report.adjustment.value
    held = None if banker is None or banker.held is None else Bank(banker.held)
    other_cut = None if report.other_cut is None else report.other_cut.accepted
    return KnownBank(held, None if banker is None else banker.box, button, other_cut)


def _other_cut(reported: ReportedBank | None) -> OtherCutReport | None:
    if reported is None or reported.other_cut is None:
        return None
    return OtherCutReport(accepted=reported.other_cut, by=reported.by)


def _banker(seen: MarkersSeen | None, reported: ReportedBank | None) -> tuple[BankerReport | None, Finding | None]:
    box = None if seen is None or seen.banker is None else seen.banker.box
    held = None if seen is None else seen.held
    banker_reported = reported is not None and (reported.held, reported.box) != (None, None)
    if reported is None or not banker_reported:
        known = None if box is None else BankerReport(box=box, held=_word(held), source="camera")
        return known, None
    if box is not None and reported.box is not None and box != reported.box:
        return None, Finding.of(ServiceCode.BANKER_AT_ANOTHER_BOX, seen=box, entered=reported.box)
    if held is not None and reported.held is not None and held is not reported.held:
        return None, Finding(ServiceCode.BANK_DIFFERS)
    return BankerReport(box=reported.box or box, held=_word(reported.held or held), source="http", by=reported.by), None


def _word(held: Bank | None) -> Literal["house", "player", "co-bank"] | None:
    return None if held is None else held.value


def _adjustment(
    seen: MarkersSeen | None, reported: ReportedBank | None
) -> tuple[AdjustmentReport | None, Finding | None]:
    value = None if seen is None else seen.adjusted
    if reported is None or reported.adjusted is None:
        return (None if value is None else AdjustmentReport(value=value, source="camera")), None
    if value is not None and value != reported.adjusted:
        return None, Finding.of(ServiceCode.ADJUSTMENT_DIFFERS, seen=value, entered=reported.adjusted)
    return AdjustmentReport(value=reported.adjusted, source="http", by=reported.by), None


def _out_of_play(seen: MarkersSeen | None, reported: ReportedBank | None) -> tuple[OffBoxReport, ...]:
    boxes: dict[int, OffBoxReport] = {}
    for place in () if seen is None else seen.out_of_play:
        if place.box is not None:
            boxes[place.box] = OffBoxReport(box=place.box, source="camera")
    if reported is not None:
        boxes |= {
            box: OffBoxReport(box=box, source="http", by=reported.by)
            for box in reported.out_of_play
            if box not in boxes
        }
    return tuple(boxes[box] for box in sorted(boxes))
