"""What becomes of a reading while something that every verified result needs is not well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.codes import ServiceCode
from service.rounds.round import RoundFinding

if TYPE_CHECKING:
    from service.rounds.round import Round
    from vision.findings import Finding
    from vision.reading import Reading


def doubted(reading: Reading, doubt: Finding, *, tell: bool = False) -> Reading:
    """The same reading with nothing in it verified; with ``tell`` the doubt is a finding of the reading as well."""
    return replace(
        reading,
        findings=(*reading.findings, doubt) if tell else reading.findings,
        tiles=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.tiles),
        dice=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.dice),
        hands=tuple(replace(one, status="uncertain", doubts=(*one.doubts, doubt)) for one in reading.hands),
    )


def unrecorded(played: Round, durable: Round | None, doubt: Finding) -> Round:
    """A round whose newest revision could not be recorded: only what was durable before stays verified."""
    known_hands = () if durable is None else durable.hands
    known_dice = () if durable is None else durable.dice
    return replace(
        played,
        hands=tuple(
            one if one in known_hands else replace(one, status="uncertain", doubts=_with(one.doubts, doubt))
            for one in played.hands
        ),
        dice=tuple(
            one if one in known_dice else replace(one, status="uncertain", doubts=_with(one.doubts, doubt))
            for one in played.dice
        ),
        findings=(
            *(one for one in played.findings if one.finding.code is not ServiceCode.NOT_RECORDED),
            RoundFinding(doubt),
        ),
    )


def _with(doubts: tuple[Finding, ...], doubt: Finding) -> tuple[Finding, ...]:
    return doubts if doubt in doubts else (*doubts, doubt)
