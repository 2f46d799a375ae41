"""Visibility in a simulated round, and its duration: a reader is scored only on what is visible."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.simulator.readings import BLURRED_PX, BRIGHT_GAIN, DARK_GAIN
from datasets.simulator.staging.procedure import PROCEDURE_MISTAKES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.table.places import Place
    from datasets.simulator.timeline import Disturbance
    from datasets.simulator.truth import HandTruth, Happening, RoundTruth, Span, TrueLay
    from engine.house_way.rules import HouseWay

LONG_ENOUGH_S: Final = 1.2
"""A hand complete and visible for less need not be verified: six readings at the usual rate."""
GLIMPSE_S: Final = 0.6
"""A tile exposed for less need not be noticed, nor an action this shortly before the camera was blinded: three readings
at the usual rate.
"""
COUNTED_S: Final = 1.2
"""Time a tile must lie at a wrong place before it counts: it must come to rest and be seen for a while."""
FINDINGS: Final[dict[str, set[str]]] = {
    "tiles-swapped": {"hand_changed", "hand_reset"},
    "exposed-before-bank": {"exposed_before_bank"},
    "exposed-out-of-turn": {"exposed_out_of_turn"},
    "tile-shown": {"tile_exposed"},
    "foreign-tile": {"duplicate_face"},
    "leaning-die-not-reshaken": {"dealt_by_leaning_dice"},
    "wrong-first-box": {"wrong_first_box"},
    "wrong-delivery-order": {"delivered_out_of_order"},
    "tile-to-wrong-box": {"tiles_miscounted"},
    "cut-against-die": {"cut_against_die"},
    "lost-hand-left": {"lost_hand_left"},
    "stand-off-left": {"stand_off_left"},
    "won-hand-taken": {"won_hand_taken"},
    "hand-left-as-dealt": {"left_as_dealt"},
    "empty-box-left": {"left_as_dealt"},
    "unused-tile-open": {"unused_tiles_open"},
    "dice-not-shaken-again": {"dice_not_shaken_again"},
    "bank-away-early": {"bank_away_early"},
}
"""Codes of findings for mistakes other than a wrongly set hand."""
_TOO_EARLY: Final = {"exposed-before-bank", "exposed-out-of-turn"}


def visible_long_enough(hand: HandTruth, truth: RoundTruth, deceived: Sequence[tuple[float, int]] = ()) -> bool:
    """Whether the final layout of the hand was visible for long enough, without deceiving the reader."""
    return bool(hand.lays) and _visible_s(hand, truth, hand.lays[-1].t_s, math.inf, deceived) >= LONG_ENOUGH_S


def _visible_s(
    hand: HandTruth, truth: RoundTruth, since_s: float, until_s: float, deceived: Sequence[tuple[float, int]] = ()
) -> float:
    """Longest continuous time in which a fit camera saw a hand and none of its tiles deceived the reader."""
    spans = [(max(start, since_s), min(end, until_s)) for start, end in hand.visible]
    for blind in filter(_blinds, truth.disturbances):
        spans = [
            part
            for start, end in spans
            for part in ((start, min(end, blind.start)), (max(start, blind.end), end))
            if part[0] < part[1]
        ]
    deceptions = [t_s for t_s, n in deceived if n in hand.tiles]
    spans = [(start, end) for start, end in spans if not any(start <= t_s <= end for t_s in deceptions)]
    return max((end - start for start, end in spans), default=0.0)


def _blinds(each: Disturbance) -> bool:
    """Whether nothing may be verified during this."""
    match each.kind:
        case "camera-nudged" | "lens-covered":
            return True
        case "defocused":
            return float(str(each.data["blur_px"])) > BLURRED_PX
        case "lamp-change":
            strength = float(np.mean(np.array(each.data["gain"], np.float64)))
            return not DARK_GAIN <= strength <= BRIGHT_GAIN
    return False


def beyond(way: HouseWay, truth: RoundTruth, mistake: Happening, deceived: Sequence[tuple[float, int]]) -> str:
    """Why no reader could find a mistake: ``not to be seen`` or ``not to be read``; empty if one could."""
    if not _could_be_seen(way, truth, mistake):
        return "not to be seen"
    return "" if _could_be_seen(way, truth, mistake, deceived) else "not to be read"


def _could_be_seen(
    way: HouseWay, truth: RoundTruth, mistake: Happening, deceived: Sequence[tuple[float, int]] = ()
) -> bool:
    """Whether a mistake was visible: the hand as wrongly set, or before and after its tiles were swapped.

    A surplus face shows only beside all others of its kind, and the order of hands opened under a sleeve is not
    visible.
    """
    glimpse_s = COUNTED_S if mistake.kind == "tile-to-wrong-box" else GLIMPSE_S
    if "seen_s" in mistake.data and float(str(mistake.data["seen_s"])) < glimpse_s:
        return False
    if mistake.kind == "foreign-tile":
        face = str(mistake.data["face"])
        alike = [(t_s, n) for t_s, n in deceived if truth.faces[n] == face]
        return all(visible_long_enough(truth.hands[place], truth, alike) for place in holders(truth, face))
    if mistake.kind in _TOO_EARLY and not _visible_first(truth, mistake):
        return False
    if mistake.kind in FINDINGS and mistake.kind != "tiles-swapped":
        blind = (each for each in truth.disturbances if _blinds(each))
        # A wrong deal or put-away must be visible from start to end.
        until_s = float(str(mistake.data["end_s"])) if mistake.kind in PROCEDURE_MISTAKES else mistake.t_s
        return not any(each.start - GLIMPSE_S <= until_s and mistake.t_s <= each.end for each in blind)
    hand = truth.hands[mistake.place]
    spans = _lay_spans(hand) if mistake.kind == "tiles-swapped" else wrong_spans(way, hand)
    return all(_visible_s(hand, truth, *span, deceived) >= LONG_ENOUGH_S for _, span in spans)


def _lay_spans(hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    since_s = [lay.t_s for lay in hand.lays]
    return list(zip(hand.lays, pairwise([*since_s, math.inf]), strict=True))


def wrong_spans(way: HouseWay, hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    """Each layout that is not the House Way, with its duration."""
    return [(lay, span) for lay, span in _lay_spans(hand) if not way.decide(lay.setting.deal).allows(lay.setting)]


def holders(truth: RoundTruth, face: str) -> list[Place]:
    """The places of the hands that last contained a face."""
    return [place for place, hand in truth.hands.items() if hand.lays and face in map(str, hand.lays[-1].tiles)]


def _visible_first(truth: RoundTruth, mistake: Happening) -> bool:
    """Whether a hand opened too early was visible before one whose turn it was was open."""
    early = truth.hands[mistake.place]
    visible_s = min((start for start, _ in early.visible), default=math.inf)
    played = truth.course.played
    due_before = {truth.course.bank_box}
    if mistake.kind == "exposed-out-of-turn":
        due_before |= set(played[: played.index(early.box)])
    return any(
        hand.lays[0].t_s - visible_s >= GLIMPSE_S
        for hand in truth.hands.values()
        if hand.lays and hand.box in due_before
    )
