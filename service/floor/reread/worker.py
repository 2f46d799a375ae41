"""A worker: takes rounds of a run, reads them again, says what came of it, until none is left."""

from __future__ import annotations

import json
import logging
import os
import random
import socket
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from service.codes import RereadCode
from service.floor.reread.again import could_not
from service.floor.reread.evidence import NotAllowedError, PictureAwayError
from service.floor.reread.taking import Jobs
from service.floor.store import schema as store
from service.record.store.chain import Entry
from service.record.store.entries import RecordUnavailableError
from service.record.store.storage_faults import faults_as_unavailable
from vision.findings import Finding
from vision.networks.model_card import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Engine

    from service.floor.reread.again import Again, RoundAgain
    from service.floor.reread.runs import Run
    from service.floor.reread.taking import Taken

_log = logging.getLogger(__name__)

OF_RULES: Final = 50
"""Rounds taken together where only rules are asked: a thousandth of a second each."""
OF_PICTURES: Final = 2
"""The same where pictures are read: tenths of a second each."""
_LOOK_S: Final = 0.5
"""While other workers have what is left."""
_AWAY_S: Final = 5.0
_ENTRIES: Final = store.entries.c


def name_here() -> str:
    """What people know a worker of this process by."""
    return f"{socket.gethostname()} process {os.getpid()}"[:100]


@dataclass(slots=True)
class Worker:
    """Works on one run.

    Attributes:
        database: of the floor.
        run: the run.
        again: reads a round.
        name: by which people know it.
        told: called with how many rounds it has done, now and then.
    """

    database: Engine
    run: Run
    again: Again
    name: str = field(default_factory=name_here)
    told: Callable[[int], object] = lambda _done: None
    ended: bool = False

    def work(self) -> int:
        """Work until nothing is left, by whichever worker, or until ``ended``; returns how many rounds it has done.

        A database that is away for a while is waited for. ModelError, NotAllowedError.
        """
        jobs = Jobs(self.database, self.run, self.name, OF_RULES if self.again.pictures is None else OF_PICTURES)
        done = 0
        while not self.ended:
            try:
                taking, taken = jobs.take()
                if taken:
                    done += self._read_all(jobs, taking, taken)
                    self.told(done)
                elif not jobs.left():
                    break
                else:
                    time.sleep(_LOOK_S * random.uniform(0.5, 1.0))  # noqa: S311  no secret
            except RecordUnavailableError as error:
                _log.warning("the floor's database is waited for: %s", error)
                time.sleep(_AWAY_S)
        return done

    def _read_all(self, jobs: Jobs, taking: str, taken: Sequence[Taken]) -> int:
        entries = _entries(self.database, [each.position for each in taken])
        came: list[tuple[Taken, RoundAgain]] = []
        for each in taken:
            try:
                came.append((each, self._read(each, entries)))
            except (RecordUnavailableError, ModelError, NotAllowedError):
                raise
            except PictureAwayError as error:
                jobs.failed(taking, each, str(error))
            except Exception as error:  # noqa: BLE001  whatever a round does to this version, the others are read
                _log.exception("round %s cannot be read again", each.round)
                jobs.failed(taking, each, f"{type(error).__name__}: {error}")
        return jobs.done(taking, came)

    def _read(self, taken: Taken, entries: dict[int, tuple[Entry, str | None]]) -> RoundAgain:
        entry, gone = entries[taken.position]
        if gone is not None:
            return could_not(Finding(RereadCode.ENTRY_GONE))
        settings = _settings(self.database, taken.table_id, entry.seq) if self.again.pictures is not None else {}
        return self.again.read(entry, settings, last_try=taken.tries >= self.run.most_tries)


def _entries(database: Engine, positions: Sequence[int]) -> dict[int, tuple[Entry, str | None]]:
    asked = select(_ENTRIES.position, _ENTRIES.gone, *(_ENTRIES[name].label(f"entry_{name}") for name in store.ENTRY))
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(asked.where(_ENTRIES.position.in_(positions))).all()
    return {position: (Entry(*entry), gone) for position, gone, *entry in rows}


def _settings(database: Engine, table_id: int, seq: int) -> dict[str, Any]:
    """The settings of a table when it recorded an entry; empty if it had recorded none."""
    its = (_ENTRIES.table_id == table_id, _ENTRIES.gone.is_(None), _ENTRIES.kind == "config", _ENTRIES.seq <= seq)
    with faults_as_unavailable(), database.connect() as connection:
        newest = select(_ENTRIES.body).where(*its).order_by(_ENTRIES.seq.desc()).limit(1)
        body = connection.execute(newest).scalar()
    return {} if body is None else _read_settings(body)


@lru_cache(maxsize=256)
def _read_settings(body: str) -> dict[str, Any]:
    found = json.loads(body).get("settings")
    return found if isinstance(found, dict) else {}
