"""Takes the pictures of the documents, from the real service on its bundled recording: ``make pictures``.

Watches the page until the dealer has set a House hand wrongly and corrected it. Keeps that as a film, the page as a
supervisor sees the wrong hand, and the camera's picture with the reading drawn on it. Needs Chromium;
HOUSEWAY_BROWSER names another than Debian's.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.service.web.program import launch, running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
SIZE: Final = (1280, 960)
LARGEST: Final = 300_000
"""Bytes of a picture: the README is read on slow connections too."""
LARGEST_FILM: Final = 1_500_000
FILM_WIDTH: Final = 960
PATIENCE_S: Final = 1200
"""Longer than the recording takes to come to the hand that is corrected."""
BEFORE_S: Final = 3.0
"""How long the film shows the table before the hand is wrong."""
CORRECTING_S: Final = 15.0
"""The longest time in which a hand is corrected; shorter than from one round's House hand to the next one's."""
AFTER_S: Final = 3.0
"""How long it shows the corrected hand."""
LAST_MS: Final = 2000
"""How long its last picture stays before it starts again."""


class Shot(NamedTuple):
    """The page at a moment.

    Attributes:
        drawn: the camera's picture with the reading, of a wrong hand.
        verdict: on the House hand, as the page says; None without one.
        marked: the live view marks the hand as wrong too.
    """

    at_s: float
    page: Image.Image
    drawn: Image.Image | None
    verdict: str | None
    marked: bool


def take() -> None:
    """Write page.png, reading.jpg and correction.webp beside this file."""
    with (
        tempfile.TemporaryDirectory(prefix="houseway-pictures-") as state,
        running(Path(state)) as program,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        page.goto(program.link)
        page.goto(f"{program.address}/")
        shots = _watch(page, program.address)
        browser.close()
    # The last one before the correction on which verdict, instruction and live view agree.
    wrong = [each for each in shots if each.verdict == "wrong" and each.drawn is not None]
    shown = ([each for each in wrong if each.marked] or wrong)[-1]
    _keep(HERE / "page.png", shown.page)
    if shown.drawn is not None:
        _keep(HERE / "reading.jpg", shown.drawn)
    _keep_film(HERE / "correction.webp", shots)


def _watch(page: Page, address: str) -> Sequence[Shot]:
    """Look at the page until a wrong House hand has been corrected; TimeoutError if none is."""
    ends = time.monotonic() + PATIENCE_S
    shots: deque[Shot] = deque()
    corrected_at = None
    while time.monotonic() < ends:
        shots.append(_look(page, address))
        now = shots[-1]
        if corrected_at is not None:
            if now.at_s - corrected_at >= AFTER_S:
                return shots
        elif now.verdict == "correct" and any(each.verdict == "wrong" for each in shots):
            corrected_at = now.at_s
        elif now.verdict != "wrong":
            keep_s = CORRECTING_S if any(each.verdict == "wrong" for each in shots) else BEFORE_S
            while now.at_s - shots[0].at_s > keep_s:
                shots.popleft()
    raise TimeoutError("no House hand of the recording was corrected")


def _look(page: Page, address: str) -> Shot:
    """Look at the page; what does not all show one verdict, because it changed meanwhile, counts as without one."""
    verdict = _verdict(page)
    if verdict != "wrong" and page.get_by_role("button", name="Acknowledge", exact=True).count():
        page.keyboard.press("F8")  # the film is about one alarm; the button may be replaced while it is clicked
    drawn = None
    if verdict == "wrong":
        answer = page.request.get(f"{address}/v1/tables/sample/view.jpg")
        drawn = _picture(answer.body()) if answer.ok else None
    page.evaluate("scrollTo(0, 0)")
    marked = page.locator(".marks a.wrong").count() > 0
    at_s, shown = time.monotonic(), _picture(page.screenshot())
    marked = marked and page.locator(".marks a.wrong").count() > 0
    return Shot(at_s, shown, drawn, verdict if verdict == _verdict(page) else None, marked)


def _verdict(page: Page) -> str | None:
    """The verdict on the House hand that the page shows."""
    classes = (page.locator("#verdict .verdict").first.get_attribute("class") or "").split()
    return next((one for one in ("wrong", "correct") if one in classes), None)


def _picture(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def _keep(path: Path, picture: Image.Image) -> None:
    """Write a picture as large as a page shows it, in few enough bytes."""
    picture.thumbnail((1280, 1280), Image.Resampling.LANCZOS)
    if path.suffix == ".png":
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    else:
        picture.save(path, quality=82, optimize=True)
    _check(path, picture, LARGEST)


def _keep_film(path: Path, shots: Sequence[Shot]) -> None:
    """Write an animated WebP file, which browsers show as they show a picture."""
    size = (FILM_WIDTH, FILM_WIDTH * SIZE[1] // SIZE[0])
    first, *others = (each.page.resize(size, Image.Resampling.LANCZOS) for each in shots)
    lasted = [round(1000 * (after.at_s - each.at_s)) for each, after in zip(shots, list(shots)[1:], strict=False)]
    durations = [*lasted, LAST_MS]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, quality=60, method=6)
    _check(path, first, LARGEST_FILM)


def _check(path: Path, picture: Image.Image, largest: int) -> None:
    size = path.stat().st_size
    if size > largest:
        raise ValueError(f"{path.name} has {size} bytes, more than {largest}")
    sys.stdout.write(f"{path.relative_to(ROOT)}: {picture.width} x {picture.height}, {size} bytes\n")


if __name__ == "__main__":
    take()
