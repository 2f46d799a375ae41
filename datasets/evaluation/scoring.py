"""Score one picture's reading against its labels: counts, and every single error.

Objects that labels mark as ignored, or that are hardly visible, are excused: finding them is neither right nor wrong,
though a verified reading must still be true.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from datasets.evaluation.marker_scores import score_markers
from datasets.evaluation.outline_matching import MatchKind, die_overlap, match, outline_overlap
from datasets.evaluation.rates import Proportion
from datasets.evaluation.tally import Audited, ErrorKind, Mistake, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from datasets.labels.labels import DieLabel, PictureLabels, TileLabel
    from engine.game.tiles import Tile
    from vision.reading import DieReading, HandReading, Reading, TileReading

RATES: Final[Mapping[str, str]] = {
    "tiles_found": "readable face-up tiles found",
    "faces_right": "of those, named rightly",
    "tiles_right": "readable face-up tiles found and named rightly",
    "face_down_found": "face-down tiles found",
    "face_down_right": "of those, read as face down",
    "tiles_true": "tile detections with a tile there (precision)",
    "dice_found": "flat dice found",
    "values_right": "of those found, rightly read",
    "dice_right": "flat dice found and rightly read",
    "roles_right": "box and cut dice told apart",
    "cocked_found": "cocked dice found and called cocked",
    "dice_true": "dice detections with a die there (precision)",
    "hands_whole": "hands whole",
    "markers_found": "markers found: chung, off and plus/minus buttons",
    "markers_right": "of those, verified",
    "markers_true": "marker readings with that marker there (precision)",
    "banker_right": "banker told rightly",
    "banker_unknown": "banker not known",
    "coverage_tiles": "coverage: readable face-up tiles verified",
    "coverage_face_down": "coverage: face-down tiles verified",
    "coverage_dice": "coverage: flat dice verified",
    "coverage_hands": "coverage: hands verified",
    "silent_tiles": "silent errors: verified tiles that are wrong",
    "silent_dice": "silent errors: verified dice that are wrong",
    "silent_hands": "silent errors: verified hands that are wrong",
    "silent_markers": "silent errors: verified markers that are wrong",
    "silent_banker": "silent errors: another banker told",
    "silent": "silent errors: verified and wrong, all together",
}
"""Every rate and its title, in display order."""


OF_LABELS: Final = (
    "tiles_found",
    "tiles_right",
    "coverage_tiles",
    "face_down_found",
    "coverage_face_down",
    "dice_found",
    "dice_right",
    "coverage_dice",
    "cocked_found",
)
"""Rates with one trial for each labelled object, whatever was read: two programs can be compared object by object."""


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of one or more pictures.

    Attributes:
        rates: by the names of ``RATES``, those with trials.
        elapsed_ms: by stage, the time of each picture.
        audited: every tile with a reading, except ignored ones.
        trials: by picture, whether each trial of a rate of ``OF_LABELS`` succeeded, in the order of the labels.
    """

    pictures: int = 0
    rates: Mapping[str, Proportion] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()
    elapsed_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    audited: tuple[Audited, ...] = ()
    trials: Mapping[str, Mapping[str, Sequence[bool]]] = field(default_factory=dict)

    def rate(self, name: str) -> Proportion:
        return self.rates.get(name, Proportion())

    @classmethod
    def total(cls, scores: Iterable[Score]) -> Score:
        each = list(scores)
        rates: dict[str, Proportion] = {}
        elapsed: dict[str, tuple[float, ...]] = {}
        trials: dict[str, dict[str, tuple[bool, ...]]] = {}
        for score in each:
            for name, rate in score.rates.items():
                rates[name] = rates.get(name, Proportion()) + rate
            for stage, times in score.elapsed_ms.items():
                elapsed[stage] = elapsed.get(stage, ()) + times
            for picture, of_picture in score.trials.items():
                # Pictures of two folders may have the same name.
                before = trials.setdefault(picture, {})
                for name, did in of_picture.items():
                    before[name] = (*before.get(name, ()), *did)
        return cls(
            pictures=sum(score.pictures for score in each),
            rates=rates,
            mistakes=tuple(mistake for score in each for mistake in score.mistakes),
            elapsed_ms=elapsed,
            audited=tuple(tile for score in each for tile in score.audited),
            trials=trials,
        )


