"""The texts of the rulebooks: which there are, and what they are in other languages.

The rulebooks are declared in English, and the English is the authority. A catalogue translates every text that a page
can show; what a casino's own House Way adds has no translation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.books.registry import VERSIONS
from engine.game.hands import Hand, Name
from engine.game.tiles import Kind, Tile
from engine.house_way import HouseWay
from engine.house_way.reasons import STEP_REASONS
from engine.house_way.written.refusals import WrittenRefusal
from engine.house_way.written.steps import SIDES
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from service.words.irregularities import THE_HAND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.books.book import Rulebook

_HAND: Final = "{hand}"


def book_texts() -> frozenset[str]:
    """Every text of the rulebooks, in all their versions, with the names of its fields in braces."""
    books = [book for versions in VERSIONS.values() for book in versions]
    return frozenset(
        {
            *(text for book in books for text in _declared(book)),
            *(each.value for kind in (Irregularity, Effect, Milestone, Whose) for each in kind),
            *(kind.label for kind in Kind),
            *_named_hands(),
            *STEP_REASONS,
            *SIDES,
            THE_HAND,
        }
    )


def forms(english: str, translated: str) -> Iterator[tuple[str, str]]:
    """A text and its translation in all forms in which records and sentences have it: with each hand, unfinished."""
    yield english, translated
    if english.endswith("."):
        yield english.removesuffix("."), translated.removesuffix("\N{IDEOGRAPHIC FULL STOP}")


def with_hands(catalogue: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The texts about a hand, as records have them: with the hand that it was."""
    for english, translated in catalogue.items():
        if _HAND in english:
            for hand in (*(each.value for each in Whose), THE_HAND):
                yield english.replace(_HAND, hand), translated.replace(_HAND, catalogue[hand])


def _declared(book: Rulebook) -> Iterator[str]:
    rules = book.irregularities
    for option in (each for kinds in (rules.said, rules.silent) for options in kinds.values() for each in options):
        yield from filter(None, (option.action, option.where, option.by.words))
    yield from (each.label for each in book.cuts.named)
    if book.dice.doubt is not None:
        yield book.dice.doubt.value
    if isinstance(book.way, HouseWay):
        yield from (each.word for each in book.way.definitions)
        for rule in book.way.rules:
            yield rule.text
            if isinstance(rule.refusal, WrittenRefusal):
                yield rule.refusal.text


def _named_hands() -> Iterator[str]:
    """What hands are called that do not count as points."""
    for one in Tile:
        for other in Tile:
            if one is not other or one.copies > 1:
                hand = Hand(one, other)
                if hand.name is not Name.POINTS:
                    yield hand.describe()
                    yield hand.title
