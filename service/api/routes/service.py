"""The service itself: liveness, readiness, metrics, and descriptions for programs."""

from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder

from service import __version__
from service.access.roles import Permission
from service.api.conditional import TEXT
from service.api.deps import PartsDep, ScopeDep
from service.api.permissions import PUBLIC, requires
from service.api.problems import ProblemError, problems
from service.rounds.reports import FrozenModel
from service.system.settings import config_schema

router = APIRouter()

_WATCH = requires(Permission.WATCH)


class HealthOut(FrozenModel):
    """The process responds; says nothing about tables.

    Attributes:
        status: always ``alive``.
        version: of Houseway.
    """

    status: Literal["alive"] = "alive"
    version: str


class ReadyOut(FrozenModel):
    """Pictures are being read.

    Attributes:
        status: always ``ready``; a service that is not ready answers with a problem.
    """

    status: Literal["ready"] = "ready"


@router.get("/healthz", tags=["health"], dependencies=[PUBLIC])
async def get_health() -> HealthOut:
    """The process responds. Needs no key and says nothing about tables."""
    # Not in a thread: all threads may be busy, and health must be answered nevertheless.
    return HealthOut(version=__version__)


@router.get("/readyz", tags=["health"], dependencies=[_WATCH], responses=problems(503))
async def get_readiness(parts: PartsDep, scope: ScopeDep) -> ReadyOut:
    """Entries can be recorded, and pictures of every local table arrive and are read."""
    if not parts.record.state.ok:
        raise ProblemError("not_ready", f"Nothing can be recorded now: {parts.record.state.message}")
    visible = {table.name for table in scope.local}
    failing = [
        (table, check)
        for table in parts.tables.values()
        for check in table.live.health()
        if check.blocks and not check.ok
    ]
    faults = [
        f"{check.name}: {check.message}" if parts.only else f"{table.name}: {check.name}: {check.message}"
        for table, check in failing
        if table.name in visible
    ]
    if failing and not faults:
        raise ProblemError("not_ready", "A table of this service cannot be read now.")
    if faults or any(table.live.state.view is None for table in parts.tables.values()):
        raise ProblemError("not_ready", "; ".join(faults) or "No picture has been read yet; ask again in a moment.")
    return ReadyOut()


@router.get(
    "/metrics", tags=["health"], dependencies=[requires(Permission.METRICS)], response_class=Response, responses=TEXT
)
async def get_metrics(request: Request, parts: PartsDep) -> Response:
    """Metrics for Prometheus, in its text format or OpenMetrics as ``Accept`` asks."""
    await parts.overview.now()
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(parts.metrics.registry), headers={"Content-Type": media_type})


@router.get("/openapi.json", include_in_schema=False, dependencies=[_WATCH])
def read_api_description(request: Request) -> dict[str, Any]:
    """The description of this API (OpenAPI 3.1)."""
    described: dict[str, Any] = request.app.openapi()
    return described


# FastAPI titles an answer without a model by the route's id.
@router.get(
    "/v1/schema/config",
    tags=["schemas"],
    dependencies=[_WATCH],
    generate_unique_id_function=lambda route: route.name,
)
def get_config_schema() -> dict[str, Any]:
    """The JSON Schema of the settings file."""
    return config_schema()
