"""Versions of everything beside the reader that makes a result what it is."""

from __future__ import annotations

import hashlib
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.books.way_files import is_file
from service import __version__
from service.ops.code import code_state
from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from service.config.settings import Config

_DECIDE_NOTHING: Final = {"server", "record", "log", "page", "learning", "models"}


def service_versions(config: Config) -> dict[str, str]:
    """By name: the settings that decide results, the calibration's file, a House Way's file, and the runtime."""
    code = code_state()
    told = {
        "houseway": __version__,
        "code": f"sha256:{code.sha256}",
        **({"libraries": f"sha256:{code.libraries}"} if code.sealed else {}),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{sys.platform} {platform.machine()}",
        "numpy": np.__version__,
        "config": f"sha256:{hashlib.sha256(config.model_dump_json(exclude=_DECIDE_NOTHING).encode()).hexdigest()}",
    }
    calibration = config.table.calibration
    if calibration is not None and calibration.is_file():
        told["calibration"] = f"sha256:{sha256_of(calibration)}"
    own = next((each for each in (config.table.house_way, config.table.rulebook) if is_file(each or "")), None)
    if own is not None:
        told["house_way_file"] = f"sha256:{sha256_of(Path(own))}"
    return told
