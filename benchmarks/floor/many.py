"""Playing tables in a process of their own, so that what they cost is told apart from what the floor costs."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import uvloop

from benchmarks.floor.answering import Answering
from benchmarks.floor.session import session
from benchmarks.floor.tables import PlayedTable, play
from benchmarks.memory import Cost, spent_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection as Pipe


class Told(NamedTuple):
    """An entry, as its table knows of it; ``heard_at`` is of the computer's monotonic clock, seconds."""

    table: str
    seq: int
    kind: str
    at: str
    heard_at: float


def names(count: int) -> list[str]:
    """What so many tables are called."""
    return [f"pg{number:03}" for number in range(1, count + 1)]


@dataclass(slots=True)
class ManyTables:
    """Tables that play, or wait to be told to.

    Attributes:
        url: each is below this under its name.
    """

    url: str
    process: int
    _pipe: Pipe

    def begin(self, pace: float) -> None:
        """Have them play, so many times as fast as real ones."""
        self._ask("begin", pace)

    def told(self, begun: float, ended: float) -> list[Told]:
        """The entries that were recorded between two moments."""
        found: list[Told] = self._ask("told", begun, ended)
        return found

    def counts(self) -> tuple[int, int]:
        """How many entries there are, and how many requests there were."""
        found: tuple[int, int] = self._ask("counts")
        return found

    def cost(self) -> Cost:
        """What they spent."""
        return spent_by([self.process])

    def _ask(self, what: str, *about: object) -> Any:  # noqa: ANN401  of the other process
        self._pipe.send((what, about))
        return self._pipe.recv()


@contextmanager
def many_tables(tables: Sequence[str], keep: int | None = 200) -> Iterator[ManyTables]:
    """Serve tables from a process of their own.

    Args:
        tables: their names.
        keep: so many lines each keeps behind the one that the floor has; None for all.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(tuple(tables), keep, theirs), daemon=True)
    process.start()
    theirs.close()  # so that one that ends is noticed
    try:
        yield ManyTables(ours.recv(), process.pid or 0, ours)
    finally:
        process.terminate()
        process.join(10)


def _serve(tables: Sequence[str], keep: int | None, pipe: Pipe) -> None:
    uvloop.run(_Serving([PlayedTable(name, keep) for name in tables], pipe).run())


@dataclass(slots=True)
class _Serving:
    """The other side of the pipe."""

    tables: list[PlayedTable]
    pipe: Pipe
    playing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Answer, until the process is ended."""
        answering = Answering({table.name: table for table in self.tables})
        server = await asyncio.start_server(answering.connected, "127.0.0.1", 0, limit=2**20, backlog=1000)
        self.pipe.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        acts: dict[str, Callable[..., object]] = {
            "begin": self._begin,
            "counts": lambda: (sum(len(table.entries) for table in self.tables), answering.requests),
            "told": self._told,
        }
        while True:
            what, about = await asyncio.to_thread(self.pipe.recv)
            self.pipe.send(acts[what](*about))

    def _begin(self, pace: float) -> None:
        chance = random.Random(1 + sum(table.rounds for table in self.tables))  # noqa: S311  moments, not secrets
        self.playing = asyncio.create_task(play(self.tables, session(), pace, chance))

    def _told(self, begun: float, ended: float) -> list[Told]:
        return [
            Told(table.name, seq, entry.kind, entry.at, entry.heard_at)
            for table in self.tables
            for seq, entry in enumerate(table.entries, start=1)
            if begun <= entry.heard_at < ended
        ]
