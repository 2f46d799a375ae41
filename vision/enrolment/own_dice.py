"""A table's own dice: what each kind looks like, learnt over throws, and which of them a die seen later is.

Box dice are three alike, the cut die is the odd one. Which die of a throw that is, is not known beforehand: it is
chosen for all throws together so that dice of one kind look alike in all of them (expectation maximisation with hard
assignments). If another choice explains a throw nearly as well, the kinds cannot be distinguished and stay unknown.

A die is compared in four respects that seldom mislead together: upper face, wall, pips, and size. Each contributes the
logarithm of a Student t density, whose heavy tails limit what a lamp's reflection on one of them can do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.dice.die_look import PIPS, match, mean_drawing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration.files.seal import Seal
    from vision.arrays import Floats
    from vision.dice.die_look import DieLook
    from vision.reading import Role, Verdict

THROWN: Final = 4
"""Dice of a throw from which the roles can be learnt: three box dice and the cut die."""
FEW_THROWS: Final = 3
"""Number of throws below which each is judged on its own."""
MANY_THROWS: Final = 6
MOST_THROWS: Final = 12
"""Throws that are kept."""
FACES_KEPT: Final = 6
"""Dice of one kind and value from which its usual face is taken."""
TYPICAL_SPREAD: Final = (12.0, 5.0, 5.0) * 3 + (0.035,)
"""Spread of lightness and the two colours (CIELAB) of face, wall and pips, and of the logarithm of the size, as assumed
before dice are seen."""
LEAST_SPREAD: Final = (6.0, 2.5, 2.5) * 3 + (0.025,)
_PRIOR_DICE: Final = 8
"""Number of dice that the assumption weighs as much as."""
_GROUPS: Final = (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 10))
_SIZE: Final = 3
_FREEDOM: Final = np.array((3.0, 3.0, 3.0, 8.0), np.float32)
"""Degrees of freedom of the t densities: reflections change colours more often than the size."""
LEAST_ROLE_MARGIN: Final = 4.0
"""Minimum log-likelihood margin of a role over the other, given that each die has one: 55 to 1."""
LEAST_LEARNT_MARGIN: Final = 15.0
LEAST_MANY_THROWS_MARGIN: Final = 9.0
LEAST_THROW_MARGIN: Final = 3.0
"""The same of the cut die over any other in most throws, of few or many, and in nearly each, by what the other throws
show. Among four alike a lamp's reflections reach 14, and 7 in six throws; dice of two kinds mostly exceed 25.
"""
LEAST_FEW_THROWS_MARGIN: Final = 10.0
"""The same in each of one or two throws."""
_MARKED_SHARE: Final = 0.5
"""Share of these margins that suffices if a person marked the cut die, so that fewer choices are possible."""
UNLIKE: Final = 4.0
FOREIGN: Final = 5.0
MOST_BY_FACE: Final = 3.0
"""Distance in spreads from which a die has no role, and from which it is not the house's; the most that the upper face
contributes."""
LEAST_FACE_MATCH: Final = 0.5
LEAST_FACE_MARGIN: Final = 0.1
"""Minimum correlation with the usual face of another value, and its margin over that of the value read, from which it
contradicts the reading."""


@dataclass(frozen=True, eq=False, slots=True)
class OwnThrow:
    """Dice of one throw.

    Attributes:
        dice: as seen at rest.
        cut: index of the cut die if a person marked it.
    """

    dice: tuple[DieLook, ...]
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class OwnDie:
    """A die compared with the table's own.

    Attributes:
        role: that of the only kind that it can be; None if unknown.
        verdict: whether it is one of the house's dice.
        faces: correlation with the usual face of each value seen so far.
    """

    role: Role | None
    verdict: Verdict
    faces: Mapping[int, float] = field(default_factory=dict)

    def contradicts(self, value: int) -> int | None:
        """Another value whose usual face the die clearly matches better.

        None without such a value, or if this value has not been seen yet.
        """
        if value not in self.faces:
            return None
        best = max(self.faces, key=lambda other: self.faces[other])
        clear = self.faces[best] >= max(LEAST_FACE_MATCH, self.faces[value] + LEAST_FACE_MARGIN)
        return best if clear else None


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Box dice and cut die, or one kind if there is no cut die, and the spread within a kind.

    Attributes:
        middles: (kinds, 7, 10) of the features, by kind and value; nan if unknown. Only pips depend on the value; row 0
            is for an unknown one.
        spread: (kinds, 10), larger for kinds of few dice, whose middle is uncertain.
    """

    middles: Floats
    spread: Floats

    def off(self, features: Floats, values: Sequence[int | None]) -> Floats:
        """Distances (n, kinds, 4) of dice (n, 10) in each respect, in spreads; nan if it is unknown in a kind."""
        middles = np.stack([self.middles[:, value or 0] for value in values])
        apart = (features[:, None] - middles) / self.spread
        apart[np.isnan(apart).any(1)[:, None].repeat(apart.shape[1], 1)] = np.nan
        return np.asarray(np.stack([np.sqrt((apart[..., group] ** 2).mean(-1)) for group in _GROUPS], -1), np.float32)

    def fits(self, features: Floats, values: Sequence[int | None]) -> Floats:
        """Log-likelihoods (n, kinds)."""
        return np.asarray(_log_likelihood(self.off(features, values)).sum(-1), np.float32)


