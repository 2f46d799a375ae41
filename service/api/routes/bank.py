"""The bank of the round: the present state, and reports of what no camera can see."""

from fastapi import APIRouter

from engine.vocabulary.facts import Bank
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.errors import problems
from service.api.permissions import CallerDep, requires
from service.api.schemas import BankIn, TableBankOut
from service.rounds.bank import ReportedBank, bank_of
from service.rounds.reports import BankReport
from service.rounds.served import bank_out

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get("/tables/{table}/bank", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
def get_bank(table: TableDep) -> TableBankOut:
    """Who banks now, which boxes are out of play, and where that is known from; what is null is not known."""
    progress, reported = table.live.state.progress, table.live.state.reported_bank
    known = bank_of(None, reported) if progress is None else progress.bank
    return TableBankOut(bank=bank_out(known or BankReport()))


@router.put(
    "/tables/{table}/bank", dependencies=[requires(Permission.SETTLE)], responses=problems(400, 404, 408, 413, 422)
)
def report_bank(sent: BankIn, table: TableDep, caller: CallerDep) -> TableBankOut:
    """Report who banks in the open or next round; it replaces the last report, and is valid until the round is closed.

    If the chung is seen at another box, the banker is unknown. The round names who reported it.
    """
    reported = ReportedBank(
        by=caller.name,
        held=None if sent.held is None else Bank(sent.held),
        box=sent.box,
        out_of_play=tuple(sorted(set(sent.out_of_play))),
        adjusted=sent.adjustment,
    )
    table.live.report_bank(reported)
    return TableBankOut(bank=bank_out(bank_of(None, reported) or BankReport()))
