"""Verification of a tile or a die: every condition but time, and which one fails.

All thresholds of the decision are here. They are deliberately one-sided: a wrong reading must pass all of them at once,
in two independent readers, while a right one that fails any is merely left to a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Chances, Floats, Mask
from vision.dice.die_pips import DiePipReading
from vision.enrolment.own_dice import OwnDie
from vision.findings import Code, Finding
from vision.reading import Verdict
from vision.tiles.pips import PipReading
from vision.tiles.set_decoding import Named

UNKNOWN_AT_LEAST: Final = 0.8
"""Probability of "cannot tell" from which the classifier recognises nothing."""
KNOWN_AT_MOST: Final = 0.1
"""Probability of "cannot tell" below which the classifier recognises a face, regardless of the detector's class."""
LEAST_UNNAMED_SCORE: Final = 0.5
"""Detection score below which an unrecognisable open tile or die is rejected."""
LEAST_ODD_SCORE: Final = 0.75
"""The same for objects not of a tile's size."""
LEAST_BACK_SCORE: Final = 0.4
"""Detection score below which a plain dark or coloured patch is not taken for a face-down tile."""
LEAST_SCORE: Final = 0.45
"""Detection score below which another object may be taken for a tile or a die."""
LEAST_KIN_BACK_SCORE: Final = 0.51
LEAST_SURE_BACK_SCORE: Final = 0.68
"""The same for a face-down tile at a place of the layout with the colour of certain backs, and for any other."""
LEAST_CONFIDENCE: Final = 0.97
"""Probability of the face; below this one in thirty may be wrong."""
LEAST_BACKED_CONFIDENCE: Final = 0.8
"""The same if every pip is clear and gives the same face by a good margin."""
LEAST_DIE_SCORE: Final = 0.3
"""Detection score below which an object may not be a die, regardless of both readers."""
LEAST_LIKELY_TILE: Final = 0.2
LEAST_LIKELY_DIE: Final = 0.4
"""Minimum score times probability of a face or value for reporting a detection at unknown scale."""
LEAST_NAMELESS_SCORE: Final = 0.8
LEAST_KIN_NAMELESS_SCORE: Final = 0.6
FEWEST_KIN: Final = 2
"""Detection score needed there by a tile with unrecognisable face: alone, and beside this many recognised tiles."""
LEAST_CONVINCING_TILE: Final = 0.45
LEAST_CONVINCING_DIE: Final = 0.38
"""Minimum ``joint_evidence`` of one detection at unknown scale, otherwise the picture shows nothing: stars, leaves and
print reach at most 0.46, mostly 0.2, the best tile of a table more than 0.6.
"""
FEWEST_CONVINCING_BACKS: Final = 4
"""Tiles there with unrecognisable faces, each of ``LEAST_NAMELESS_SCORE``, that support one another."""
LEAST_CREDIBLE_CHANCE: Final = 0.5
"""Probability of any value below which a detection does not count among the dice."""
LEAST_FOURTH_CHANCE: Final = 0.3
LEAST_FIFTH_CHANCE: Final = 0.75
"""Probability of any value from which a fourth detection completes a throw, and from which a fifth makes it unclear."""
LEAST_DIE_CHANCE: Final = 0.97
"""The same for a die, averaged over its crops: nine in ten right values exceed it, hardly a wrong one."""
LEAST_ASTRAY_SCORE: Final = 0.75
"""Detection score below which an object outside the dice area is a chip or a letter, not a stray die."""
LEAST_DIE_PIP_MARGIN: Final = 0.045
"""Minimum correlation margin of a die's value over any other by pips; wrong ones reach 0.04."""
CLEAR_FACE_WEIGHT: Final = 50.0
CLEAR_PIPS_WEIGHT: Final = 20.0
TELLING_PIPS_WEIGHT: Final = 10.0
PIPS_WEIGHT: Final = 3.0
"""Likelihood ratio for the face or value given by the pips: all clear, telling, or neither."""
TELLING_PIP_MARGIN: Final = 0.05
"""Correlation margin from which even doubtful pips identify a face: three in four are right if the classifier is
unsure.
"""
LEAST_MARGIN: Final = 3.5
"""Minimum log-probability margin of the best joint assignment over the best with another face here: 33 to 1."""
LEAST_PIP_MARGIN: Final = 0.012
"""Minimum correlation margin of the face over any other by pips. Small, since the pips are also counted."""
LEAST_EDGE_CONTRAST: Final = 5.0
"""Contrast of a tile's side or shadow with the ground, in percent, below which it may be printed: prints measure up to
4, isolated tiles from 6.
"""
BURNT_GREY: Final = 240.0
"""Median grey level from which glare may have erased a face; bright backs measure up to 220."""
MOST_OVER_LIGHT: Final = 1.4
"""Grey level of a back relative to the picture's 99th percentile from which a lamp is reflected in it."""
SAME_COLOUR: Final = 8.0
OTHER_COLOUR: Final = 24.0
"""Colour difference up to which two backs belong to one set, and from which they do not."""
PALE_GREY: Final = 120.0
PALE_BACK_SCORE: Final = 0.75
"""Grey level from which a lone back is pale, and detection score below which it is rejected."""
FACE_ON_BACK_MARGIN: Final = 0.12
"""Correlation margin from which even rough pips contradict a back; nearly all true backs stay below 0.1."""
PLAIN_BACK_SCORE: Final = 0.65
AMONG_OPEN_SCORE: Final = 0.8
"""Detection score of a plain back, and that needed if tiles at its place are open: a lamp may hide a face."""
FACE_ON_FAINT_BACK_MARGIN: Final = 0.08
"""The same below ``PLAIN_BACK_SCORE``: open tiles greyed by glare are taken for backs at lower margins."""
SURE_CONFIDENCE: Final = 0.99
SURE_PIP_MARGIN: Final = 0.03
"""Probability and correlation margin from which one faint or extra pip is tolerated."""
SURE_COCKED_AT_LEAST: Final = 0.9
SURE_COCKED_ALONE_AT_LEAST: Final = 0.99
SURE_COCKED_VALUE_AT_LEAST: Final = 0.9
SURE_COCKED_BY_LOOKS_AT_LEAST: Final = 0.97
"""Minimum probability of a certainly leaning die: with both readers, with one, its value, without a camera pose."""
COCKED_AT_LEAST: Final = 0.65
COCKED_KNOWN_AT_LEAST: Final = 0.6
COCKED_VALUE_AT_LEAST: Final = 0.5
"""Minimum probability of a leaning die, of being a die, and of a value that is not merely blurred."""
COCKED_DOUBT: Final = 0.2
"""Probability from which a die may lean: hardly any leaning die is below."""
UNSETTLED: Final = 0.03
"""Maximum remaining correction, in sides and radians, of an outline corrected several times."""


