"""House Way files for tests, and ways read of them."""

from engine.house_way.rules import HouseWay
from engine.house_way.written.reading import way_of
from engine.house_way.written.sheet import WayFileError

HEAD = """\
[house_way]
id = "test-2026"
title = "Test Casino, House Way"
revision = "2026-03"
rulebook = "crown-6.1"
"""
LAST = """
[[rule]]
number = "98"
set = "never worse in both hands"

[[rule]]
number = "99"
set = ["most points in low", "best high", "best low"]
"""
"""Rules that decide every deal that is left."""


def written(text: str, *, head: str = HEAD) -> HouseWay:
    return way_of((head + text).encode(), "own.toml", rulebooks=("crown-6.1",))[0]


def mistakes(text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    try:
        way_of(data, "own.toml", rulebooks=("crown-6.1",))
    except WayFileError as error:
        return list(map(str, error.mistakes))
    return []
