"""The tiles: 21 faces of 16 ranks, 32 in a set, and their written form."""

from __future__ import annotations

import re
from enum import Enum, IntEnum
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from engine.errors import TileError
from engine.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kind(IntEnum):
    """The rank of a single tile, 1 the highest; the two tiles of one rank make a ranking pair.

    All books rank the tiles alike (crown-6.1 3.4, Appendix 1: Pairs, Individual; nz-1998 4.3, Appendix 2: Pairs,
    Appendix 3;
    star-2024 3.2, Appendix 1: Pairs; uk-poster point 1, point 7, Ranking chart); The Star's list of single
    tiles is missing (ruling 37).
    """

    TEEN = 1
    DAY = 2
    HIGH_8 = 3
    HIGH_4 = 4
    HIGH_10 = 5
    HIGH_6 = 6
    LOW_4 = 7
    ELEVEN = 8
    LOW_10 = 9
    HIGH_7 = 10
    LOW_6 = 11
    NINE = 12
    LOW_8 = 13
    LOW_7 = 14
    FIVE = 15
    GEE_JUN = 16

    @property
    def label(self) -> str:
        """The name the rulebooks use, such as ``High 8`` or ``nine``."""
        return _KIND_LABELS[self]

    @property
    def plural(self) -> str:
        """The name of the pair, such as ``High 8s`` or ``nines``."""
        return self.label if self is Kind.GEE_JUN else f"{self.label}s"


_KIND_LABELS = {
    Kind.TEEN: "Teen",
    Kind.DAY: "Day",
    Kind.HIGH_8: "High 8",
    Kind.HIGH_4: "High 4",
    Kind.HIGH_10: "High 10",
    Kind.HIGH_6: "High 6",
    Kind.LOW_4: "Low 4",
    Kind.ELEVEN: "eleven",
    Kind.LOW_10: "Low 10",
    Kind.HIGH_7: "High 7",
    Kind.LOW_6: "Low 6",
    Kind.NINE: "nine",
    Kind.LOW_8: "Low 8",
    Kind.LOW_7: "Low 7",
    Kind.FIVE: "five",
    Kind.GEE_JUN: "Gee Jun",
}

_WRITTEN = re.compile(r"\s*([0-9])\s*[-/:]?\s*([0-9])\s*")


