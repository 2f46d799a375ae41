"""How well pictures were read, against what lies in them: counts, intervals, and every single error.

Objects match where their outlines overlap with an intersection over union of 0.5 or more. A label that is only a box
(photographs) is compared with the outline and with the outline's own box, whichever fits better: a die that lies at 45
degrees fills half of its box. What a label says to ignore, and what can hardly be seen, is excused: finding it is
neither right nor wrong, though a verified reading of it must still be true.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, product
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, TypeVar

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import beta, norm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from engine.game.tiles import Tile
    from vision.findings import Finding
    from vision.reading import DieReading, HandReading, Reading, TileReading

MIN_OVERLAP: Final = 0.5
SEEN: Final = 0.5
"""Share of an upper face that must be visible for a detection there to count as a true one."""
LEVEL: Final = 0.95

Kind: TypeAlias = Literal["tile", "die", "hand"]
Fault: TypeAlias = Literal["missed", "misread", "not named", "not there", "not whole"]
Outline: TypeAlias = "Sequence[tuple[float, float]]"


class TrueTile(Protocol):
    """What scoring needs to know of a tile that lies there (see ``TileLabel``)."""

    @property
    def face(self) -> Tile | None: ...  # noqa: D102
    @property
    def face_up(self) -> bool: ...  # noqa: D102
    @property
    def polygon(self) -> Outline: ...  # noqa: D102
    @property
    def visible(self) -> float: ...  # noqa: D102
    @property
    def place(self) -> str | None: ...  # noqa: D102
    @property
    def hand(self) -> Literal["low", "high"] | None: ...  # noqa: D102
    @property
    def ignore(self) -> bool: ...  # noqa: D102
    @property
    def readable(self) -> bool: ...  # noqa: D102
    @property
    def fully_visible(self) -> bool: ...  # noqa: D102


class TrueDie(Protocol):
    """What scoring needs to know of a die that lies there (see ``DieLabel``)."""

    @property
    def value(self) -> int | None: ...  # noqa: D102
    @property
    def polygon(self) -> Outline: ...  # noqa: D102
    @property
    def visible(self) -> float: ...  # noqa: D102
    @property
    def cocked(self) -> bool: ...  # noqa: D102
    @property
    def role(self) -> Literal["box", "cut"] | None: ...  # noqa: D102
    @property
    def ignore(self) -> bool: ...  # noqa: D102
    @property
    def readable(self) -> bool: ...  # noqa: D102
    @property
    def fully_visible(self) -> bool: ...  # noqa: D102


class Truth(Protocol):
    """What lies in one picture; ``scope`` says what was labelled at all."""

    @property
    def scope(self) -> Literal["everything", "tiles", "dice"]: ...  # noqa: D102
    @property
    def tiles(self) -> Sequence[TrueTile]: ...  # noqa: D102
    @property
    def dice(self) -> Sequence[TrueDie]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many.

    Attributes:
        count: how many did.
        of: how many could have.
    """

    count: int = 0
    of: int = 0

    def __add__(self, other: Rate) -> Rate:
        """Both samples as one."""
        return Rate(self.count + other.count, self.of + other.of)

    @property
    def value(self) -> float | None:
        """The share, None of nothing."""
        return self.count / self.of if self.of else None

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Wilson's interval of the share; everything is possible of nothing.

        >>> tuple(round(end, 3) for end in Rate(9, 10).interval())
        (0.596, 0.982)
        """
        if not self.of:
            return 0.0, 1.0
        z = float(norm.ppf(0.5 + level / 2))
        share, spread = self.count / self.of, z * z / self.of
        middle = (share + spread / 2) / (1 + spread)
        half = z / (1 + spread) * float(np.sqrt(share * (1 - share) / self.of + spread / (4 * self.of)))
        return max(0.0, middle - half), min(1.0, middle + half)

    def upper_bound(self, level: float = LEVEL) -> float:
        """Clopper and Pearson's one-sided upper bound of the share.

        >>> round(Rate(0, 29_956).upper_bound(), 6)  # no error in that many bounds the chance of one at 1 in 10 000
        0.0001
        """
        if self.count >= self.of:
            return 1.0
        return float(beta.ppf(level, self.count + 1, self.of - self.count))


RATES: Final[Mapping[str, str]] = {
    "tiles_found": "readable face-up tiles found",
    "faces_right": "of those, named rightly",
    "tiles_right": "readable face-up tiles found and named rightly",
    "face_down_found": "face-down tiles found",
    "face_down_right": "of those, read as face down",
    "tiles_true": "tile detections with a tile there (precision)",
    "dice_found": "flat dice found",
    "dice_found_by_outline": "flat dice found by the outline alone",
    "values_right": "of those found, rightly read",
    "dice_right": "flat dice found and rightly read",
    "roles_right": "box and cut dice told apart",
    "cocked_found": "cocked dice found and called cocked",
    "dice_true": "dice detections with a die there (precision)",
    "hands_whole": "hands whole",
    "coverage_tiles": "coverage: readable face-up tiles verified",
    "coverage_face_down": "coverage: face-down tiles verified",
    "coverage_dice": "coverage: flat dice verified",
    "coverage_hands": "coverage: hands verified",
    "silent_tiles": "silent errors: verified tiles that are wrong",
    "silent_dice": "silent errors: verified dice that are wrong",
    "silent_hands": "silent errors: verified hands that are wrong",
    "silent": "silent errors: verified and wrong, all together",
}
"""Every rate there is and what it says, in the order to show them."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that was not read as it lies.

    Attributes:
        image: the picture.
        kind: what it is.
        fault: what is wrong.
        there: what lies there, in words.
        read: what was read, in words.
        status: ``verified`` or ``uncertain``; None for what was missed.
        confidence: of the reading; None for what was missed and for hands.
        at_px: where it lies; None for hands.
        silent: whether nobody would have looked: it was verified.
        doubts: why the reading was not verified.
    """

    image: str
    kind: Kind
    fault: Fault
    there: str
    read: str
    status: str | None = None
    confidence: float | None = None
    at_px: tuple[float, float] | None = None
    silent: bool = False
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Audited:
    """A tile whose face was told, and whether it was right.

    Attributes:
        image: the picture.
        right: whether that face lies there.
        verified: whether it was verified.
        scores: what each reader said in figures.
    """

    image: str
    right: bool
    verified: bool
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Score:
    """How well one or more pictures were read.

    Attributes:
        pictures: how many.
        rates: by the names of ``RATES``; a name that is not there counts nothing of nothing.
        mistakes: every one of them.
        elapsed_ms: by stage, the time of each picture.
        audited: every tile whose face was told, but those that labels say to ignore.
    """

    pictures: int = 0
    rates: Mapping[str, Rate] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()
    elapsed_ms: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    audited: tuple[Audited, ...] = ()

    def rate(self, name: str) -> Rate:
        """One of the rates."""
        return self.rates.get(name, Rate())

    @classmethod
    def total(cls, scores: Iterable[Score]) -> Score:
        """All pictures of all scores."""
        rates: dict[str, Rate] = {}
        elapsed: dict[str, tuple[float, ...]] = {}
        mistakes: list[Mistake] = []
        audited: list[Audited] = []
        pictures = 0
        for score in scores:
            pictures += score.pictures
            audited.extend(score.audited)
            mistakes.extend(score.mistakes)
            for name, rate in score.rates.items():
                rates[name] = rates.get(name, Rate()) + rate
            for stage, times in score.elapsed_ms.items():
                elapsed[stage] = elapsed.get(stage, ()) + times
        return cls(pictures, rates, tuple(mistakes), elapsed, tuple(audited))


def score_picture(reading: Reading, truth: Truth) -> Score:
    """How well one picture was read."""
    book = _Book(reading.image)
    if truth.scope != "dice":
        _score_tiles(book, reading.tiles, truth.tiles)
    if truth.scope != "tiles":
        _score_dice(book, reading.dice, truth.dice, boxes=truth.scope == "dice")
    if truth.scope == "everything":
        _score_hands(book, reading.hands, truth.tiles, calibrated=reading.calibrated)
    rates = {name: Rate(book.did[name], book.could[name]) for name in RATES if book.could[name]}
    rates["silent"] = sum((rates.get(f"silent_{kind}", Rate()) for kind in ("tiles", "dice", "hands")), Rate())
    elapsed = {stage: (spent,) for stage, spent in reading.elapsed_ms.items()}
    return Score(1, rates, tuple(book.mistakes), elapsed, tuple(book.audited))


class _Book:
    """Counts and mistakes of one picture while it is scored."""

    def __init__(self, image: str) -> None:
        self.image = image
        self.did: Counter[str] = Counter()
        self.could: Counter[str] = Counter()
        self.mistakes: list[Mistake] = []
        self.audited: list[Audited] = []

    def count(self, name: str, *, did: bool) -> None:
        self.could[name] += 1
        self.did[name] += did

    def missed(self, kind: Kind, there: str, polygon: Outline) -> None:
        self.mistakes.append(Mistake(self.image, kind, "missed", there, "nothing", at_px=_middle(polygon)))

    def wrong(self, kind: Kind, fault: Fault, there: str, read: str, seen: TileReading | DieReading) -> None:
        self.mistakes.append(
            Mistake(
                self.image,
                kind,
                fault,
                there,
                read,
                seen.status,
                seen.confidence,
                _middle(seen.polygon),
                silent=seen.status == "verified",
                doubts=seen.doubts,
            )
        )


def _score_tiles(book: _Book, seen: Sequence[TileReading], there: Sequence[TrueTile]) -> None:
    partner, counts = _pair_up([each.polygon for each in seen], there, _overlap)
    lies = {match: tile for tile, match in zip(there, partner, strict=True) if match is not None}
    for number, each in enumerate(seen):
        tile_there = lies.get(number)
        if each.scores and (tile_there is None or not tile_there.ignore):
            right = tile_there is not None and tile_there.face_up and tile_there.face is each.face
            book.audited.append(Audited(book.image, right, each.status == "verified", each.scores))
    for tile, match in zip(there, partner, strict=True):
        if not tile.ignore:
            _score_tile(book, tile, None if match is None else seen[match])
    _score_extras(book, "tile", [(each, _tile_words(each)) for each in seen], counts)


def _score_tile(book: _Book, tile: TrueTile, reading: TileReading | None) -> None:
    right = reading is not None and (reading.face_up, reading.face) == (tile.face_up, tile.face)
    verified = reading is not None and reading.status == "verified"
    face_down = not tile.face_up and tile.fully_visible
    if tile.readable:
        book.count("tiles_right", did=right)
    if tile.readable or face_down:
        found, named, covered = _TILE_RATES[tile.face_up]
        book.count(found, did=reading is not None)
        book.count(covered, did=verified)
        if reading is None:
            book.missed("tile", _tile_words(tile), tile.polygon)
        else:
            book.count(named, did=right)
    if verified:
        book.count("silent_tiles", did=not right)
    if reading is not None and not right and (tile.readable or face_down or verified):
        unnamed = reading.face_up and reading.face is None
        book.wrong("tile", "not named" if unnamed else "misread", _tile_words(tile), _tile_words(reading), reading)


_TILE_RATES: Final = {
    True: ("tiles_found", "faces_right", "coverage_tiles"),
    False: ("face_down_found", "face_down_right", "coverage_face_down"),
}


def _score_dice(book: _Book, seen: Sequence[DieReading], there: Sequence[TrueDie], *, boxes: bool) -> None:
    outlines = [each.polygon for each in seen]
    if boxes:
        strictly, _ = _pair_up(outlines, there, _overlap)
        for die, match in zip(there, strictly, strict=True):
            if die.readable and not die.ignore:
                book.count("dice_found_by_outline", did=match is not None)
    partner, counts = _pair_up(outlines, there, _box_overlap if boxes else _overlap)
    for die, match in zip(there, partner, strict=True):
        if not die.ignore:
            _score_die(book, die, None if match is None else seen[match])
    _score_extras(book, "die", [(each, _die_words(each)) for each in seen], counts)


def _score_die(book: _Book, die: TrueDie, reading: DieReading | None) -> None:
    if reading is None:
        _score_missed_die(book, die)
        return
    # A die that leans has no value: the throw is repeated, whatever its upper face would be.
    right = reading.cocked == die.cocked and (die.cocked or reading.value == die.value)
    role_right = die.role is None or reading.role in (None, die.role)
    verified = reading.status == "verified"
    if die.readable:
        book.count("dice_found", did=True)
        book.count("dice_right", did=right)
        book.count("values_right", did=right)
        book.count("coverage_dice", did=verified)
        if die.role is not None:
            book.count("roles_right", did=reading.role == die.role)
    elif die.cocked and die.fully_visible:
        book.count("cocked_found", did=reading.cocked)
    if verified:
        book.count("silent_dice", did=not (right and role_right))
    if not (right and role_right) and (die.fully_visible or verified):
        unnamed = reading.value is None and not die.cocked
        book.wrong("die", "not named" if unnamed else "misread", _die_words(die), _die_words(reading), reading)


def _score_missed_die(book: _Book, die: TrueDie) -> None:
    if die.readable:
        for name in ("dice_found", "dice_right", "coverage_dice"):
            book.count(name, did=False)
    elif die.cocked and die.fully_visible:
        book.count("cocked_found", did=False)
    if die.fully_visible:
        book.missed("die", _die_words(die), die.polygon)


def _score_extras(
    book: _Book,
    kind: Literal["tile", "die"],
    seen: Sequence[tuple[TileReading, str] | tuple[DieReading, str]],
    counts: Sequence[_Verdict],
) -> None:
    """Detections: how many have an object, and each that has none."""
    true, silent = ("tiles_true", "silent_tiles") if kind == "tile" else ("dice_true", "silent_dice")
    for (reading, words), verdict in zip(seen, counts, strict=True):
        if verdict != "excused":
            book.count(true, did=verdict == "true")
        if verdict == "false":
            if reading.status == "verified":
                book.count(silent, did=True)
            book.wrong(kind, "not there", f"no {kind}", words, reading)


@dataclass(frozen=True, slots=True)
class _TrueHand:
    """Four tiles laid as a hand; ``readable`` if every one of them is."""

    place: str
    low: tuple[str, ...]
    high: tuple[str, ...]
    readable: bool


def _score_hands(book: _Book, seen: Sequence[HandReading], tiles: Sequence[TrueTile], *, calibrated: bool) -> None:
    there = _true_hands(tiles)
    left = list(there)
    for hand in seen:
        low, high = _faces(hand.low), _faces(hand.high)
        same_place = [each for each in left if not calibrated or each.place == hand.place]
        match = next((each for each in same_place if (each.low, each.high) == (low, high)), None)
        verified = hand.status == "verified"
        if verified:
            book.count("silent_hands", did=match is None)
        if match is not None:
            left.remove(match)
            if match.readable:
                book.count("hands_whole", did=True)
                book.count("coverage_hands", did=verified)
            continue
        found = next((each for each in same_place if calibrated), None)
        if found is not None:
            left.remove(found)
            if found.readable:
                book.count("hands_whole", did=False)
                book.count("coverage_hands", did=verified)
        words = "no hand like it" if found is None else _hand_words(found.low, found.high)
        book.mistakes.append(
            Mistake(
                book.image,
                "hand",
                "not there" if found is None else "misread",
                f"{hand.place}: {words}",
                _hand_words(low, high),
                hand.status,
                silent=verified,
                doubts=hand.doubts,
            )
        )
    for missing in left:
        if missing.readable:
            book.count("hands_whole", did=False)
            book.count("coverage_hands", did=False)
            words = f"{missing.place}: {_hand_words(missing.low, missing.high)}"
            book.mistakes.append(Mistake(book.image, "hand", "not whole", words, "no such hand"))


def _true_hands(tiles: Sequence[TrueTile]) -> tuple[_TrueHand, ...]:
    """The hands that lie open: two tiles low and two high at one place, every face showing."""
    hands = []
    for place in dict.fromkeys(tile.place for tile in tiles if tile.hand and tile.place):
        low, high = ([t for t in tiles if t.place == place and t.hand == lay] for lay in ("low", "high"))
        faces = [tile.face for tile in (*low, *high) if tile.face is not None]
        if len(low) == len(high) == 2 and len(faces) == 4:
            readable = all(tile.readable for tile in (*low, *high))
            hands.append(_TrueHand(place, _faces(faces[:2]), _faces(faces[2:]), readable))
    return tuple(hands)


class _Seeable(Protocol):
    @property
    def polygon(self) -> Outline: ...
    @property
    def visible(self) -> float: ...
    @property
    def ignore(self) -> bool: ...


_There = TypeVar("_There", bound=_Seeable)
_Verdict: TypeAlias = Literal["true", "excused", "false"]


def _pair_up(
    seen: Sequence[Outline], there: Sequence[_There], overlap: Callable[[Outline, Outline], float]
) -> tuple[list[int | None], list[_Verdict]]:
    """Which detection belongs to which label.

    What can be seen is given its detections first: the tiles at the bottom of a stack lie in nearly the same place as
    the one on top.

    Returns:
        For each label, the index of its detection or None; for each detection, whether an object is truly there,
        whether it is excused (it lies on something to ignore or hardly visible), or whether nothing is there.
    """
    partner: list[int | None] = [None] * len(there)
    counts: list[_Verdict] = ["false"] * len(seen)
    plain = [index for index, each in enumerate(there) if each.visible >= SEEN and not each.ignore]
    rest = [index for index in range(len(there)) if index not in set(plain)]
    for wanted, verdict in ((plain, "true"), (rest, "excused")):
        free = [index for index in range(len(seen)) if counts[index] == "false"]
        table = np.zeros((len(wanted), len(free)))
        for (row, label), (column, outline) in product(enumerate(wanted), enumerate(free)):
            table[row, column] = overlap(there[label].polygon, seen[outline])
        table[table < MIN_OVERLAP] = 0
        for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
            if table[row, column] > 0:
                partner[wanted[row]] = free[column]
                counts[free[column]] = "true" if verdict == "true" else "excused"
    return partner, counts


def _overlap(label: Outline, outline: Outline) -> float:
    """Intersection over union of two convex outlines."""
    if _apart(label, outline):  # nearly all pairs of a whole table
        return 0.0
    one, other = (cv2.convexHull(np.array(each, np.float32)) for each in (label, outline))
    if len(one) < 3 or len(other) < 3:
        return 0.0
    common = float(cv2.intersectConvexConvex(one, other)[0])
    return common / (cv2.contourArea(one) + cv2.contourArea(other) - common)


def _apart(one: Outline, other: Outline) -> bool:
    """Whether the boxes of two outlines do not meet."""
    return any(
        max(point[axis] for point in a) < min(point[axis] for point in b)
        for axis in (0, 1)
        for a, b in ((one, other), (other, one))
    )


def _box_overlap(box: Outline, outline: Outline) -> float:
    """The same for a label that is only a box: with the outline or with its box, whichever fits better."""
    points: NDArray[np.float64] = np.array(outline, np.float64)
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return max(_overlap(box, outline), _overlap(box, ((x0, y0), (x1, y0), (x1, y1), (x0, y1))))


def _middle(polygon: Outline) -> tuple[float, float]:
    x, y = np.array(polygon, np.float64).mean(axis=0)
    return round(float(x), 1), round(float(y), 1)


def _faces(tiles: Iterable[Tile]) -> tuple[str, ...]:
    return tuple(sorted(str(tile) for tile in tiles))


def _hand_words(low: Sequence[str], high: Sequence[str]) -> str:
    return f"low {' '.join(low)}, high {' '.join(high)}"


def _tile_words(tile: TrueTile | TileReading) -> str:
    if not tile.face_up:
        return "face down"
    return "face up, not named" if tile.face is None else str(tile.face)


def _die_words(die: TrueDie | DieReading) -> str:
    words = chain((die.role,), ("cocked" if die.cocked else None,), ("die", str(die.value or "not named")))
    return " ".join(word for word in words if word)
