"""Whether the process lives, and whether it does its work."""

from fastapi import APIRouter

from service import __version__
from service.deps import PartsDep
from service.errors import ProblemError, problems
from service.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"])


@router.get("/healthz")
def read_health() -> HealthOut:
    """The process answers. Needs no token and tells nothing about the table."""
    return HealthOut(version=__version__)


@router.get("/readyz", responses=problems(503))
def read_readiness(parts: PartsDep) -> ReadyOut:
    """Pictures come in and are read."""
    faults = [f"{check.name}: {check.message}" for check in parts.desk.health() if check.blocks and not check.ok]
    if parts.desk.state.view is None or faults:
        raise ProblemError(
            503, "not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment."
        )
    return ReadyOut()
