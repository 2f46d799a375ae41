"""``houseway cut`` and ``houseway throw``: cuts and dice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import plain_errors
from service.cli.options import AsJson, Day, RulebookOnly

if TYPE_CHECKING:
    from engine.books.book import Rulebook
    from engine.vocabulary.cuts import Cuts, NamedCut
    from engine.vocabulary.delivery_order import DeliveryOrder, StackPlace, Turn
    from engine.vocabulary.dice import Cup, Dice, Face, Thrown
    from engine.vocabulary.facts import Bank


def cut(
    name: Annotated[
        list[str] | None,
        typer.Argument(help="Chinese or English name of a cut, such as Cup Say. Without it, all cuts are listed."),
    ] = None,
    rulebook: RulebookOnly = "crown-6.1",
    *,
    orientation: Annotated[
        list[str] | None,
        typer.Option(
            help="right or left, top or bottom, front or back, head or tail. May be repeated. Default: the first of "
            "each pair.",
            metavar="WORD",
        ),
    ] = None,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Draw the order in which a cut delivers the tiles, as the dealer sees them."""
    from engine.books import registry as rulebooks

    with plain_errors():
        cuts = rulebooks.rulebook(rulebook, on).cuts
        if not name:
            typer.echo(json.dumps(list(map(_cut_json, cuts.named))) if as_json else _cuts_text(cuts))
            return
        found, implied = _named(cuts, name)
        turns = found.turned(implied | {_turn(word) for word in orientation or ()})
        order = found.order(turns)
    typer.echo(json.dumps(_order_json(found, turns, order)) if as_json else _order_text(found, turns, order))


def _named(cuts: Cuts, words: list[str]) -> tuple[NamedCut, frozenset[Turn]]:
    from engine.errors import CutError
    from engine.vocabulary.delivery_order import Turn

    try:
        return cuts.find(" ".join(words))
    except CutError:
        turns = {turn.value for turn in Turn}
        end = len(words)
        while end and words[end - 1].casefold() in turns:
            end -= 1
        if end in {0, len(words)}:
            raise
        cuts.find(" ".join(words[:end]))
    options = " ".join(f"--orientation {word.casefold()}" for word in words[end:])
    raise CutError(f"{' '.join(words[end:])!r} is not part of the cut's name: write {options}")


def _turn(word: str) -> Turn:
    from engine.errors import CutError
    from engine.vocabulary.delivery_order import Turn

    try:
        return Turn(word.casefold())
    except ValueError:
        known = ", ".join(turn.value for turn in Turn)
        raise CutError(f"{word!r} is not an orientation of a cut; choose one of {known}") from None


def _cut_json(named: NamedCut) -> dict[str, Any]:
    return {
        "rulebook": named.cite.rulebook,
        "cut": named.cut.value,
        "chinese": named.chinese,
        "english": named.english,
        "rule": named.cite,
        "options": [[turn.value for turn in option] for option in named.options],
        "drawn_elsewhere": [[turn.value for turn in option] for option in named.drawn_elsewhere],
        "drawn": bool(named.orders),
    }


def _cuts_text(cuts: Cuts) -> str:
    lines = [
        f"{len(cuts.named)} cuts are named ({cuts.cite}); the last column lists what --orientation takes for each cut"
    ]
    for each in cuts.named:
        options = "; ".join(" or ".join(turn.value for turn in option) for option in each.options)
        elsewhere = "; ".join(" or ".join(turn.value for turn in option) for option in each.drawn_elsewhere)
        options += f"  (not printed here, drawn in another rulebook: {elsewhere}; ruling 29)" if elsewhere else ""
        drawn = "" if each.orders else "  (no rulebook draws its delivery)"
        lines.append(f"  {each.chinese:28}{each.english:28}{options}{drawn}".rstrip())
    return "\n".join(lines)


def _order_json(named: NamedCut, turns: tuple[Turn, ...], order: DeliveryOrder) -> dict[str, Any]:
    return {
        **_cut_json(named),
        "orientation": [turn.value for turn in turns],
        "rows": list(order.rows),
        "order": _groups_json(order.groups),
        "order_from_the_stacks": None if order.built is None else _groups_json(order.from_the_stacks),
        "order_rule": order.cite,
        "rulings": list(order.rulings),
    }


def _groups_json(groups: tuple[tuple[StackPlace, ...], ...]) -> list[list[dict[str, int]]]:
    return [[{"stack": place.stack, "level": place.level} for place in group] for group in groups]


def _order_text(named: NamedCut, turns: tuple[Turn, ...], order: DeliveryOrder) -> str:
    from engine.vocabulary.delivery_order import STACK_HEIGHT, STACKS, StackPlace

    turned = "".join(f", {turn.value}" for turn in turns)
    lines = [f"{named.label}{turned}: which four tiles are delivered when, as the dealer sees the stacks", ""]
    lines += ["  " + " ".join(row.replace(" ", "  ")).rstrip() for row in order.rows]
    lines += ["", f"  {order.where}"]
    if order.built is None:
        lines.append("  the pictures that show how the eight stacks are moved are lost from the text")
    elif any(len(drawn) > 1 for drawn in order.built):
        lines.append(f"  from the {STACKS} stacks of {STACK_HEIGHT}, before any is moved:")
        group_of = {place: str(group) for group, places in enumerate(order.from_the_stacks, 1) for place in places}
        for level in range(STACK_HEIGHT, 0, -1):
            lines.append("    " + " ".join(group_of[StackPlace(stack, level)] for stack in range(1, STACKS + 1)))
    return "\n".join(lines)


