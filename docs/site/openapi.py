"""Print the OpenAPI description that the service serves: ``python -m docs.site.openapi``."""

from __future__ import annotations

import json
import sys

from docs.site.__main__ import application

if __name__ == "__main__":
    with application() as app:
        json.dump(app.openapi(), sys.stdout, indent=1)
