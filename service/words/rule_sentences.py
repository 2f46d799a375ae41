"""Sentences about House Ways, verdicts, irregularities and what a rulebook has for them.

The words of the rules, and their reasons for a refusal, are those that the books declare.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from engine.game.hands import Described, Name
from engine.game.setting import Setting
from engine.house_way.reasons import Called, Titled
from engine.messages import Listed, Message, Verbatim, written
from engine.observed.departures import Allowance
from engine.vocabulary.citations import Cite, where
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.remedy import Duty, Effect
from service.words.wording import BookText, Capitalised, Joined, Quote, Words, sentence, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game.hands import Hand
    from engine.house_way import Decision, Definition, Rule, Verdict
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy
    from service.words.wording import Sayable

_AND: Final = sentence(" and ")
_OR: Final = sentence(" or ")
_JOINED: Final = {"and": _AND, "or": _OR}
_LIST: Final = sentence(", ")
_OR_SETTING: Final = sentence("; or ")
_SETTINGS: Final = sentence("; ")

_EXCEPTIONS: Final = {
    Allowance.ALONE: sentence("No departure if one player plays alone against the House (%(rule)s)."),
    Allowance.BONUS_ONLY: sentence("No departure if only Bonus wagers lie on the tiles (%(rule)s)."),
    Allowance.CONCEDED_VIEWED: sentence("No departure if the %(by)s viewed the tiles of a conceded hand (%(rule)s)."),
    Allowance.CUT_ACCEPTED: sentence("No departure if the %(by)s accepted the cut (%(rule)s)."),
}

_CORRECT: Final = sentence("Correct it now. Too late once %(event)s (%(rules)s).")
_MAY_CORRECT: Final = sentence("It may be corrected now. Too late once %(event)s (%(rules)s).")
_CORRECT_UNLESS: Final = sentence("Correct it now, unless %(event)s: then leave it (%(rules)s).")
_MAY_CORRECT_UNLESS: Final = sentence("It may be corrected now, unless %(event)s: then leave it (%(rules)s).")
_HAS_HAPPENED: Final = {
    Milestone.FIRST_HAND_EXPOSED: sentence("Has the first player's hand been opened?"),
    Milestone.BANK_PUT_AWAY: sentence("Have the bank's tiles been put away?"),
}
"""The events until which some book lets a hand be corrected."""

THE_HAND: Final = "the hand"
"""Name of a hand whose owner is unknown."""


def irregularity_words(found: Remedies) -> Sayable:
    """Describe an irregularity, with the owner of the hand if known."""
    what = BookText(found.irregularity.value)
    return words("%(what)s (%(hand)s)", what=what, hand=BookText(found.whose.value)) if found.whose else what


def remedies_words(found: Remedies) -> Words:
    """Describe all remedies; if the book is silent, also who carries them out."""
    book = found.rulebook
    if not found.options and found.whose is not None:
        hand = BookText(found.whose.value)
        return words(
            "%(rulebook)s does not say what to do about %(hand)s: the supervisor decides.", rulebook=book, hand=hand
        )
    made = [remedy_words(found, option) for option in found.options]
    if found.silent:
        made = [
            words(
                "%(rulebook)s does not say what to do when %(happened)s: the supervisor decides.",
                rulebook=book,
                happened=irregularity_words(found),
            ),
            *(
                words("%(by)s: %(remedy)s", by=BookText(option.by.words), remedy=remedy)
                for option, remedy in zip(found.options, made, strict=True)
            ),
        ]
    return _sentences(made)


def remedies_of_causes_words(found: Iterable[Remedies], exceptions: Iterable[Words] = ()) -> Words:
    """Describe the remedies for each possible cause of what was seen, after exceptions under which none is needed."""
    causes = list(found)
    made = [remedies_words(each) for each in causes]
    if len(causes) > 1:
        made = [
            words("If %(happened)s: %(remedies)s", happened=irregularity_words(each), remedies=remedies)
            for each, remedies in zip(causes, made, strict=True)
        ]
    return _sentences([*exceptions, *made])


def exception_words(allowance: Allowance, rule: str, by: str = "") -> Words:
    """Describe a lawful exception that a camera cannot rule out."""
    return words(_EXCEPTIONS[allowance], rule=rule, by=BookText(by))


def remedy_words(found: Remedies, option: Remedy) -> Words:
    """Describe a remedy as `action_words` do, with its citation."""
    cited: list[Sayable | str] = [option.cite, *(cite.section for cite in option.also)]
    if option.rulings:
        cited.append(rulings_words(option.rulings))
    action = Capitalised(action_words(found, option))
    return words("%(remedy)s (%(rules)s).", remedy=action, rules=Joined(cited, _LIST))


def action_words(found: Remedies, option: Remedy) -> Sayable:
    """Describe what to do, with its deadline, and with the condition of its moment if that is unknown."""
    owners = (found.whose,) if found.whose else tuple(each for each in Whose if each in option.whose)
    hand = Joined([BookText(each.value) for each in owners], _LIST, _OR) if owners else BookText(THE_HAND)
    action: Sayable = BookText(option.action, {"hand": hand})
    if option.where:
        action = words("where %(where)s: %(action)s", where=BookText(option.where), action=action)
    unknown = found.progress.unknown
    if option.after in unknown:
        action = words("%(action)s if %(event)s", action=action, event=BookText(option.after.value))
    if option.before in unknown:
        action = words("%(action)s, unless %(event)s", action=action, event=BookText(option.before.value))
    elif option.before and option.duty is Duty.MUST:
        action = words("%(action)s now, before %(event)s", action=action, event=BookText(option.before.value))
    elif option.before:
        event = BookText(option.before.value)
        action = words("%(action)s now: this is allowed until %(event)s", action=action, event=event)
    return action


def rulings_words(rulings: tuple[int, ...]) -> Words:
    """Return the rulings that interpret a rule."""
    numbers = Joined([str(each) for each in rulings], _LIST, _AND)
    if len(rulings) == 1:
        return words("read under ruling %(number)s", number=numbers)
    return words("read under rulings %(numbers)s", numbers=numbers)


def rule_words(rule: Rule) -> Words:
    """Return citation and text of a rule, and the rulings that interpret it."""
    under = words(" (%(more)s)", more=rulings_words(rule.rulings)) if rule.rulings else ""
    return words("%(rule)s: %(text)s%(under)s.", rule=rule.cite, text=BookText(rule.text.rstrip(".")), under=under)


def definition_words(definition: Definition) -> str:
    """Return a term defined by a House Way, with its meaning."""
    return f"{definition.word}: {definition.text} ({where(definition.cite, definition.rulings)})."


def hand_words(hand: Hand) -> Sayable:
    """Describe a hand, such as ``pair of nines`` or ``7 with the High 8``."""
    if hand.name is not Name.POINTS:
        return BookText(hand.describe())
    return words("%(points)s with the %(tile)s", points=hand.points, tile=BookText(hand.first.kind.label))


def setting_words(setting: Setting) -> Words:
    """Describe both hands of a setting."""
    return words(
        "low %(low)s (%(low_hand)s), high %(high)s (%(high_hand)s)",
        low=str(setting.low),
        low_hand=hand_words(setting.low),
        high=str(setting.high),
        high_hand=hand_words(setting.high),
    )


def refusal_words(refused: Setting, rule: Rule, chosen: Setting) -> Words:
    """Explain why a rule refuses a setting in favour of the House Way's."""
    return words("%(reason)s (%(rule)s)", reason=message_words(rule.reason(refused, chosen)), rule=rule.cite)


