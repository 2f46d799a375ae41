"""Descriptions for programs."""

from typing import Any

from fastapi import APIRouter

from service.config_schema import config_schema

router = APIRouter(prefix="/v1/schema", tags=["schemas"])


@router.get("/config")
def read_config_schema() -> dict[str, Any]:
    """The JSON Schema of a table's settings file."""
    return config_schema()
