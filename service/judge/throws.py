"""What a throw decides: total, first box and cut, by the rulebook's dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.books.registry import BOOKS
from engine.errors import EngineError
from engine.vocabulary.dice import COCKED, Cup, Role, ShakeAgain
from engine.vocabulary.facts import Bank
from service.codes import ServiceCode
from service.rounds.reports import ThrowReport
from service.rounds.restored import doubts_of
from service.words.coded import DoubtReport
from service.words.findings import english
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.books.book import Rulebook
    from engine.house_way import HouseWay
    from engine.vocabulary.dice import Face
    from service.rounds.reports import DieReport, SettledStatus

_UNSURE_FIRST: Final[tuple[SettledStatus, ...]] = ("uncertain", "confirmed", "verified")


def report_throw(dice: Sequence[DieReport], house_way: HouseWay) -> ThrowReport | None:
    """What the dice decide while the House banks, under a rulebook that knows dice; a missing die is never guessed."""
    book = BOOKS.get(house_way.played_under)
    return decided(dice, book) if dice and book is not None else None


def decided(dice: Sequence[DieReport], book: Rulebook) -> ThrowReport:
    """What a throw decides while the House banks, by the dice of a book."""
    doubts = tuple(doubt for die in dice for doubt in doubts_of(die) if die.status == "uncertain")
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
    if thrown.doubt is not None:
        counted = Finding.of(ServiceCode.COUNTED_TWO_WAYS, why=thrown.doubt.value, rule=str(thrown.doubt.where))
        doubts = (*doubts, counted)
    return ThrowReport(
        total=thrown.total,
        first_box=thrown.first_box,
        cut=named.cut.value if named else None,
        rule=thrown.counting.where,
        status=next((status for status in _UNSURE_FIRST if status in {die.status for die in dice}), "uncertain"),
        reasons=english(doubts),
        doubts=tuple(map(DoubtReport.of, doubts)),
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


def _undecided(*doubts: Finding, rule: str | None = None) -> ThrowReport:
    coded = tuple(map(DoubtReport.of, doubts))
    return ThrowReport(
        total=None, first_box=None, cut=None, rule=rule, status="uncertain", reasons=english(doubts), doubts=coded
    )


def _faces(dice: Sequence[DieReport], parts: Sequence[str | None], role: Role) -> tuple[Face, ...]:
    return tuple(
        COCKED if die.cocked else die.value or COCKED
        for die, part in zip(dice, parts, strict=True)
        if part == role.value
    )
