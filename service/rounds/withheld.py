"""What becomes of a reading while something that every verified result needs is not well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from service.codes import ServiceCode
from service.rounds.round import RoundFinding
from vision.reading import DieReading, HandReading

if TYPE_CHECKING:
    from service.rounds.round import Round
    from vision.findings import Finding
    from vision.reading import Reading

Part = TypeVar("Part", HandReading, DieReading)


def doubted(reading: Reading, doubt: Finding, *, tell: bool = False) -> Reading:
    """The same reading with nothing in it verified; with ``tell`` the doubt is a finding of the reading as well."""
    return replace(
        reading,
        findings=(*reading.findings, doubt) if tell else reading.findings,
        tiles=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.tiles),
        dice=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.dice),
        hands=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.hands),
        markers=reading.markers
        and tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.markers),
    )


def unrecorded(played: Round, durable: Round | None, doubt: Finding) -> Round:
    """A round whose newest revision could not be recorded: only what was durable before stays verified."""
    known = () if durable is None else (*durable.hands, *durable.dice)

    def held(one: Part) -> Part:
        doubts = one.doubts if doubt in one.doubts else (*one.doubts, doubt)
        return one if one in known else replace(one, status="uncertain", doubts=doubts)

    others = (one for one in played.findings if one.finding.code is not ServiceCode.NOT_RECORDED)
    return replace(
        played,
        hands=tuple(map(held, played.hands)),
        dice=tuple(map(held, played.dice)),
        findings=(*others, RoundFinding(doubt)),
    )
