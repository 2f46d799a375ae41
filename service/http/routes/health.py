"""Whether the process lives, and whether it does its work."""

from typing import Any

from fastapi import APIRouter, Request

from service import __version__
from service.access.needs import OPEN, needs
from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"])


@router.get("/healthz", dependencies=[OPEN])
def read_health() -> HealthOut:
    """The process answers. Needs no key and tells nothing about the table."""
    return HealthOut(version=__version__)


@router.get("/readyz", dependencies=[needs(Permission.WATCH)], responses=problems(503))
def read_readiness(parts: PartsDep) -> ReadyOut:
    """Pictures come in and are read."""
    faults = [f"{check.name}: {check.message}" for check in parts.desk.health() if check.blocks and not check.ok]
    if parts.desk.state.view is None or faults:
        raise ProblemError(
            503, "not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment."
        )
    return ReadyOut()


@router.get("/openapi.json", dependencies=[needs(Permission.WATCH)], include_in_schema=False)
def read_description(request: Request) -> dict[str, Any]:
    """All of this, described as OpenAPI 3.1 has it."""
    described: dict[str, Any] = request.app.openapi()
    return described
