"""The bank of a round: what the camera saw of chung and buttons, put together with what somebody said.

What neither says is not known. Where the two contradict each other, it is not known either, and the reason is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.observed.possible import THE_HOUSE, KnownBank
from engine.vocabulary.facts import Bank
from service.rounds.reports import AdjustmentReport, BankerReport, BankReport, OffBoxReport
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.findings import Finding

if TYPE_CHECKING:
    from vision.tracking.marker_watch import MarkersSeen


@dataclass(frozen=True, slots=True)
class ToldBank:
    """What somebody said of the bank of the round that is open, or of the next one.

    Attributes:
        by: who said it.
        held: which way the bank is held; None if that was not said.
        box: the banker's box; None if that was not said.
        out_of_play: boxes out of play.
        adjusted: value of the plus/minus button; None if that was not said.
    """

    by: str
    held: Bank | None = None
    box: int | None = None
    out_of_play: tuple[int, ...] = ()
    adjusted: int | None = None


def bank_of(seen: MarkersSeen | None, told: ToldBank | None, *, players_bank: bool = False) -> BankReport | None:
    """Return the bank from markers and reports; without either, None, or an unknown bank if `players_bank`."""
    if seen is None and told is None:
        return BankReport() if players_bank else None
    doubts: list[Finding] = []
    banker, contradicted = _banker(seen, told)
    if contradicted is not None:
        doubts.append(contradicted)
    adjustment, contradicted = _adjustment(seen, told)
    if contradicted is not None:
        doubts.append(contradicted)
    return BankReport(
        banker=banker,
        out_of_play=_out_of_play(seen, told),
        adjustment=adjustment,
        doubts=tuple(map(DoubtReport.of, doubts)),
    )


def known_bank(report: BankReport | None) -> KnownBank:
    """What the rulebook may rely on; the House where nobody looks for a chung and nobody said that a player banks."""
    if report is None:
        return THE_HOUSE
    banker, button = report.banker, None if report.adjustment is None else report.adjustment.value
    held = None if banker is None or banker.held is None else Bank(banker.held)
    return KnownBank(held, None if banker is None else banker.box, button)


def _banker(seen: MarkersSeen | None, told: ToldBank | None) -> tuple[BankerReport | None, Finding | None]:
    box = None if seen is None or seen.banker is None else seen.banker.box
    held = None if seen is None else seen.held
    said = told is not None and (told.held, told.box) != (None, None)
    if told is None or not said:
        known = None if box is None else BankerReport(box=box, held=_word(held), source="camera")
        return known, None
    if box is not None and told.box is not None and box != told.box:
        return None, Finding.of(ServiceCode.BANKER_AT_ANOTHER_BOX, seen=box, told=told.box)
    if held is not None and told.held is not None and held is not told.held:
        return None, Finding(ServiceCode.BANK_HELD_OTHERWISE)
    return BankerReport(box=told.box or box, held=_word(told.held or held), source="http", by=told.by), None


def _word(held: Bank | None) -> Literal["house", "player", "co-bank"] | None:
    return None if held is None else held.value


def _adjustment(seen: MarkersSeen | None, told: ToldBank | None) -> tuple[AdjustmentReport | None, Finding | None]:
    value = None if seen is None else seen.adjusted
    if told is None or told.adjusted is None:
        return (None if value is None else AdjustmentReport(value=value, source="camera")), None
    if value is not None and value != told.adjusted:
        return None, Finding.of(ServiceCode.ADJUSTED_OTHERWISE, seen=f"{value:+d}", told=f"{told.adjusted:+d}")
    return AdjustmentReport(value=told.adjusted, source="http", by=told.by), None


def _out_of_play(seen: MarkersSeen | None, told: ToldBank | None) -> tuple[OffBoxReport, ...]:
    boxes: dict[int, OffBoxReport] = {}
    for place in () if seen is None else seen.out_of_play:
        if place.box is not None:
            boxes[place.box] = OffBoxReport(box=place.box, source="camera")
    if told is not None:
        boxes |= {box: OffBoxReport(box=box, source="http", by=told.by) for box in told.out_of_play if box not in boxes}
    return tuple(boxes[box] for box in sorted(boxes))
