"""Whether a description of a service is valid OpenAPI, by the public validator."""

import sys
from typing import Any

import pytest


def check_valid(described: dict[str, Any]) -> None:
    """Raises what the validator does."""
    with pytest.MonkeyPatch.context() as patch:
        # An optional check of internationalised addresses, of which we have none; it takes seconds to load.
        patch.setitem(sys.modules, "rfc3987_syntax", None)
        from openapi_spec_validator import validate  # noqa: PLC0415  slow to load, for few tests
    validate(described)
