"""What the engine raises when its caller is wrong; every message says what was wrong and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal


class EngineError(ValueError):
    """Anything the engine refuses."""


class TileError(EngineError):
    """A tile was named in a way that fits no face."""


class DealError(EngineError):
    """Four tiles that one set of 32 cannot give, or not four tiles."""


class IllegalSettingError(EngineError):
    """Two hands that cannot be laid as low and high, or that are not made of the deal's tiles."""


class UnknownRulebookError(EngineError):
    """No House Way goes by this name."""


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


class IllegalEventError(EngineError):
    """An event that the rulebook forbids at this moment; the log stays as it was.

    Attributes:
        kind: the kind of event.
        refusal: why not, and the rule.
    """

    def __init__(self, kind: str, refusal: Refusal) -> None:
        """Say which event is refused, and why."""
        super().__init__(f"{kind}: {refusal}")
        self.kind = kind
        self.refusal = refusal
