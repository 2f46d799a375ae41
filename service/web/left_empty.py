"""Fields of forms and links that were left empty: browsers send them all the same."""

from __future__ import annotations

from typing import Final

from pydantic import BeforeValidator

LEFT_EMPTY: Final = BeforeValidator(lambda said: None if said == "" else said)
"""Takes one for none: ``Annotated[date | None, LEFT_EMPTY, Query()]``."""
