"""Changes to the service itself: who changed accounts, keys, settings or calibration, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from service.record.store.entries import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.record import Record


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who changes something (account, key, or user of the machine), and why."""

    by: str
    reason: str


class RecordedSettings(Protocol):
    """Settings of a table or a floor, of which each change is recorded."""

    @property
    def subject(self) -> str:
        """Name of the table or the floor."""
        ...

    def public(self) -> dict[str, Any]:
        """The settings as JSON has them, without a secret."""
        ...


def note_settings(record: Record, config: RecordedSettings, attribution: Attribution) -> bool:
    """Record the settings if they changed; returns whether they had; RecordUnavailableError."""
    settings, name = config.public(), config.subject
    before = next((entry.data["settings"] for entry in record.last(("config",), table=name)), None)
    if before == settings:
        return False
    changed = [] if before is None else sorted(_differing(before, settings))
    act = "first settings" if before is None else f"changed {', '.join(changed)}"
    body = {"act": act, "changed": changed, "settings": settings, "by": attribution.by, "reason": attribution.reason}
    record.append(Draft("config", body, table=name, subject=name))
    return True


def _differing(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Names of the settings that are not the same, as ``section.key``; a section that is a list, by its name."""
    old, new = dict(_flat(before)), dict(_flat(after))
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _flat(settings: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, keys in settings.items():
        if isinstance(keys, dict):
            yield from ((f"{section}.{key}", value) for key, value in keys.items())
        else:
            yield section, keys
