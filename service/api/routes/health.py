"""Whether the process lives, and its figures for Prometheus: of a table's service, and of the floor's."""

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder

from service import __version__
from service.access.roles import Permission
from service.api.deps import PartsDep
from service.api.permissions import PUBLIC, requires
from service.api.schemas import HealthOut

router = APIRouter(tags=["health"])

_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/healthz", dependencies=[PUBLIC])
async def get_health() -> HealthOut:
    """The process answers. Needs no key and tells nothing about the table."""
    # Not in a thread: those may all be busy, and health must be told nevertheless.
    return HealthOut(version=__version__)


@router.get("/metrics", dependencies=[requires(Permission.METRICS)], response_class=Response, responses=_TEXT)
async def get_metrics(request: Request, parts: PartsDep) -> Response:
    """Figures for Prometheus, in its text format or OpenMetrics as ``Accept`` asks."""
    await parts.overview.now()
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(parts.metrics.registry), headers={"Content-Type": media_type})
