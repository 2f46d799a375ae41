"""Descriptions for programs: of a table's settings."""

from typing import Any

from fastapi import APIRouter

from service.access.roles import Permission
from service.api.permissions import requires
from service.system.settings import config_schema

router = APIRouter(dependencies=[requires(Permission.WATCH)])


# FastAPI makes a title of the id for an answer that has no model.
@router.get("/v1/schema/config", tags=["schemas"], generate_unique_id_function=lambda route: route.name)
def get_config_schema() -> dict[str, Any]:
    """The JSON Schema of a table's settings file."""
    return config_schema()
