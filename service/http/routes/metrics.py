"""Figures for Prometheus."""

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder

from service.access.needs import needs
from service.access.roles import Permission
from service.http.deps import PartsDep

router = APIRouter(tags=["health"])

_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/metrics", dependencies=[needs(Permission.WATCH)], response_class=Response, responses=_TEXT)
def read_metrics(request: Request, parts: PartsDep) -> Response:
    """Figures for Prometheus, in its text format or OpenMetrics as ``Accept`` asks."""
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(parts.metrics.registry), headers={"Content-Type": media_type})
