"""Options and arguments that several commands take."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from service.access.roles import UserRole
from service.cli.common import today


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day, such as 2027-02-01") from None


Rulebook = Annotated[
    str,
    typer.Option("--rulebook", help="A rulebook, such as crown-6.1, or the file (.toml, .py) of a House Way."),
]
RulebookOnly = Annotated[str, typer.Option("--rulebook", help="A rulebook, such as crown-6.1.")]
HouseWayUnder = Annotated[
    str | None,
    typer.Option(
        "--house-way",
        help="The House Way to use (id or file), if the rulebook prints none (uk-poster) or the casino has its own.",
        metavar="ID_OR_FILE",
    ),
]
Day = Annotated[
    date,
    typer.Option(
        "--on",
        parser=_day,
        default_factory=lambda: str(today()),
        show_default="today",
        help="The day whose rules apply, such as 2027-02-01.",
        metavar="DATE",
    ),
]
Settings = Annotated[
    Path | None, typer.Option("--config", help="The table's settings file (TOML). Default: the sample table.")
]
TableSettings = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="The table's settings file (TOML): read as at that table. Default: the tile model as shipped.",
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        help="A picture, a folder of pictures, a video, a camera's number or its file (/dev/v4l/by-id/...), "
        "rtsp://..., snapshot:http://..., or picamera2."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Commission = Annotated[
    str, typer.Option("--commission", help="Commission on winnings: 5%, 4.5% or 1/20.", metavar="RATE")
]
RequiredSettings = Annotated[Path, typer.Option("--config", help="The settings file (TOML) of the service.")]
Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with your name.")]
RoleOption = Annotated[UserRole, typer.Option("--role", help="What the account or key may do.")]
AccountName = Annotated[str, typer.Argument(help="Name of the account.")]
Pits = Annotated[
    list[str] | None,
    typer.Option(
        "--pit", help="At a hub: a pit whose tables the account or key may see. May be repeated. Default: all tables."
    ),
]
PublicKeyFile = Annotated[
    Path | None,
    typer.Option("--public-key", help="The table's public key (PEM), from a source you trust."),
]
RecordPlace = Annotated[
    str | None,
    typer.Option("--record", help="The record: its folder, its database file, or its URL.", metavar="PATH_OR_URL"),
]
EvidenceFolder = Annotated[
    Path | None, typer.Option("--evidence", help="The folder of pictures, if --record is a file or a URL.")
]
MarkersFile = Annotated[
    Path | None, typer.Option("--markers", help="The house's own chung and buttons, from houseway enrol --marker.")
]