def shows_face(taken_for_face: Mask, unknown: Floats) -> Mask:
    """Which tiles (n,) are face up: according to the detector, or if the classifier recognises a face."""
    return np.asarray(taken_for_face | (unknown < KNOWN_AT_MOST))


def is_tile(score: Floats, face_up: Mask, unknown: Floats, odd: Mask) -> Mask:
    """Which detections (n,), with these scores, are tiles at all, given the probability that no face is recognisable.

    Those of an odd size need a better score; at unknown scale no size is odd.
    """
    nameless = np.where(odd, LEAST_ODD_SCORE, np.where(face_up, LEAST_UNNAMED_SCORE, LEAST_BACK_SCORE))
    named = face_up & (unknown < UNKNOWN_AT_LEAST)
    return np.asarray(named | (score >= nameless))


def is_likely(score: Floats, known: Floats, least: float) -> Mask:
    """Which detections (n,) at unknown scale to report, by score and probability of a face or a value.

    Nothing else rules out a leaf or a key there: neither size nor position.
    """
    return np.asarray(score * known >= least)


def joint_evidence(score: Floats, chances: Chances, by_pips: Sequence[int | None], match: Sequence[float]) -> Floats:
    """Combined evidence of the detector and both readers for each detection (n,): the product.

    Each of them is sometimes wrong, but hardly all three about one object; disagreeing readers give no evidence. The
    ``chances`` are (n, classes), the last for none of them; ``by_pips`` is the class given by the pips, None for none,
    and ``match`` their correlation.
    """
    agree = np.array([one == other for one, other in zip(chances[:, :-1].argmax(1), by_pips, strict=True)], np.bool_)
    return np.asarray(np.where(agree, score * chances[:, :-1].max(1) * np.array(match), 0.0), np.float32)


