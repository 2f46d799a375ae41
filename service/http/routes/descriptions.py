"""Descriptions for programs: of the API, and of the settings."""

from typing import Any

from fastapi import APIRouter, Request

from service.access.roles import Permission
from service.config.config_schema import config_schema
from service.http.permissions import requires

router = APIRouter(dependencies=[requires(Permission.WATCH)])


@router.get("/openapi.json", include_in_schema=False)
def read_api_description(request: Request) -> dict[str, Any]:
    """All of this, described as OpenAPI 3.1 has it."""
    described: dict[str, Any] = request.app.openapi()
    return described


# FastAPI makes a title of the id for an answer that has no model.
@router.get("/v1/schema/config", tags=["schemas"], generate_unique_id_function=lambda route: route.name)
def get_config_schema() -> dict[str, Any]:
    """The JSON Schema of a table's settings file."""
    return config_schema()
