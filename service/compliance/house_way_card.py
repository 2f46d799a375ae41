"""A House Way as one page to print: its rules with examples drawn as tiles, and the setting of every kind of deal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.analysis.edge import HANDS
from engine.game.setting import Deal, all_deals
from engine.game.tiles import Kind, Tile
from engine.house_way import Whose
from service import __version__
from service.web.tile_svg import tile_symbols, tile_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.game.setting import Setting
    from engine.house_way import Decision, HouseWay, Rule

SHORT = {
    Kind.TEEN: "T",
    Kind.DAY: "D",
    Kind.HIGH_8: "H8",
    Kind.HIGH_4: "H4",
    Kind.HIGH_10: "H10",
    Kind.HIGH_6: "H6",
    Kind.LOW_4: "L4",
    Kind.ELEVEN: "11",
    Kind.LOW_10: "L10",
    Kind.HIGH_7: "H7",
    Kind.LOW_6: "L6",
    Kind.NINE: "9",
    Kind.LOW_8: "L8",
    Kind.LOW_7: "L7",
    Kind.FIVE: "5",
    Kind.GEE_JUN: "G",
}
"""How the table heads its rows and columns."""

Kinds = tuple[Kind, Kind, Kind, Kind]

_READ_ON = "6-6 6-3 6-2 3-2"
"""The deal on which the page explains how to read the table: a Wong or a Gong, four ranks, no pair."""


@dataclass(frozen=True, slots=True)
class RuleOnCard:
    """A rule, how many of the 35,960 deals it decides, and one or two that it does."""

    rule: Rule
    decides: int
    examples: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The setting of one kind of deal.

    Attributes:
        kinds: the ranks of the four tiles, highest first.
        high: the places of the tiles of the high hand among these four, such as ``14``; ``*`` where deals of these
            ranks are set differently by their faces.
    """

    kinds: Kinds
    high: str


@dataclass(frozen=True, slots=True)
class Row:
    """The deals of a block with the same third tile.

    Attributes:
        third: its rank.
        before: how many of the block's columns lie before the first cell.
        cells: one for each fourth tile, highest rank first.
    """

    third: Kind
    before: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The deals with the same two highest tiles.

    Attributes:
        first: the rank of the highest tile.
        second: that of the second.
        columns: the ranks of the fourth tile, highest first.
        rows: by third tile, highest rank first.
    """

    first: Kind
    second: Kind
    columns: tuple[Kind, ...]
    rows: tuple[Row, ...]


def render_card(way: HouseWay) -> str:
    """The page as HTML that needs nothing else: style and drawings are inside.

    Raises:
        UndecidedError: the House Way leaves a deal without a setting.
    """
    uneven = _set_by_face(way)
    return _TEMPLATES.get_template("card.html").render(
        way=way,
        rules=rules_on_card(way),
        remedies=_remedies(way),
        sections=_sections(blocks(way)),
        uneven=uneven,
        read_on=way.decide(Deal.parse(_READ_ON)),
        deals=HANDS,
    )


def rules_on_card(way: HouseWay) -> tuple[RuleOnCard, ...]:
    """The rules in the order they are asked; examples from the first and the last quarter of what each decides."""
    decided: dict[Rule, list[Decision]] = defaultdict(list)
    for decision in way.decisions.values():
        decided[decision.rule].append(decision)
    return tuple(
        RuleOnCard(rule, sum(decision.deal.ways for decision in decided[rule]), _examples(decided[rule]))
        for rule in way.rules
    )


def _examples(decisions: list[Decision]) -> tuple[Decision, ...]:
    if not decisions:
        return ()
    one = decisions[len(decisions) // 4]
    other = decisions[len(decisions) * 3 // 4]
    return (one,) if one.deal.kinds == other.deal.kinds else (one, other)


def blocks(way: HouseWay) -> tuple[Block, ...]:
    """The setting of all 3,620 kinds of deal, by the two highest tiles."""
    high = _high_by_kind(way)
    by_two: dict[tuple[Kind, Kind], dict[Kind, list[Cell]]] = defaultdict(lambda: defaultdict(list))
    for kinds in sorted(high):
        by_two[kinds[:2]][kinds[2]].append(Cell(kinds, high[kinds]))
    return tuple(_block(*two, rows) for two, rows in by_two.items())


def _block(first: Kind, second: Kind, cells: dict[Kind, list[Cell]]) -> Block:
    columns = tuple(sorted({cell.kinds[3] for row in cells.values() for cell in row}))
    rows = (Row(third, columns.index(row[0].kinds[3]), tuple(row)) for third, row in cells.items())
    return Block(first, second, columns, tuple(rows))


def _high_by_kind(way: HouseWay) -> dict[Kinds, str]:
    high: dict[Kinds, str] = {}
    uneven = {deal.kinds for deal in _set_by_face(way)}
    for deal in all_deals():
        high[deal.kinds] = "*" if deal.kinds in uneven else _places(deal, way.table[deal])
    return high


def _places(deal: Deal, setting: Setting) -> str:
    """The places of the high hand's tiles among the four, by rank; of two tiles of one rank the first."""
    kinds: list[Kind | None] = list(deal.kinds)
    places = []
    for tile in setting.high.tiles:
        place = kinds.index(tile.kind)
        kinds[place] = None
        places.append(place + 1)
    return "".join(map(str, sorted(places)))


def _set_by_face(way: HouseWay) -> dict[Deal, Setting]:
    """The deals whose faces, not their ranks alone, decide the setting."""
    by_kinds: dict[tuple[Kind, ...], list[Deal]] = defaultdict(list)
    for deal in all_deals():
        by_kinds[deal.kinds].append(deal)
    return {
        deal: way.table[deal]
        for deals in by_kinds.values()
        if any(way.table[one].ranks != way.table[other].ranks for one, other in pairwise(deals))
        for deal in deals
    }


def _sections(made: Sequence[Block]) -> list[tuple[Kind, list[Block]]]:
    by_first: dict[Kind, list[Block]] = defaultdict(list)
    for block in made:
        by_first[block.first].append(block)
    return list(by_first.items())


def _remedies(way: HouseWay) -> list[str]:
    """What may be done when a hand lies otherwise, in one line for each whose hand it is."""
    if way.irregularities is None:
        return []
    return [way.remedy(whose) for whose in Whose]


def _face(kind: Kind) -> str:
    """The first face of a rank."""
    return str(next(tile for tile in Tile if tile.kind is kind))


def _unbroken(words: str) -> str:
    """Words whose names of tiles, such as High 8, do not break across lines."""
    return words.replace("High ", "High\N{NO-BREAK SPACE}").replace("Low ", "Low\N{NO-BREAK SPACE}")


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parents[1] / "web" / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(tile=tile_use, symbols=tile_symbols, short=SHORT, face=_face, version=__version__)
    made.filters.update(unbroken=_unbroken)
    return made


_TEMPLATES = _environment()