@dataclass(frozen=True, eq=False)
class OwnDice:
    """A table's own dice.

    Attributes:
        throws: those that were learnt from, the latest last.
        calibration: hash of the calibration in use; None if there was none.
        seal: date and hash of the file; None if not read from one.
    """

    throws: tuple[OwnThrow, ...]
    calibration: str | None = None
    seal: Seal | None = None

    @property
    def version(self) -> str:
        return "not saved" if self.seal is None else f"sha256:{self.seal.sha256}"

    @cached_property
    def _rows(self) -> list[Floats]:
        return [self._features(throw.dice) for throw in self.throws]

    @cached_property
    def _odd(self) -> tuple[int, ...] | None:
        """Index of the die of each throw that differs most; None if throws have fewer dice."""
        return _odd_ones(self.throws, self._rows)

    @cached_property
    def cuts(self) -> tuple[int, ...] | None:
        """Index of the cut die in each throw; None if the dice cannot be distinguished."""
        return self._odd if self._odd is not None and _told(self.throws, self._rows, self._odd) else None

    @cached_property
    def _felt(self) -> Floats:
        return np.asarray(np.median([die.felt for throw in self.throws for die in throw.dice], axis=0), np.float32)

    @cached_property
    def _kinds(self) -> _Kinds:
        return _fitted(self.throws, self._rows, self._odd)

    @property
    def values(self) -> tuple[frozenset[int], ...]:
        """Values seen so far of each kind: of the box dice and the cut die."""
        kinds = len(self._kinds.middles)
        return tuple(frozenset(value for of, value in self._faces if of == kind) for kind in range(kinds))

    @property
    def roles(self) -> tuple[Role | None, ...]:
        """Role of each kind; None if there is no cut die, or the dice cannot be distinguished."""
        return (None,) * len(self._kinds.middles) if self.cuts is None else ("box", "cut")

    def learnt(self) -> OwnDice:
        """These dice, with all that follows from the throws worked out: it takes a second."""
        _ = self._kinds, self._faces, self.cuts
        return self

    def with_throws(self, throws: Sequence[OwnThrow]) -> OwnDice:
        """These dice and further throws of them."""
        own = self
        for throw in throws:
            own = own.with_throw(throw)
        return own

    def with_throw(self, throw: OwnThrow) -> OwnDice:
        """These dice and another throw of them; unchanged if it shows nothing new."""
        if len(throw.dice) != len(self.throws[0].dice):
            return self
        throws = (*self.throws, throw)
        if len(self.throws) == MOST_THROWS:
            shown = [{die.value for die in each.dice} for each in throws]
            known = frozenset[int | None]().union(*shown[:-1])
            spare = (n for n in range(MOST_THROWS) if shown[n] <= shown[-1].union(*shown[:n], *shown[n + 1 :]))
            oldest = next((n for n in spare if throws[n].cut is None), None)
            if shown[-1] <= known or oldest is None:
                return self
            throws = (*throws[:oldest], *throws[oldest + 1 :])
        return OwnDice(throws, self.calibration)

    @property
    def sides_mm(self) -> tuple[float, ...]:
        """Usual size of each kind: of the box dice and the cut die."""
        return tuple(np.exp(self._kinds.middles[:, 0, -1]).tolist())

    def compared(self, dice: Sequence[DieLook]) -> list[OwnDie]:
        """Compare the dice of one picture with the table's own: together, since only one of them is the cut die."""
        if not dice:
            return []
        kinds, features, values = self._kinds, self._features(dice), [die.value for die in dice]
        off = kinds.off(features, values)
        fits = _log_likelihood(off).sum(-1)
        nearest = fits.argmax(1).tolist()
        verdicts = [_verdict(each[kind]) for each, kind in zip(off, nearest, strict=True)]
        roles = [None] * len(dice) if self.cuts is None else _roles(fits, verdicts)
        return [
            OwnDie(
                role, verdict, {value: match(die, usual) for (of, value), usual in self._faces.items() if of == kind}
            )
            for die, role, verdict, kind in zip(dice, roles, verdicts, nearest, strict=True)
        ]

    @property
    def strange_throw(self) -> int | None:
        """Index of the first throw with a die that is not like those of the others; None without one.

        With fewer than `FEW_THROWS` the others may be the strange ones.
        """
        if len(self.throws) < FEW_THROWS:
            return None
        foreign = (any(die.verdict == "foreign" for die in self.compared(throw.dice)) for throw in self.throws)
        return next((number for number, found in enumerate(foreign) if found), None)

    @cached_property
    def _faces(self) -> dict[tuple[int, int], Floats]:
        """Usual upper face of each kind and value."""
        seen: dict[tuple[int, int], list[DieLook]] = {}
        for number, throw in enumerate(self.throws):
            for place, die in enumerate(throw.dice):
                if die.value is not None:
                    kind = int(self._odd is not None and place == self._odd[number])
                    seen.setdefault((kind, die.value), []).append(die)
        return {key: mean_drawing(dice[-FACES_KEPT:]) for key, dice in sorted(seen.items())}

    def _features(self, dice: Sequence[DieLook]) -> Floats:
        """Features (n, 10) in the light of the enrolment."""
        lit = np.stack([die.colours for die in dice]) * self._felt
        lab = cv2.cvtColor(np.clip(np.nan_to_num(lit), 0, 255) / 255, cv2.COLOR_BGR2LAB)
        lab[np.isnan(lit).any(-1)] = np.nan
        sizes = np.log([[die.side_mm] for die in dice])
        return np.hstack([lab.reshape(len(dice), 9), sizes]).astype(np.float32)


