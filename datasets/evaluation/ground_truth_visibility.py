"""Visibility in a simulated round, and its duration: a reader is scored only on what is visible at its picture rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
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

    Deceived = Sequence[tuple[float, int]]
    """Times at which a tile, by number, deceived the reader."""

_LONG_ENOUGH_S: Final = 1.2
_LONG_ENOUGH_PICTURES: Final = 5
_GLIMPSE_S: Final = 0.6
_GLIMPSE_PICTURES: Final = 3
_APART_PICTURES: Final = 3
"""Two places dealt to with fewer pictures between them may have been dealt to in any order: an arm in one picture hides
what was laid since the one before, and another may be taken before the tiles rest.
"""
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
    "chung-elsewhere": {"chung_elsewhere"},
    "button-under-house-bank": {"button_under_house_bank"},
}
"""Codes of findings for mistakes other than a wrongly set hand."""
_EVER: Final = (-math.inf, math.inf)
_TOO_EARLY: Final = {"exposed-before-bank", "exposed-out-of-turn"}
_BY_OUTCOME: Final = {"lost-hand-left", "stand-off-left", "won-hand-taken"}
"""Mistakes that show only where the hand and the bank's are known."""


@dataclass(frozen=True, slots=True)
class VisibleRound:
    """What a camera can see of a round.

    Attributes:
        way: the House Way of the table.
        rate: pictures a second.
        deceived: when a tile, by number, deceived the reader.
    """

    way: HouseWay
    truth: RoundTruth
    rate: float
    deceived: Deceived = ()

    @property
    def long_enough_s(self) -> float:
        """The time for which a hand or a fifth tile must be visible to count.

        Tiles come to rest in one picture, three more must agree, and another may be misread.
        """
        return max(_LONG_ENOUGH_S, _LONG_ENOUGH_PICTURES / self.rate)

    @property
    def glimpse_s(self) -> float:
        """The time for which something must be visible, or precede a blinded camera, to be noticed: three pictures."""
        return max(_GLIMPSE_S, _GLIMPSE_PICTURES / self.rate)

    def hand(self, hand: HandTruth, deceived: Deceived = ()) -> bool:
        """Whether the final layout of a hand was visible for long enough, without deceiving the reader."""
        return bool(hand.lays) and self._visible_s(hand, (hand.lays[-1].t_s, math.inf), deceived) >= self.long_enough_s

    def beyond(self, mistake: Happening) -> str:
        """Why no reader could find a mistake: ``not to be seen`` or ``not to be read``; empty if one could."""
        if not self._could_be_seen(mistake):
            return "not to be seen"
        return "" if self._could_be_seen(mistake, self.deceived) else "not to be read"

    def _visible_s(self, hand: HandTruth, during: Span, deceived: Deceived = ()) -> float:
        """Longest continuous time in which a fit camera saw a hand and none of its tiles deceived the reader."""
        since_s, until_s = during
        spans = [(max(start, since_s), min(end, until_s)) for start, end in hand.visible]
        for blind in filter(_blinds, self.truth.disturbances):
            spans = [
                part
                for start, end in spans
                for part in ((start, min(end, blind.start)), (max(start, blind.end), end))
                if part[0] < part[1]
            ]
        deceptions = [t_s for t_s, n in deceived if n in hand.tiles]
        spans = [(start, end) for start, end in spans if not any(start <= t_s <= end for t_s in deceptions)]
        return max((end - start for start, end in spans), default=0.0)

    def _could_be_seen(self, mistake: Happening, deceived: Deceived = ()) -> bool:
        """Whether a mistake was visible: the hand as wrongly set, or before and after its tiles were swapped.

        A surplus face shows only beside all others of its kind, and the order of hands opened under a sleeve is not
        visible.
        """
        truth = self.truth
        if mistake.kind == "foreign-tile":
            face = str(mistake.data["face"])
            alike = [(t_s, n) for t_s, n in deceived if truth.faces[n] == face]
            return all(self.hand(truth.hands[place], alike) for place in holders(truth, face))
        if not self._shows(mistake, deceived):
            return False
        if mistake.kind in FINDINGS and mistake.kind != "tiles-swapped":
            blind = [each for each in truth.disturbances if _blinds(each)]
            # A wrong deal or put-away must be visible from start to end.
            until_s = float(str(mistake.data["end_s"])) if mistake.kind in PROCEDURE_MISTAKES else mistake.t_s
            if mistake.kind in PROCEDURE_MISTAKES and until_s - mistake.t_s < self._least_s(mistake):
                return False
            return not any(each.start - self.glimpse_s <= until_s and mistake.t_s <= each.end for each in blind)
        hand = truth.hands[mistake.place]
        spans = _lay_spans(hand) if mistake.kind == "tiles-swapped" else wrong_spans(self.way, hand)
        return all(self._visible_s(hand, span, deceived) >= self.long_enough_s for _, span in spans)

    def _shows(self, mistake: Happening, deceived: Deceived) -> bool:
        """Whether pictures show the tiles of a mistake, or the order in which they were dealt or opened."""
        least_s = self.long_enough_s if mistake.kind == "tile-to-wrong-box" else self.glimpse_s
        if "seen_s" in mistake.data and float(str(mistake.data["seen_s"])) < least_s:
            return False
        match mistake.kind:
            case "wrong-first-box" | "wrong-delivery-order":
                return self._order_shows(mistake)
            case kind if kind in _TOO_EARLY:
                return self._visible_first(mistake)
            case "bank-away-early":
                return self._visible_s(self.truth.bank_hand, _EVER) >= self.glimpse_s
            case kind if kind in _BY_OUTCOME:
                return self._outcome_shows(mistake, deceived)
        return True

    def _least_s(self, mistake: Happening) -> float:
        """How long a departure of procedure must last to be noticed; 0 where something else decides that."""
        return self.glimpse_s if mistake.kind in _LASTING else 0.0

    def _order_shows(self, mistake: Happening) -> bool:
        """Whether pictures between two places dealt to show that the order was another one."""
        dealt_s, due = self.truth.dealt_s, self.truth.course.dealt.order
        apart_s = _APART_PICTURES / self.rate
        boxes = sorted(dealt_s, key=dealt_s.__getitem__)
        groups = [boxes[:1]]
        for before, box in pairwise(boxes):
            if dealt_s[box] - dealt_s[before] >= apart_s:
                groups.append([])
            groups[-1].append(box)
        turned = range(1) if mistake.kind == "wrong-first-box" else range(len(due))
        return not any(_in_order(groups, (*due[first:], *due[:first])) for first in turned)

    def _outcome_shows(self, mistake: Happening, deceived: Deceived) -> bool:
        """Whether the hand concerned and the bank's were visible long enough for their outcome."""
        hands = self.truth.hands[mistake.place], self.truth.bank_hand
        return all(self.hand(hand, deceived) for hand in hands)

    def _visible_first(self, mistake: Happening) -> bool:
        """Whether a hand opened too early was visible before one whose turn it was was open."""
        early = self.truth.hands[mistake.place]
        visible_s = min((start for start, _ in early.visible), default=math.inf)
        played = self.truth.course.played
        due_before = {self.truth.course.bank_box}
        if mistake.kind == "exposed-out-of-turn":
            due_before |= set(played[: played.index(early.box)])
        return any(
            hand.lays[0].t_s - visible_s >= self.glimpse_s
            for hand in self.truth.hands.values()
            if hand.lays and hand.box in due_before
        )


_LASTING: Final = {
    "leaning-die-not-reshaken",
    "lost-hand-left",
    "stand-off-left",
    "won-hand-taken",
    "bank-away-early",
    "unused-tile-open",
}


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


def _lay_spans(hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    since_s = [lay.t_s for lay in hand.lays]
    return list(zip(hand.lays, pairwise([*since_s, math.inf]), strict=True))


def wrong_spans(way: HouseWay, hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    """Each layout that is not the House Way, with its duration."""
    return [(lay, span) for lay, span in _lay_spans(hand) if not way.decide(lay.setting.deal).allows(lay.setting)]


def holders(truth: RoundTruth, face: str) -> list[Place]:
    """The places of the hands that last contained a face."""
    return [place for place, hand in truth.hands.items() if hand.lays and face in map(str, hand.lays[-1].tiles)]


def _in_order(groups: Sequence[Sequence[int]], order: Sequence[int]) -> bool:
    """Whether boxes that were dealt to group by group may have been dealt to in this order."""
    spans = [sorted(map(order.index, group)) for group in groups]
    return all(before[-1] < after[0] for before, after in pairwise(spans))
