"""A table that takes a release while the power goes, before each moment at which something is put on disk.

``python -m tests.service.release.power_cuts FLOOR KEY_FILE RELEASE_KEY FOLDER`` forks a process for each such moment,
kills it there, lets another one finish, and prints what each came to.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from service.config.fleet_settings import FleetConfig
from service.config.service_settings import RecordConfig
from service.ops.metrics import Metrics
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.record.store.signing import PublicKey
from service.release import keeper
from service.release.fetch import FloorClient
from service.release.keeper import ReleaseKeeper
from service.release.kept import KeptReleases
from service.release.manifest import verified_folder
from service.table.live_state import LiveState
from tests.service.stand_ins import config

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config.settings import Config

_STEPS = 12


def take(settings: Config, fleet: FleetConfig) -> bool:
    """Look after releases until one is in use; returns whether the service is to begin anew."""
    keeper.ASK_S = keeper.QUIET_S = 0.0  # type: ignore[misc]
    begun: list[bool] = []

    def begin_anew() -> bool:
        begun.append(True)
        return True

    async def work() -> None:
        live = LiveState(3, stale_after_s=1e9)
        made = ReleaseKeeper(settings, fleet, record, live, Metrics(), begin_anew, looked_after=True)
        client = FloorClient(fleet)
        made.begin()
        for _ in range(_STEPS):
            if made.running is not None or begun:
                break
            await made.step(client)
        await client.close()

    with Record(RecordSettings.of(settings)) as record:
        asyncio.run(work())
    return bool(begun)


def dying_at(moment: int) -> Callable[[int], None]:
    """What stands in for putting something on disk, until the power goes."""
    real, left = os.fsync, [moment]

    def fsync(handle: int) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        real(handle)

    return fsync


def forked(settings: Config, fleet: FleetConfig, moment: int | None) -> int:
    """Take a release in a process of its own; returns its exit status, negative if it was killed."""
    child = os.fork()
    if child == 0:
        _child(settings, fleet, moment)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _child(settings: Config, fleet: FleetConfig, moment: int | None) -> NoReturn:
    status = 3
    try:
        if moment is not None:
            os.fsync = dying_at(moment)  # type: ignore[assignment]
        status = 0 if take(settings, fleet) else 1
    finally:
        os._exit(status)


def found(settings: Config, fleet: FleetConfig) -> dict[str, Any]:
    """What a table has come to."""
    releases = KeptReleases(settings.releases_folder)
    kept = releases.read()
    with Record(RecordSettings.of(settings), claim=False) as record:
        acts = [entry.data["act"] for entry in record.last(("release",), count=9)]
    whole = kept.current and verified_folder(releases.path(kept.current), PublicKey.of_hex(fleet.release_key)).name
    return {"current": whole, "acts": acts, "trial": kept.trial is not None, "left": len(kept.to_record)}


def main(floor: str, key_file: str, release_key: str, folder: str) -> None:
    """Cut the power at every moment."""
    fleet = FleetConfig.model_validate({"floor": floor, "key_file": key_file, "release_key": release_key})
    moment, killed = 0, True
    begun = Path(folder) / "begun"
    Record(RecordSettings(begun)).close()
    FloorClient(fleet)  # what every process needs is there before they part
    while killed:
        moment += 1
        own = Path(folder) / str(moment)
        shutil.copytree(begun, own)
        record = RecordConfig(folder=own, min_free_mb=0)
        settings = config().model_copy(update={"fleet": fleet, "record": record})
        killed = forked(settings, fleet, moment) == -signal.SIGKILL
        if killed:
            forked(settings, fleet, None)
        told = {"moment": moment, "killed": killed, **found(settings, fleet)}
        print(json.dumps(told), flush=True)  # noqa: T201  for who started it


if __name__ == "__main__":
    main(*sys.argv[1:])
