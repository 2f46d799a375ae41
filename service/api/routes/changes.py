"""Who changed what about accounts, keys, settings and calibration."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.access.roles import Permission
from service.api.deps import PartsDep
from service.api.errors import problems
from service.api.permissions import requires
from service.api.record_schemas import ChangeOut, ChangesOut
from service.record.store.entries import CHANGES

router = APIRouter(prefix="/v1", tags=["record"])


@router.get("/changes", dependencies=[requires(Permission.CHANGES)], responses=problems(422))
def list_changes(
    parts: PartsDep,
    since: Annotated[int, Query(ge=0, le=2**53, description="number of the last entry already held")] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="the most changes in one answer")] = 100,
) -> ChangesOut:
    """Who changed what about accounts, keys and settings, and why; oldest first."""
    found = parts.record.after(since, kinds=CHANGES, limit=limit)
    return ChangesOut(changes=tuple(map(ChangeOut.of, found)), next=found[-1].seq if found else since)
