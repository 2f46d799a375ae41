"""Sentences about how a House Way sets four tiles and whether a hand is set so.

The words of the rules, and their reasons for a refusal, are quoted as the books declare them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.vocabulary.citations import read_under, where
from service.words.irregularities import remedies_words

if TYPE_CHECKING:
    from engine.game.setting import Setting
    from engine.house_way import Decision, Definition, Rule, Verdict


def rule_words(rule: Rule) -> str:
    """Citation, text, and the rulings under which the rule is read."""
    under = f" ({read_under(rule.rulings)})" if rule.rulings else ""
    return f"{rule.cite}: {rule.text.rstrip('.')}{under}."


def definition_words(definition: Definition) -> str:
    """A word of a House Way's own and what it means."""
    return f"{definition.word}: {definition.text} ({where(definition.cite, definition.rulings)})."


def refusal_words(refused: Setting, rule: Rule, chosen: Setting) -> str:
    """Why a rule refuses a setting, where the House Way chose another."""
    return f"{rule.reason(refused, chosen)} ({rule.cite})"


def decision_words(decision: Decision) -> str:
    """How four tiles are set, and by which rules."""
    words = [f"Set {decision.setting.describe()}.", rule_words(decision.rule)]
    if decision.choices:
        others = "; or ".join(setting.describe() for setting in decision.choices)
        words[0] = f"The dealer may choose: {decision.setting.describe()}; or {others}."
    if len(decision.steps) > 1:
        words.append(f"Before it, {' '.join(map(rule_words, decision.steps[:-1]))}")
    if decision.alike:
        words.append(f"Just as good, since both hands rank the same: {'; '.join(map(str, decision.alike))}.")
    return " ".join(words)


def verdict_words(verdict: Verdict) -> str:
    """Whether a hand is set the House Way, and how it should be; without what the book has for it."""
    hand, laid, decision = verdict.whose.value, verdict.laid, verdict.decision
    hand = hand[0].upper() + hand[1:]
    if verdict.refused_by is None:
        chosen = f", one of {len(decision.ranks)} settings that the dealer may choose" if decision.choices else ""
        return f"{hand} lies the House Way: {laid.describe()}{chosen}. {rule_words(decision.rule)}"
    why = refusal_words(laid, verdict.refused_by, decision.setting)
    return f"{hand} is not set the House Way. As laid, {laid.describe()}: {why}. {decision_words(decision)}"


def verdict_remedy(verdict: Verdict) -> str | None:
    """What may be done about the hand; None where it is set right."""
    return None if verdict.remedies is None else remedies_words(verdict.remedies)
