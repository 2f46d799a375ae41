"""Setting a table up, page by page: what is refused, what is recorded, and how far it is."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from calibration.files.calibration_file import TableCalibration, load_calibration
from calibration.lens.lens_fit import LensFit
from service.access.roles import UserRole
from service.api.notify.notifier import HealthRecorder
from service.api.parts import Parts
from service.record.changes import Attribution
from service.record.health import Check
from service.record.store.record import Record
from service.system.section import Address
from service.system.settings import Config, begun_config, load_config
from service.system.settings_file import SettingsFile
from service.system.source_kinds import SourceKind, offered
from service.system.table_settings import LocalTableConfig
from service.table.live_pictures import View
from service.table.setup.camera_views import LocalCamera, Preview, local_cameras
from service.table.setup.set_up import SettingsPlace
from service.table.setup.steps import check_first_hand, steps_of
from service.table.source import calibration_of
from service.web import setup_forms
from service.words.codes import ServiceCode
from tests.calibration.watched import SIZE, SPOTS, TRUE_LENS, shot, watched_table
from tests.service.api.test_http import play
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    FakeReader,
    FakeSource,
    app_of,
    bad_frame,
    config,
    frames,
    person,
    reading,
    report_round,
    revisions,
    wait_until,
)
from vision.capture.images import Image
from vision.health.plain_measures import measured
from vision.reading import Reading

CAMERA = {"source": "rtsp", "url": "rtsp://user:pa55word@camera.example/1", "name": "new", "rulebook": "crown-6.1"}
SETUP = "/tables/new/setup/camera"
WHY = Attribution("tess", "set-up")
FORM = {"time_zone": "Asia/Macau", "reason": "set-up", "action": "keep", **CAMERA}


class Bench:
    """A service that sets up the table of a settings file, and what its camera shows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record: Record | None = None
        self.begun_anew = 0
        self.read: Reading = reading()
        self.shows = shot(watched_table().clean)
        self.ended = threading.Event()
        self.begin()

    def begin(self, simulated: TableCalibration | None = None) -> None:
        """Start with the current settings, like the command."""
        if self.record is not None:
            self.record.close()
        file = SettingsFile.read_or_new(self.path)
        self.config: Config = begun_config(file)
        known = self.config.table.calibration
        self.app: FastAPI = app_of(
            self.config,
            reader=FakeReader([self.read] * 99),
            watch=False,
            place=SettingsPlace(self.path),
            calibration=simulated if known is None else load_calibration(known),
            open_frames=lambda _: FakeSource([bad_frame()]),
        )
        self.parts: Parts = self.app.state.parts
        (self.table,) = self.parts.tables.values()
        self.record = self.parts.record
        self.table.setting_up.restart = self._anew
        self.client: TestClient = person(self.app, UserRole.TECHNICIAN, "tess")

    def _anew(self) -> None:
        self.begun_anew += 1

    def show(self) -> None:
        """Let the camera show the same again and again."""
        while not self.ended.wait(0.02):
            self.table.live.pictures.offer(self.shows, datetime.now(UTC))

    def post(self, step: str, **fields: str) -> tuple[int, str]:
        answer = self.client.post(
            f"{self.table.at}/setup/{step}", data={"reason": "set-up", **fields}, follow_redirects=False
        )
        return answer.status_code, answer.text

    def states(self) -> dict[str, str]:
        parts, table = self.parts, self.table
        steps = steps_of(table.setting_up, table.live, table.tiles, table.dice, parts.record, self.config.table.name)
        return {step.name: step.state for step in steps}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Bench(tmp_path / "new.toml")
    thread = threading.Thread(target=made.show, daemon=True)
    thread.start()
    yield made
    made.ended.set()
    thread.join(timeout=10)


