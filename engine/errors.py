"""Errors raised when the engine's caller is wrong: the reason, what to do, and the rule if a rulebook is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


class EngineError(ValueError):
    """Base class of the engine's errors.

    Attributes:
        reason: what was wrong and what to do.
        rule: the rule that forbids it, alone or with the rulings it is read under; None if no rule applies.
    """

    def __init__(self, reason: str, rule: Cite | Fact[Any] | None = None) -> None:
        """Append the rule to the reason in brackets."""
        where = rule if rule is None or isinstance(rule, str) else rule.where
        super().__init__(reason if where is None else f"{reason} ({where})")
        self.reason = reason
        self.rule = rule


class TileError(EngineError):
    """A name that matches no tile face."""


class DealError(EngineError):
    """Not four tiles, or four that a set of 32 cannot contain."""


class IllegalSettingError(EngineError):
    """Two hands that are not a legal low and high hand, or not made of the deal's tiles."""


class UnknownRulebookError(EngineError):
    """No House Way with this name."""


class RulebookVersionError(EngineError):
    """A version of a rulebook that is unknown, was not in force, or amends something the book does not have."""


class UnknownRuleError(EngineError):
    """No rule with this number in the document."""


class RulebookFileError(EngineError):
    """A House Way file that cannot be read, or that declares no House Way."""


class UndecidedError(EngineError):
    """A House Way that leaves a deal with no setting, or with two different ones."""


class UnknownBetError(EngineError):
    """No bet with this name, or not offered by this rulebook."""


class IrregularityError(EngineError):
    """An unknown irregularity, milestone or hand, or a box that cannot be taken out of play."""


class TournamentError(EngineError):
    """An unplayable tournament format, or an action that the format does not allow."""


class DiceError(EngineError):
    """Dice, a button or a chung that the rulebook does not know; nothing was counted."""


class CutError(EngineError):
    """A cut that the rulebook does not name, or whose delivery order is not printed."""


class WagerError(EngineError):
    """A wager, a bank or a limit that the rulebook does not allow; nothing was settled."""


class RateError(EngineError):
    """A commission rate that is invalid or cannot be parsed."""


class TableError(EngineError):
    """A table that allows what its rulebook forbids."""


class RecordError(EngineError):
    """A written round that cannot be read."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rulebook does not allow an event, and our rulings that apply."""

    reason: str
    cite: Cite
    rulings: tuple[int, ...] = ()

    @classmethod
    def under(cls, rule: Cite | Fact[Any], reason: str) -> Self:
        """A refusal under a rule, or under a fact with its rule and rulings."""
        return cls(reason, rule) if isinstance(rule, str) else cls(reason, rule.cite, rule.rulings)

    def __str__(self) -> str:
        """Reason and rule in one line."""
        read = "".join(f", ruling {number}" for number in self.rulings)
        return f"{self.reason} ({self.cite}{read})"


class IllegalEventError(EngineError):
    """An event that the rulebook forbids at this moment; the log stays as it was."""

    def __init__(self, kind: str, refusal: Refusal) -> None:
        super().__init__(f"{kind}: {refusal}")
        self.kind = kind
        self.refusal = refusal