def throw(
    dice: Annotated[
        list[str],
        typer.Argument(help="What the box dice show, such as 3 5 2. Write cocked for a die that does not lie flat."),
    ],
    rulebook: RulebookOnly,
    *,
    cut_die: Annotated[str | None, typer.Option(help="What the cut die shows.")] = None,
    big_small_die: Annotated[str | None, typer.Option(help="What Crown Pai Gow's Big/Small die shows.")] = None,
    chung: Annotated[int | None, typer.Option(help="Box of the player who banks. Without it, the House banks.")] = None,
    bank: Annotated[
        str | None,
        typer.Option(help="Who banks: house, player or co-bank. Default: player with --chung, otherwise house."),
    ] = None,
    button: Annotated[int, typer.Option(help="Value of the plus/minus button that the banker chose.")] = 0,
    variant: Annotated[str | None, typer.Option(help="crown-pai-gow: the game with a single box die.")] = None,
    from_left: Annotated[
        bool,
        typer.Option(
            "--from-left", help="The boxes on the felt are numbered from the dealer's left, not from the right."
        ),
    ] = False,
    boxes: Annotated[
        int | None, typer.Option(min=1, help="Number of boxes, if the table has fewer than the rulebook says.")
    ] = None,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Say what the dice decide: total, first box, cut, and Big/Small if offered."""
    from engine.books import registry as rulebooks
    from engine.game.box_order import BoxOrder
    from engine.settlement.wager_checks import boxes_of, check_terms
    from engine.settlement.wagers import TableTerms
    from engine.vocabulary.dice import Cup, ShakeAgain

    with plain_errors():
        book = rulebooks.rulebook(rulebook, on)
        cup = Cup(
            box=tuple(map(_face, dice)),
            cut=None if cut_die is None else _face(cut_die),
            big_small=None if big_small_die is None else _face(big_small_die),
        )
        terms = TableTerms(boxes=boxes)
        check_terms(terms, book)
        order = BoxOrder(boxes_of(terms, book), not from_left)
        rules = book.dice_of(variant)
        _check_cut_die(cup, rules)
        thrown = rules.read(cup, _bank(bank, chung), chung, button, order)
        if isinstance(thrown, ShakeAgain):
            again = {"rulebook": book.id, "shake_again": True, "reason": thrown.words, "rule": thrown.cite}
            typer.echo(json.dumps(again) if as_json else thrown.words)
            return
        shown = None if thrown.cut_die is None else book.cuts.of_die(thrown.cut_die)
        typer.echo(json.dumps(_thrown_json(book, thrown, shown)) if as_json else _thrown_text(book, thrown, shown))


def _check_cut_die(cup: Cup, rules: Dice) -> None:
    """Name the option of a die that must be thrown."""
    from engine.errors import DiceError
    from engine.vocabulary.dice import Role

    needed = next((dice for dice in rules.cup if dice.role is Role.CUT and not dice.where_offered), None)
    if needed is not None and cup.cut is None:
        raise DiceError("the cut die must be thrown too: add what it shows, for example --cut-die 4", needed.cite)


def _face(word: str) -> Face:
    from engine.errors import DiceError
    from engine.vocabulary.dice import COCKED

    if word.casefold() == COCKED.value:
        return COCKED
    if not word.isdecimal():
        raise DiceError(f"{word!r} is not a die: write the number it shows, 1 to 6, or {COCKED.value}")
    return int(word)


def _bank(word: str | None, chung: int | None) -> Bank:
    from engine.errors import DiceError
    from engine.vocabulary.facts import Bank

    if word is None:
        return Bank.HOUSE if chung is None else Bank.PLAYER
    try:
        return Bank(word.casefold())
    except ValueError:
        raise DiceError(f"unknown bank {word!r}: house, player or co-bank") from None


def _thrown_json(book: Rulebook, thrown: Thrown, shown: NamedCut | None) -> dict[str, Any]:
    choice, doubt = book.cuts.chooser(thrown.bank), thrown.doubt or thrown.left_open
    return {
        "rulebook": book.id,
        "shake_again": False,
        "bank": thrown.bank.value,
        "chung": thrown.chung,
        "total": thrown.total,
        "button": thrown.button,
        "adjusted": thrown.adjusted,
        "first_box": thrown.first_box,
        "boxes": list(thrown.boxes),
        "dealers_place": book.dealers_place,
        "rule": thrown.counting.cite,
        "cut_shown": None if shown is None else _cut_json(shown),
        "cut_decided_by": list(choice.names),
        "cut_usual": choice.usual and choice.usual.cut.value,
        "cut_rule": choice.cite,
        "big_small": None if thrown.big_small is None else thrown.big_small.value,
        "doubt": None if doubt is None else doubt.value,
        "rulings": list(thrown.counting.rulings),
    }


def _thrown_text(book: Rulebook, thrown: Thrown, shown: NamedCut | None) -> str:
    choice = book.cuts.chooser(thrown.bank)
    moved = f", with the button {thrown.button:+d} {thrown.adjusted}" if thrown.button else ""
    lines = [
        f"total      {thrown.total}{moved}",
        f"first box  {thrown.first_box}, counting box {thrown.chung} as 1 ({thrown.counting.where})",
        f"tiles to   {' '.join(map(str, thrown.boxes))}",
    ]
    if book.dealers_place is not None:
        lines[-1] += f" ({book.dealers_place} is the dealer's own place)"
    doubt = thrown.doubt or thrown.left_open
    if doubt is not None:
        lines.append(f"doubtful   {doubt.value} ({doubt.where})")
    if shown is not None and book.cuts.by_die is not None:
        lines.append(f"cut die    {shown.label} ({book.cuts.by_die.where})")
    lines.append(f"cut        {choice.words} ({choice.cite})")
    if thrown.big_small is not None:
        lines.append(f"Big/Small  {thrown.big_small.value}, where it is offered")
    return "\n".join(lines)
