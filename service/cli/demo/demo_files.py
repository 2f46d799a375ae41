"""The settings of a demonstration: three simulated tables on one computer, and the floor over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RECORD: Final = "floor"
"""Folder of the floor's own record."""
FLOOR: Final = "floor.toml"
_WRITTEN: Final = "# Written anew by each `houseway floor demo`: a change here does not last.\n\n"


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A simulated table.

    Attributes:
        pit: title of its pit.
        seed: of what is dealt.
        in_turn: what the dealer does wrong in each round, from the first on (``datasets.simulator``).
    """

    name: str
    title: str
    pit: str
    rulebook: str
    seed: int
    in_turn: str

    @property
    def settings(self) -> str:
        """Name of the file with its settings."""
        return f"{self.name}.toml"

    @property
    def key(self) -> str:
        """Name of the file with the key by which the floor collects it."""
        return f"{self.name}.key"


DEMO_TABLES: Final = (
    # In the first round of each what a newcomer is to see first: a wrong House hand, a round in doubt, an irregularity.
    DemoTable("main-1", "Main 1", "Main pit", "crown-6.1", 31, "house-set-wrong+none+leaning-die-not-reshaken+none"),
    DemoTable(
        "main-2", "Main 2", "Main pit", "crown-6.1", 32, "leaning-die-not-reshaken+none+house-set-wrong-corrected+none"
    ),
    DemoTable("salon-1", "Salon 1", "Salon", "star-2024", 50, "wrong-first-box+none+house-set-wrong+none"),
)
_FILM: Final = "rounds=4,fps=3,players=2-4,pace=1.15,size=1920x1080"
"""Three pictures a second, so that two cores draw and read three tables."""


def ports(first: int) -> dict[str, int]:
    """The ports of a demonstration, by who listens there."""
    names = ("floor", *(table.name for table in DEMO_TABLES))
    return {name: first + place for place, name in enumerate(names)}


def settings(database_url: str, first_port: int) -> Mapping[str, str]:
    """The settings files by name; their paths are relative to the folder that they lie in."""
    at = ports(first_port)
    pits = {table.pit: table.pit.lower().replace(" ", "-") for table in DEMO_TABLES}
    floor = (
        f'[service]\nname = "demo"\ntitle = "Demonstration"\n\n[server]\nport = {at["floor"]}\n\n'
        f'[record]\nfolder = "{RECORD}"\nurl = "{database_url}"\n\n'
        + "".join(f'[[pits]]\nname = "{name}"\ntitle = "{title}"\n\n' for title, name in pits.items())
        + "\n".join(
            f'[[tables]]\nname = "{table.name}"\ntitle = "{table.title}"\npit = "{pits[table.pit]}"\n'
            f'key_file = "{table.key}"\nurl = "http://localhost:{at[table.name]}"\n'
            for table in DEMO_TABLES
        )
    )
    each = {table.settings: _table(table, at[table.name]) for table in DEMO_TABLES}
    made = {FLOOR: floor, **each}
    return {name: _WRITTEN + text for name, text in made.items()}


def write(folder: Path, database_url: str, first_port: int) -> None:
    """Write the settings files into a folder."""
    for name, text in settings(database_url, first_port).items():
        (folder / name).write_text(text, encoding="utf-8")


def _table(table: DemoTable, port: int) -> str:
    return (
        f'[[tables]]\nname = "{table.name}"\ntitle = "{table.title}"\nrulebook = "{table.rulebook}"\n\n'
        f'[tables.source]\nkind = "simulator"\nsimulator = "seed={table.seed},{_FILM},in_turn={table.in_turn}"\n'
        # A session that begins again is made up first, which takes a busy computer some seconds.
        "frame_timeout_s = 30\n\n"
        "[tables.clock]\nneed_sync = false\n\n"
        f"[server]\nport = {port}\n\n"
        f'[record]\nfolder = "{table.name}"\nmax_mb = 2000\n'
    )
