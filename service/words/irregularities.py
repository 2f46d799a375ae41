"""Sentences about what went wrong at the table and what a rulebook has for it.

The words of the rules are quoted as the books declare them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.vocabulary.citations import read_under
from engine.vocabulary.facts import Whose

if TYPE_CHECKING:
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy


def happened(found: Remedies) -> str:
    """What happened, and whose hand it was where that is known."""
    return f"{found.irregularity.value}{f' ({found.whose.value})' if found.whose else ''}"


def remedies_words(found: Remedies) -> str:
    """What to do now, in sentences; who does it is named where the book is silent."""
    if not found.options and found.whose is not None:
        return f"{found.rulebook} does not say what to do about {found.whose.value}: the supervisor decides."
    options = [remedy_words(found, option) for option in found.options]
    if not found.silent:
        return " ".join(options)
    named = [f"{option.by.words}: {words}" for option, words in zip(found.options, options, strict=True)]
    opening = f"{found.rulebook} does not say what to do when {happened(found)}: the supervisor decides."
    return " ".join([opening, *named])


def remedy_words(found: Remedies, option: Remedy) -> str:
    """One of the options, with its citation; until when, or both sides of an event where the moment is not known."""
    spoken_of = (found.whose,) if found.whose else tuple(each for each in Whose if each in option.whose)
    hand = " or ".join(each.value for each in spoken_of) or "the hand"
    words = (f"where {option.where}: " if option.where else "") + option.action.format(hand=hand)
    if found.reached is not None and option.before:
        words += f" now: this is allowed until {option.before.value}"
    else:
        words += f" once {option.after.value}" if option.after else ""
        words += f", unless {option.before.value}" if option.before else ""
    cited = filter(None, (option.cite, *(cite.section for cite in option.also), read_under(option.rulings)))
    return f"{words[0].upper()}{words[1:]} ({', '.join(cited)})."
