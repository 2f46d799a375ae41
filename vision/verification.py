"""When a tile or a die counts as verified: every condition but time, and which one does not hold.

All thresholds of the judgement stand here. They are deliberately one-sided: a wrong name has to pass all of them at
once, in two readers that share nothing, while a right one that fails any is only left to a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Chances, Floats, Mask
from vision.dice.die_pips import DiePipReading
from vision.findings import Code, Finding
from vision.reading import Verdict
from vision.tiles.pips import PipReading
from vision.tiles.set_decoding import Named

UNKNOWN_AT_LEAST: Final = 0.8
"""Chance of "cannot tell" from which the classifier has seen nothing it knows."""
KNOWN_AT_MOST: Final = 0.1
"""Chance of "cannot tell" below which the classifier knows a face, whatever the detector took the tile for."""
LEAST_UNNAMED_SCORE: Final = 0.5
"""Detection below which an open tile or a die that cannot be named is not taken for one."""
LEAST_ODD_SCORE: Final = 0.75
"""The same for what is not of a tile's size."""
LEAST_BACK_SCORE: Final = 0.4
"""Detection below which a plain dark or coloured patch is not taken for a tile face down."""
LEAST_SCORE: Final = 0.45
"""Detection below which something else may be taken for a tile or a die."""
LEAST_KIN_BACK_SCORE: Final = 0.51
LEAST_SURE_BACK_SCORE: Final = 0.68
"""The same for a tile face down at a place of the layout with the colour of surer backs, and for any other."""
LEAST_CONFIDENCE: Final = 0.97
"""Probability of the face; below this one in thirty may be wrong."""
LEAST_BACKED_CONFIDENCE: Final = 0.8
"""The same where every pip is clear and says the same face by a good margin."""
LEAST_DIE_SCORE: Final = 0.3
"""Detection below which something may not be a die, whatever both readers say of it."""
LEAST_LIKELY_TILE: Final = 0.2
LEAST_LIKELY_DIE: Final = 0.4
"""Score times chance of a face or of a value below which a find of a picture of unknown scale is not reported."""
LEAST_NAMELESS_SCORE: Final = 0.8
LEAST_KIN_NAMELESS_SCORE: Final = 0.6
FEWEST_KIN: Final = 2
"""Detection that a tile needs there whose face cannot be told: alone, and beside so many tiles of known faces."""
LEAST_CONVINCING_TILE: Final = 0.45
LEAST_CONVINCING_DIE: Final = 0.38
"""``joint_evidence`` that one find of a picture of unknown scale must have, or the picture shows nothing: the best of
stars, leaves and print comes to 0.46, mostly to 0.2, the best tile of a table to more than 0.6."""
FEWEST_CONVINCING_BACKS: Final = 4
"""Tiles there whose face cannot be told, each of ``LEAST_NAMELESS_SCORE``, that speak for one another."""
LEAST_CREDIBLE_CHANCE: Final = 0.5
"""Chance of some value below which a find counts for nothing among the dice."""
LEAST_DIE_CHANCE: Final = 0.97
"""The same for a die, on average over its crops: nine in ten right values have more, hardly a wrong one."""
LEAST_ASTRAY_SCORE: Final = 0.75
"""Detection below which something outside the dice's place is a chip or a letter, not a die that has run away."""
LEAST_DIE_PIP_MARGIN: Final = 0.045
"""Correlation by which the pips of a die must fit its value better than any other; wrong ones fit by 0.04."""
CLEAR_FACE_WEIGHT: Final = 50.0
CLEAR_PIPS_WEIGHT: Final = 20.0
TELLING_PIPS_WEIGHT: Final = 10.0
PIPS_WEIGHT: Final = 3.0
"""How many times likelier the face or value becomes that the pips name: all clear, telling, or neither."""
TELLING_PIP_MARGIN: Final = 0.05
"""Correlation margin from which even doubtful pips tell a face: three in four are right where the classifier wavers."""
LEAST_MARGIN: Final = 3.5
"""Log-probability by which the best naming of the whole table must beat the best with another face here: 33 to 1."""
LEAST_PIP_MARGIN: Final = 0.012
"""Correlation by which the pips must fit the face better than any other. Small, for the pips are counted besides."""
LEAST_EDGE_CONTRAST: Final = 5.0
"""Contrast of a tile's side or shadow with the ground, in percent, below which it may be printed: prints measure up
to 4, tiles that stand alone from 6."""
BURNT_GREY: Final = 240.0
"""Median grey level from which glare may have wiped a face out; bright backs measure up to 220."""
MOST_OVER_LIGHT: Final = 1.4
"""Grey level of a back over that of the picture's brightest hundredth from which a lamp is mirrored in it."""
SAME_COLOUR: Final = 8.0
OTHER_COLOUR: Final = 24.0
"""Difference of colour up to which two backs are of one set, and from which they are not."""
PALE_GREY: Final = 120.0
PALE_BACK_SCORE: Final = 0.75
"""Grey level from which a back without another to compare is pale, and detection below which it is not believed."""
FACE_ON_BACK_MARGIN: Final = 0.12
"""Correlation margin from which even rough pips speak against a back; nearly all true backs stay below 0.1."""
PLAIN_BACK_SCORE: Final = 0.65
AMONG_OPEN_SCORE: Final = 0.8
"""Detection from which a back is plain, and that it needs where tiles of its place lie open: a lamp may hide a face."""
FACE_ON_FAINT_BACK_MARGIN: Final = 0.08
"""The same below ``PLAIN_BACK_SCORE``: open tiles that glare has greyed are taken for backs with less."""
SURE_CONFIDENCE: Final = 0.99
SURE_PIP_MARGIN: Final = 0.03
"""Probability and correlation margin from which a pip too faint or too many is forgiven."""
SURE_COCKED_AT_LEAST: Final = 0.9
SURE_COCKED_ALONE_AT_LEAST: Final = 0.99
SURE_COCKED_VALUE_AT_LEAST: Final = 0.9
SURE_COCKED_BY_LOOKS_AT_LEAST: Final = 0.97
"""Least probability of a die that surely leans: named by both readers, by one, its value, without a camera pose."""
COCKED_AT_LEAST: Final = 0.65
COCKED_KNOWN_AT_LEAST: Final = 0.6
COCKED_VALUE_AT_LEAST: Final = 0.5
"""Least probability of a die that seems to lean, of being a die, and of a value that is not merely a blurred one."""
COCKED_DOUBT: Final = 0.2
"""Probability from which a die may lean: hardly any leaning die stays below."""
UNSETTLED: Final = 0.03
"""Length of the correction, in sides and radians, that an outline corrected several times may still be due."""


