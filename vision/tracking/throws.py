"""The throw over time: dice tracked from picture to picture, and their values once several pictures agree."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.assignment import cheapest_pairs
from vision.findings import Code, Finding
from vision.reading import FEWEST_DICE
from vision.tracking.tracks.consensus import agreement_doubts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import DieReading, Role
    from vision.tracking.confirmation_terms import Terms

_GONE_SIDES: Final = 0.5
"""A die that seems to move by more than this share of its side has moved."""
_STACKED_SIDES: Final = 0.75
"""Minimum distance of the centres of the upper faces of two dice side by side."""
_FORGOTTEN_S: Final = 0.7
"""Seconds for which a die out of sight is remembered."""
_DOUBTFUL_S: Final = 1.0
"""Seconds for which dice are still before they are recorded with their doubts."""
_EXACT_SIDES: Final = 0.12
"""Distance, in sides, up to which a die lies where it lay: a rolling one moves farther between two pictures, and
no throw repeats another so exactly.
"""
_ARRIVING_S: Final = 0.2
"""Time for which a die at a new spot may still be tipping over, or be half under the cup."""
_SHAKEN_DICE: Final = 2
"""Dice that must certainly show other values if they were shaken; one may be misread, then or now."""
_LEANING: Final = frozenset({Code.DIE_LEANS, Code.DIE_SEEMS_TO_LEAN, Code.DIE_MAY_LEAN})
"""Doubts of a single picture about a leaning die."""
_TWO_VALUES: Final = frozenset({Code.TWO_VALUES, Code.SAME_DICE_TWO_VALUES})


@dataclass(frozen=True, slots=True)
class DieSample:
    t_s: float
    die: DieReading


@dataclass(frozen=True, slots=True)
class Die:
    """One die over time.

    Attributes:
        x_px, y_px: centre of its upper face where it came to rest.
        since_s: since when it has been there.
        seen_s: when it was seen last.
        samples: its readings in the last pictures.
        pictures: number of pictures showing it there.
    """

    x_px: float
    y_px: float
    since_s: float
    seen_s: float
    samples: tuple[DieSample, ...]
    pictures: int = 1

    @property
    def last(self) -> DieReading:
        return self.samples[-1].die


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice as they came to rest.

    Attributes:
        dice: their readings, each with its status over time.
        spots_px: their positions in the picture.
        since_s: when the last of them came to rest.
        fewest: with fewer dice, a cup or a hand hides some.
    """

    dice: tuple[DieReading, ...]
    spots_px: tuple[tuple[float, float], ...]
    since_s: float
    fewest: int = FEWEST_DICE

    @property
    def verified(self) -> bool:
        """Whether all are, with a full number of dice."""
        return len(self.dice) >= self.fewest and all(die.status == "verified" for die in self.dice)

    def lies_as(self, other: Throw) -> bool:
        """Whether the dice are where those of another throw were, so that nobody shook them in between."""
        return len(self.dice) == len(other.dice) and self.includes(other)

    def includes(self, other: Throw) -> bool:
        """Whether the dice of another throw are among these, so that these are the same and more."""
        reach = _GONE_SIDES * min(map(_side, (*self.dice, *other.dice)))
        return all(any(math.dist(one, two) < reach for one in self.spots_px) for two in other.spots_px)


@dataclass(frozen=True, slots=True)
class TableDice:
    """All dice of a table.

    Attributes:
        dice: those in sight now, or a moment ago.
        throw: the last one that came to rest in this round; None before the first.
        old: the last one of the previous round; while the dice are at the same positions they were not shaken, unless
            two of them certainly show other values.
    """

    dice: tuple[Die, ...] = ()
    throw: Throw | None = None
    old: Throw | None = None

    def next_round(self) -> TableDice:
        """The same dice without a throw, for the next round."""
        return TableDice(self.dice, None, self.throw or self.old)


def follow_dice(
    known: TableDice, seen: Sequence[DieReading], t_s: float, terms: Terms, *, dealt: bool, fewest: int = FEWEST_DICE
) -> TableDice:
    """Update the dice with the next picture.

    Args:
        known: before it.
        seen: its dice.
        t_s: when it was taken.
        terms: the thresholds.
        dealt: whether the tiles have been dealt by the throw; then no other can replace it.
        fewest: number of dice of a full throw.
    """
    dice = _followed(known.dice, seen, t_s, terms)
    now = replace(known, dice=dice)
    if not dice or any(die.seen_s < t_s for die in dice) or not all(_at_rest(die, terms) for die in dice):
        return now
    since_s = max(die.since_s for die in dice)
    stacked = _stacked([die.last for die in dice])
    read = [_over_time(die, terms, stacked=index in stacked) for index, die in enumerate(dice)]
    if fewest < FEWEST_DICE:
        # Roles are learnt of three box dice and a cut die; a single box die may lie beside another one, or be hidden.
        read = [replace(die, role=None) for die in read]
    throw = Throw(
        tuple(read),
        tuple((die.x_px, die.y_px) for die in dice),
        since_s,
        fewest,
    )
    early = not throw.verified and t_s - since_s < _DOUBTFUL_S
    if early or (known.old is not None and _left(throw, known.old)):
        return now
    before = known.throw
    if before is None:
        return replace(now, throw=throw)
    if throw.lies_as(before):
        return replace(now, throw=_observed_again(before, throw))
    if throw.includes(before):
        return replace(now, throw=throw if throw.verified or not before.verified else before)
    # An arm may hide the others.
    return now if dealt or _left(throw, before) else replace(now, throw=throw)


