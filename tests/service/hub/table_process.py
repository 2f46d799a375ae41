"""A real table in a process of its own, which plays without end: ``python -m tests.service.hub.table_process``.

It is given the folder of its record, its port and its name. It prints its address and a key of a floor, and then a dot
for each revision that it has recorded.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from service.access.roles import UserRole
from service.record.store.entries import RecordUnavailableError
from tests.service.api.test_http import play
from tests.service.hub.serving import serving_table, table_config
from tests.service.stand_ins import HOUSE_WRONG, key_for


def main(folder: str, port: str, name: str) -> None:
    """Play until killed."""
    settings = table_config(name, Path(folder), int(port))
    with serving_table(settings) as (served, _):
        text = key_for(served.app, UserRole.FLOOR)["Authorization"].removeprefix("Bearer ")
        print(served.url, text, flush=True)  # noqa: T201  for who started it
        while True:
            with suppress(RecordUnavailableError):  # on a busy disk; the service has the record written again
                play(served.app, round_id=f"r{time.time_ns()}")
                play(served.app, HOUSE_WRONG, round_id=f"r{time.time_ns()}")
                print(".", end="", flush=True)  # noqa: T201
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
