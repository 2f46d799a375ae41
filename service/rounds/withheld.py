"""What becomes of a reading while something that every verified result needs is not well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.reading import Finding

if TYPE_CHECKING:
    from service.rounds.round_tracker import Round
    from vision.reading import Reading


def doubted(reading: Reading, reason: str, code: str | None = None) -> Reading:
    """The same reading with nothing in it verified.

    Args:
        reading: what a picture says.
        reason: why nothing is verified just now, in words for a supervisor.
        code: of a finding that says so too; None for none.
    """
    return replace(
        reading,
        findings=reading.findings if code is None else (*reading.findings, Finding(code, reason)),
        tiles=tuple(replace(one, status="uncertain", reasons=(*one.reasons, reason)) for one in reading.tiles),
        dice=tuple(replace(one, status="uncertain", reasons=(*one.reasons, reason)) for one in reading.dice),
        hands=tuple(replace(one, status="uncertain", reasons=(*one.reasons, reason)) for one in reading.hands),
    )


def unrecorded(played: Round, durable: Round | None, reason: str) -> Round:
    """A round whose newest revision could not be recorded: only what was durable before stays verified.

    Args:
        played: the round with the revision that could not be recorded.
        durable: its newest revision that could; None if none could.
        reason: why, in words for a supervisor.
    """
    known_hands = () if durable is None else durable.hands
    known_dice = () if durable is None else durable.dice
    return replace(
        played,
        hands=tuple(
            one if one in known_hands else replace(one, status="uncertain", reasons=_with(one.reasons, reason))
            for one in played.hands
        ),
        dice=tuple(
            one if one in known_dice else replace(one, status="uncertain", reasons=_with(one.reasons, reason))
            for one in played.dice
        ),
        findings=(*(one for one in played.findings if one.code != "not_recorded"), Finding("not_recorded", reason)),
    )


def _with(reasons: tuple[str, ...], reason: str) -> tuple[str, ...]:
    return reasons if reason in reasons else (*reasons, reason)
