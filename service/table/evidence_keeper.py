"""The evidence of a hand or throw: the clearest pictures that agree with the recorded round.

Evidence is the whole table as the camera gave it, the same with the recorded round drawn on it, and a close-up; of a
hand that lies wrongly also the close-up with the tiles ringed that belong in the other hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np

from calibration.table.places import Place
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.judge.verdicts import captions_of
from service.rounds.reports import DICE, moved, parse_pair
from vision.draw.overlay import draw_over
from vision.reading import HandReading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from service.rounds.reports import DieReport, HandReport, RoundReport
    from vision.capture.images import Image
    from vision.draw.tile_card import HandCaption
    from vision.reading import DieReading, Polygon, Reading, TileReading
    from vision.tracking import TableWatch

_QUALITY: Final = 92
"""JPEG quality of evidence: pips of 5 pixels stay countable."""
VIEW_WIDTH_PX: Final = 1600
"""Width of a drawn picture: what the page shows."""
_MARGIN: Final = 0.35
"""Felt shown around a close-up, as a share of its longer side."""
_CLOSE_UP_PX: Final = 900
"""Longer side of a close-up: a hand of 100 pixels fills a third of a screen."""
_THROWS: Final = 3
"""Number of throws of which a picture is kept: dice may be shaken again."""
_HAND: Final = 4
_RING: Final = (40, 60, 255)
_EDGE: Final = (255, 255, 255)
_AS_CLEAR: Final = 0.03
"""Pictures are equally clear if the confidences of their worst parts differ by at most this."""

ObjectKey = frozenset[object]
"""Identifies tiles or dice as they lie; different once one of them was moved or turned."""


@dataclass(frozen=True, slots=True)
class EvidencePicture:
    """A picture that shows a hand or a throw.

    Attributes:
        image: (height, width, 3) uint8 BGR.
        reading: what was read from it.
        lays: by place, the tiles as they lie in it.
        clearness: the number of parts verified, and how well the worst of them was read, in the clearest so far.
    """

    image: Image
    reading: Reading
    lays: Mapping[str, ObjectKey]
    clearness: tuple[int, float]


@dataclass(slots=True)
class EvidenceKeeper:
    """Keeps the clearest picture of each hand and throw of the present round.

    Full pictures take much memory, so one picture serves all hands that it shows as clearly as their own pictures.
    """

    _hands: dict[str, tuple[ObjectKey, EvidencePicture]] = field(default_factory=dict)
    _recorded: dict[str, ObjectKey] = field(default_factory=dict)
    _dice: dict[ObjectKey, EvidencePicture] = field(default_factory=dict)

    def see(self, image: Image, reading: Reading, table: TableWatch) -> None:
        """Process the next picture, its reading, and the table as tracked up to this picture."""
        shown: dict[str, list[tuple[object, TileReading]]] = {}
        for track in table.lying:
            if track.tile.face_up and track.tile.place is not None:
                shown.setdefault(str(track.tile.place), []).append((track.epoch, track.tile))
        lays: dict[str, ObjectKey] = {
            place: frozenset(epoch for epoch, _ in tiles) for place, tiles in shown.items() if len(tiles) == _HAND
        }
        self._recorded = {str(hand.place): hand.lays[-1].epoch for hand in table.seen.hands if hand.lays}

        offered: dict[str, tuple[EvidencePicture | None, tuple[int, float]]] = {
            place: (self._of_lay(place, lay), _clearness_of_tiles([tile for _, tile in shown[place]]))
            for place, lay in lays.items()
        }
        throw = _key_of_dice(reading.dice)
        if reading.dice:
            offered[DICE] = self._of_throw(throw), _clearness_of_dice(reading.dice)
        if not any(known is None or clearness > known.clearness for known, clearness in offered.values()):
            return
        for place, (known, clearness) in offered.items():
            if known is not None and not _is_as_clear(known, clearness):
                continue
            best = clearness if known is None else max(known.clearness, clearness)
            picture = EvidencePicture(image, reading, lays, best)
            if place == DICE:
                self._dice[throw] = picture
                self._dice = dict(list(self._dice.items())[-_THROWS:])
            else:
                self._hands[place] = lays[place], picture

    def _of_lay(self, place: str, lay: ObjectKey) -> EvidencePicture | None:
        """Return the kept picture of a hand if it shows these tiles as they lie."""
        known = self._hands.get(place)
        return known[1] if known is not None and known[0] == lay else None

    def _of_throw(self, throw: ObjectKey) -> EvidencePicture | None:
        """Return the kept picture of a throw, which becomes the newest throw."""
        known = self._dice.pop(throw, None)
        if known is not None:
            self._dice[throw] = known
        return known

    def start_round(self) -> None:
        """Forget the hands of the last round; dice may already be of the next one, so they are kept."""
        self._hands.clear()

    def of(self, report: RoundReport, before: RoundReport | None) -> tuple[Evidence, ...]:
        """Return the evidence of everything new since the revision ``before``; None for a round's first revision."""
        wanted = [(hand.place, self._of_hand(hand)) for hand in report.hands if _is_new(hand, before)]
        if report.dice and (before is None or [die.value for die in before.dice] != [die.value for die in report.dice]):
            wanted.append((DICE, self._of_dice(report)))
        drawn: dict[int, tuple[Picture, Picture]] = {}
        evidence: list[Evidence] = []
        for place, candidate in wanted:
            if candidate is None:
                continue
            if id(candidate.image) not in drawn:
                view = draw_round(candidate.image, candidate.reading, report, self._as_recorded(candidate))
                drawn[id(candidate.image)] = encoded(candidate.image, _QUALITY), encoded(view, _QUALITY)
            frame, annotated = drawn[id(candidate.image)]
            outlines = _outlines(candidate.reading, place)
            evidence += [
                Evidence(place, "frame", frame),
                Evidence(place, "annotated", annotated),
                Evidence(place, "close_up", encoded(_close_up(candidate.image, outlines), _QUALITY)),
            ]
            if rings := _to_exchange(report, place, candidate.reading):
                ringed = _close_up(_ringed(candidate.image, rings), outlines)
                evidence.append(Evidence(place, "exchange", encoded(ringed, _QUALITY)))
        return tuple(evidence)

    def _of_hand(self, hand: HandReport) -> EvidencePicture | None:
        """The clearest picture of a recorded hand; for a verified hand only a picture that shows its tiles."""
        lay, candidate = self._hands.get(hand.place, (None, None))
        if candidate is None or lay != self._recorded.get(hand.place):
            return None
        return candidate if hand.status != "verified" or _agrees(hand, candidate.reading) else None

    def _as_recorded(self, candidate: EvidencePicture) -> frozenset[str]:
        return frozenset(place for place, lay in candidate.lays.items() if lay == self._recorded.get(place))

    def _of_dice(self, report: RoundReport) -> EvidencePicture | None:
        values = sorted((die.value or 0) for die in report.dice)
        shown = (one for one in self._dice.values() if sorted((die.value or 0) for die in one.reading.dice) == values)
        return max(shown, key=lambda one: one.clearness, default=None)


