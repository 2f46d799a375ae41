"""Cameras that this machine has, for the list that a technician chooses from."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

BY_ID: Final = Path("/dev/v4l/by-id")
"""Links to cameras by maker and serial number: they stay the same when another camera is plugged in first."""
_FIRST: Final = "-video-index0"
"""The pictures of a camera; what else it offers, such as metadata, has a higher number."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera of this machine.

    Attributes:
        kind: of source.
        device: as ``device`` of the settings has it.
        name: what people know it by.
    """

    kind: Literal["camera", "picamera2"]
    device: str
    name: str


def cameras(by_id: Path = BY_ID) -> tuple[Camera, ...]:
    """The cameras that are there now.

    Args:
        by_id: the folder of links to them.
    """
    found = [
        Camera("camera", str(link), link.name.removesuffix(_FIRST).removeprefix("usb-").replace("_", " "))
        for link in sorted(by_id.glob(f"*{_FIRST}"))
    ]
    return (*found, *_pi_cameras())


def _pi_cameras() -> list[Camera]:
    """The Raspberry Pi's own cameras; none where picamera2 is not installed or finds nothing."""
    if importlib.util.find_spec("picamera2") is None:
        return []
    try:
        from picamera2 import Picamera2  # noqa: PLC0415  only a Raspberry Pi has it

        told = Picamera2.global_camera_info()
    except Exception:  # noqa: BLE001  a driver without a camera fails in ways of its own
        return []
    return [Camera("picamera2", str(number), str(one.get("Model", number))) for number, one in enumerate(told)]