def score_picture(reading: Reading, truth: PictureLabels) -> Score:
    tally = Tally(reading.image)
    if truth.scope != "dice":
        _score_tiles(tally, reading.tiles, truth.tiles)
    if truth.scope != "tiles":
        _score_dice(tally, reading.dice, truth.dice)
    if truth.scope == "everything":
        _score_hands(tally, reading.hands, truth.tiles, calibrated=reading.calibrated)
        if reading.markers is not None:
            score_markers(tally, reading.markers, truth.others)
    rates = {name: Proportion(sum(tally.trials[name]), len(tally.trials[name])) for name in RATES if tally.trials[name]}
    silent = (rates.get(f"silent_{kind}", Proportion()) for kind in ("tiles", "dice", "hands", "markers", "banker"))
    rates["silent"] = sum(silent, Proportion())
    elapsed = {stage: (spent,) for stage, spent in reading.elapsed_ms.items()}
    trials = {name: tally.trials[name] for name in OF_LABELS if tally.trials[name]}
    return Score(1, rates, tuple(tally.mistakes), elapsed, tuple(tally.audited), {reading.image: trials})


def _score_tiles(tally: Tally, readings: Sequence[TileReading], labels: Sequence[TileLabel]) -> None:
    partner, matches = match([each.polygon for each in readings], labels, outline_overlap)
    label_of = {index: label for label, index in zip(labels, partner, strict=True) if index is not None}
    for number, each in enumerate(readings):
        label = label_of.get(number)
        if each.scores and (label is None or not label.ignore):
            right = label is not None and label.face_up and label.face is each.face
            tally.audited.append(Audited(tally.image, right, each.status == "verified", each.scores))
    for label, index in zip(labels, partner, strict=True):
        if not label.ignore:
            _score_tile(tally, label, None if index is None else readings[index])
    _score_precision(tally, "tile", [(each, _tile_words(each)) for each in readings], matches)


_TILE_RATES: Final = {
    True: ("tiles_found", "faces_right", "coverage_tiles"),
    False: ("face_down_found", "face_down_right", "coverage_face_down"),
}
"""Rates of a tile by side: found, read correctly, verified."""


def _score_tile(tally: Tally, label: TileLabel, reading: TileReading | None) -> None:
    right = reading is not None and (reading.face_up, reading.face) == (label.face_up, label.face)
    verified = reading is not None and reading.status == "verified"
    due = label.readable or (not label.face_up and label.fully_visible)
    if label.readable:
        tally.count("tiles_right", did=right)
    if due:
        found, named, covered = _TILE_RATES[label.face_up]
        tally.count(found, did=reading is not None)
        tally.count(covered, did=verified)
        if reading is None:
            tally.missed("tile", _tile_words(label), label.polygon)
        else:
            tally.count(named, did=right)
    if verified:
        tally.count("silent_tiles", did=not right)
    if reading is not None and not right and (due or verified):
        unnamed = reading.face_up and reading.face is None
        tally.wrong("tile", "not named" if unnamed else "misread", _tile_words(label), _tile_words(reading), reading)


def _score_dice(tally: Tally, readings: Sequence[DieReading], labels: Sequence[DieLabel]) -> None:
    outlines = [each.polygon for each in readings]
    partner, matches = match(outlines, labels, die_overlap)
    for label, index in zip(labels, partner, strict=True):
        if not label.ignore:
            _score_die(tally, label, None if index is None else readings[index])
    _score_precision(tally, "die", [(each, _die_words(each)) for each in readings], matches)