def shows_face(taken_for_face: Mask, unknown: Floats) -> Mask:
    """Which tiles (n,) lie face up: the detector says so, or the classifier, which sees more, knows a face."""
    return np.asarray(taken_for_face | (unknown < KNOWN_AT_MOST))


def is_tile(score: Floats, face_up: Mask, unknown: Floats, odd: Mask) -> Mask:
    """Which detections (n,), with these scores, are tiles at all, by the chance that no face can be told.

    Those of an odd size need a better score; where the scale is not known none is odd.
    """
    nameless = np.where(odd, LEAST_ODD_SCORE, np.where(face_up, LEAST_UNNAMED_SCORE, LEAST_BACK_SCORE))
    named = face_up & (unknown < UNKNOWN_AT_LEAST)
    return np.asarray(named | (score >= nameless))


def is_likely(score: Floats, known: Floats, least: float) -> Mask:
    """Which finds (n,) of a picture of unknown scale are worth reporting, by score and chance of a face or a value.

    Nothing else speaks against a leaf or a key there: neither its size nor where it lies.
    """
    return np.asarray(score * known >= least)


def joint_evidence(score: Floats, chances: Chances, by_pips: Sequence[int | None], match: Sequence[float]) -> Floats:
    """How much the detector and both readers say together for each find (n,): the product of what each says.

    Any of them alone is deceived now and then, hardly all three by one thing; readers that disagree say nothing.
    The ``chances`` are (n, classes), the last for none of them; ``by_pips`` is the class that the pips name, None for
    none, and ``match`` how well they fit.
    """
    agree = np.array([one == other for one, other in zip(chances[:, :-1].argmax(1), by_pips, strict=True)], np.bool_)
    return np.asarray(np.where(agree, score * chances[:, :-1].max(1) * np.array(match), 0.0), np.float32)


