"""Who deals at the table: what is in force, and saying who does."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.errors import problems
from service.api.permissions import CallerDep, requires
from service.api.routes.results import IdempotencyKey
from service.api.schemas import DealerIn, DealerOut
from service.record.ledger import Dealer

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get("/tables/{table}/dealer", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503))
def get_dealer(table: TableDep) -> DealerOut:
    """Who deals now, and who said so."""
    return _out(table.ledger.dealers.in_force())


@router.put(
    "/tables/{table}/dealer",
    dependencies=[requires(Permission.SETTLE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
def name_dealer(
    said: DealerIn,
    table: TableDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> DealerOut:
    """Say who deals from now on; it holds until somebody says otherwise, also over a restart.

    A round keeps the dealer with whom it began: a change in the middle of one counts from the next.
    """
    told = table.ledger.dealers.name(said.dealer, caller.name, idempotency_key)
    table.live.changes.notify()
    return _out(told)


def _out(told: Dealer) -> DealerOut:
    return DealerOut(dealer=told.name, by=told.by)
