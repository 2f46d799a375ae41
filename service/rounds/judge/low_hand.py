"""Which lay is low at a table: as its settings say, else as its rulebook has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.vocabulary.play import Lie

if TYPE_CHECKING:
    from engine.books.book import Rulebook


def low_hand_of(said: Lie | None, book: Rulebook | None) -> Lie:
    """How a low hand lies, as the dealer sees it; upright where neither table nor rulebook says (ruling 39)."""
    return said or (Lie.VERTICAL if book is None else book.play.low_hand.value)
