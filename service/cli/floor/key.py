"""``houseway floor key``: what tables are told by which they know what the floor signed."""

from __future__ import annotations

from service.cli.common import refuse, say
from service.cli.floor.common import FloorSettings, floor_store


def key_command(config: FloorSettings) -> None:
    """Print the public key of the floor's own record, for accounts.floor_key of its tables."""
    from service.record.store.record import Record

    with floor_store(config) as (settings, _), Record(settings.record_settings, claim=False) as record:
        if record.public_key is None:
            refuse("the floor's record was not begun yet: start the floor once", "houseway floor key")
        say(record.public_key.hex)