def _log_likelihood(off: Floats) -> Floats:
    """Log-likelihoods (..., 4) of distances, 0 if unknown."""
    sizes = np.array([group.stop - group.start for group in _GROUPS])
    found = -(_FREEDOM + sizes) / 2 * np.log1p(off**2 * sizes / _FREEDOM)
    return np.asarray(np.nan_to_num(found), np.float32)


def _verdict(off: Floats) -> Verdict:
    """Whether a die at these distances (4,) from the nearest kind is the house's; a reflection may hide its face."""
    face, wall, _, size = np.nan_to_num(off)
    far = float(np.hypot(np.hypot(min(face, MOST_BY_FACE), wall), size))
    return "foreign" if far >= FOREIGN else "unlike" if far >= UNLIKE else "own"


def _roles(fits: Floats, verdicts: Sequence[Verdict]) -> list[Role | None]:
    """Roles of the house's dice, if another assignment of three box dice and a cut die is unlikely."""
    own = [n for n, verdict in enumerate(verdicts) if verdict != "foreign"]
    found: list[Role | None] = [None] * len(verdicts)
    if not 0 < len(own) <= THROWN:
        return found
    box, cut = fits[own, 0], fits[own, 1]
    # One is the cut die, or all are box dice, as three of them may be.
    totals = np.append(box.sum() + (cut - box), box.sum() if len(own) < THROWN else -np.inf)
    for place, die in enumerate(own):
        as_cut, as_box = totals[place], np.delete(totals, place).max(initial=-np.inf)
        if abs(as_cut - as_box) >= LEAST_ROLE_MARGIN and verdicts[die] == "own":
            found[die] = "cut" if as_cut > as_box else "box"
    return found


def _fitted(throws: Sequence[OwnThrow], features: Sequence[Floats], cuts: Sequence[int] | None) -> _Kinds:
    """The kinds, given the cut die of each throw; a single kind without them."""
    rows = np.concatenate(features)
    values = np.array([die.value or 0 for throw in throws for die in throw.dice])
    odd = [None] * len(throws) if cuts is None else cuts
    of_kind = np.concatenate([np.arange(len(each)) == cut for each, cut in zip(features, odd, strict=True)]) * 1
    kinds = 1 if cuts is None else 2
    middles = np.full((kinds, 7, rows.shape[1]), np.nan, np.float32)
    left = np.full_like(rows, np.nan)
    pips = _GROUPS[PIPS]
    for kind in range(kinds):
        mine = of_kind == kind
        usual = _middle(rows[mine])
        middles[kind] = usual
        middles[kind, :, pips] = np.nan
        for value in set(values[mine].tolist()) - {0}:
            alike = mine & (values == value)
            middles[kind, value, pips] = _middle(rows[alike][:, pips])
        left[mine] = rows[mine] - middles[kind, values[mine]]
    few = np.sqrt(1 + 1.5 / np.bincount(of_kind, minlength=kinds))
    return _Kinds(middles, np.asarray(few[:, None] * _spread(left, kinds), np.float32))


