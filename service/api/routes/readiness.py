"""Whether the service does its work."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.api.deps import PartsDep
from service.api.errors import ProblemError, problems
from service.api.permissions import requires
from service.api.schemas import ReadyOut

router = APIRouter(tags=["health"])


@router.get("/readyz", dependencies=[requires(Permission.WATCH)], responses=problems(503))
async def get_readiness(parts: PartsDep) -> ReadyOut:
    """Entries can be recorded, and pictures of every table with a camera here come in and are read."""
    if not parts.record.state.ok:
        raise ProblemError(503, "not_ready", f"Nothing can be recorded now: {parts.record.state.message}")
    faults = [
        f"{check.name}: {check.message}" if parts.only else f"{table.name}: {check.name}: {check.message}"
        for table in parts.tables.values()
        for check in table.live.health()
        if check.blocks and not check.ok
    ]
    if faults or any(table.live.state.view is None for table in parts.tables.values()):
        raise ProblemError(
            503, "not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment."
        )
    return ReadyOut()
