"""Parameters that several pages take, as browsers send them."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Query
from pydantic import BeforeValidator, Field

EMPTY_AS_NONE: Final = BeforeValidator(lambda value: None if value == "" else value)
"""Browsers send fields of a form that were left empty: ``Annotated[date | None, EMPTY_AS_NONE, Query()]``."""
_Name = Annotated[str, Field(max_length=40)]

AskedDay = Annotated[date | None, EMPTY_AS_NONE, Query()]
AskedPit = Annotated[_Name | None, EMPTY_AS_NONE, Query()]
AskedTable = Annotated[_Name | None, EMPTY_AS_NONE, Query()]


def local_path(path: str) -> str:
    """The path if it leads to a page of this service, else ``/``."""
    parsed = urlsplit(path)
    local = path.startswith("/") and not path.startswith(("//", "/\\")) and not (parsed.scheme or parsed.netloc)
    return path if local and path.isprintable() else "/"