def _score_die(tally: Tally, label: DieLabel, reading: DieReading | None) -> None:
    if reading is None:
        if label.readable:
            tally.count("dice_found", "dice_right", "coverage_dice", did=False)
        elif label.cocked and label.fully_visible:
            tally.count("cocked_found", did=False)
        if label.fully_visible:
            tally.missed("die", _die_words(label), label.polygon)
        return
    # A leaning die has no value: the throw is repeated regardless of its upper face.
    right = reading.cocked == label.cocked and (label.cocked or reading.value == label.value)
    role_right = label.role is None or reading.role in (None, label.role)
    verified = reading.status == "verified"
    if label.readable:
        tally.count("dice_found", did=True)
        tally.count("dice_right", "values_right", did=right)
        tally.count("coverage_dice", did=verified)
        if label.role is not None:
            tally.count("roles_right", did=reading.role == label.role)
    elif label.cocked and label.fully_visible:
        tally.count("cocked_found", did=reading.cocked)
    if verified:
        tally.count("silent_dice", did=not (right and role_right))
    if not (right and role_right) and (label.fully_visible or verified):
        unnamed = reading.value is None and not label.cocked
        tally.wrong("die", "not named" if unnamed else "misread", _die_words(label), _die_words(reading), reading)


def _score_precision(
    tally: Tally,
    kind: Literal["tile", "die"],
    readings: Sequence[tuple[TileReading, str] | tuple[DieReading, str]],
    matches: Sequence[MatchKind],
) -> None:
    """Count the detections that match an object, and list each that does not."""
    true, silent = ("tiles_true", "silent_tiles") if kind == "tile" else ("dice_true", "silent_dice")
    for (reading, words), found in zip(readings, matches, strict=True):
        if found != "excused":
            tally.count(true, did=found == "true")
        if found == "false":
            if reading.status == "verified":
                tally.count(silent, did=True)
            tally.wrong(kind, "not there", f"no {kind}", words, reading)


@dataclass(frozen=True, slots=True)
class _TrueHand:
    """Four tiles laid as a hand, readable if all of them are."""

    place: str
    low: tuple[str, ...]
    high: tuple[str, ...]
    readable: bool


def _score_hands(
    tally: Tally, readings: Sequence[HandReading], tiles: Sequence[TileLabel], *, calibrated: bool
) -> None:
    left = _true_hands(tiles)
    for hand in readings:
        low, high = _faces(hand.low), _faces(hand.high)
        same_place = [each for each in left if not calibrated or each.place == str(hand.place)]
        right = next((each for each in same_place if (each.low, each.high) == (low, high)), None)
        found = right or next((each for each in same_place if calibrated), None)
        verified = hand.status == "verified"
        if verified:
            tally.count("silent_hands", did=right is None)
        if found is not None:
            left.remove(found)
            if found.readable:
                tally.count("hands_whole", did=right is not None)
                tally.count("coverage_hands", did=verified)
        if right is None:
            there = "no hand like it" if found is None else _hand_words(found.low, found.high)
            fault: ErrorKind = "not there" if found is None else "misread"
            tally.wrong("hand", fault, f"{hand.place}: {there}", _hand_words(low, high), hand)
    for missing in left:
        if missing.readable:
            tally.count("hands_whole", "coverage_hands", did=False)
            words = f"{missing.place}: {_hand_words(missing.low, missing.high)}"
            tally.mistakes.append(Mistake(tally.image, "hand", "not whole", words, "no such hand"))


def _true_hands(tiles: Sequence[TileLabel]) -> list[_TrueHand]:
    """The open hands: two tiles low and two high at one place, all face up."""
    hands = []
    for place in dict.fromkeys(tile.place for tile in tiles if tile.hand and tile.place):
        low, high = ([t for t in tiles if t.place == place and t.hand == lay] for lay in ("low", "high"))
        faces = [tile.face for tile in (*low, *high) if tile.face is not None]
        if len(low) == len(high) == 2 and len(faces) == 4:
            readable = all(tile.readable for tile in (*low, *high))
            hands.append(_TrueHand(place, _faces(faces[:2]), _faces(faces[2:]), readable))
    return hands


def _faces(tiles: Iterable[Tile]) -> tuple[str, ...]:
    return tuple(sorted(str(tile) for tile in tiles))


def _hand_words(low: Sequence[str], high: Sequence[str]) -> str:
    return f"low {' '.join(low)}, high {' '.join(high)}"


def _tile_words(tile: TileLabel | TileReading) -> str:
    if not tile.face_up:
        return "face down"
    return "face up, not named" if tile.face is None else str(tile.face)


def _die_words(die: DieLabel | DieReading) -> str:
    words = (die.role, "cocked" if die.cocked else None, "die", str(die.value or "not named"))
    return " ".join(word for word in words if word)
