"""What a throw decides: total, first box and cut, by the rulebook's dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from engine.errors import EngineError
from engine.vocabulary.dice import COCKED, Cup, Role, ShakeAgain
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.books.book import Rulebook
    from engine.vocabulary.dice import Face


CUT_DIE_UNTOLD: Final = "which die is the cut die cannot be told by the colours; enrol the dice"
Status: TypeAlias = Literal["verified", "confirmed", "uncertain"]
_UNSURE_FIRST: Final[tuple[Status, ...]] = ("uncertain", "confirmed", "verified")


class Shown(Protocol):
    """A die as it was read, or as a person says that it lies."""

    @property
    def value(self) -> int | None: ...  # noqa: D102
    @property
    def role(self) -> str | None: ...  # noqa: D102
    @property
    def cocked(self) -> bool: ...  # noqa: D102
    @property
    def status(self) -> Status: ...  # noqa: D102
    @property
    def reasons(self) -> tuple[str, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Decided:
    """What the dice decide.

    Attributes:
        total: of the box dice; None where it cannot be said.
        first_box: the box that gets the first tiles.
        cut: the cut that the cut die names; None where the book has no cut die.
        rule: the rules that say so.
        status: as sure as the least sure die; ``uncertain`` also if the book has other dice.
        reasons: why it is not, or why the dice are to be shaken again.
    """

    total: int | None
    first_box: int | None
    cut: str | None
    rule: str | None
    status: Status
    reasons: tuple[str, ...]


def decided(dice: Sequence[Shown], book: Rulebook) -> Decided:
    """What a throw decides while the House banks; a die that is missing is never guessed."""
    doubts = tuple(reason for die in dice for reason in die.reasons if die.status == "uncertain")
    cut_dice = sum(each.number for each in book.dice.cup if each.role is Role.CUT)
    # Where none is thrown for the cut, all are box dice, whether or not they were told apart.
    parts = [die.role or (None if cut_dice else Role.BOX.value) for die in dice]
    unread = any(die.value is None and not die.cocked for die in dice)
    if unread or None in parts:
        why = "a die cannot be read" if unread else CUT_DIE_UNTOLD
        return Decided(None, None, None, None, status="uncertain", reasons=doubts or (why,))
    try:
        cut, box = (_faces(dice, parts, role) for role in (Role.CUT, Role.BOX))
        thrown = book.dice.read(Cup(box, cut[0] if cut else None), Bank.HOUSE)
        if len(cut) != cut_dice:
            return Decided(None, None, None, None, status="uncertain", reasons=(*doubts, "not all dice are in sight"))
        if isinstance(thrown, ShakeAgain):
            return Decided(None, None, None, thrown.cite, status="uncertain", reasons=(thrown.words,))
        named = book.cuts.of_die(thrown.cut_die) if thrown.cut_die is not None else None
    except EngineError as error:
        return Decided(None, None, None, None, status="uncertain", reasons=(*doubts, str(error)))
    rule = thrown.counting.where
    if thrown.doubt is not None:
        doubts = (*doubts, f"{thrown.doubt.value} ({thrown.doubt.where})")
    return Decided(
        thrown.total,
        thrown.first_box,
        named.cut.value if named else None,
        rule,
        status=next((status for status in _UNSURE_FIRST if status in {die.status for die in dice}), "uncertain"),
        reasons=doubts,
    )


def _faces(dice: Sequence[Shown], parts: Sequence[str | None], role: Role) -> tuple[Face, ...]:
    return tuple(
        COCKED if die.cocked else die.value or COCKED
        for die, part in zip(dice, parts, strict=True)
        if part == role.value
    )
