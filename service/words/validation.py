"""What pydantic found wrong with a value, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def fault_message(fault: Mapping[str, Any]) -> str:
    """The message of one fault, as pydantic's ``errors()`` lists it; of a validator of ours, our own words alone."""
    return str(fault["ctx"]["error"] if fault["type"] == "value_error" else fault["msg"])
