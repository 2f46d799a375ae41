"""Prints the API's description, as a table service of the sample settings serves it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from service.app import create_app
from service.config.settings import SAMPLE_CONFIG, load_config
from service.table.instruments import Instruments

if TYPE_CHECKING:
    from vision.reading import PictureReader


def main() -> None:
    """Print it."""
    settings = load_config(SAMPLE_CONFIG)
    with tempfile.TemporaryDirectory() as folder:
        record = settings.record.model_copy(update={"folder": Path(folder)})
        nobody = Instruments(cast("PictureReader", None))
        app = create_app(settings.model_copy(update={"record": record}), lambda _: nobody, watch=False)
        print(json.dumps(app.openapi(), indent=1))
        app.state.parts.record.close()


if __name__ == "__main__":
    main()
