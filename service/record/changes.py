"""Recorded changes to the service itself: accounts, keys, settings or calibration, who changed them, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from service.record.store.entries import Draft
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.entries import Entry
    from service.record.store.record import Record
    from service.record.store.signing import PublicKey
    from service.system.settings import Config


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who changes something (account, key, or user of the machine), and why."""

    by: str
    reason: str


FIRST_START: Final = Attribution(sentence("first start"), sentence("nobody could sign in yet"))
FIRST_CONTACT: Final = Attribution(sentence("the hub"), sentence("first contact"))
NAMED_IN_SETTINGS: Final = Attribution(FIRST_CONTACT.by, sentence("named in the settings"))
BY_GROUPS: Final = Attribution(sentence("identity provider"), sentence("as the groups of the person say"))
FOUND_AT_START: Final = sentence("as found when the service started")
OWN_ACCOUNT: Final = sentence("own account")
OWN_PASSWORD: Final = sentence("own password")
SIGNING_IN: Final = sentence("signing in")
SERVICE_TEXTS: Final = frozenset(
    {
        *(
            text
            for each in (FIRST_START, FIRST_CONTACT, NAMED_IN_SETTINGS, BY_GROUPS)
            for text in (each.by, each.reason)
        ),
        *(FOUND_AT_START, OWN_ACCOUNT, OWN_PASSWORD, SIGNING_IN),
    }
)
"""What the service itself records as author or reason; a page translates it, unlike the words of a person."""


def note_settings(record: Record, config: Config, attribution: Attribution) -> bool:
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


def _differing(before: dict[str, Any], after: dict[str, Any], above: str = "") -> Iterator[str]:
    """Names of the settings that are not the same, such as ``server.port`` or ``tables.NAME.source.url``."""
    for key in before.keys() | after.keys():
        name, old, new = f"{above}{key}", _by_name(before.get(key)), _by_name(after.get(key))
        if old == new:
            if before.get(key) != after.get(key):
                yield name  # the same in another order
        elif isinstance(old, dict) and isinstance(new, dict):
            yield from _differing(old, new, f"{name}.")
        else:
            yield name


def _by_name(value: object) -> object:
    """A list of sections with names as a dict of them; any other value unchanged."""
    if isinstance(value, list) and all(isinstance(each, dict) and "name" in each for each in value):
        return {each["name"]: each for each in value}
    return value


def rotate(record: Record, following: PublicKey, attribution: Attribution) -> Entry:
    """Append the entry that names the next key, signed with the current one; RecordUnavailableError.

    Nothing can be appended to this record afterwards: reopen it with the new key.
    """
    body = {"public_key": following.hex, "by": attribution.by, "reason": attribution.reason}
    return record.append(Draft("signing_key", body))
