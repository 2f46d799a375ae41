"""A technician sets a table up in the page alone: from an empty settings file to a verified hand."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from calibration.files.calibration_file import load_calibration
from calibration.table.markers import MarkerSpot
from service.cli.run import ServiceRun
from service.cli.serving import listen
from service.system import logs
from service.system.settings import load_config
from tests.service.stand_ins import wait_until
from tests.service.table.setup.simulated_camera import FAST_S, USUAL_S, SimulatedCamera, Stage, drawn_table
from tests.service.web.program import launch
from vision.capture.images import Image

EMPTY = "# the table of pit 4\n[[tables]]\n[tables.clock]\nneed_sync = false  # no time server here\n"
SPOTS = tuple(MarkerSpot(n, x, y) for n, (x, y) in enumerate([(-972, 472), (972, 472), (972, -472), (-972, -472)]))
PASSWORD = "a-secret-of-the-camera"  # noqa: S105
SLOW_MS = 40_000


class Served:
    """The service of a table that is set up, with a camera before which things are put."""

    def __init__(self, path: Path) -> None:
        self.stage = Stage(drawn_table().empty())
        self.path = path
        self.said = ""
        self.run = ServiceRun(
            path,
            host="127.0.0.1",
            port=0,
            open_frames=lambda _: SimulatedCamera(self.stage),
        )

    def show(self, picture: Image) -> None:
        """Put something before the camera; returns once its pictures show nothing else."""
        self.stage.shows = picture
        assert self.run.app is not None
        for _ in range(2):
            assert self.run.app.state.parts.only.live.pictures.take(SLOW_MS / 1000) is not None

    def serve(self) -> None:
        with listen(self.run.settings) as listening:
            self.run.serve(listening)


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of Debian's Chromium; what it refuses, and a picture that is not there yet, it says in its console."""
    said: list[str] = []
    with sync_playwright() as playwright:
        try:
            started = launch(playwright)
        except FileNotFoundError as error:
            pytest.skip(str(error))
        page = started.new_page(viewport={"width": 1280, "height": 800})
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        yield page
        started.close()
    assert [text for text in said if "status of 4" not in text] == []


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Served]:
    monkeypatch.setattr(logs, "configure_logging", lambda *_: None)  # the test runner has its own
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "settings" / "new.toml"
    path.parent.mkdir()
    path.write_text(EMPTY)
    served = Served(path)
    thread = threading.Thread(target=served.serve)
    thread.start()
    wait_until(lambda: served.run.server is not None and served.run.server.started)
    served.said = capsys.readouterr().out
    yield served
    assert served.run.app is not None
    assert served.run.server is not None
    served.run.app.state.parts.only.live.close()
    served.run.server.should_exit = True
    thread.join(timeout=20)
    assert not thread.is_alive()


def test_from_an_empty_file_to_a_verified_hand(served: Served, page: Page) -> None:
    page.set_default_timeout(SLOW_MS)
    (link,) = re.findall(r"http://localhost:\d+/set-up\?code=\S+", served.said)
    assert "names no camera yet: set the table up on http://localhost" in served.said
    page.goto(link)
    expect(page.get_by_role("heading", name="Set up the table")).to_be_visible()
    expect(page.locator(".steps-of-setup .todo")).to_have_count(6)
    page.get_by_role("link", name="Next: Table and camera").click()
    choose_camera(page)
    calibrate_lens(page, served.stage)
    find_camera_place(page, served)
    confirm_places(page)
    take_empty_table(page, served)
    lay_first_hand(page, served)
    page.goto(page.url.replace("/hand", ""))
    expect(page.locator(".steps-of-setup .done")).to_have_count(6)
    check_files(served)


def choose_camera(page: Page) -> None:
    page.get_by_label("Name in addresses").fill("pit4-table2")
    page.get_by_label("Name shown to people").fill("Pit 4, table 2")
    page.get_by_label("Time zone").fill("Australia/Melbourne")
    page.get_by_label("Network camera", exact=True).check()
    address, typed = page.get_by_label("Its address"), page.locator("#address-typed")
    address.fill("camera.example")
    expect(typed).to_have_text("The address starts with rtsp://, rtsps://, http://, https://.")
    page.get_by_role("button", name="Look at the picture").click()
    expect(page).to_have_url(re.compile("/setup/camera$"))
    assert address.evaluate("field => !field.validity.valid")
    address.fill("http://camera.example")
    expect(page.get_by_label("Network camera that gives single pictures")).to_be_checked()
    address.fill(f"rtsp://user:{PASSWORD}@camera.example/stream")
    expect(page.get_by_label("Network camera", exact=True)).to_be_checked()
    expect(typed).to_have_text("user at camera.example/stream")
    page.get_by_role("button", name="Look at the picture").click()
    expect(page.get_by_text(re.compile("2304 . 1296"))).to_be_visible()
    expect(page.get_by_text("Known: rtsp://camera.example")).to_be_visible()
    assert PASSWORD not in page.content()
    page.get_by_role("button", name="Save and continue").click()


