"""What the engine raises when its caller is wrong: the reason, what to do, and the rule if a rulebook is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


class EngineError(ValueError):
    """Anything the engine refuses.

    Attributes:
        reason: what was wrong and what to do.
        rule: the rule that forbids it, alone or with the rulings it is read under; None where it is not one.
    """

    def __init__(self, reason: str, rule: Cite | Fact[Any] | None = None) -> None:
        """Put the rule in brackets behind the reason."""
        where = rule if rule is None or isinstance(rule, str) else rule.where
        super().__init__(reason if where is None else f"{reason} ({where})")
        self.reason = reason
        self.rule = rule


class TileError(EngineError):
    """A tile was named in a way that fits no face."""


class DealError(EngineError):
    """Four tiles that one set of 32 cannot give, or not four tiles."""


class IllegalSettingError(EngineError):
    """Two hands that cannot be laid as low and high, or that are not made of the deal's tiles."""


class UnknownRulebookError(EngineError):
    """No House Way goes by this name."""


class RulebookVersionError(EngineError):
    """A version of a rulebook that is not known, was not in force, or amends what the book does not have."""


class UnknownRuleError(EngineError):
    """The document prints no rule of this number."""


class RulebookFileError(EngineError):
    """A House Way file that cannot be read, or that declares no House Way."""


class UndecidedError(EngineError):
    """A House Way whose rules leave a deal with no setting, or with two that differ."""


class UnknownBetError(EngineError):
    """No bet goes by this name, or this rulebook does not offer it."""


class IrregularityError(EngineError):
    """An irregularity, milestone or hand that no book knows by this name, or a box that cannot be taken out of play."""


class TournamentError(EngineError):
    """A tournament that nobody could play, or an act at one of its tables that its format does not allow."""


class DiceError(EngineError):
    """Dice, a button or a chung that the rulebook does not know; nothing was counted."""


class CutError(EngineError):
    """A cut that the rulebook does not name, or whose order of delivery is printed nowhere."""


class WagerError(EngineError):
    """A wager, a bank or a limit that the rulebook does not allow; nothing was settled."""


class RateError(EngineError):
    """A rate of commission that cannot be read, or that is none."""


class TableError(EngineError):
    """A table that allows what its rulebook does not."""


class RecordError(EngineError):
    """A written round that cannot be read."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rulebook does not allow an event, and our rulings under which the rule is read."""

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
        """Name the event and why it is refused."""
        super().__init__(f"{kind}: {refusal}")
        self.kind = kind
        self.refusal = refusal
