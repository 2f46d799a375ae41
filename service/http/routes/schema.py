"""Descriptions for programs."""

from typing import Any

from fastapi import APIRouter

from service.access.needs import needs
from service.access.roles import Permission
from service.config.config_schema import config_schema

router = APIRouter(prefix="/v1/schema", tags=["schemas"])


@router.get("/config", dependencies=[needs(Permission.WATCH)])
def read_config_schema() -> dict[str, Any]:
    """The JSON Schema of a table's settings file."""
    return config_schema()