def decision_words(decision: Decision) -> Words:
    """Describe how four tiles are set, and by which rules."""
    made = [words("Set %(setting)s.", setting=setting_words(decision.setting)), rule_words(decision.rule)]
    if decision.choices:
        settings = Joined([setting_words(one) for one in (decision.setting, *decision.choices)], _OR_SETTING)
        made[0] = words("The dealer may choose: %(settings)s.", settings=settings)
    if len(decision.steps) > 1:
        made.append(words("Before it, %(rules)s", rules=_sentences(map(rule_words, decision.steps[:-1]))))
    if decision.alike:
        alike = Joined([_faces(one) for one in decision.alike], _SETTINGS)
        made.append(words("Equally correct, because both hands rank the same: %(settings)s.", settings=alike))
    return _sentences(made)


def verdict_words(verdict: Verdict, *, laid_other_way: bool = False) -> Words:
    """Describe whether a hand is set the House Way, and how it should be; without a remedy.

    Args:
        verdict: on the hand.
        laid_other_way: whether the hand laid as the low hand outranks the other.
    """
    hand, laid, decision = Capitalised(BookText(verdict.whose.value)), setting_words(verdict.laid), verdict.decision
    if verdict.refused_by is None:
        count = len(decision.ranks)
        chosen = (
            words(", one of %(count)s settings that the dealer may choose", count=count) if decision.choices else ""
        )
        rule = rule_words(decision.rule)
        made = words(
            "%(hand)s is set the House Way: %(laid)s%(chosen)s. %(rule)s",
            hand=hand,
            laid=laid,
            chosen=chosen,
            rule=rule,
        )
    else:
        made = words(
            "%(hand)s is not set the House Way. As laid, %(laid)s: %(why)s. %(decision)s",
            hand=hand,
            laid=laid,
            why=refusal_words(verdict.laid, verdict.refused_by, decision.setting),
            decision=decision_words(decision),
        )
    note = words("The pair laid as the low hand ranks above the other pair, so it was judged as the high hand.")
    return _sentences([made, note]) if laid_other_way else made