def may_be_print(edge_contrast: Floats) -> Mask:
    """Which tiles (n,) may be printed on the felt; none whose contrast is not known."""
    return np.asarray(edge_contrast < LEAST_EDGE_CONTRAST)


def is_die(score: Floats, unknown: Floats, astray: Mask) -> Mask:
    """Which detections (n,), with these scores, are dice at all, by the chance that no value can be told.

    Those astray, where no dice are thrown, need more; where the table's places are not known none is.
    """
    told = np.where(astray, unknown < KNOWN_AT_MOST, unknown < UNKNOWN_AT_LEAST)
    least = np.where(astray, LEAST_ASTRAY_SCORE, LEAST_UNNAMED_SCORE)
    return np.asarray(np.where(astray, told & (score >= least), told | (score >= least)))


def weighed(chances: Chances, pips: Sequence[PipReading]) -> Chances:
    """The chances of the faces of n tiles by both readers together.

    The second reader makes the face it names so many times likelier (Bayes); the classifier's chances are the prior.
    What may be verified still needs each reader to be sure by itself.
    """
    weights = np.ones_like(chances)
    for row, reading in enumerate(pips):
        if reading.face is not None:
            telling = TELLING_PIPS_WEIGHT if reading.margin >= TELLING_PIP_MARGIN else PIPS_WEIGHT
            weights[row, _FACES[reading.face]] = CLEAR_FACE_WEIGHT if reading.clear else telling
    joint = chances * weights
    return np.asarray(joint / np.maximum(joint.sum(1, keepdims=True), 1e-12))


def likeliest(chances: Floats, pips: DiePipReading) -> tuple[int | None, float]:
    """The value that both readers together, as in ``weighed``, make likeliest, and how likely; None for no value."""
    weights = np.ones(len(chances))
    if pips.value is not None:
        weights[pips.value - 1] = CLEAR_PIPS_WEIGHT if pips.clear else PIPS_WEIGHT
    joint = chances * weights / float((chances * weights).sum())
    best = int(joint.argmax())
    return (best + 1 if best < 6 else None), float(joint[best])


_FACES: Final = {tile: index for index, tile in enumerate(Tile)}