def _middle(rows: Floats) -> Floats:
    known = ~np.isnan(rows)
    return np.array([np.median(rows[known[:, n], n]) if known[:, n].any() else np.nan for n in range(rows.shape[1])])


def _spread(left: Floats, kinds: int) -> Floats:
    """Spread (10,) of the dice within their kinds: robust, and close to the typical one for few dice."""
    spread = np.empty(left.shape[1], np.float32)
    for n, column in enumerate(left.T):
        known = np.abs(column[~np.isnan(column)])
        # Half of a few dice lie exactly in the middle.
        seen = 1.48 * float(np.percentile(known, 50 + 50 * kinds / (len(known) + kinds))) if len(known) else 0.0
        count = max(len(known) - kinds, 0)
        typical = TYPICAL_SPREAD[n]
        spread[n] = max(np.sqrt((_PRIOR_DICE * typical**2 + count * seen**2) / (_PRIOR_DICE + count)), LEAST_SPREAD[n])
    return spread


def _odd_ones(throws: Sequence[OwnThrow], features: Sequence[Floats]) -> tuple[int, ...] | None:
    """The likeliest cut die of each throw."""
    if not throws or any(len(each) != THROWN for each in features):
        return None
    first = next((n for n, throw in enumerate(throws) if throw.cut is not None), 0)
    marked = throws[first].cut
    starts = range(THROWN) if marked is None else (marked,)
    return max((_settled(throws, features, first, start) for start in starts), key=lambda tried: tried[0])[1]


def _settled(
    throws: Sequence[OwnThrow], features: Sequence[Floats], first: int, start: int
) -> tuple[float, tuple[int, ...]]:
    """The cut dice that follow from that of one throw, and their log-likelihood."""
    kinds = _fitted([throws[first]], [features[first]], [start])
    cuts: tuple[int, ...] = ()
    total = 0.0
    for _ in range(8):
        before = cuts
        scores = [_by_cut(kinds, throw, each) for throw, each in zip(throws, features, strict=True)]
        cuts = tuple(
            int(score.argmax()) if throw.cut is None else throw.cut for throw, score in zip(throws, scores, strict=True)
        )
        total = float(sum(score[cut] for score, cut in zip(scores, cuts, strict=True)))
        if cuts == before:
            break
        kinds = _fitted(throws, features, cuts)
    return total, cuts


def _by_cut(kinds: _Kinds, throw: OwnThrow, features: Floats) -> Floats:
    """Log-likelihood (4,) of a throw for each die as the cut die."""
    fits = kinds.fits(features, [die.value for die in throw.dice])
    return np.asarray(fits[:, 0].sum() + fits[:, 1] - fits[:, 0], np.float32)


def _told(throws: Sequence[OwnThrow], features: Sequence[Floats], cuts: Sequence[int]) -> bool:
    """Whether no other die could be the cut die, by what the other throws show."""
    share = _MARKED_SHARE if any(throw.cut is not None for throw in throws) else 1.0
    if len(throws) < FEW_THROWS:
        alone = [_margin_alone(throw, each) for throw, each in zip(throws, features, strict=True)]
        return min(alone) >= share * LEAST_FEW_THROWS_MARGIN
    margins = []
    for n, (throw, each, cut) in enumerate(zip(throws, features, cuts, strict=True)):
        rest = [m for m in range(len(throws)) if m != n]
        kinds = _fitted([throws[m] for m in rest], [features[m] for m in rest], [cuts[m] for m in rest])
        scores = _by_cut(kinds, throw, each)
        margins.append(float(scores[cut] - np.delete(scores, cut).max()))
    nearly_each, most = np.percentile(margins, (10, 25), method="lower")
    least = LEAST_LEARNT_MARGIN if len(throws) < MANY_THROWS else LEAST_MANY_THROWS_MARGIN
    return bool(nearly_each >= share * LEAST_THROW_MARGIN and most >= share * least)


def _margin_alone(throw: OwnThrow, features: Floats) -> float:
    """Margin of the likeliest cut die of a throw, or of the marked one, by how alike the other three are."""
    totals = np.array([_by_cut(_fitted([throw], [features], [cut]), throw, features)[cut] for cut in range(THROWN)])
    best = int(totals.argmax()) if throw.cut is None else throw.cut
    return float(totals[best] - np.delete(totals, best).max())
