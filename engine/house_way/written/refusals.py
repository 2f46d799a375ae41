"""The reason given for refusing a setting: written by the owner, or generated from the rule's steps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.game.hands import Described
from engine.house_way.reasons import OWN_SETTING, Titled
from engine.house_way.written.phrases import PhraseError, displayable
from engine.messages import Message, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.game.setting import Setting
    from engine.house_way.written.steps import SetStep

_BRACED = re.compile(r"\{([^{}]*)\}?|\}")


_PLACEHOLDERS: dict[str, Callable[[Setting, Setting], Described | Titled | Setting | int]] = {
    "low": lambda one, _: Titled(one.low),
    "high": lambda one, _: Titled(one.high),
    "low points": lambda one, _: one.low.points,
    "high points": lambda one, _: one.high.points,
    "low hand": lambda one, _: Described(one.low),
    "high hand": lambda one, _: Described(one.high),
    "right": lambda _, right: right,
    "right low": lambda _, right: Titled(right.low),
    "right high": lambda _, right: Titled(right.high),
    "right low points": lambda _, right: right.low.points,
    "right high points": lambda _, right: right.high.points,
}
"""Placeholders in braces, about the refused or the right setting."""


@dataclass(frozen=True, slots=True)
class WrittenRefusal:
    """The owner's text, with placeholders about the refused or the right setting."""

    text: str

    def __call__(self, refused: Setting, right: Setting) -> Message:
        named = [found[1] for found in _BRACED.finditer(self.text)]
        return Message(self.text, {name: _PLACEHOLDERS[name](refused, right) for name in named})


def written_refusal(text: str) -> WrittenRefusal:
    """Parse the owner's text and its placeholders.

    Raises:
        PhraseError: an unknown placeholder, or an unbalanced brace.
    """
    for found in _BRACED.finditer(text):
        if found[1] not in _PLACEHOLDERS or not found[0].endswith("}"):
            known = ", ".join(f"{{{name}}}" for name in _PLACEHOLDERS)
            raise PhraseError(
                found.start(),
                message(
                    "{name} is not known; what may stand in braces: {known}", name=displayable(found[0]), known=known
                ),
            )
    return WrittenRefusal(text)


def refusal_of_steps(steps: tuple[SetStep, ...], *, own_setting: bool) -> Callable[[Setting, Setting], Message]:
    """The reason of the first filter that rejects a setting.

    Args:
        steps: of the rule.
        own_setting: whether the rule sets four specific tiles, which is then the reason.
    """
    filters = [each for step in steps for each in step.filters]

    def reason(refused: Setting, right: Setting) -> Message:
        if own_setting:
            return Message(OWN_SETTING, {"right": right})
        speaks = next((each for each in filters if each.against(refused, right)), filters[-1])
        return speaks.why(refused, right)

    return reason
