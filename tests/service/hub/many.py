"""A floor of many tables in every state, served from recorded feeds that are really signed."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.system.remote_settings import PitConfig
from tests.service.hub.feed_server import serving_feeds
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.floors import floor_config
from tests.service.hub.played import check, play
from tests.service.hub.serving import serving_floor
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

    from tests.service.hub.feed_server import FeedServer

PITS = {"main": "Main floor", "east": "East", "high": "High limit", "salon": "Salon"}


@dataclass(slots=True)
class ManyTables:
    """A floor that has collected many tables.

    Attributes:
        feeds: their feeds, which may go on.
        app: the floor.
        url: where it is.
    """

    feeds: FeedServer
    app: FastAPI
    url: str


@contextmanager
def many_tables(url: str, count: int) -> Iterator[ManyTables]:
    """A floor in which some tables have alarms, wait for a person, do not verify, or cannot be reached."""
    chance = random.Random(3)  # noqa: S311  no secret
    feeds = {f"pg{number:03}": _evening(f"own{number}", number, chance) for number in range(1, count + 1)}
    with serving_feeds(feeds) as server:
        for number, served in enumerate(server.tables.values()):
            if number % 47 == 5:
                served.told["status"] = {"level": "fault", "code": "camera"}
            if number % 61 == 7:
                served.status = 503
        pits_of = [list(PITS)[number * len(PITS) // count] for number in range(count)]
        tables = {
            name: {"title": f"PG {number}", "pit": pit, "url": f"{server.url}/{name}"}
            for number, (name, pit) in enumerate(zip(feeds, pits_of, strict=True), start=1)
        }
        pits = tuple(PitConfig(name=name, title=title) for name, title in PITS.items())
        config = floor_config(url, tables).model_copy(update={"pits": pits})
        with serving_floor(config) as floor:
            known = floor.parts.hub.writer
            there = {name: len(feed.entries) for name, feed in feeds.items() if server.tables[name].status is None}
            wait_until(lambda: all(known.known[name].seq == entries for name, entries in there.items()), 120)
            # From now on as real tables wait: what asks and is asked share a process, and only the floor is looked at.
            server.longest_wait_s, server.looks_every_s = 20.0, 0.1
            yield ManyTables(server, floor.app, floor.url)


def _evening(table: str, number: int, chance: random.Random) -> RecordedFeed:
    feed = RecordedFeed(table=table)
    for each in range(1, 4):
        play(feed, "right", f"r{each}", 1, minutes=4 * each)
        play(feed, "right", f"r{each}", 2, minutes=4 * each, state="closed")
    drawn = chance.random()
    if number == 1 or drawn < 0.08:
        play(feed, "wrong", "r4", 1, minutes=20)
    elif number == 2 or drawn < 0.2:
        play(feed, "doubt", "r4", 1, minutes=20)
    if chance.random() < 0.04:
        check(feed, "clock")
    return feed
