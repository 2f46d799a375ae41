"""Whether the process lives, whether it does its work, and figures of both for Prometheus."""

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder

from service import __version__
from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import PUBLIC, requires
from service.http.schemas import HealthOut, ReadyOut

router = APIRouter(tags=["health"])

_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/healthz", dependencies=[PUBLIC])
async def get_health() -> HealthOut:
    """The process answers. Needs no key and tells nothing about the table."""
    return HealthOut(version=__version__)


@router.get("/readyz", dependencies=[requires(Permission.WATCH)], responses=problems(503))
async def get_readiness(parts: PartsDep) -> ReadyOut:
    """Pictures come in and are read."""
    faults = [f"{check.name}: {check.message}" for check in parts.live.health() if check.blocks and not check.ok]
    if parts.live.state.view is None or faults:
        raise ProblemError(
            503, "not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment."
        )
    return ReadyOut()


@router.get("/metrics", dependencies=[requires(Permission.WATCH)], response_class=Response, responses=_TEXT)
async def get_metrics(request: Request, parts: PartsDep) -> Response:
    """Figures for Prometheus, in its text format or OpenMetrics as ``Accept`` asks."""
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(parts.metrics.registry), headers={"Content-Type": media_type})