def correction_words(found: Remedies) -> Words:
    """Say in one imperative what to do about a wrongly set hand, at the moment of these remedies."""
    fix, stands = found.first(Effect.AS_SET_NOW), found.first(Effect.RESULTS_STAND)
    if fix is None and stands is None:
        return remedies_words(found)
    if fix is None:
        return words(
            "Leave it: too late to correct, since %(event)s (%(rules)s).",
            event=_event(stands.after if stands else None),
            rules=_cited(stands),
        )
    must = fix.duty is Duty.MUST
    if stands is not None:
        text = _CORRECT_UNLESS if must else _MAY_CORRECT_UNLESS
        return words(text, event=_event(fix.before), rules=_cited(fix, stands))
    if fix.before is not None:
        return words(_CORRECT if must else _MAY_CORRECT, event=_event(fix.before), rules=_cited(fix))
    return _sentences([remedy_words(found, option) for option in found.options])


def stage_question(found: Remedies) -> Sayable | None:
    """The question on which it depends whether a hand is corrected or left; None where that is known."""
    fix, stands = found.first(Effect.AS_SET_NOW), found.first(Effect.RESULTS_STAND)
    if fix is None or stands is None or fix.before is None:
        return None
    return words(_HAS_HAPPENED[fix.before])


def _event(milestone: Milestone | None) -> BookText:
    return BookText((milestone or Milestone.ROUND_OVER).value)


def _cited(*options: Remedy | None) -> Joined:
    return Joined(list(dict.fromkeys(option.cite for option in options if option is not None)), _LIST)


def _sentences(parts: Iterable[Words]) -> Words:
    return reduce(lambda one, following: words("%(one)s %(next)s", one=one, next=following), parts)


def _faces(setting: Setting) -> Words:
    return words("%(low)s / %(high)s", low=str(setting.low), high=str(setting.high))


def message_words(said: str) -> Sayable:
    """Return a message of the engine as a translatable sentence; other text is of a book or of a casino's own file."""
    if isinstance(said, Listed):
        parts = [_in_a_message(part) for part in said.parts]
        return Joined(parts, _SETTINGS) if said.joined == ";" else Joined(parts, _LIST, _JOINED[said.joined])
    if isinstance(said, Message):
        return BookText(said.text, {name: _in_a_message(value) for name, value in said.fields.items()})
    return BookText(said)


def _in_a_message(value: object) -> Sayable | str:
    if isinstance(value, Setting):
        return _faces(value)
    if isinstance(value, Described):
        return hand_words(value.hand)
    if isinstance(value, Titled | Called):
        if value.hand.name is not Name.POINTS:
            return BookText(value.hand.title)
        points = value.hand.points
        return str(points) if isinstance(value, Titled) else words("hand of %(points)s", points=points)
    if isinstance(value, Verbatim):
        return Quote(str(value))
    return message_words(value) if isinstance(value, str) and not isinstance(value, Cite) else written(value)