def may_be_print(edge_contrast: Floats) -> Mask:
    """Which tiles (n,) may be printed on the felt; none with unknown contrast."""
    return np.asarray(edge_contrast < LEAST_EDGE_CONTRAST)


def is_die(score: Floats, unknown: Floats, astray: Mask) -> Mask:
    """Which detections (n,), with these scores, are dice at all, given the probability that no value is recognisable.

    Those astray, outside the dice area, need more; if the table's places are unknown none is.
    """
    told = np.where(astray, unknown < KNOWN_AT_MOST, unknown < UNKNOWN_AT_LEAST)
    least = np.where(astray, LEAST_ASTRAY_SCORE, LEAST_UNNAMED_SCORE)
    return np.asarray(np.where(astray, told & (score >= least), told | (score >= least)))


def weighed(chances: Chances, pips: Sequence[PipReading]) -> Chances:
    """Probabilities of the faces of n tiles by both readers together.

    The second reader's face is weighted by a likelihood ratio (Bayes); the classifier's probabilities are the prior.
    Verification still requires each reader to be certain on its own.
    """
    weights = np.ones_like(chances)
    for row, reading in enumerate(pips):
        if reading.face is not None:
            telling = TELLING_PIPS_WEIGHT if reading.margin >= TELLING_PIP_MARGIN else PIPS_WEIGHT
            weights[row, _FACES[reading.face]] = CLEAR_FACE_WEIGHT if reading.clear else telling
    joint = chances * weights
    return np.asarray(joint / np.maximum(joint.sum(1, keepdims=True), 1e-12))


def likeliest(chances: Floats, pips: DiePipReading) -> tuple[int | None, float]:
    """The likeliest value by both readers together, as in ``weighed``, and its probability; None for no value."""
    weights = np.ones(len(chances))
    if pips.value is not None:
        weights[pips.value - 1] = CLEAR_PIPS_WEIGHT if pips.clear else PIPS_WEIGHT
    joint = chances * weights / float((chances * weights).sum())
    best = int(joint.argmax())
    return (best + 1 if best < 6 else None), float(joint[best])


_FACES: Final = {tile: index for index, tile in enumerate(Tile)}


@dataclass(frozen=True, slots=True)
class TileEvidence:
    """All evidence for and against one face-up tile.

    Attributes:
        score: of the detection.
        named: joint decoding by both readers under the set.
        alone: the classifier's own probability of that face.
        faults: of geometry and of the picture.
        own: comparison with the table's own tiles of that face; None if none are enrolled.
    """

    score: float
    named: Named
    alone: float
    pips: PipReading
    faults: tuple[Finding, ...]
    own: Verdict | None = None

    @property
    def scores(self) -> dict[str, float]:
        """The scores in favour of the face; higher is better."""
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
        """Comparison with the table's own tiles, if there is no other doubt."""
        return None if self.own is None or replace(self, own=None).doubts() else self.own

    @property
    def foreign(self) -> bool:
        """Whether it is certainly a tile with a recognised face, and yet not one of the table's own."""
        return self.own == "foreign" and not self.faults and self.named.face is not None and self._both_sure()

    def _both_sure(self) -> bool:
        """Whether both readers are so certain of the face that one doubtful pip does not matter."""
        return self._backed() and self.alone >= SURE_CONFIDENCE

    def _backed(self) -> bool:
        """Whether the pips give the same face by a good margin."""
        return self.pips.face is self.named.face and self.pips.margin >= SURE_PIP_MARGIN