@dataclass(frozen=True, slots=True)
class TileEvidence:
    """All that speaks for and against one tile that shows its face.

    Attributes:
        score: of the detection.
        named: by both readers under the set.
        alone: the classifier's own chance of that face.
        faults: of geometry and of the picture.
        own: how it compares with the table's own tiles of that face; None if none are enrolled.
    """

    score: float
    named: Named
    alone: float
    pips: PipReading
    faults: tuple[Finding, ...]
    own: Verdict | None = None

    @property
    def scores(self) -> dict[str, float]:
        """The figures that speak for the face, each the higher the better."""
        return {
            "detection": self.score,
            "classifier": self.alone,
            "margin": self.named.margin,
            "pips": self.pips.match if self.pips.face is self.named.face else 0.0,
            "pip_margin": self.pips.margin if self.pips.face is self.named.face else -self.pips.margin,
            "clear": float(self.pips.clear),
        }

    def doubts(self) -> tuple[Finding, ...]:
        """Why the tile is not verified; empty if it is."""
        found = list(self.faults)
        if self.own is not None and self.own != "own":
            found.append(Finding.of(Code.NOT_OWN_TILE, face=str(self.named.face)))
        if self.score < LEAST_SCORE and not (self.pips.clear and self._both_sure()):
            found.append(Finding(Code.NOT_A_TILE))
        if self.named.face is None:
            return (*found, Finding(Code.FACE_UNKNOWN))
        face = str(self.named.face)
        least = LEAST_BACKED_CONFIDENCE if self.pips.clear and self._backed() else LEAST_CONFIDENCE
        if self.named.contradicted:
            found.append(Finding.of(Code.MORE_THAN_THE_SET, face=face))
        elif self.alone < least or self.named.margin < LEAST_MARGIN:
            percent = round(100 * self.alone)
            runner_up = str(self.named.runner_up)
            found.append(Finding.of(Code.LOW_CONFIDENCE, face=face, percent=percent, next=runner_up))
        if self.pips.face is not None and self.pips.face is not self.named.face:
            found.append(Finding.of(Code.PIPS_SHOW_ANOTHER_FACE, face=str(self.pips.face)))
        elif not self.pips.clear and not self._both_sure():
            found += [Finding(self.pips.doubt)] if self.pips.doubt else []
        elif self.pips.margin < LEAST_PIP_MARGIN:
            found.append(Finding(Code.PIPS_FIT_ANOTHER_FACE))
        return tuple(found)

    @property
    def likeness(self) -> Verdict | None:
        """How it compares with the table's own, where nothing else speaks against it."""
        return None if self.own is None or replace(self, own=None).doubts() else self.own

    @property
    def foreign(self) -> bool:
        """Whether it is a tile beyond doubt, and its face told, and yet not one of the table's own."""
        return self.own == "foreign" and not self.faults and self.named.face is not None and self._both_sure()

    def _both_sure(self) -> bool:
        """Whether both readers name the face by so much that one doubtful pip does not matter."""
        return self._backed() and self.alone >= SURE_CONFIDENCE

    def _backed(self) -> bool:
        """Whether the pips name the same face, and by a good margin."""
        return self.pips.face is self.named.face and self.pips.margin >= SURE_PIP_MARGIN


