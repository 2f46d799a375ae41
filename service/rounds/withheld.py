"""Withholding: nothing is verified while something that every verified result needs is not well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from service.rounds.reports import DieReport, FindingReport, HandReport
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.findings import Finding

if TYPE_CHECKING:
    from service.rounds.reports import RoundReport
    from vision.reading import Reading

Part = TypeVar("Part", HandReport, DieReport)


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


def unrecorded(played: RoundReport, durable: RoundReport | None, why: Finding) -> RoundReport:
    """A round whose newest revision could not be recorded: only what was durable before stays verified.

    Args:
        played: the round, not judged.
        durable: the same as it was read when its last revision became durable; None if none did.
        why: it could not be recorded.
    """
    doubt = DoubtReport.of(Finding.of(ServiceCode.NOT_RECORDED, why=(why,)))
    hands, dice = ((), ()) if durable is None else (durable.hands, durable.dice)

    def withheld(one: Part, known: tuple[Part, ...]) -> Part:
        if one in known:
            return one
        doubts = one.doubts if doubt in one.doubts else (*one.doubts, doubt)
        return one.model_copy(update={"status": "uncertain", "doubts": doubts})

    others = (one for one in played.findings if one.code != ServiceCode.NOT_RECORDED)
    return played.model_copy(
        update={
            "hands": tuple(withheld(one, hands) for one in played.hands),
            "dice": tuple(withheld(one, dice) for one in played.dice),
            "findings": (*others, FindingReport(code=doubt.code, params=doubt.params)),
        }
    )
