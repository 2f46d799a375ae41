"""A hub follows the simulated tables of `benchmarks.hub_load` like real ones."""

import asyncio
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.hub.serving import Answering
from benchmarks.hub.session import Session, templates_of
from benchmarks.hub.tables import PlayedTable, play
from service.record.feed import EntriesOut
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.feeds import play as append_round
from tests.service.hub.hubs import collecting, hub_config
from tests.service.stand_ins import wait_until

ENTRIES = 30


@contextmanager
def playing(tables: Sequence[PlayedTable], session: Session) -> Iterator[str]:
    """Have tables play and answer in a thread; gives the address that they are below."""
    ending, urls = threading.Event(), list[str]()

    async def run() -> None:
        answering = Answering({table.name: table for table in tables})
        async with await asyncio.start_server(answering.connected, "127.0.0.1", 0) as server:
            rounds = asyncio.create_task(play(tables, session, 2_000.0, random.Random(1)))  # noqa: S311  no secret
            urls.append(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            await asyncio.to_thread(ending.wait)
            rounds.cancel()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        wait_until(lambda: bool(urls))
        yield urls[0]
    finally:
        ending.set()
        thread.join(10)


def test_a_hub_takes_what_they_play(hub_url: str) -> None:
    feed = RecordedFeed()
    append_round(feed, "wrong", "r1", 1)
    append_round(feed, "doubt", "r1", 2, state="closed")
    entries = [entry for entry, _ in feed.entries[1:]]
    session = Session((templates_of(entries, [(entries[0].seq * 1000 + 1, 1)]),))
    assert [step.kind for step in session.rounds[0].steps] == ["round", "round", "review", "acknowledgement"]
    tables = [PlayedTable(f"t{number}", kept_lines=1_000_000) for number in range(3)]
    with playing(tables, session) as url:
        addresses = {table.name: {"url": f"{url}/{table.name}"} for table in tables}
        with collecting(hub_config(hub_url, addresses)) as hub:
            for table in tables:
                wait_until(lambda table=table: len(hub.held(table.name)) >= ENTRIES)  # type: ignore[misc]
                held = hub.held(table.name)
                assert held == [entry.line for entry in table.entries][: len(held)]
                assert not hub.reader.refused(table.name)
    page = EntriesOut.model_validate_json(tables[0].page(0, 5))
    assert [entry.line for entry in page.entries] == [entry.line for entry in tables[0].entries[:5]]
