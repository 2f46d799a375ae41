"""Dealers' mistakes and lawful exceptions, and the hand concerned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from datasets.scenes.sampling import Rng, pick
from datasets.simulator.staging.exceptions import EXCEPTIONS, boxes_of
from datasets.simulator.staging.procedure import OF_DELIVERY, PROCEDURE_MISTAKES, beside, boxes_for
from engine.game.tiles import Tile
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets.simulator.staging.course import Course
    from engine.game.setting import Deal, Setting
    from engine.house_way.rules import HouseWay

HAND_MISTAKES: Final = {
    "house-set-wrong": "the House's hand is laid open another way than the House Way, and stays so",
    "house-set-wrong-corrected": "the same, put right before the first player's hand is opened",
    "asked-hand-set-wrong": "a hand that the dealer was asked to set lies another way than the House Way",
    "tiles-swapped": "after a player's hand was matched, two of its tiles change places",
    "exposed-before-bank": "a player's hand is opened before the bank's",
    "exposed-out-of-turn": "a player's hand is opened before another whose turn it is",
    "tile-shown": "a tile comes up while it is dealt, and is turned down again",
    "foreign-tile": "a tile bears a face that the set has no more of",
}
"""Mistakes about one hand that a dealer makes on purpose, by kind."""
CORRECTIONS: Final = {
    "house-set-wrong-corrected-late": "the House's hand is set wrongly, and put right after a player's was opened",
    "asked-hand-set-wrong-corrected": "a hand that the dealer was asked to set lies wrong, and is put right at once",
}
"""Wrongly set hands that are put right."""
MISTAKES: Final = {**HAND_MISTAKES, **PROCEDURE_MISTAKES, **CORRECTIONS}
"""All mistakes that a dealer makes on purpose, by kind."""


_SAID: Final = 0.5
"""Share of the exceptions that no camera sees that a person reports."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The mistake or the lawful exception of a round, if any: the hand concerned, set wrongly at first or permanently.

    A foreign tile is a number with the face that it bears instead of its own; `at` is the box that a tile is laid at by
    mistake, or tiles together with its own; `said` is whether a person reports what no camera sees.
    """

    kind: str | None = None
    box: int | None = None
    laid: Setting | None = None
    right: Setting | None = None
    foreign: tuple[int, str] | None = None
    at: int | None = None
    said: bool = False


def _foreign(rng: Rng, course: Course, order: Sequence[int], faces: Sequence[str]) -> Planned:
    """Give one tile of a player's hand a face that the set has no more of, all others of it lying open in the round."""
    dealt = course.dealt
    hands = {box: [order[n] for n in group] for box, group in zip(dealt.delivered, dealt.groups, strict=False)}
    lying = [faces[n] for box in (*course.played, course.bank_box) for n in hands[box]]
    found = [
        (box, tile, str(face))
        for box in course.played
        if box not in course.asked
        for tile in hands[box]
        for face in Tile
        if str(face) != faces[tile]
        and lying.count(str(face)) == face.copies
        and sum(faces[n] == str(face) for n in hands[box]) < face.copies
    ]
    if not found:
        return Planned()
    box, tile, face = pick(rng, found)
    return Planned("foreign-tile", box, foreign=(tile, face))


def plan_mistake(
    rng: Rng,
    mistake: str | None,
    course: Course,
    way: HouseWay,
    deals: Mapping[int, Deal],
    order: Sequence[int],
    faces: Sequence[str],
) -> Planned:
    """Choose the hand that a mistake concerns; none where the round has no room for it.

    A mistake of ``OF_DELIVERY`` is in the course already and concerns no hand alone.
    `deals` are the tiles of each box, `order` says which tile stands where in the stacks, `faces` what each bears.
    """
    if mistake is None:
        return Planned()
    if mistake == "foreign-tile":
        return _foreign(rng, course, order, faces)
    if mistake in OF_DELIVERY:
        return Planned(mistake)
    if mistake in EXCEPTIONS:
        return _excepted(rng, mistake, course)
    boxes = boxes_for(mistake, course) if mistake in PROCEDURE_MISTAKES else _hands_for(mistake, course)
    box = int(rng.choice(boxes)) if boxes else None
    if box is not None and "set-wrong" in mistake:
        return _set_wrong(rng, mistake, box, way, deals[box])
    at = beside(rng, box, course.session.setup.boxes) if box is not None and mistake == "tile-to-wrong-box" else None
    return Planned() if box is None else Planned(mistake, box, at=at)


def _excepted(rng: Rng, kind: str, course: Course) -> Planned:
    found = boxes_of(kind, course)
    if not found:
        return Planned()
    box, at = pick(rng, found)
    return Planned(kind, box, at=at, said=bool(rng.random() < _SAID))


def _hands_for(mistake: str, course: Course) -> list[int]:
    """The boxes whose hand a mistake about one hand can concern."""
    match mistake:
        case "house-set-wrong" | "house-set-wrong-corrected" | "house-set-wrong-corrected-late":
            # A player in the bank sets his own hand as he likes.
            return [] if course.method is Bank.PLAYER else [course.bank_box]
        case "asked-hand-set-wrong" | "asked-hand-set-wrong-corrected":
            return sorted(course.asked)
        case "exposed-out-of-turn":
            # Where the book lays down no order there is no turn to be missed.
            ordered = course.method in course.session.setup.play.expose
            return list(course.played[1:]) if ordered else []
        case "exposed-before-bank":
            # The only hand against the House's may be laid open (nz-1998 10.14).
            alone = course.method is Bank.HOUSE and course.session.setup.play.alone is not None
            return [] if alone and len(course.played) == 1 else list(course.played)
        case "tiles-swapped":
            hands = course.settings
            return [box for box in course.played if hands[box].low.tiles[0] is not hands[box].high.tiles[0]]
        case _:
            return list(course.played)


def _set_wrong(rng: Rng, mistake: str, box: int, way: HouseWay, dealt: Deal) -> Planned:
    decision = way.decide(dealt)
    if not decision.refused:
        return Planned()
    return Planned(mistake, box, pick(rng, decision.refused).setting, decision.setting)