@dataclass(frozen=True, slots=True)
class BackEvidence:
    """All that speaks for and against one tile that lies face down.

    Attributes:
        score: of the detection.
        colour_off: how far its colour is from that of the picture's sure backs, itself included; nan without any.
        alone: whether no other back of the picture is sure.
        unknown: the classifier's chance that no face can be told.
        grey: median grey level of the tile, 0 to 255.
        light: grey level of the picture's brightest hundredth.
        faults: of geometry and of the picture.
        own: whether it looks like the table's own backs; True if none are enrolled.
        among_open: whether other tiles of the same place show their faces.
        placed: whether it lies at a place of the layout.
    """

    score: float
    colour_off: float
    alone: bool
    unknown: float
    grey: float
    light: float
    pips: PipReading
    faults: tuple[Finding, ...]
    own: bool = True
    among_open: bool = False
    placed: bool = True

    def doubts(self) -> tuple[Finding, ...]:
        """Why the tile is not verified; empty if it is."""
        kin = self.placed and self.colour_off < SAME_COLOUR
        pale = self.alone and self.grey >= PALE_GREY and self.score < PALE_BACK_SCORE
        reasons = (
            (self.among_open and self.score < AMONG_OPEN_SCORE, Code.BACK_AMONG_OPEN_TILES),
            (not self.own, Code.BACK_NOT_OWN),
            (self.score < (LEAST_KIN_BACK_SCORE if kin else LEAST_SURE_BACK_SCORE), Code.NOT_A_TILE),
            (self.colour_off > OTHER_COLOUR, Code.BACK_OF_OTHER_COLOUR),
            (self.grey >= min(BURNT_GREY, MOST_OVER_LIGHT * self.light) or pale, Code.BACK_TOO_BRIGHT),
            (self.unknown < UNKNOWN_AT_LEAST, Code.BACK_LOOKS_LIKE_FACE),
        )
        found = [*self.faults, *(Finding(code) for holds, code in reasons if holds)]
        most = FACE_ON_BACK_MARGIN if self.score >= PLAIN_BACK_SCORE else FACE_ON_FAINT_BACK_MARGIN
        if self.pips.clear or (self.pips.face is not None and self.pips.margin >= most):
            found.append(Finding.of(Code.BACK_WITH_PIPS, face=str(self.pips.face)))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class DieEvidence:
    """All that speaks for and against one die.

    Attributes:
        score: of the detection.
        value: the likeliest value by both readers, None if it cannot be told.
        confidence: its probability.
        alone: the classifier's own chance of that value, on average over several crops.
        known: its chance that this is a die of some value.
        cocked: probability that it leans.
        placed: whether it is known where a flat die would stand.
        unsettled: how far its outline would still move, in sides and radians.
        faults: of the picture.
    """

    score: float
    value: int | None
    confidence: float
    alone: float
    known: float
    cocked: float
    placed: bool
    unsettled: float
    pips: DiePipReading
    faults: tuple[Finding, ...]

    def _backed(self) -> bool:
        """Whether both readers name one value."""
        return self.pips.value == self.value

    @property
    def credible(self) -> bool:
        """Whether it is likelier a die of some value than none."""
        return self.known >= LEAST_CREDIBLE_CHANCE

    @property
    def surely_leans(self) -> bool:
        """Whether the die leans so surely that somebody should be told."""
        least = SURE_COCKED_AT_LEAST if self._backed() else SURE_COCKED_ALONE_AT_LEAST
        if not self.placed:
            least = max(least, SURE_COCKED_BY_LOOKS_AT_LEAST)
        return self.cocked >= least and self.alone >= SURE_COCKED_VALUE_AT_LEAST

    @property
    def leans(self) -> bool:
        """Whether the die is taken to lean. By its looks alone it is not, unless surely."""
        blurred = self._backed() and self.alone < COCKED_VALUE_AT_LEAST
        least = SURE_COCKED_AT_LEAST if blurred else COCKED_AT_LEAST
        seems = self.placed and self.cocked >= least and self.known >= COCKED_KNOWN_AT_LEAST
        return seems or self.surely_leans

    @property
    def may_lean(self) -> bool:
        """Whether the die may lean."""
        return self.cocked >= COCKED_DOUBT

    def _leaning_doubts(self) -> tuple[Finding, ...]:
        """The doubt about leaning; none if the die surely lies flat."""
        if self.surely_leans:
            return (Finding(Code.DIE_LEANS),)
        if self.leans:
            return (Finding(Code.DIE_SEEMS_TO_LEAN),)
        if not self.placed:
            return (Finding(Code.DIE_WITHOUT_CALIBRATION),)
        return (Finding(Code.DIE_MAY_LEAN),) if self.may_lean else ()

    def doubts(self) -> tuple[Finding, ...]:
        """Why the die is not verified; empty if it is."""
        found = list(self.faults)
        if self.score < LEAST_DIE_SCORE:
            found.append(Finding(Code.NOT_A_DIE))
        found.extend(self._leaning_doubts())
        if self.unsettled > UNSETTLED:
            found.append(Finding(Code.DIE_OUTLINE_UNSETTLED))
        if self.value is None:
            return (*found, Finding(Code.VALUE_UNKNOWN))
        if self.alone < LEAST_DIE_CHANCE:
            found.append(Finding.of(Code.VALUE_LOW_CONFIDENCE, value=self.value, percent=round(100 * self.alone)))
        if self.pips.value is not None and self.pips.value != self.value:
            found.append(Finding.of(Code.PIPS_SHOW_ANOTHER_VALUE, value=self.pips.value))
        elif not self.pips.clear:
            found += [Finding(self.pips.doubt)] if self.pips.doubt else []
        elif self.pips.margin < LEAST_DIE_PIP_MARGIN:
            found.append(Finding(Code.PIPS_FIT_ANOTHER_VALUE))
        return tuple(found)
