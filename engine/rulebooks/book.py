"""A rulebook as one object: every section of a document that the game is decided by, each fact with its citation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.house_way import get

if TYPE_CHECKING:
    from engine.banking import Banking
    from engine.house_way import HouseWay
    from engine.play import Play
    from engine.sources import Source


@dataclass(frozen=True, eq=False)
class Rulebook:
    """What one document says about the game.

    Attributes:
        source: the document.
        banking: the bank.
        play: the course of a round.
        prints_house_way: whether it prints a House Way of its own; else a table names one in its configuration
            (ruling 12).
    """

    source: Source
    banking: Banking
    play: Play
    prints_house_way: bool = True

    @property
    def id(self) -> str:
        """The id, such as ``crown-6.1``."""
        return self.source.rulebook

    def house_way(self, named: str | None = None) -> HouseWay:
        """The House Way played under this book.

        Args:
            named: the one that the table's configuration names, where the book prints none.

        Raises:
            UnknownRulebookError: the book prints none and none is named, or the named one is not known.
        """
        return get(self.id if named is None else named)
