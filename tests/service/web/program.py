"""The program itself, run as people run it, and Debian's Chromium to look at its pages with."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from playwright.sync_api import Browser, Playwright

from tests.conftest import ROOT

SWITCHES = (
    "--no-sandbox",  # Chromium's own sandbox needs rights that containers and root do not have
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def launch(playwright: Playwright, fonts: Path | None = None) -> Browser:
    """Start Chromium; HOUSEWAY_BROWSER names another than Debian's.

    Args:
        playwright: drives it.
        fonts: a folder for a list of fonts, with which Chinese is shown on a machine that has no Chinese font.

    Raises:
        FileNotFoundError: no Chromium is installed.
        playwright.sync_api.Error: it does not start.
    """
    found = shutil.which(os.environ.get("HOUSEWAY_BROWSER", "chromium"))
    if found is None:
        raise FileNotFoundError("no chromium on this machine; install Debian's package or name one in HOUSEWAY_BROWSER")
    environment: dict[str, str | float | bool] = dict(os.environ)
    if fonts is not None:
        file = fonts / "fonts.conf"
        folder = escape(str(files("noto_cjk_sans_otc")))
        file.write_text(
            '<?xml version="1.0"?><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
            f"<dir>{folder}</dir></fontconfig>",
            encoding="utf-8",
        )
        environment["FONTCONFIG_FILE"] = str(file)
    return playwright.chromium.launch(executable_path=found, args=list(SWITCHES), env=environment)


@dataclass(frozen=True, slots=True)
class Program:
    """A running ``houseway run``.

    Attributes:
        address: of its pages.
        link: signs in once, as the first administrator.
        environment: for other commands of the same service.
    """

    address: str
    link: str
    environment: dict[str, str]

    def command(self, *arguments: str) -> str:
        """What another command of the same service prints; CalledProcessError if it fails."""
        asked = [sys.executable, "-m", "service", *arguments]
        return subprocess.run(
            asked, cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True, timeout=120
        ).stdout


@contextmanager
def running(state: Path, *options: str) -> Iterator[Program]:
    """Run the service with its data in the folder ``state``: its sample, if no options name settings."""
    environment = os.environ | {"XDG_STATE_HOME": str(state)}
    started = subprocess.Popen(
        [sys.executable, "-m", "service", "run", "--port", "0", *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in started.stdout or ():
            if link := re.search(r"(http://\S+)/set-up\?code=\S+", line):
                yield Program(link[1], link[0], environment)
                return
        raise RuntimeError(f"the service ended with status {started.wait(30)} before it printed a link")
    finally:
        started.terminate()
        started.wait(30)
