"""What a table runs on and how that is, in figures: what tells one table of a floor from another."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service import __version__
from service.system.versions import code_state
from service.table.doctor.machine_checks import free_bytes, hottest_c
from service.table.monitor.clock import kernel_sync
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.api.local_table import LocalTable

_ROOT: Final = Path("/")
_COMPARED_SETTINGS: Final[Mapping[str, bool | set[str] | dict[str, set[str]]]] = {
    "tables": {"__all__": {"rounds", "clock"}},
    "limits": True,
    "read": True,
    "audit": True,
    "page": True,
    "log": True,
    "learning": {"collect", "max_mb"},
    "models": {"shadow_hours"},
    "record": {"keep_days", "max_mb", "min_free_mb", "clip_s", "warn_days"},
}
"""The settings that tables usually have in common: no names, places, cameras, secrets or rules of play."""


_OWN_SETTINGS: Final[Mapping[str, bool | set[str] | dict[str, set[str]]]] = {
    "service": True,
    "pits": True,
    "tables": {"__all__": {"name", "title", "pit"}},
    "record": {"folder"},
    "models": {"weights"},
}
"""The settings in which every table differs."""


def equipment(table: LocalTable) -> dict[str, Any]:
    """What a table runs on, as :class:`service.record.health.EquipmentOut` has it."""
    config = table.config
    _, free = free_bytes(config)
    sync, hands = kernel_sync(), table.newest_hands.now(table.live.recorded.count)
    settings = config.model_dump_json(exclude=_OWN_SETTINGS)
    compared = config.model_dump_json(include=_COMPARED_SETTINGS)
    return {
        "version": __version__,
        "code": code_state().sha256,
        "models": {name: version.removeprefix("sha256:") for name, version in _models(table).items()},
        "settings": hashlib.sha256(settings.encode()).hexdigest(),
        "compared_settings": hashlib.sha256(compared.encode()).hexdigest(),
        "calibration": _calibration(table),
        "drift_mm": None if table.camera is None else table.camera.drift_mm,
        "free_bytes": free,
        "celsius": hottest_c(_ROOT),
        "clock": {"synchronised": sync.synchronised, "max_error_s": sync.max_error_s},
        "hands": None if hands is None else {"verified": hands.verified, "of": hands.of},
        "failing": tuple(check.name for check in table.live.health() if not check.ok),
    }


def _models(table: LocalTable) -> dict[str, str]:
    reading = table.live.state.reading
    versions = {} if reading is None else reading.versions
    versions = versions or getattr(table.reader, "versions", {})
    return {name: versions[name] for name in NETWORKS if name in versions}


def _calibration(table: LocalTable) -> dict[str, Any] | None:
    found = table.calibrating.in_use
    if found is None:
        return None
    seal = found.calibration.seal
    made_at = None if seal is None else seal.made_at
    days = None if made_at is None else (datetime.now(UTC) - made_at).total_seconds() / 86_400
    return {"sha256": found.version, "made_at": made_at, "days": days}
