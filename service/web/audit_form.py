"""What a person sees of a drawn hand or throw, as the page's form sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.game.tiles import Tile
from service.table.audit.audit_log import SeenHand, SeenOther, SeenThrow
from service.web.decision_form import DICE_AT_MOST, PARTS
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.table.audit.audit_log import Seen

_VALUES: Final = ("1", "2", "3", "4", "5", "6")
_ROLES: Final = ("box", "cut")


class AnswerError(WordedError):
    """A form does not say what was seen."""


def read_answer(form: Mapping[str, str]) -> Seen | None:
    """What was seen; None if it could not be made out.

    Args:
        form: ``action`` is ``seen``, ``other`` or ``unseen``; ``low1`` to ``high2`` and, if it cannot be told which are
            low, ``unsplit``; or of a throw ``die1.value`` and ``die1.role`` and so on.

    Raises:
        AnswerError: it does not say all four tiles, or no die, or not what a die is for.
    """
    action = form.get("action")
    if action == "unseen":
        return None
    if action == "other":
        return SeenOther()
    return _throw(form) if "die1.value" in form else _hand(form)


def _hand(form: Mapping[str, str]) -> SeenHand:
    try:
        first, second, third, fourth = (Tile.parse(form.get(part, "")) for part in PARTS)
    except EngineError:
        raise AnswerError(words("Enter all four tiles, or choose 'I cannot see it'.")) from None
    return SeenHand((first, second, third, fourth), split=not form.get("unsplit"))


def _throw(form: Mapping[str, str]) -> SeenThrow:
    rows = ((form.get(f"die{row}.value"), form.get(f"die{row}.role")) for row in range(1, DICE_AT_MOST + 1))
    said = [(int(value), role) for value, role in rows if value in _VALUES]
    if not said or not all(role for _, role in said):
        raise AnswerError(words("Enter every die and its use, or choose 'I cannot see it'."))
    return SeenThrow(tuple((value, role if role in _ROLES else None) for value, role in said))
