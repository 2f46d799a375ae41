"""The description of an application's requests, for programs."""

from typing import Any

from fastapi import APIRouter, Request

from service.access.roles import Permission
from service.api.permissions import requires

router = APIRouter(dependencies=[requires(Permission.WATCH)])


@router.get("/openapi.json", include_in_schema=False)
def read_api_description(request: Request) -> dict[str, Any]:
    """All of this, described as OpenAPI 3.1 has it."""
    described: dict[str, Any] = request.app.openapi()
    return described
