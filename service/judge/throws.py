"""What a throw decides: total, first box and cut, by the rulebook's dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.errors import EngineError
from engine.vocabulary.dice import COCKED, Cup, Role, ShakeAgain
from engine.vocabulary.facts import Bank
from service.codes import ServiceCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.books.book import Rulebook
    from engine.vocabulary.dice import Face


Status: TypeAlias = Literal["verified", "confirmed", "uncertain"]
_UNSURE_FIRST: Final[tuple[Status, ...]] = ("uncertain", "confirmed", "verified")


@dataclass(frozen=True, slots=True)
class ThrownDie:
    """A die as it was read, or as a person says that it lies.

    Attributes:
        value: on its upper face; None if it was not read.
        role: ``box`` or ``cut``; None if that is not known.
        cocked: whether it leans.
        status: how sure that is.
        doubts: why it is not verified.
    """

    value: int | None
    role: str | None
    cocked: bool
    status: Status
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Decided:
    """What the dice decide.

    Attributes:
        total: of the box dice; None where it cannot be said.
        first_box: the box that gets the first tiles.
        cut: the cut that the cut die names; None where the book has no cut die.
        rule: the rules that say so.
        status: as sure as the least sure die; ``uncertain`` also if the book has other dice.
        doubts: why it is not, or why the dice are to be shaken again.
    """

    total: int | None
    first_box: int | None
    cut: str | None
    rule: str | None
    status: Status
    doubts: tuple[Finding, ...]


def decided(dice: Sequence[ThrownDie], book: Rulebook) -> Decided:
    """What a throw decides while the House banks; a die that is missing is never guessed."""
    doubts = tuple(doubt for die in dice for doubt in die.doubts if die.status == "uncertain")
    cut_dice = sum(each.number for each in book.dice.cup if each.role is Role.CUT)
    # Where none is thrown for the cut, all are box dice, whether or not they were told apart.
    parts = [die.role or (None if cut_dice else Role.BOX.value) for die in dice]
    unread = any(die.value is None and not die.cocked for die in dice)
    if unread or None in parts:
        why = Finding(ServiceCode.DIE_NOT_READ if unread else ServiceCode.CUT_DIE_UNKNOWN)
        return _undecided(*(doubts or (why,)))
    try:
        cut, box = (_faces(dice, parts, role) for role in (Role.CUT, Role.BOX))
        if (wrong := _wrong_number(book, len(box), len(cut))) is not None:
            return _undecided(*doubts, wrong)
        thrown = book.dice.read(Cup(box, cut[0] if cut else None), Bank.HOUSE)
        if len(cut) != cut_dice:
            return _undecided(*doubts, Finding(ServiceCode.DICE_OUT_OF_SIGHT))
        if isinstance(thrown, ShakeAgain):
            code = ServiceCode.SHAKE_AGAIN if thrown.printed else ServiceCode.SHAKE_AGAIN_UNPRINTED
            return _undecided(Finding.of(code, die=thrown.role.value, rule=str(thrown.cite)), rule=thrown.cite)
        named = book.cuts.of_die(thrown.cut_die) if thrown.cut_die is not None else None
    except EngineError as error:
        return _undecided(*doubts, Finding.of(ServiceCode.NOT_A_THROW, why=str(error)))
    rule = thrown.counting.where
    if thrown.doubt is not None:
        counted = Finding.of(ServiceCode.COUNTED_TWO_WAYS, why=thrown.doubt.value, rule=str(thrown.doubt.where))
        doubts = (*doubts, counted)
    return Decided(
        thrown.total,
        thrown.first_box,
        named.cut.value if named else None,
        rule,
        status=next((status for status in _UNSURE_FIRST if status in {die.status for die in dice}), "uncertain"),
        doubts=doubts,
    )


def _wrong_number(book: Rulebook, box: int, cut: int) -> Finding | None:
    """Which dice are too few or too many; None if they are those that the book throws."""
    asked = {dice.role: dice for dice in book.dice.cup}
    box_dice, cut_die = asked[Role.BOX], asked.get(Role.CUT)
    if box != box_dice.number:
        rule = str(box_dice.cite)
        return Finding.of(ServiceCode.BOX_DICE_COUNT, needed=box_dice.number, seen=box, rule=rule)
    if cut_die is None:
        return Finding.of(ServiceCode.CUT_DIE_UNUSED, rule=str(box_dice.cite)) if cut else None
    if not cut and not cut_die.where_offered:
        return Finding.of(ServiceCode.CUT_DIE_MISSING, rule=str(cut_die.cite))
    return None


def _undecided(*doubts: Finding, rule: str | None = None) -> Decided:
    return Decided(None, None, None, rule, "uncertain", doubts)


def _faces(dice: Sequence[ThrownDie], parts: Sequence[str | None], role: Role) -> tuple[Face, ...]:
    return tuple(
        COCKED if die.cocked else die.value or COCKED
        for die, part in zip(dice, parts, strict=True)
        if part == role.value
    )