def lie_as_thrown(known: TableDice, t_s: float) -> bool:
    """Whether a picture at this time shows all dice of the last throw where they came to rest.

    Dice that were out of sight in between are those of the throw if they lie at exactly its positions with its values.
    """
    throw = known.throw
    if throw is None:
        return False
    side = min(map(_side, throw.dice))
    shown = [die for die in known.dice if die.seen_s == t_s]

    def lies_there(spot: tuple[float, float], thrown: DieReading, now: Die) -> bool:
        away = math.dist(spot, (now.x_px, now.y_px)) / side
        untouched = now.since_s <= throw.since_s and away < _GONE_SIDES
        return untouched or (away < _EXACT_SIDES and now.last.value == thrown.value)

    return all(
        any(lies_there(spot, thrown, now) for now in shown)
        for spot, thrown in zip(throw.spots_px, throw.dice, strict=True)
    )


def shows_throw(dice: Sequence[DieReading], throw: Throw | None, *, surely: bool = False) -> bool:
    """Whether a picture shows all dice of a throw where they came to rest, none certainly with another value.

    `surely`: all with the values of the throw, even if those are in doubt; others may lie where it lay by chance.
    """
    if throw is None or not dice:
        return False
    spots = [np.mean(die.polygon, 0) for die in dice]
    reach = _GONE_SIDES * min(map(_side, throw.dice))
    for spot, known in zip(throw.spots_px, throw.dice, strict=True):
        near = min(range(len(dice)), key=lambda index: math.dist(spot, spots[index]))
        certain = surely or known.status == dice[near].status == "verified"
        if math.dist(spot, spots[near]) >= reach or (certain and dice[near].value != known.value):
            return False
    return True


def _left(now: Throw, old: Throw) -> bool:
    """Whether these are the dice of an older throw: all of them, or with its values those not picked up yet."""
    if now.lies_as(old):
        return not _shaken(now, old)
    then = (old.dice[place].value for place in _places(now, old))
    return old.includes(now) and all(die.value == value for die, value in zip(now.dice, then, strict=True))


def _shaken(now: Throw, old: Throw) -> bool:
    """Return whether the dice were re-thrown in place: two certainly show other values.

    Where the older throw was in doubt, all of them: of a leaning die, that it is flat now.
    """
    then = [old.dice[place] for place in _places(now, old)]
    others = sum(
        die.cocked or (die.status == "verified" and (before.cocked or die.value != before.value))
        for die, before in zip(now.dice, then, strict=True)
    )
    return others >= (_SHAKEN_DICE if old.verified else len(now.dice))


def _observed_again(before: Throw, now: Throw) -> Throw:
    """Untouched dice, read again."""
    then = [before.dice[place] for place in _places(now, before)]
    if before.verified and now.verified and any(map(_differ, then, now.dice)):
        doubt = Finding(Code.SAME_DICE_TWO_VALUES)
        return replace(
            before, dice=tuple(replace(die, status="uncertain", doubts=(*die.doubts, doubt)) for die in before.dice)
        )
    more_roles = sum(die.role is not None for die in now.dice) > sum(die.role is not None for die in then)
    better = now.verified and (more_roles or not before.verified)
    return now if better and not _contradicted(before) else before


def _differ(one: DieReading, other: DieReading) -> bool:
    """Whether two verified readings of a die are incompatible; an unknown role is compatible with any."""
    roles = {one.role, other.role} - {None}
    return one.value != other.value or len(roles) > 1


def _places(now: Throw, old: Throw) -> list[int]:
    """The nearest die of an older throw for each die."""
    return [min(range(len(old.dice)), key=lambda index: math.dist(spot, old.spots_px[index])) for spot in now.spots_px]


def _contradicted(throw: Throw) -> bool:
    return any(doubt.code in _TWO_VALUES for die in throw.dice for doubt in die.doubts)