def test_nothing_is_watched_before_a_camera_is_chosen(bench: Bench) -> None:
    told = bench.client.get("/v1/tables").json()["tables"][0]
    assert told["state"] == "cannot_verify"
    assert (told["local"]["phase"], told["local"]["status"]["code"]) == ("not_reading", "not_set_up")
    page = bench.client.get("/").text
    assert "Set-up is not finished: nothing can be verified." in page
    assert 'href="/tables/new/setup"' in page
    assert bench.states() == {
        **dict.fromkeys(("camera", "lens", "table", "places", "empty", "hand"), "todo"),
        **dict.fromkeys(("tiles", "dice"), "later"),
    }


@pytest.mark.parametrize("step", ["", "/camera", "/lens", "/table", "/places", "/empty", "/tiles", "/dice", "/hand"])
def test_only_technicians_and_administrators_set_up(bench: Bench, step: str) -> None:
    for role, allowed in (
        (UserRole.TECHNICIAN, True),
        (UserRole.ADMIN, True),
        (UserRole.SUPERVISOR, False),
        (UserRole.VIEWER, False),
    ):
        answer = person(bench.app, role, role.value).get(f"/tables/new/setup{step}")
        assert answer.status_code == (200 if allowed else 403), role
    assert 'href="/tables/new/setup"' not in person(bench.app, UserRole.VIEWER, "vic").get("/").text


def test_table_and_camera_are_kept_recorded_and_used(bench: Bench) -> None:
    bench.path.write_text("# ours\n[limits]\nburst = 299\n")
    status, text = bench.post("camera", **{**FORM, "name": "pit4", "title": "Pit 4"})
    assert (status, bench.begun_anew) == (200, 1)
    assert "/tables/pit4/setup/lens" in text
    kept = load_config(bench.path)
    assert (kept.table.name, kept.table.title, kept.page.time_zone) == ("pit4", "Pit 4", "Asia/Macau")
    assert (kept.table.watched.kind, kept.limits.burst) == ("rtsp", 299)
    assert kept.record_folder == bench.config.record_folder
    assert bench.path.read_text().startswith("# ours\n[limits]\nburst = 299\n")
    address = bench.path.with_name("new-source-address")
    assert address.read_text() == f"{CAMERA['url']}\n"
    assert address.stat().st_mode & 0o777 == 0o600
    (entry,) = bench.parts.record.last(("config",), table="pit4")
    assert (entry.data["by"], entry.data["reason"]) == ("tess", "set-up")
    for told in (text, entry.body, bench.path.read_text(), bench.client.get("/tables/new/setup/camera").text):
        assert "pa55word" not in told

    bench.begin()
    assert bench.client.get("/tables/pit4/setup").status_code == 200  # signed in as before, under the new name
    assert bench.states()["camera"] == "todo"
    assert not [one for one in bench.parts.record.last(("config",), count=9) if one.data["by"] != "tess"]


@pytest.mark.parametrize("kind", offered("address"), ids=lambda kind: kind.name)
def test_every_network_camera_is_tried_and_kept_with_its_address(bench: Bench, kind: SourceKind) -> None:
    assert kind.address_form in bench.client.get("/tables/new/setup/camera").text
    fields = {**FORM, "source": kind.name, "url": f"{kind.schemes[-1]}user:pa55word@camera.example/1"}
    status, text = bench.post("camera", **{**fields, "action": "look"})
    assert (status, "pa55word" in text) == (200, False)
    assert bench.post("camera", **{**fields, "url": ""})[0] == 200  # the address of the first request
    kept = load_config(bench.path).table.watched
    assert (kept.kind, kept.url) == (kind.name, Address(fields["url"]))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": "Pit 4"}, "tables 1 (pit 4): name:"),
        ({"rulebook": "../evil.py"}, "There is no rulebook or House Way"),
        ({"house_way": "evil.py"}, "There is no rulebook or House Way"),
        ({"rulebook": "uk-poster"}, "prints no House Way"),
        ({"time_zone": "Macau"}, "there is no time zone"),
        ({"url": "http://camera.example"}, "rtsp://..."),
        ({"source": "snapshot"}, "http://..."),
        ({"source": "path", "path": ""}, "Enter the folder or file"),
        ({"source": "none"}, "Choose where the pictures come from"),
        ({"source": "camera:0", "width": "wide", "height": "1"}, "expected a number"),
        ({"source": "camera:0", "width": "640"}, "height: expected a number"),
        ({"source": "camera:0", "width": "6", "height": "4"}, "source.size"),
        ({"source": "camera:99"}, "source.device"),
    ],
)
def test_settings_that_cannot_be_are_refused(bench: Bench, fields: dict[str, str], says: str) -> None:
    status, text = bench.post("camera", **{**FORM, **fields})
    assert (status, bench.begun_anew) == (422, 0)
    assert says in text.replace("&#39;", "'")
    assert not bench.path.exists()
    assert not bench.parts.record.last(("config",))


