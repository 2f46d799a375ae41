"""What a table runs on and how that is, in figures: what tells one table of a floor from another."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service import __version__
from service.monitor.clock import kernel_sync
from service.monitor.doctor.machine_checks import free_bytes, hottest_c
from service.ops.code import code_state
from service.ops.systemd import looked_after
from service.release.given_out import shared_digest
from service.release.kept import KeptError
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from service.http.deps import Parts

_ROOT: Final = Path("/")


def equipment(parts: Parts) -> dict[str, Any]:
    """What a table runs on, as :class:`service.http.equipment_schemas.EquipmentOut` has it."""
    config = parts.config
    _, free = free_bytes(config)
    sync, hands = kernel_sync(), parts.counted.now()
    settings = config.model_dump_json(exclude={"table": {"name", "title"}, "record": {"folder"}, "models": {"weights"}})
    return {
        "version": __version__,
        "code": code_state().sha256,
        "models": {name: version.removeprefix("sha256:") for name, version in _models(parts).items()},
        "settings": hashlib.sha256(settings.encode()).hexdigest(),
        "shared_settings": shared_digest(config),
        "calibration": _calibration(parts),
        "drift_mm": None if parts.camera is None else parts.camera.drift_mm,
        "free_bytes": free,
        "celsius": hottest_c(_ROOT),
        "clock": {"synchronised": sync.synchronised, "max_error_s": sync.max_error_s},
        "hands": None if hands is None else {"verified": hands.verified, "of": hands.hands},
        "failing": tuple(check.name for check in parts.live.health() if not check.ok),
        "looked_after": looked_after(),
        "release": _release(parts),
    }


def _models(parts: Parts) -> dict[str, str]:
    reading = parts.live.state.reading
    versions = {} if reading is None else reading.versions
    versions = versions or getattr(parts.reader, "versions", {})
    return {name: versions[name] for name in NETWORKS if name in versions}


def _calibration(parts: Parts) -> dict[str, Any] | None:
    found = parts.calibrating.in_use
    if found is None:
        return None
    seal = found.calibration.seal
    made_at = None if seal is None else seal.made_at
    days = None if made_at is None else (datetime.now(UTC) - made_at).total_seconds() / 86_400
    return {"sha256": found.version, "made_at": made_at, "days": days}


def _release(parts: Parts) -> dict[str, Any] | None:
    """What is in use, what waits and what is tried; None where the table takes no releases."""
    keeper = parts.releases
    if keeper is None:
        return None
    running = keeper.running
    try:
        kept = keeper.releases.read()
    except (KeptError, OSError):
        kept = None
    waits = None if kept is None or kept.current == running else kept.current
    return {
        "running": None if running is None else {"name": running.name, "number": running.number},
        "digest": None if running is None else running.digest,
        "on_trial": kept is not None and kept.trial is not None,
        "ready": None if kept is None or kept.ready is None else kept.ready.name,
        "waits_for_restart": waits is not None or (kept is not None and kept.current is None and running is not None),
    }
