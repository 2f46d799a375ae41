"""Sentences about what went wrong at the table and what a rulebook has for it.

The words of the rules are those that the books declare.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Whose
from service.words.wording import BookText, Capitalised, Joined, sentence, words

if TYPE_CHECKING:
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy
    from service.words.wording import Sayable, Words

THE_HAND: Final = "the hand"
"""What stands for a hand whose owner is not known."""


def happened(found: Remedies) -> Sayable:
    """What happened, and whose hand it was where that is known."""
    what = BookText(found.irregularity.value)
    return words("%(what)s (%(hand)s)", what=what, hand=BookText(found.whose.value)) if found.whose else what


def remedies_words(found: Remedies) -> Words:
    """What to do now, in sentences; who does it is named where the book is silent."""
    book = found.rulebook
    if not found.options and found.whose is not None:
        hand = BookText(found.whose.value)
        return words(
            "%(rulebook)s does not say what to do about %(hand)s: the supervisor decides.", rulebook=book, hand=hand
        )
    told = [remedy_words(found, option) for option in found.options]
    if found.silent:
        told = [
            words(
                "%(rulebook)s does not say what to do when %(happened)s: the supervisor decides.",
                rulebook=book,
                happened=happened(found),
            ),
            *(
                words("%(by)s: %(remedy)s", by=BookText(option.by.words), remedy=remedy)
                for option, remedy in zip(found.options, told, strict=True)
            ),
        ]
    return reduce(lambda one, following: words("%(one)s %(next)s", one=one, next=following), told)


def remedy_words(found: Remedies, option: Remedy) -> Words:
    """One of the options, with its citation; until when, or both sides of an event where the moment is not known."""
    spoken_of = (found.whose,) if found.whose else tuple(each for each in Whose if each in option.whose)
    hand = Joined([BookText(each.value) for each in spoken_of], _LIST, _OR) if spoken_of else BookText(THE_HAND)
    told: Sayable = BookText(option.action, {"hand": hand})
    if option.where:
        told = words("where %(where)s: %(action)s", where=BookText(option.where), action=told)
    if found.reached is not None and option.before:
        event = BookText(option.before.value)
        told = words("%(action)s now: this is allowed until %(event)s", action=told, event=event)
    else:
        if option.after:
            told = words("%(action)s once %(event)s", action=told, event=BookText(option.after.value))
        if option.before:
            told = words("%(action)s, unless %(event)s", action=told, event=BookText(option.before.value))
    cited: list[Sayable | str] = [option.cite, *(cite.section for cite in option.also)]
    if option.rulings:
        cited.append(rulings_words(option.rulings))
    return words("%(remedy)s (%(rules)s).", remedy=Capitalised(told), rules=Joined(cited, _LIST))


def rulings_words(rulings: tuple[int, ...]) -> Words:
    """The rulings that a rule is read under."""
    numbers = Joined([str(each) for each in rulings], _LIST, _AND)
    if len(rulings) == 1:
        return words("read under ruling %(number)s", number=numbers)
    return words("read under rulings %(numbers)s", numbers=numbers)


_AND: Final = sentence(" and ")
_OR: Final = sentence(" or ")
_LIST: Final = sentence(", ")