def test_a_table_beside_a_remote_one_and_one_without_a_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "key").write_text("key-of-far")
    others = '[[tables]]\nname = "far"\nurl = "http://127.0.0.1:9"\nkey_file = "key"\n[[tables]]\nname = "later"\n'
    path = tmp_path / "house.toml"
    path.write_text(f'{others}rulebook = "crown-6.1"\n[[tables]]\nname = "new"\nrulebook = "crown-6.1"\n')
    settings = begun_config(SettingsFile.read(path))
    app = app_of(settings, reader=FakeReader(), watch=False, place=SettingsPlace(path))
    form = {**FORM, "reason": "set-up"}
    answer = person(app, UserRole.TECHNICIAN, "tess").post("/tables/new/setup/camera", data=form)
    assert answer.status_code == 200
    far, later, new = begun_config(SettingsFile.read(path)).tables
    assert (far, later) == settings.tables[:2]
    assert isinstance(new, LocalTableConfig)
    assert new.watched.kind == "rtsp"
    app.state.parts.record.close()


@pytest.mark.parametrize(("rulebook", "variant"), [("crown-6.1", "crown-pai-gow"), ("nz-1998", None)])
def test_a_variant_stays_with_its_rulebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rulebook: str, variant: str | None
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / "house.toml"
    path.write_text('[[tables]]\nname = "new"\nrulebook = "crown-6.1"\nvariant = "crown-pai-gow"\n')
    app = app_of(begun_config(SettingsFile.read(path)), reader=FakeReader(), watch=False, place=SettingsPlace(path))
    form = {**FORM, "rulebook": rulebook, "reason": "set-up"}
    answer = person(app, UserRole.TECHNICIAN, "tess").post("/tables/new/setup/camera", data=form)
    assert answer.status_code == 200
    kept = load_config(path).table
    assert (kept.rulebook, kept.variant) == (rulebook, variant)
    app.state.parts.record.close()


def test_a_simulated_table_needs_no_more_than_its_choice(bench: Bench) -> None:
    assert "A simulated table, to try the program" in bench.client.get("/tables/new/setup/camera").text
    status, text = bench.post("camera", **{**FORM, "source": "simulator", "url": ""})
    assert (status, 'href="/tables/new"' in text) == (200, True)
    kept = load_config(bench.path).table
    assert kept.watched.kind == "simulator"
    bench.config = begun_config(SettingsFile.read(bench.path))
    simulated = calibration_of(bench.config)
    bench.begin(simulated)
    states = bench.states()
    assert {name for name, state in states.items() if state == "todo"} == {"camera", "hand"}


