"""What people enter about a table: who banks, which boxes are out of play, and who deals."""

from typing import Annotated, Literal, Self

from fastapi import APIRouter
from pydantic import Field, model_validator

from engine.game.box_order import BOXES
from engine.vocabulary.facts import Bank
from service.access.roles import Permission
from service.api.deps import IdempotencyKey, TableDep
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.record.ledger import Dealer, DealerName
from service.rounds.bank import ReportedBank, bank_of
from service.rounds.reports import BankReport, FrozenModel
from service.rounds.served import RoundBankOut, bank_out
from service.words.wording import WordedError, words
from vision.hand_grouping import box_order

router = APIRouter(prefix="/v1", tags=["tables"])

_Box = Annotated[int, Field(ge=1, le=8, strict=True)]


class BankIn(FrozenModel):
    """The bank of a round as a person enters it; omitted fields remain unknown.

    Attributes:
        held: how the bank is held.
        box: the banker's box.
        out_of_play: boxes out of play.
        adjustment: value of the plus/minus button.
        other_cut: whether somebody with the authority accepted another cut than the cut die's; false says that nobody
            did, so that such a cut is a departure from the rulebook.
    """

    held: Literal["house", "player", "co-bank"] | None = None
    box: _Box | None = None
    out_of_play: Annotated[tuple[_Box, ...], Field(max_length=8)] = ()
    adjustment: Annotated[int, Field(ge=-4, le=4, strict=True)] | None = None
    other_cut: Annotated[bool, Field(strict=True)] | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.held == "house" and self.box is not None:
            raise WordedError(words("if the House holds the bank, no box does: send only one of the two"))
        if self.box is not None and self.box in self.out_of_play:
            raise WordedError(words("box %(box)s cannot hold the bank and be out of play", box=self.box))
        if self.other_cut is not None and self.held != "house":
            why = words("whether another cut was accepted is said of a House bank: send held house with it")
            raise WordedError(why)
        return self


class TableBankOut(FrozenModel):
    """The bank of the current round.

    Attributes:
        bank: who banks and which boxes are out of play; unknown fields are null.
    """

    bank: RoundBankOut


class DealerIn(FrozenModel):
    """The dealer from now on.

    Attributes:
        dealer: a name or a staff number; null for no dealer.
    """

    dealer: DealerName | None = Field(examples=["D-1042"])


class DealerOut(FrozenModel):
    """The current dealer.

    Attributes:
        dealer: a name or a staff number; null if none was entered.
        by: who entered it; null if nobody has entered a dealer yet.
    """

    dealer: str | None
    by: str | None


@router.get("/tables/{table}/bank", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
def get_bank(table: TableDep) -> TableBankOut:
    """The current bank, the boxes out of play, and the source of each; unknown fields are null."""
    progress, reported = table.live.state.progress, table.live.state.reported_bank
    known = bank_of(None, reported) if progress is None else progress.bank
    return TableBankOut(bank=bank_out(known or BankReport()))


@router.put(
    "/tables/{table}/bank",
    dependencies=[requires(Permission.SETTLE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
def report_bank(sent: BankIn, table: TableDep, caller: CallerDep) -> TableBankOut:
    """Enter the bank of the open or next round; replaces the last report, and applies until that round closes.

    If the chung is seen at another box, the banker becomes unknown. The report is recorded before it is answered, with
    the name of the sender.
    """
    order = box_order(table.calibrating.layout)
    if set(sent.out_of_play) >= set(range(1, BOXES + 1) if order is None else order.numbers):
        raise ProblemError("not_allowed", words("At least one box of the table must be in play."))
    reported = ReportedBank(
        by=caller.name,
        held=None if sent.held is None else Bank(sent.held),
        box=sent.box,
        out_of_play=tuple(sorted(set(sent.out_of_play))),
        adjusted=sent.adjustment,
        other_cut=sent.other_cut,
    )
    table.report_bank(reported)
    return TableBankOut(bank=bank_out(bank_of(None, reported) or BankReport()))


@router.get("/tables/{table}/dealer", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503))
def get_dealer(table: TableDep) -> DealerOut:
    """The current dealer, and who entered it."""
    return _dealer_out(table.ledger.dealers.in_force())


@router.put(
    "/tables/{table}/dealer",
    dependencies=[requires(Permission.SETTLE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
def name_dealer(
    sent: DealerIn, table: TableDep, caller: CallerDep, idempotency_key: IdempotencyKey = None
) -> DealerOut:
    """Enter the dealer; applies until the next entry, across restarts.

    A round keeps the dealer that it opened with: a change during a round applies from the next round.
    """
    dealer = table.ledger.dealers.name(sent.dealer, caller.name, idempotency_key)
    table.live.changes.notify()
    return _dealer_out(dealer)


def _dealer_out(dealer: Dealer) -> DealerOut:
    return DealerOut(dealer=dealer.name, by=dealer.by)