def calibrate_lens(page: Page, stage: Stage) -> None:
    """The service was restarted in between."""
    expect(page.get_by_role("heading", name="Lens")).to_be_visible()
    expect(page.locator(".guide")).to_contain_text("Hold the board in the upper left part")
    boards, stage.period_s = drawn_table().boards(), FAST_S
    for number, shown in enumerate(boards, start=1):
        stage.shows = shown
        if number < len(boards) - 1:
            expect(page.get_by_text(re.compile(f"^{number} views? taken"))).to_be_visible()
    expect(page.locator(".guide")).to_contain_text("The lens is calibrated")
    stage.period_s = USUAL_S
    page.get_by_role("button", name="Save this lens").click()


def find_camera_place(page: Page, served: Served) -> None:
    """One marker is not where it was said to lie; then it is."""
    expect(page.get_by_role("heading", name="Where the camera hangs")).to_be_visible()
    served.show(drawn_table().marked(SPOTS))
    page.get_by_label("Marker 1: x, mm").fill("940")
    page.get_by_role("button", name="Try").click()
    expect(page.locator("main [role=alert]")).to_contain_text("do not agree")
    page.get_by_label("Marker 1: x, mm").fill("972")
    page.get_by_role("button", name="Try").click()
    expect(page.locator("main [role=status]")).to_contain_text("mm over the felt")
    page.get_by_role("button", name="Save and continue").click()


def confirm_places(page: Page) -> None:
    """And which way the boxes are numbered."""
    expect(page.get_by_role("heading", name="Places and numbers")).to_be_visible()
    for side, numbers in (("left", "8 7 6 5 4 3 2 1"), ("right", "1 2 3 4 5 6 7 8")):
        page.get_by_label(f"From the dealer's {side}").check()
        page.get_by_role("button", name="Use this numbering").click()
        expect(page.get_by_text(f"counter-clockwise: {numbers}")).to_be_visible()
    page.get_by_role("button", name="Places and numbers are right").click()


def take_empty_table(page: Page, served: Served) -> None:
    """Not while tiles lie there."""
    expect(page.get_by_role("heading", name="Empty table")).to_be_visible()
    served.show(drawn_table().with_hand())
    page.get_by_role("button", name="Take the picture").click()
    expect(page.locator("main [role=alert]")).to_contain_text("4 things that look like tiles or dice lie there")
    served.show(drawn_table().empty())
    page.get_by_role("button", name="Take the picture").click()


def lay_first_hand(page: Page, served: Served) -> None:
    page.get_by_role("link", name=re.compile("Later. Next: .*dice")).click()
    page.get_by_role("link", name="Later. Next: First hand").click()
    expect(page.get_by_text("waiting").first).to_be_visible()
    assert served.run.app is not None
    live = served.run.app.state.parts.only.live
    # What lay there for the empty table counts for nothing: that round is over first.
    wait_until(lambda: live.state.current is None or live.state.current.state == "closed")
    served.show(drawn_table().with_hand())
    expect(page.get_by_text("Set-up is finished.")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_text("6-3 5-3")).to_be_visible()


def check_files(served: Served) -> None:
    """What is in the settings, beside them and in the record."""
    settings = load_config(served.path)
    assert (settings.table.name, settings.table.title) == ("pit4-table2", "Pit 4, table 2")
    assert settings.page.time_zone == "Australia/Melbourne"
    assert settings.table.calibration is not None
    assert load_calibration(settings.table.calibration).markers == ()
    text = served.path.read_text()
    assert set(EMPTY.splitlines()) <= set(text.splitlines())
    assert PASSWORD not in text
    assert (served.path.parent / "new-source-address").stat().st_mode & 0o777 == 0o600
    assert served.run.app is not None
    record = served.run.app.state.parts.record
    assert not [entry for entry in record.after(0) if PASSWORD in entry.body]
    acts = [entry.data["act"] for entry in record.after(0, kinds=("calibration",))]
    assert acts[:2] == ["lens", "place of the camera"]
    assert acts[-2:] == ["places confirmed", "picture of the empty table"]