def test_a_camera_of_this_machine_has_a_thumbnail(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = LocalCamera("camera", "/dev/v4l/by-id/usb-one-video-index0", "one")
    monkeypatch.setattr(setup_forms, "local_cameras", lambda: (camera,))
    (address,) = re.findall(r'src="(/tables/new/setup/camera/thumbnail[^"]+)"', bench.client.get(SETUP).text)
    assert bench.client.get(address).status_code == 404  # it gives nothing but a bad picture
    sources = [FakeSource([bad_frame(), *frames(2)])]
    bench.table.setting_up.preview = Preview(lambda _: sources[0])
    answer = bench.client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
    assert sources[0].closed.is_set()
    assert bench.client.get(address.replace("one", "other")).status_code == 404


def test_checks_are_no_alarms_before_the_table_is_set_up(bench: Bench) -> None:
    def alarms() -> int:
        recorder = HealthRecorder(bench.parts.record, bench.table.live, "new", look_every_s=0.01)
        with suppress(TimeoutError):
            asyncio.run(asyncio.wait_for(recorder.run(), 0.2))
        assert "source" in {check.name for check in bench.table.live.health() if not check.ok}
        recorded, open_ = len(bench.parts.record.last(("alarm",))), len(bench.table.alarms.standing().open)
        assert recorded == open_
        return recorded

    assert alarms() == 0
    _calibrated(bench)
    bench.table.live.check(Check.of("source", ServiceCode.SOURCE_NOT_CHOSEN, ok=False))
    assert alarms() == 1


def test_a_file_that_may_not_be_written(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    status, text = bench.post("camera", **FORM)
    assert (status, bench.begun_anew) == (422, 0)
    assert "cannot be written, so nothing was changed" in text


def test_the_sample_is_not_set_up() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    client = person(app, UserRole.TECHNICIAN)
    assert "houseway run --config my-table.toml" in client.get("/tables/test/setup").text
    refused = client.post("/tables/test/setup/camera", data=FORM)
    assert refused.status_code == 422
    assert "without a settings file of its own" in refused.text


def _calibrated(bench: Bench) -> None:
    """With a camera, a lens and the first calibration."""
    bench.post("camera", **FORM)
    bench.begin()
    bench.table.calibrating.put_lens(LensFit(SIZE, TRUE_LENS, 0.09, 0.1, (("view 1", 0.09),)), WHY)
    spots = {f"marker{spot.number}.{axis}": str(getattr(spot, f"{axis}_mm")) for spot in SPOTS for axis in "xyz"}
    status, text = bench.post("table", action="try", **spots)
    assert status == 200
    assert "mm over the felt" in text
    bench.post("table", action="keep", version="", **spots)
    bench.begin()


def test_from_a_lens_to_the_picture_of_the_empty_table(bench: Bench) -> None:
    assert bench.post("table", action="try")[0] == 422
    _calibrated(bench)
    assert bench.begun_anew == 2
    assert bench.config.table.calibration == bench.path.with_name("new-calibration.json")
    assert {name for name, state in bench.states().items() if state == "done"} == {"lens", "table"}
    version = bench.table.calibrating.version

    status, _ = bench.post("places", action="numbers", numbers="left", version=version)
    assert status == 303
    layout = load_calibration(bench.config.table.calibration).layout
    assert layout.boxes_counter_clockwise == (8, 7, 6, 5, 4, 3, 2, 1)
    assert bench.post("places", action="numbers", numbers="right", version=version)[0] == 422  # somebody was quicker
    version = bench.table.calibrating.version
    sent = {"action": "preset", "preset": "uk", "shape": "straight", "wide": "2300", "deep": "1150", "version": version}
    assert bench.post("places", **sent, numbers="right")[0] == 303
    assert len(load_calibration(bench.config.table.calibration).layout.boxes_counter_clockwise) == 7
    assert bench.post("places", **{**sent, "wide": "2"})[0] == 422
    assert bench.post("places", action="right", version=bench.table.calibrating.version)[0] == 303
    assert bench.states()["places"] == "done"

    assert bench.post("empty", version=bench.table.calibrating.version)[0] == 303
    calibration = load_calibration(bench.config.table.calibration)
    assert calibration.reference is not None
    assert len(calibration.markers) == 4  # they are in the picture, so they stay
    assert bench.states()["empty"] == "done"
    page = person(bench.app, UserRole.ADMIN).get("/changes").text
    for said in ("lens", "place of the camera", "places moved", "places confirmed", "picture of the empty table"):
        assert said in page


def test_a_table_that_is_not_empty(bench: Bench) -> None:
    _calibrated(bench)
    still = bench.shows
    moved: Image = bench.shows.copy()
    moved[200:640, 400:700] = (150, 170, 200)
    flicker = threading.Event()

    def wave() -> None:
        while not flicker.wait(0.03):
            bench.shows = moved if bench.shows is still else still

    thread = threading.Thread(target=wave)
    thread.start()
    status, text = bench.post("empty", version=bench.table.calibrating.version)
    flicker.set()
    thread.join()
    bench.shows = still
    assert status == 422
    assert "Something moves over the table" in text
    assert bench.config.table.calibration is not None
    assert load_calibration(bench.config.table.calibration).reference is None

    bench.read = HOUSE_RIGHT
    bench.begin()
    version = bench.table.calibrating.version
    status, text = bench.post("empty", version=version)
    assert status == 422
    assert "look like tiles or dice lie there" in text
    assert bench.post("empty", version=version, printed="true")[0] == 303


def test_tiles_are_enrolled_now_or_later(bench: Bench) -> None:
    _calibrated(bench)
    assert bench.states()["tiles"] == "later"
    assert bench.post("tiles", action="begin")[0] == 200
    assert load_config(bench.path).table.enrolment == bench.path.with_name("new-tiles.json")
    assert bench.post("tiles", action="later")[0] == 200
    assert load_config(bench.path).table.enrolment is None


def test_a_first_hand_passes_check_by_check() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    table = app.state.parts.only
    looked = check_first_hand(table.live, table.calibrating)
    assert [check.outcome for check in looked.checks] == ["passed", *["waiting"] * 4]
    assert not looked.verified
    play(app, HOUSE_RIGHT)
    assert not check_first_hand(table.live, table.calibrating).verified  # without a calibration no hand counts


def test_a_preview_tells_what_a_source_gives_and_lets_it_go() -> None:
    source = FakeSource([*frames(3), bad_frame()])
    preview = Preview(lambda _: source)
    preview.start(config())
    wait_until(lambda: preview.state().fault is not None)
    seen = preview.state()
    assert seen.measures is not None
    assert (seen.number, seen.measures.size) == (3, (640, 360))
    assert "camera 0" in str(seen.fault)
    preview.end()
    assert source.closed.is_set()
    assert not preview.running


@pytest.mark.parametrize(("level", "dark", "bright"), [(20, True, False), (120, False, False), (252, False, True)])
def test_a_picture_alone_says_whether_it_is_lit(level: int, *, dark: bool, bright: bool) -> None:
    told = measured(np.full((90, 160, 3), level, np.uint8))
    assert (told.too_dark, told.too_bright, told.sharpness) == (dark, bright, 0.0)


def test_a_sharp_picture_is_sharper_than_a_soft_one() -> None:
    sharp = watched_table().empty
    soft = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 2.0), np.uint8)
    assert measured(sharp).sharpness > 2 * measured(soft).sharpness