def _followed(dice: Sequence[Die], seen: Sequence[DieReading], t_s: float, terms: Terms) -> tuple[Die, ...]:
    """Each die with its reading in the picture; those briefly out of sight are kept."""
    spots = np.array([np.mean(die.polygon, 0) for die in seen]).reshape(-1, 2)
    sides = np.array([_side(die) for die in seen])
    if not dice or not seen:
        pairs = {}
    else:
        old = np.array([(die.x_px, die.y_px) for die in dice])
        away = np.hypot(*np.moveaxis(old[:, None] - spots[None], 2, 0)) / sides[None]
        rows, columns = cheapest_pairs(np.minimum(away, _GONE_SIDES))
        pairs = {
            column: row
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
            if away[row, column] < _GONE_SIDES
        }
    out = [
        _continued(dice[pairs[n]], die, t_s, terms)
        if n in pairs
        else Die(float(spots[n, 0]), float(spots[n, 1]), t_s, t_s, (DieSample(t_s, die),))
        for n, die in enumerate(seen)
    ]
    paired = set(pairs.values())
    out += [die for n, die in enumerate(dice) if n not in paired and t_s - die.seen_s <= _FORGOTTEN_S]
    return tuple(out)


def _continued(die: Die, now: DieReading, t_s: float, terms: Terms) -> Die:
    if t_s - die.seen_s > terms.blind_s:
        return Die(die.x_px, die.y_px, t_s, t_s, (DieSample(t_s, now),))
    x_px, y_px = np.mean(now.polygon, 0).tolist()
    if math.dist((x_px, y_px), (die.x_px, die.y_px)) > _EXACT_SIDES * _side(now):
        return Die(x_px, y_px, t_s, t_s, (DieSample(t_s, now),))
    samples = die.samples
    certain = now.status == "verified"
    if now.fresh and certain and all(each.die.status != "verified" for each in samples):
        # What was not certain while it came to rest says nothing of the die at rest.
        samples = (*(each for each in samples if each.t_s - die.since_s > _ARRIVING_S), DieSample(t_s, now))
    elif now.fresh and t_s - samples[-1].t_s >= terms.apart_s:
        samples = (*samples[-terms.kept + 1 :], DieSample(t_s, now))
    return replace(die, seen_s=t_s, samples=samples, pictures=die.pictures + 1)


def _at_rest(die: Die, terms: Terms) -> bool:
    return die.pictures > 1 and die.seen_s - die.since_s >= terms.still_s


def _over_time(die: Die, terms: Terms, *, stacked: bool) -> DieReading:
    readings = [sample.die for sample in die.samples]
    verified = [each for each in readings if each.status == "verified"]
    shown = Counter(each.value for each in verified)
    leaning = sum(each.surely_cocked for each in readings)
    # A leaning die is hardly ever verified as flat; for a flat one the light may give varying results.
    cocked = 2 * leaning > len(readings) and not shown
    value = max(shown, key=lambda key: shown[key]) if shown else die.last.value
    agreeing = shown[value]
    dissenting = sum(_dissents(each, value) for each in readings)
    checks = (
        (cocked, Finding(Code.DIE_LEANS)),
        (stacked, Finding(Code.DIE_STACKED)),
        (leaning > 0 and not cocked, Finding(Code.DIE_LEANS_SOMETIMES)),
        (len(shown) > 1, Finding(Code.TWO_VALUES)),
    )
    doubts = tuple(doubt for holds, doubt in checks if holds)
    doubts += agreement_doubts(agreeing, dissenting, terms)
    if doubts:
        # All pictures together say that it leans; the last one need not say it again.
        known = _LEANING if leaning else frozenset()
        doubts += tuple(doubt for doubt in die.last.doubts if doubt not in doubts and doubt.code not in known)
    return replace(
        die.last,
        value=value,
        role=_role([each.role for each in verified], terms) if verified else die.last.role,
        cocked=cocked,
        surely_cocked=cocked,
        status="uncertain" if doubts else "verified",
        doubts=doubts,
    )


def _dissents(reading: DieReading, value: int | None) -> bool:
    """Whether a reading speaks against a flat die of this value; one that is only unsure of it does not."""
    return reading.value != value or any(doubt.code in _LEANING for doubt in reading.doubts)


def _role(samples: Sequence[Role | None], terms: Terms) -> Role | None:
    """Role of a die, if as many pictures agree on it as needed for its value.

    A picture in which the cut die is undetermined, because the cup hides another die, does not make the value doubtful.
    """
    roles = Counter(role for role in samples if role is not None)
    if not roles:
        return None
    ((role, times),) = roles.most_common(1)
    return role if times >= max(terms.agreeing, terms.dissent * (len(samples) - times)) else None


def _side(die: DieReading) -> float:
    (ax, ay), (bx, by) = die.polygon[0], die.polygon[1]
    return max(math.hypot(ax - bx, ay - by), 1.0)


def _stacked(dice: Sequence[DieReading]) -> set[int]:
    """Indices of the dice whose upper faces overlap."""
    middles = [np.mean(die.polygon, 0) for die in dice]
    return {
        one
        for one in range(len(dice))
        for other in range(len(dice))
        if one != other
        and float(np.hypot(*(middles[one] - middles[other])))
        < _STACKED_SIDES * min(_side(dice[one]), _side(dice[other]))
    }
