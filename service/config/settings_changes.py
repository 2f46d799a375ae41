"""Changed settings, told in the record when the service is started with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.record.store.protocols import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.access.accounts import Because
    from service.config.settings import Config
    from service.record.store.record import Record


def note_settings(record: Record, config: Config, because: Because) -> bool:
    """Tell the table's settings if they are not those that were told last; returns whether they were told.

    Raises:
        RecordUnavailableError: that could not be made durable.
    """
    settings = config.public()
    before = next((entry.data["settings"] for entry in record.last(("config",), table=config.table.name)), None)
    if before == settings:
        return False
    changed = [] if before is None else sorted(_differing(before, settings))
    act = "first settings" if before is None else f"changed {', '.join(changed)}"
    body = {"act": act, "settings": settings, "by": because.by, "reason": because.reason}
    record.append(Draft("config", body, table=config.table.name, subject=config.table.name))
    return True


def _differing(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Names of the settings that are not the same, as ``section.key``; a section that is a list, by its name."""
    old, new = (dict(_flat(told)) for told in (before, after))
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _flat(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, keys in told.items():
        if isinstance(keys, dict):
            yield from ((f"{section}.{key}", value) for key, value in keys.items())
        else:
            yield section, keys