class Tile(Enum):
    """One of the 21 faces, highest rank first; the two Teens are identical, so they are one face with two copies.

    The order of the members is part of the contract: models number their classes by it. The faces are those of
    nz-1998 3.3(a)(i).

    >>> Tile.parse("3-6").points, str(Tile.TEEN), Tile.TEEN.copies
    (9, '6-6', 2)
    """

    TEEN = (6, 6, Kind.TEEN)
    DAY = (1, 1, Kind.DAY)
    HIGH_8 = (4, 4, Kind.HIGH_8)
    HIGH_4 = (3, 1, Kind.HIGH_4)
    HIGH_10 = (5, 5, Kind.HIGH_10)
    HIGH_6 = (3, 3, Kind.HIGH_6)
    LOW_4 = (2, 2, Kind.LOW_4)
    ELEVEN = (6, 5, Kind.ELEVEN)
    LOW_10 = (6, 4, Kind.LOW_10)
    HIGH_7 = (6, 1, Kind.HIGH_7)
    LOW_6 = (5, 1, Kind.LOW_6)
    NINE_63 = (6, 3, Kind.NINE)
    NINE_54 = (5, 4, Kind.NINE)
    EIGHT_62 = (6, 2, Kind.LOW_8)
    EIGHT_53 = (5, 3, Kind.LOW_8)
    SEVEN_52 = (5, 2, Kind.LOW_7)
    SEVEN_43 = (4, 3, Kind.LOW_7)
    FIVE_41 = (4, 1, Kind.FIVE)
    FIVE_32 = (3, 2, Kind.FIVE)
    GEE_JUN_42 = (4, 2, Kind.GEE_JUN)
    GEE_JUN_21 = (2, 1, Kind.GEE_JUN)

    halves: tuple[int, int]
    kind: Kind
    points: int
    index: int

    def __init__(self, larger: int, smaller: int, kind: Kind) -> None:
        """Unpack the member's value; ``points`` counts the pips, before a Gee Jun tile is read as 3 or 6."""
        self.halves = (larger, smaller)
        self.kind = kind
        self.points = larger + smaller
        self.index = len(type(self).__members__)

    # Members are singletons, so identity suffices as hash and is much faster than Enum's hash of the name.
    __hash__ = object.__hash__

    @property
    def copies(self) -> int:
        """Number of tiles in the set with this face: two civil, one military."""
        return 1 if self.kind in _MIXED else 2

    @property
    def label(self) -> str:
        """Face and name, such as ``6-6 (Teen)``."""
        return f"{self} ({self.kind.label})"

    def __str__(self) -> str:
        """The written form, larger half first: ``6-5``."""
        return f"{self.halves[0]}-{self.halves[1]}"

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Read a tile written as its two halves: ``6-5``, ``5-6`` or ``65``.

        Raises:
            TileError: the text matches no face; the message says why.
        """
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise TileError(
                message(
                    "{tile} is not a tile: write the pips of its two halves, for example 6-5 or 1-1", tile=repr(text)
                )
            )
        first, second = int(match[1]), int(match[2])
        for half in (first, second):
            if not 1 <= half <= 6:
                raise TileError(
                    message(
                        "{tile} is not a tile: each half bears 1 to 6 pips, not {half}; for example 6-5",
                        tile=repr(text),
                        half=half,
                    )
                )
        return _by_halves()[max(first, second), min(first, second)]


_MIXED = frozenset({Kind.NINE, Kind.LOW_8, Kind.LOW_7, Kind.FIVE, Kind.GEE_JUN})
"""Kinds whose pair consists of two different faces, one of each in the set."""


@cache
def _by_halves() -> dict[tuple[int, int], Tile]:
    return {tile.halves: tile for tile in Tile}


def readings_of(names: Iterable[str]) -> tuple[tuple[Tile, ...], ...]:
    """Read tiles by face or by name; each way to read them, if a number stands for a high and a low tile.

    Of a mixed pair, the first of the two faces stands for a single tile.

    >>> [" ".join(map(str, tiles)) for tiles in readings_of(["teen", "day", "9", "8"])]
    ['6-6 1-1 6-3 4-4', '6-6 1-1 6-3 6-2']

    Raises:
        TileError: a name matches no tile.
    """
    kinds = [_named(name) for name in names]
    ways: dict[tuple[Tile, ...], None] = {}
    for chosen in product(*kinds):
        taken: list[Tile] = []
        for one in chosen:
            faces = [one] if isinstance(one, Tile) else [tile for tile in Tile if tile.kind is one]
            taken.append(next((face for face in faces if taken.count(face) < face.copies), faces[0]))
        ways[tuple(taken)] = None
    return tuple(ways)


def _named(name: str) -> tuple[Tile | Kind, ...]:
    word = re.sub(r"[ _-]", "", name.casefold())
    found = tuple(kind for kind in Kind if word in _words_of(kind))
    if found:
        return found
    if _WRITTEN.fullmatch(name):
        return (Tile.parse(name),)
    raise TileError(
        f"{name!r} is not a tile: write the pips of its two halves, such as 6-5, or its name, such as teen, h8 or nine"
    )


@cache
def _words_of(kind: Kind) -> frozenset[str]:
    """The words for a kind of tile, without spaces and in lower case."""
    label = kind.label.casefold().replace(" ", "")
    first, _, number = kind.label.casefold().partition(" ")
    words = {label, f"{first[0]}{number}", number} if number.isdecimal() else {label, first}
    return frozenset(words | {str(points) for points in _POINTS_OF.get(kind, ())})


_POINTS_OF = {Kind.NINE: (9,), Kind.FIVE: (5,)}
"""Kinds that a number alone names."""

FULL_SET: tuple[Tile, ...] = tuple(tile for tile in Tile for _ in range(tile.copies))
"""The 32 tiles in rank order; a face with two copies appears twice.

crown-6.1 2.3; nz-1998 3.3(a); star-2024 3.1; star-classic 3.1; uk-poster point 1.
"""
