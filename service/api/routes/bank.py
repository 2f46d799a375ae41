"""The bank of the round: what is known of it, and saying what no camera can know."""

from fastapi import APIRouter

from engine.vocabulary.facts import Bank
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.errors import problems
from service.api.permissions import CallerDep, requires
from service.api.schemas import BankIn, TableBankOut
from service.rounds.bank import ToldBank, bank_of
from service.rounds.reports import BankReport
from service.rounds.served import bank_out

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get("/tables/{table}/bank", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
def get_bank(table: TableDep) -> TableBankOut:
    """Who banks now, which boxes are out of play, and where that is known from; what is null is not known."""
    now, told = table.live.state.now, table.live.state.told
    known = bank_of(None, told) if now is None else now.bank
    return TableBankOut(bank=bank_out(known or BankReport()))


@router.post(
    "/tables/{table}/bank/told", dependencies=[requires(Permission.SETTLE)], responses=problems(400, 404, 408, 413, 422)
)
def tell_bank(said: BankIn, table: TableDep, caller: CallerDep) -> TableBankOut:
    """Say who banks in the round that is open or comes next, all of it at once; it holds until that round is closed.

    Where the chung is seen at another box, the banker counts as not known. The round is recorded with who said so.
    """
    told = ToldBank(
        by=caller.name,
        held=None if said.held is None else Bank(said.held),
        box=said.box,
        out_of_play=tuple(sorted(set(said.out_of_play))),
        adjusted=said.adjustment,
    )
    table.live.tell(told)
    return TableBankOut(bank=bank_out(bank_of(None, told) or BankReport()))
