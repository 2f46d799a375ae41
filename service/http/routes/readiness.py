"""Whether a table's service does its work."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.http.schemas import ReadyOut

router = APIRouter(tags=["health"])


@router.get("/readyz", dependencies=[requires(Permission.WATCH)], responses=problems(503))
async def get_readiness(parts: PartsDep) -> ReadyOut:
    """Pictures come in and are read."""
    faults = [f"{check.name}: {check.message}" for check in parts.live.health() if check.blocks and not check.ok]
    if parts.live.state.view is None or faults:
        raise ProblemError(
            503, "not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment."
        )
    return ReadyOut()