@dataclass(frozen=True, slots=True)
class BackEvidence:
    """All evidence for and against one face-down tile.

    Attributes:
        score: of the detection.
        colour_off: colour difference from the picture's certain backs, itself included; nan without any.
        alone: whether no other back of the picture is certain.
        unknown: the classifier's probability that no face is recognisable.
        grey: median grey level of the tile, 0 to 255.
        light: 99th percentile of the picture's grey levels.
        faults: of geometry and of the picture.
        own: whether it looks like the table's own backs; True if none are enrolled.
        among_open: whether other tiles at the same place are face up.
        placed: whether it is at a place of the layout.
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
    """All evidence for and against one die.

    Attributes:
        score: of the detection.
        value: the likeliest value by both readers, None if unrecognisable.
        confidence: its probability.
        alone: the classifier's own probability of that value, averaged over several crops.
        known: its probability that this is a die of some value.
        cocked: probability that it leans.
        placed: whether the foot of a flat die is known.
        unsettled: remaining correction of its outline, in sides and radians.
        faults: of the picture.
        own: comparison with the table's own dice; None if none are enrolled.
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
    own: OwnDie | None = None

    @property
    def likeness(self) -> Verdict | None:
        """Comparison with the table's own dice, if there is no other doubt."""
        return None if self.own is None or replace(self, own=None).doubts() else self.own.verdict

    def _backed(self) -> bool:
        """Whether both readers give the same value."""
        return self.pips.value == self.value

    @property
    def credible(self) -> bool:
        """Whether it is more likely a die of some value than not."""
        return self.known >= LEAST_CREDIBLE_CHANCE

    @property
    def surely_leans(self) -> bool:
        """Whether the die leans so clearly that staff should be notified."""
        least = SURE_COCKED_AT_LEAST if self._backed() else SURE_COCKED_ALONE_AT_LEAST
        if not self.placed:
            least = max(least, SURE_COCKED_BY_LOOKS_AT_LEAST)
        return self.cocked >= least and self.alone >= SURE_COCKED_VALUE_AT_LEAST

    @property
    def leans(self) -> bool:
        """Whether the die is considered leaning; not by its looks alone, unless certain."""
        blurred = self._backed() and self.alone < COCKED_VALUE_AT_LEAST
        least = SURE_COCKED_AT_LEAST if blurred else COCKED_AT_LEAST
        seems = self.placed and self.cocked >= least and self.known >= COCKED_KNOWN_AT_LEAST
        return seems or self.surely_leans

    @property
    def may_lean(self) -> bool:
        """Whether the die may lean."""
        return self.cocked >= COCKED_DOUBT

    def _leaning_doubts(self) -> tuple[Finding, ...]:
        """The doubt about leaning; none if the die is certainly flat."""
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
        strange = self.own is not None and self.own.verdict == "foreign"
        if strange:
            found.append(Finding(Code.NOT_OWN_DIE))
        if self.value is None:
            return (*found, Finding(Code.VALUE_UNKNOWN))
        if self.own is not None and not strange and (other := self.own.contradicts(self.value)) is not None:
            found.append(Finding.of(Code.LIKE_OWN_DIE_WITH_ANOTHER_VALUE, value=other))
        if self.alone < LEAST_DIE_CHANCE:
            found.append(Finding.of(Code.VALUE_LOW_CONFIDENCE, value=self.value, percent=round(100 * self.alone)))
        if self.pips.value is not None and self.pips.value != self.value:
            found.append(Finding.of(Code.PIPS_SHOW_ANOTHER_VALUE, value=self.pips.value))
        elif not self.pips.clear:
            found += [Finding(self.pips.doubt)] if self.pips.doubt else []
        elif self.pips.margin < LEAST_DIE_PIP_MARGIN:
            found.append(Finding(Code.PIPS_FIT_ANOTHER_VALUE))
        return tuple(found)
