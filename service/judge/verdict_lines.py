"""What a drawn picture says beside each judged hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.draw.tile_card import HandCaption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.rounds.reports import HandReport, HouseWayReport


def captions_of(hands: Iterable[HandReport]) -> dict[str, HandCaption]:
    """By place, one line for each hand that was judged."""
    return {hand.place: _verdict(hand.house_way) for hand in hands if hand.house_way is not None}


def _verdict(judged: HouseWayReport) -> HandCaption:
    if judged.verdict == "needs_review" or judged.expected is None:
        return HandCaption("House Way: needs review", "doubt")
    if judged.verdict == "correct":
        return HandCaption(f"House Way: correct ({judged.rule})", "good")
    low, high = (" ".join(pair) for pair in (judged.expected.low, judged.expected.high))
    return HandCaption(f"House Way: WRONG, should be low {low}, high {high} ({judged.rule})", "bad")