def draw_round(image: Image, reading: Reading, report: RoundReport, places: Collection[str]) -> Image:
    """Draw the round on a picture, as far as the picture shows the recorded tiles and dice.

    Args:
        image: (height, width, 3) uint8 BGR.
        reading: what was read from it: where everything lies.
        report: the round.
        places: whose tiles in the picture are the recorded ones.

    Returns:
        (h, w, 3) uint8 BGR, as wide as the page needs.
    """
    shown = [hand for hand in report.hands if hand.place in places and _agrees(hand, reading)]
    status = {hand.place: _drawn_status(hand) for hand in shown}
    tiles = tuple(replace(tile, status=status[str(tile.place)]) for tile in reading.tiles if str(tile.place) in status)
    hands = tuple(
        HandReading(Place.parse(hand.place), parse_pair(hand.low), parse_pair(hand.high), status[hand.place])
        for hand in shown
    )
    dice = _dice_as_recorded(reading.dice, report)
    return draw_view(image, replace(reading, tiles=tiles, dice=dice, hands=hands), captions_of(shown))


def draw_view(image: Image, reading: Reading, captions: Mapping[str, HandCaption]) -> Image:
    """Draw a reading on its picture, no wider than the page needs."""
    return as_shown(draw_over(image, reading, captions))


def drawn_on(jpeg: bytes, reading: Reading, captions: Mapping[str, HandCaption]) -> Image:
    """Draw a reading on its picture as pages show it."""
    shown = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    return draw_view(np.asarray(cv2.resize(shown, reading.size), np.uint8), reading, captions)


def as_shown(image: Image) -> Image:
    """A picture no wider than the page needs."""
    height, width = image.shape[:2]
    if width <= VIEW_WIDTH_PX:
        return image
    size = (VIEW_WIDTH_PX, round(height * VIEW_WIDTH_PX / width))
    # INTER_AREA takes seven times as long, and lines survive without it down to half the width.
    how = cv2.INTER_AREA if width > 2 * VIEW_WIDTH_PX else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)


def encoded(image: Image, quality: int) -> Picture:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return Picture(data.tobytes())


