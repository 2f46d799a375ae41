"""What a throw decides: total, first box and cut, by the rulebook's dice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.game.box_order import FROM_RIGHT, BoxOrder
from engine.observed.possible import THE_HOUSE, KnownBank, possible
from engine.vocabulary.dice import COCKED, Cup, Role, ShakeAgain
from engine.vocabulary.facts import Bank
from service.rounds.reports import ThrowReport
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.books.book import Rulebook
    from engine.vocabulary.dice import Face
    from service.rounds.reports import DieReport, SettledStatus

_UNSURE_FIRST: Final[tuple[SettledStatus, ...]] = ("uncertain", "confirmed", "verified")


def report_throw(
    dice: Sequence[DieReport],
    book: Rulebook | None,
    box_order: BoxOrder | None = None,
    bank: KnownBank = THE_HOUSE,
) -> ThrowReport | None:
    """What the dice decide, under a rulebook that knows dice; a missing die is never guessed.

    Without `box_order`, the positions of the table's boxes, and `bank`, the known bank, the first box is unknown.
    """
    return decided(dice, book, box_order, bank) if dice and book is not None else None


def decided(
    dice: Sequence[DieReport], book: Rulebook, box_order: BoxOrder | None, bank: KnownBank = THE_HOUSE
) -> ThrowReport:
    """What a throw decides, by the dice of a book, at a table whose boxes lie so, with a bank that is known so far."""
    doubts = tuple(doubt for die in dice for doubt in die.doubts if die.status == "uncertain")
    cut_dice = sum(each.number for each in book.dice.cup if each.role is Role.CUT)
    # Without cut dice, all are box dice, whether or not they could be distinguished.
    parts = [die.role or (None if cut_dice else Role.BOX.value) for die in dice]
    unread = {part for die, part in zip(dice, parts, strict=True) if die.value is None and not die.cocked}
    if unread - {Role.CUT.value} or None in parts:
        why = Finding(ServiceCode.DIE_NOT_READ if unread else ServiceCode.CUT_DIE_UNKNOWN)
        return _undecided(*(doubts or (DoubtReport.of(why),)))
    try:
        cut, box = (_faces(dice, parts, role) for role in (Role.CUT, Role.BOX))
        wrong = _wrong_number(book, len(box), len(cut))
        missing = wrong is not None and wrong.code is ServiceCode.CUT_DIE_MISSING
        if wrong is not None or unread:
            doubt = DoubtReport.of(wrong or Finding(ServiceCode.DIE_NOT_READ))
            by_box_dice = COCKED not in box and (wrong is None or missing)
            return (
                _without_cut(box, book, box_order, bank, doubts or (doubt,))
                if by_box_dice
                else _undecided(*doubts, doubt)
            )
        thrown = book.dice.read(Cup(box, cut[0] if cut else None), Bank.HOUSE, order=_counted_by(book, box_order))
        if len(cut) != cut_dice:
            return _undecided(*doubts, DoubtReport(code=ServiceCode.DICE_OUT_OF_SIGHT))
        if isinstance(thrown, ShakeAgain):
            code = ServiceCode.SHAKE_AGAIN if thrown.printed else ServiceCode.SHAKE_AGAIN_UNPRINTED
            shake = DoubtReport(code=code, params={"die": thrown.role.value, "rule": str(thrown.cite)})
            return _undecided(shake, rule=thrown.cite)
        named = book.cuts.of_die(thrown.cut_die) if thrown.cut_die is not None else None
    except EngineError as error:
        return _undecided(*doubts, DoubtReport(code=ServiceCode.NOT_A_THROW, params={"why": str(error)}))
    first, unknown = _first_box(thrown.total, box, book, box_order, bank)
    if unknown is not None:
        doubts = (*doubts, DoubtReport.of(unknown))
    if thrown.doubt is not None:
        counted = Finding.of(ServiceCode.COUNTED_TWO_WAYS, why=thrown.doubt.value, rule=str(thrown.doubt.cite))
        doubts = (*doubts, DoubtReport.of(counted))
    return ThrowReport(
        total=thrown.total,
        first_box=first,
        cut=named.cut.value if named else None,
        rule=thrown.counting.cite,
        rulings=thrown.counting.rulings,
        status=next((status for status in _UNSURE_FIRST if status in {die.status for die in dice}), "uncertain"),
        doubts=doubts,
    )


def _without_cut(
    box: tuple[Face, ...], book: Rulebook, box_order: BoxOrder | None, bank: KnownBank, doubts: tuple[DoubtReport, ...]
) -> ThrowReport:
    """What the box dice alone decide: an unread cut die leaves the cut unknown, not the box (ruling 47)."""
    total = sum(face for face in box if isinstance(face, int))
    first, unknown = _first_box(total, box, book, box_order, bank)
    counting = book.dice.counting
    return ThrowReport(
        total=total,
        first_box=first,
        cut=None,
        rule=counting.cite,
        rulings=tuple(sorted({*counting.rulings, 47})),
        status="uncertain",
        doubts=doubts if unknown is None else (*doubts, DoubtReport.of(unknown)),
    )


def _counted_by(book: Rulebook, box_order: BoxOrder | None) -> BoxOrder:
    """What is counted by: all boxes of a book that knows no tables with fewer, also where not all of them are seen."""
    if box_order is None:
        return FROM_RIGHT
    return box_order if book.play.fewer_boxes else replace(box_order, boxes=book.play.boxes.value)


def _first_box(
    total: int, box: tuple[Face, ...], book: Rulebook, box_order: BoxOrder | None, bank: KnownBank
) -> tuple[int | None, Finding | None]:
    """Return the box that the total of the box dice falls on, or why it is unknown."""
    if box_order is None:
        return None, Finding(ServiceCode.BOX_ORDER_UNKNOWN)
    order = _counted_by(book, box_order)
    ways = possible(book, order.boxes, from_right=order.box1_at_dealers_right, bank=bank)
    box_dice = tuple(face for face in box if isinstance(face, int))
    firsts = {each[0] for way in ways for each in way.first_boxes(box_dice)}
    if len(firsts) != 1:
        return None, Finding(ServiceCode.FIRST_BOX_DEPENDS_ON_BANK)
    (first,) = firsts
    if first in (*range(1, order.boxes + 1), book.dealers_place):
        return first, None
    rule = str(book.dice.counting.cite)
    return None, Finding.of(ServiceCode.COUNTED_PAST_BOXES, total=total, boxes=order.boxes, rule=rule)


def _wrong_number(book: Rulebook, box: int, cut: int) -> Finding | None:
    """Which dice are too few or too many; None if they are those that the book throws."""
    needed = {dice.role: dice for dice in book.dice.cup}
    box_dice, cut_die = needed[Role.BOX], needed.get(Role.CUT)
    if box != box_dice.number:
        rule = str(box_dice.cite)
        return Finding.of(ServiceCode.BOX_DICE_COUNT, needed=box_dice.number, seen=box, rule=rule)
    if cut_die is None:
        return Finding.of(ServiceCode.CUT_DIE_UNUSED, rule=str(box_dice.cite)) if cut else None
    if not cut and not cut_die.where_offered:
        return Finding.of(ServiceCode.CUT_DIE_MISSING, rule=str(cut_die.cite))
    return None


def _undecided(*doubts: DoubtReport, rule: str | None = None) -> ThrowReport:
    return ThrowReport(total=None, first_box=None, cut=None, rule=rule, status="uncertain", doubts=doubts)


def _faces(dice: Sequence[DieReport], parts: Sequence[str | None], role: Role) -> tuple[Face, ...]:
    return tuple(
        COCKED if die.cocked else die.value or COCKED
        for die, part in zip(dice, parts, strict=True)
        if part == role.value
    )
