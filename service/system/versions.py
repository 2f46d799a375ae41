"""Versions of everything besides the reader that results depend on."""

from __future__ import annotations

import hashlib
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.books.way_files import is_file
from service import __version__
from service.system.code import code_state
from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from service.system.settings import Config

_IRRELEVANT: Final = {"server", "record", "log", "page", "learning", "models"}
"""Settings that results do not depend on."""


def service_versions(config: Config) -> dict[str, str]:
    """Return versions by name: of the relevant settings, the calibration file, a House Way's file, the runtime."""
    code = code_state()
    versions = {
        "houseway": __version__,
        "code": f"sha256:{code.sha256}",
        **({"libraries": f"sha256:{code.libraries}"} if code.sealed else {}),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{sys.platform} {platform.machine()}",
        "numpy": np.__version__,
        "config": f"sha256:{hashlib.sha256(config.model_dump_json(exclude=_IRRELEVANT).encode()).hexdigest()}",
    }
    calibration = config.table.calibration
    if calibration is not None and calibration.is_file():
        versions["calibration"] = f"sha256:{sha256_of(calibration)}"
    own = next((each for each in (config.table.house_way, config.table.rulebook) if is_file(each or "")), None)
    if own is not None:
        versions["house_way_file"] = f"sha256:{sha256_of(Path(own))}"
    return versions
