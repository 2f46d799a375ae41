"""``houseway floor demo``: a whole floor on this computer, to look at."""

from __future__ import annotations

import os
import re
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Final

import typer

from service.cli.common import plain_errors, say

_LINK_FOLLOWS_S: Final = 1.0


def demo_command(
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for all data, instead of your state folder. The next start continues with it."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=1, max=60_000, help="Port of the floor's page; the ports behind it are the tables'.")
    ] = 8000,
    *,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser, if there is a display.")] = True,
) -> None:
    """Show a floor with three simulated tables; starts PostgreSQL, tables and floor. Ctrl-C ends all.

    Needs no settings, but Debian's package postgresql, which runs as an ordinary program in the folder.
    """
    from service.floor.demo.demo import default_folder, run
    from service.floor.demo.programs import DemoError

    opening: threading.Timer | None = None

    def hear(line: str) -> None:
        nonlocal opening
        say(line)
        found = re.search(r"http://\S+/set-up\?code=\S+", line) or re.search(r"http://localhost:\d+", line)
        if found is not None and browser and _has_display():
            if opening is not None:
                opening.cancel()
            # The link that signs in follows the address, if there is one.
            opening = threading.Timer(_LINK_FOLLOWS_S, webbrowser.open, (found[0],))
            opening.daemon = True
            opening.start()

    try:
        with plain_errors(OSError, program="houseway floor demo"):
            run(folder or default_folder(), port, hear, say)
    except DemoError as error:
        say(f"houseway floor demo: {error}", err=True)  # as it is: it may have lines of a log
        raise typer.Exit(2) from None


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