def _is_new(hand: HandReport, before: RoundReport | None) -> bool:
    known = None if before is None else next((one for one in before.hands if one.place == hand.place), None)
    return known is None or (known.low, known.high, known.status) != (hand.low, hand.high, hand.status)


def _agrees(hand: HandReport, reading: Reading) -> bool:
    seen = sorted(str(tile.face) for tile in reading.tiles if str(tile.place) == hand.place and tile.face is not None)
    return seen == sorted((*hand.low, *hand.high))


def _drawn_status(recorded: HandReport | DieReport) -> Literal["verified", "uncertain"]:
    return "uncertain" if recorded.status == "uncertain" else "verified"


def _dice_as_recorded(seen: Iterable[DieReading], report: RoundReport) -> tuple[DieReading, ...]:
    """Return the dice of a picture with their statuses in the round; empty if it shows another throw."""
    dice = tuple(seen)
    recorded = {(die.value, die.colour): die for die in report.dice}
    if len(dice) != len(report.dice) or any((die.value, die.colour) not in recorded for die in dice):
        return ()
    pairs = ((die, recorded[die.value, die.colour]) for die in dice)
    return tuple(replace(die, status=_drawn_status(one), role=one.role, cocked=one.cocked) for die, one in pairs)


def _key_of_dice(dice: Iterable[DieReading]) -> ObjectKey:
    """Identify dice by value and position, in steps of half a die."""
    return frozenset(
        (die.value, *(round(2 * middle / side) for middle in np.mean(die.polygon, axis=0).tolist()))
        for die in dice
        for side in [max(float(np.linalg.norm(np.subtract(die.polygon[0], die.polygon[1]))), 1.0)]
    )


def _is_as_clear(known: EvidencePicture, clearness: tuple[int, float]) -> bool:
    verified, worst = known.clearness
    return clearness >= (verified, worst - _AS_CLEAR)


def _clearness_of_tiles(tiles: list[TileReading]) -> tuple[int, float]:
    worst = min(float(tile.scores.get("pips", tile.confidence)) for tile in tiles)
    return sum(tile.status == "verified" for tile in tiles), worst


def _clearness_of_dice(dice: Iterable[DieReading]) -> tuple[int, float]:
    known = tuple(dice)
    return sum(die.status == "verified" for die in known), min(die.confidence for die in known)


def _outlines(reading: Reading, place: str) -> list[Polygon]:
    if place == DICE:
        return [die.polygon for die in reading.dice]
    return [tile.polygon for tile in reading.tiles if str(tile.place) == place]


def _to_exchange(report: RoundReport, place: str, reading: Reading) -> list[Polygon]:
    """Return the outlines of the tiles of a hand that belong in the other; none where a face does not name its tile."""
    hand = next((one for one in report.hands if one.place == place), None)
    if hand is None or not hand.is_set_wrongly or hand.house_way is None or hand.house_way.expected is None:
        return []
    expected = hand.house_way.expected
    pairs = ((hand.low, expected.low), (hand.high, expected.high))
    faces = [face for laid, right in pairs for face, moves in zip(laid, moved(laid, right), strict=True) if moves]
    if any((*hand.low, *hand.high).count(face) > 1 for face in faces):
        return []
    return [tile.polygon for tile in reading.tiles if str(tile.place) == place and str(tile.face) in faces]


def _ringed(image: Image, outlines: Iterable[Polygon]) -> Image:
    """Draw a frame close around each outline, so that the pips of its neighbours stay in sight."""
    drawn = image.copy()
    for outline in outlines:
        centre, (one, other), angle = cv2.minAreaRect(np.array(outline, np.float32))
        width = min(one, other)
        frame = cv2.boxPoints((centre, (one + 0.12 * width, other + 0.12 * width), angle)).round().astype(np.int32)
        for colour, thick in ((_EDGE, 0.17), (_RING, 0.1)):
            cv2.polylines(drawn, [frame], True, colour, max(2, round(thick * width)), cv2.LINE_AA)  # noqa: FBT003
    return drawn


def _close_up(image: Image, outlines: list[Polygon]) -> Image:
    """Cut out and enlarge the part of a picture with these outlines."""
    height, width = image.shape[:2]
    corners = np.array(outlines, np.float64).reshape(-1, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = _MARGIN * float((high - low).max())
    left, top = np.clip(np.floor(low - margin), 0, (width - 1, height - 1)).astype(int).tolist()
    right, bottom = np.clip(np.ceil(high + margin), (left + 1, top + 1), (width, height)).astype(int).tolist()
    part = image[top:bottom, left:right]
    scale = _CLOSE_UP_PX / max(part.shape[:2])
    if scale <= 1:
        return np.ascontiguousarray(part)
    return np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
