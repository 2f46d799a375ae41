"""Settling one of the table's own rounds: an integrator sends the wagers, and what no camera sees of the bank.

Hands, dice and bank are the round's. The sent bank may not contradict the one seen or reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field

from calibration.table.places import HOUSE, Place, PlaceKind
from engine.errors import EngineError
from engine.observed.round_log import WrittenRound, written_round
from engine.vocabulary.facts import Bank
from service.rounds.bank import known_bank
from service.rounds.judge.settlement_io import Box, Money, Name, SettlementOut, WageredIn, one_bank
from service.rounds.reports import FrozenModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.observed.observations import Observation
    from engine.settlement.played import PlayedRound
    from service.rounds.reports import BankReport


class BankDiffersError(Exception):
    """The sent bank contradicts the known one, or the bank is neither known nor sent.

    Attributes:
        code: of the problem.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


class SentBankIn(FrozenModel):
    """The sender's values for the bank of a round; omitted values are taken from the round.

    Attributes:
        method: how the bank is held.
        wager: the banker's own stake on the bank, in the smallest unit.
    """

    method: Bank | None = None
    players: tuple[Name, ...] = Field(default=(), max_length=8, description="none where the House banks")
    box: Box | None = Field(default=None, description="the chung's")
    wager: Money = 0

    def held(self, report: BankReport | None) -> tuple[Bank, int | None]:
        """Return the method of banking and the chung's box, None for the House's own, with the round's known bank.

        Raises:
            BankDiffersError: both are known and differ, or neither is.
        """
        known = known_bank(report)
        known_banker = report is not None and report.banker is not None
        method = self.method or known.method
        if method is None:
            raise BankDiffersError("bank_not_known", "Who banks is not known: send bank with its method.")
        # Without markers and a word the House is only taken to bank, so what is sent counts.
        if known_banker and known.method not in (None, method):
            raise BankDiffersError(
                "bank_differs", f"In this round the bank is held as {known.method.value}: leave the method out."
            )
        if None not in (self.box, known.box) and self.box != known.box:
            raise BankDiffersError("bank_differs", f"In this round the chung is at box {known.box}: leave box out.")
        box = self.box or known.box
        return method, None if method is Bank.HOUSE and self.box is None else box


class WagersIn(WageredIn):
    """The wagers of a round whose hands are known to the service."""

    rulebook: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="id of a rulebook; the table's own if omitted"
    )
    bank: Annotated[SentBankIn, BeforeValidator(one_bank)] = Field(
        default=SentBankIn(), description="omitted if the House banks; else who banks and with what wager"
    )

    @classmethod
    def of_record(cls, sent: Mapping[str, Any]) -> Self:
        """The wagers as an entry has them; ValidationError for those of another version."""

        def told(part: Mapping[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in part.items() if (name, value) != ("void", "")}

        return cls.model_validate(told(sent) | {"wagers": [told(each) for each in sent["wagers"]]})


class LogGapOut(FrozenModel):
    """Why a round's log ends before its settlement.

    Attributes:
        kind: of the event that the book does not allow there; null where a wager takes a person.
    """

    kind: str | None
    reason: str
    rule: str | None


class RoundLogOut(FrozenModel):
    """The round as a log of events, from what was seen and the wagers sent.

    Attributes:
        log: as ``engine.round.RoundLog.to_dict`` writes it; null where a wager takes a person.
        presumed: numbers of events that were not seen, but must have happened.
        gap: why it is not whole; null where it is.
    """

    log: dict[str, Any] | None
    presumed: tuple[int, ...] = ()
    gap: LogGapOut | None = None

    @classmethod
    def of(cls, played: PlayedRound, seen: tuple[Observation, ...], button: int) -> Self:
        try:
            written = written_round(played, seen, button)
        except EngineError as fault:
            rule = None if fault.rule is None else str(fault.rule if isinstance(fault.rule, str) else fault.rule.cite)
            return cls(log=None, gap=LogGapOut(kind=None, reason=fault.reason, rule=rule))
        return cls(log=written.log.to_dict(), presumed=written.presumed, gap=_gap(written))


def _gap(written: WrittenRound) -> LogGapOut | None:
    if written.missing is None:
        return None
    kind, refusal = written.missing
    return LogGapOut(kind=kind, reason=refusal.reason, rule=refusal.cite)


class RoundSettlementOut(SettlementOut):
    """The settlement of one of the table's rounds, and the revision of the round it was worked out from.

    Attributes:
        revision: of the round.
        round_log: the round as a log of events.
    """

    round: str
    revision: int
    round_log: RoundLogOut


def banks_place(method: Bank, box: int | None, places: set[Place]) -> Place:
    """Where the bank's hand lies: before the float, or at a player-banker's own box."""
    own = None if box is None else Place(PlaceKind.BOX, box)
    return own if method is not Bank.HOUSE and own is not None and HOUSE not in places and own in places else HOUSE
