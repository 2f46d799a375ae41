"""The reason that a rule gives for a setting it does not allow: the owner's own words, or those of its steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.house_way.written.phrases import PhraseError, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.game.hands import Hand
    from engine.game.setting import Setting
    from engine.house_way.written.steps import SetStep

_BRACED = re.compile(r"\{([^{}]*)\}?|\}")


def _title(hand: Hand) -> str:
    return hand.title


def _points(hand: Hand) -> str:
    return str(hand.points)


def _described(hand: Hand) -> str:
    return hand.describe()


_PLACEHOLDERS: dict[str, Callable[[Setting, Setting], str]] = {
    "low": lambda one, _: _title(one.low),
    "high": lambda one, _: _title(one.high),
    "low points": lambda one, _: _points(one.low),
    "high points": lambda one, _: _points(one.high),
    "low hand": lambda one, _: _described(one.low),
    "high hand": lambda one, _: _described(one.high),
    "right": lambda _, right: str(right),
    "right low": lambda _, right: _title(right.low),
    "right high": lambda _, right: _title(right.high),
    "right low points": lambda _, right: _points(right.low),
    "right high points": lambda _, right: _points(right.high),
}
"""What may stand in braces: of the setting refused, or of the right one."""


def written_refusal(text: str) -> Callable[[Setting, Setting], str]:
    """Read the owner's own words, with what is named in braces put in.

    Raises:
        PhraseError: something in braces that is not known, or a brace alone.
    """
    for found in _BRACED.finditer(text):
        if found[1] not in _PLACEHOLDERS or not found[0].endswith("}"):
            known = ", ".join(f"{{{name}}}" for name in _PLACEHOLDERS)
            raise PhraseError(found.start(), f"{shown(found[0])} is not known; what may stand in braces: {known}")

    def reason(refused: Setting, right: Setting) -> str:
        return _BRACED.sub(lambda found: _PLACEHOLDERS[found[1]](refused, right), text)

    return reason


def refusal_of_steps(steps: tuple[SetStep, ...], *, own_setting: bool) -> Callable[[Setting, Setting], str]:
    """The words of the first filter that speaks against a setting.

    Args:
        steps: of the rule.
        own_setting: whether the rule is about four tiles alone, and its reason is that they are set so.
    """
    filters = [each for step in steps for each in step.filters]

    def reason(refused: Setting, right: Setting) -> str:
        if own_setting:
            return f"these four tiles have a setting of their own: {right}"
        speaks = next((each for each in filters if each.against(refused, right)), filters[-1])
        return speaks.why(refused, right)

    return reason
