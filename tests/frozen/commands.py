"""The command line: every command's help, and what the commands about rules and chances say."""

from __future__ import annotations

import hashlib
import json
import random
import re
from typing import TYPE_CHECKING, Final

from engine.game.tiles import Tile
from tests.conftest import ROOT
from tests.frozen.common import BOOKS, WAY_OF, houseway, json_or_text, put, put_json

if TYPE_CHECKING:
    from pathlib import Path

_BETS: Final = ("bonus-a", "bonus-b", "bonus-c", "bonus-d", "bonus-e", "tie-a", "tie-b", "big-small")
_PLAYER_WAYS: Final = ("maximise-low", "maximise-high")
_DEALS: Final = 40
_DAY: Final = "2026-06-01"
"""The day on which irregularities are asked about: the rulebooks' versions depend on it."""


def write_help(out: Path) -> None:
    """Write ``help``: of all commands, found from the list that each group prints."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        words = waiting.pop()
        text = houseway(*words, "--help")
        put(out / "help" / ("-".join(("houseway", *words)) + ".txt"), text)
        if "COMMAND" in text.partition("\n")[0]:
            waiting += [(*words, name) for name in re.findall(r"^  ([a-z][a-z-]+)  +[A-Z]", text, re.MULTILINE)]


def write_engine(out: Path) -> None:
    """Write ``engine``: exports, chances, settlements, irregularities, settings."""
    folder = out / "engine"
    faces = [str(face) for face in Tile for _ in range(face.copies)]
    for book in BOOKS:
        way = WAY_OF.get(book)
        named = ["--rulebook", book, *(["--house-way", way] if way else [])]
        exported = houseway("house-way", "export", *named)
        facts: dict[str, object] = {
            "export": hashlib.sha256(exported.encode()).hexdigest(),
            "export lines": exported.count("\n"),
            "check": json_or_text(houseway("house-way", "check", way or book, "--json")),
        }
        put_json(folder / book / "house-way.json", facts)
        edges = {"main": ["--banking"], **{bet: ["--bet", bet] for bet in _BETS}}
        edges |= {way: ["--player-way", way] for way in _PLAYER_WAYS}
        put_json(
            folder / book / "edge.json",
            {name: json_or_text(houseway("edge", *named, *more, "--json")) for name, more in edges.items()},
        )
        listed = json.loads(houseway("irregularity", "--rulebook", book, "--json"))
        kinds = [each["irregularity"] for each in listed["irregularities"]]
        said = {
            kind: json_or_text(houseway("irregularity", kind, "--rulebook", book, "--on", _DAY, "--json"))
            for kind in kinds
        }
        put_json(folder / book / "irregularities.json", {"listed": listed, "said": said})
        rng = random.Random(f"frozen {book}")  # noqa: S311  deals of a test
        deals = [rng.sample(faces, 4) for _ in range(_DEALS)]
        put_json(
            folder / book / "set.json",
            [json_or_text(houseway("set", *deal, *named, "--json")) for deal in deals],
        )
        put_json(folder / book / "cuts.json", json_or_text(houseway("cut", "--rulebook", book, "--json")))
        put_json(folder / book / "coverage.json", json_or_text(houseway("rulebook", book, "--missing", "--json")))
    for file in sorted((ROOT / "docs" / "examples" / "settle").iterdir()):
        put_json(folder / "settle" / f"{file.stem}.json", json_or_text(houseway("settle", str(file), "--json")))
