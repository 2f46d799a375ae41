"""Sentences about how a House Way sets four tiles and whether a hand is set so.

The words of the rules, and their reasons for a refusal, are those that the books declare.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from engine.game.hands import Name
from engine.game.setting import Setting
from engine.house_way.reasons import Called, Described, Titled, Why
from engine.vocabulary.citations import where
from service.words.irregularities import remedies_words, rulings_words
from service.words.wording import BookText, Capitalised, Joined, Words, sentence, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game.hands import Hand
    from engine.house_way import Decision, Definition, Rule, Verdict
    from service.words.wording import Sayable

_OR: Final = sentence("; or ")
_LIST: Final = sentence("; ")


def rule_words(rule: Rule) -> Words:
    """Citation, text, and the rulings under which the rule is read."""
    under = words(" (%(rulings)s)", rulings=rulings_words(rule.rulings)) if rule.rulings else ""
    return words("%(rule)s: %(text)s%(under)s.", rule=rule.cite, text=BookText(rule.text.rstrip(".")), under=under)


def definition_words(definition: Definition) -> str:
    """A word of a House Way's own and what it means."""
    return f"{definition.word}: {definition.text} ({where(definition.cite, definition.rulings)})."


def hand_words(hand: Hand) -> Sayable:
    """What a hand is, such as ``pair of nines`` or ``7 with the High 8``."""
    if hand.name is not Name.POINTS:
        return BookText(hand.describe())
    return words("%(points)s with the %(tile)s", points=hand.points, tile=BookText(hand.first.kind.label))


def setting_words(setting: Setting) -> Words:
    """Both hands of a setting, and what they are."""
    return words(
        "low %(low)s (%(low_hand)s), high %(high)s (%(high_hand)s)",
        low=str(setting.low),
        low_hand=hand_words(setting.low),
        high=str(setting.high),
        high_hand=hand_words(setting.high),
    )


def refusal_words(refused: Setting, rule: Rule, chosen: Setting) -> Words:
    """Why a rule refuses a setting, where the House Way chose another."""
    return words("%(reason)s (%(rule)s)", reason=_reason(rule.reason(refused, chosen)), rule=rule.cite)


def decision_words(decision: Decision) -> Words:
    """How four tiles are set, and by which rules."""
    told = [words("Set %(setting)s.", setting=setting_words(decision.setting)), rule_words(decision.rule)]
    if decision.choices:
        settings = Joined([setting_words(one) for one in (decision.setting, *decision.choices)], _OR)
        told[0] = words("The dealer may choose: %(settings)s.", settings=settings)
    if len(decision.steps) > 1:
        told.append(words("Before it, %(rules)s", rules=_sentences(map(rule_words, decision.steps[:-1]))))
    if decision.alike:
        alike = Joined([_faces(one) for one in decision.alike], _LIST)
        told.append(words("Equally correct, because both hands rank the same: %(settings)s.", settings=alike))
    return _sentences(told)


def verdict_words(verdict: Verdict, *, laid_other_way: bool = False) -> Words:
    """Whether a hand is set the House Way, and how it should be; without what the book has for it.

    Args:
        verdict: on the hand.
        laid_other_way: whether the hand that lay as the low one outranks the other.
    """
    hand, laid, decision = Capitalised(BookText(verdict.whose.value)), setting_words(verdict.laid), verdict.decision
    if verdict.refused_by is None:
        count = len(decision.ranks)
        chosen = (
            words(", one of %(count)s settings that the dealer may choose", count=count) if decision.choices else ""
        )
        rule = rule_words(decision.rule)
        told = words(
            "%(hand)s is set the House Way: %(laid)s%(chosen)s. %(rule)s",
            hand=hand,
            laid=laid,
            chosen=chosen,
            rule=rule,
        )
    else:
        told = words(
            "%(hand)s is not set the House Way. As laid, %(laid)s: %(why)s. %(decision)s",
            hand=hand,
            laid=laid,
            why=refusal_words(verdict.laid, verdict.refused_by, decision.setting),
            decision=decision_words(decision),
        )
    note = words("The pair laid as the low hand ranks above the other pair, so it was judged as the high hand.")
    return _sentences([told, note]) if laid_other_way else told


def verdict_remedy(verdict: Verdict) -> Words | None:
    """What may be done about the hand; None where it is set right."""
    return None if verdict.remedies is None else remedies_words(verdict.remedies)


def _sentences(all_of_them: Iterable[Words]) -> Words:
    return reduce(lambda one, following: words("%(one)s %(next)s", one=one, next=following), all_of_them)


def _faces(setting: Setting) -> Words:
    return words("%(low)s / %(high)s", low=str(setting.low), high=str(setting.high))


def _reason(why: str) -> BookText:
    if not isinstance(why, Why):
        return BookText(why)
    return BookText(why.text, {name: _in_a_reason(value) for name, value in why.fields.items()})


def _in_a_reason(value: Described | Titled | Called | Setting | int | str) -> object:
    if isinstance(value, Setting):
        return _faces(value)
    if isinstance(value, Described):
        return hand_words(value.hand)
    if isinstance(value, Titled | Called):
        if value.hand.name is not Name.POINTS:
            return BookText(value.hand.title)
        points = value.hand.points
        return points if isinstance(value, Titled) else words("hand of %(points)s", points=points)
    return value if isinstance(value, int) else BookText(value)