def test_cameras_are_known_by_maker_and_number(tmp_path: Path) -> None:
    for name in ("usb-046d_HD_Pro_Webcam_C920-video-index0", "usb-046d_HD_Pro_Webcam_C920-video-index1"):
        (tmp_path / name).touch()
    found = local_cameras(tmp_path)
    assert [(one.kind, one.name) for one in found if one.kind == "camera"] == [("camera", "046d HD Pro Webcam C920")]
    assert found[0].device.endswith("video-index0")


@pytest.mark.parametrize(("before", "outcome"), [(False, "passed"), (True, "failed")])
def test_a_hand_counts_only_if_its_round_began_under_this_calibration(
    bench: Bench, *, before: bool, outcome: str
) -> None:
    if before:
        play(bench.app, HOUSE_RIGHT)
        (played,) = bench.table.live.state.recent
    _calibrated(bench)
    if before:
        bench.table.live.publish_rounds(played)
    else:
        bench.table.live.publish_rounds(
            *(
                report_round(one, table="new", rules=bench.table.rules, versions={})
                for one in revisions("r9", datetime.now(UTC), HOUSE_RIGHT)
            )
        )
    bench.table.live.publish_picture(View(1, datetime.now(UTC), lambda: b""), HOUSE_RIGHT)
    looked = check_first_hand(bench.table.live, bench.table.calibrating)
    assert looked.checks[-1].outcome == outcome
    assert looked.verified is not before
    assert bench.states()["hand"] == ("todo" if before else "done")
