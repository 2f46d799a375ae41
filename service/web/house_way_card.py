"""A House Way as a page to print: its rules with examples drawn as tiles, and the setting of every kind of deal."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.analysis.edge import HANDS
from engine.game.setting import Deal, all_deals
from engine.game.tiles import Kind, Tile
from service import __version__
from service.web.rendering import WEB
from service.web.tile_svg import tile_symbols, tile_use
from service.words.rule_sentences import definition_words, remedies_words

if TYPE_CHECKING:
    from engine.game.setting import Setting
    from engine.house_way import Decision, HouseWay, Rule

SHORT = {kind: kind.name[0] + kind.name.partition("_")[2] for kind in Kind}
SHORT |= {Kind.ELEVEN: "11", Kind.NINE: "9", Kind.FIVE: "5", Kind.GEE_JUN: "G"}
"""Headings of rows and columns, such as ``H8`` for High 8."""

Kinds = tuple[Kind, Kind, Kind, Kind]

_READ_ON = "6-6 6-3 6-2 3-2"
"""The deal that explains how to read the table: four ranks, no pair, a Wong or a Gong."""


@dataclass(frozen=True, slots=True)
class RuleOnCard:
    """A rule, the number of the 35,960 deals that it decides, and one or two examples."""

    rule: Rule
    decides: int
    examples: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class CardCell:
    """A kind of deal, highest rank first, and the positions of the high hand among the four, such as ``14``.

    ``high`` is ``*`` if faces decide, ``d`` if the dealer may choose.
    """

    kinds: Kinds
    high: str


@dataclass(frozen=True, slots=True)
class CardRow:
    """The deals of a block with the same third tile, by rank of the fourth, after ``before`` empty columns."""

    third: Kind
    before: int
    cells: tuple[CardCell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The deals with the same two highest tiles: a row for each rank of the third, a column for each of the fourth."""

    first: Kind
    second: Kind
    columns: tuple[Kind, ...]
    rows: tuple[CardRow, ...]


def render_card(way: HouseWay, rules: tuple[RuleOnCard, ...] | None = None) -> str:
    """Return the page as a self-contained HTML file.

    Args:
        way: the House Way.
        rules: those of `rules_on_card`, if they are known already.

    Raises:
        UndecidedError: the House Way leaves a deal without a setting.
    """
    return _TEMPLATES.get_template("card.html").render(
        way=way,
        rules=rules_on_card(way) if rules is None else rules,
        remedies=[
            str(remedies_words(way.remedies(whose)))
            for whose in (way.irregularities.hands if way.irregularities else ())
        ],
        sections=[(first, list(there)) for first, there in groupby(blocks(way), key=lambda block: block.first)],
        uneven=_set_by_face(way),
        chosen=_left_to_the_dealer(way),
        read_on=way.decide(Deal.parse(_READ_ON)),
        deals=HANDS,
    )


def rules_on_card(way: HouseWay) -> tuple[RuleOnCard, ...]:
    """Return the rules in order of priority; examples come from the first and the last quarter of each rule's deals."""
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
    one, other = decisions[len(decisions) // 4], decisions[len(decisions) * 3 // 4]
    return (one,) if one.deal.kinds == other.deal.kinds else (one, other)


def blocks(way: HouseWay) -> tuple[Block, ...]:
    """Return the settings of all 3,620 kinds of deal, by the two highest tiles."""
    uneven = {deal.kinds for deal in _set_by_face(way)}
    chosen = {decision.deal.kinds for decision in _left_to_the_dealer(way)}
    high = {deal.kinds: "*" if deal.kinds in uneven else _high_places(deal, way.table[deal]) for deal in all_deals()}
    high |= dict.fromkeys(chosen, "d")
    cells = [CardCell(kinds, high[kinds]) for kinds in sorted(high)]
    return tuple(_block(list(there)) for _, there in groupby(cells, key=lambda cell: cell.kinds[:2]))


def _block(cells: list[CardCell]) -> Block:
    columns = tuple(sorted({cell.kinds[3] for cell in cells}))
    rows = [tuple(there) for _, there in groupby(cells, key=lambda cell: cell.kinds[2])]
    first, second = cells[0].kinds[:2]
    return Block(
        first, second, columns, tuple(CardRow(row[0].kinds[2], columns.index(row[0].kinds[3]), row) for row in rows)
    )


def _high_places(deal: Deal, setting: Setting) -> str:
    """Return the positions of the high hand's tiles among the four, by rank; of two equal ranks the first."""
    kinds: list[Kind | None] = list(deal.kinds)
    places = []
    for tile in setting.high.tiles:
        place = kinds.index(tile.kind)
        kinds[place] = None
        places.append(place + 1)
    return "".join(map(str, sorted(places)))


def _set_by_face(way: HouseWay) -> dict[Deal, Setting]:
    """Return the deals whose setting depends on faces, not only on ranks."""
    by_kinds: dict[Kinds, list[Deal]] = defaultdict(list)
    for deal in all_deals():
        by_kinds[deal.kinds].append(deal)
    return {
        deal: way.table[deal]
        for deals in by_kinds.values()
        if len({way.table[each].ranks for each in deals}) > 1
        for deal in deals
    }


def _left_to_the_dealer(way: HouseWay) -> tuple[Decision, ...]:
    """Return the deals on which the dealer may choose, one for each kind."""
    by_kinds: dict[Kinds, Decision] = {}
    for deal, decision in way.decisions.items():
        if decision.choices:
            by_kinds.setdefault(deal.kinds, decision)
    return tuple(by_kinds.values())


_TEMPLATES = Environment(
    loader=FileSystemLoader(WEB / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals.update(
    tile=tile_use,
    symbols=tile_symbols,
    short=SHORT,
    face=lambda kind: str(next(tile for tile in Tile if tile.kind is kind)),
    version=__version__,
)
_TEMPLATES.filters.update(
    unbroken=lambda words: re.sub("(High|Low) ", "\\1\N{NO-BREAK SPACE}", words),  # as in High 8
    definition_words=definition_words,
)
