"""The calibration of a running table: checked against pictures, changed on a person's word, recorded and kept."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from calibration.drift.reference import save_reference
from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration, save_calibration
from calibration.table.places import DISCARD
from calibration.table.presets import with_zone
from calibration.table.zones import Layout
from service.access.roles import UserRole
from service.record.changes import Attribution
from service.record.store.entries import RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.table.live_pictures import Snapshots
from service.table.monitor.calibrating import Calibrating
from service.table.worker import Instruments, Worker
from service.web.setup_forms import place_fields, read_places
from tests.sample import CALIBRATION as KNOWN
from tests.sample import EMPTY
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    START,
    FakeReader,
    FakeSource,
    app_of,
    config,
    frames,
    new_folder,
    person,
    wait_until,
    with_table,
)
from vision.capture.images import Image, load_image

WHY = Attribution("tess", "the felt was changed")


@dataclass
class Bench:
    """A table's calibration in a folder of its own, with a camera that shows one picture again and again."""

    path: Path
    record: Record
    calibrating: Calibrating
    pictures: Snapshots
    used: list[tuple[TableCalibration, str]]
    shows: Image
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def version(self) -> str:
        in_use = self.calibrating.in_use
        assert in_use is not None
        return in_use.version

    def entries(self) -> list[dict[str, object]]:
        return [entry.data for entry in self.record.after(0, kinds=("calibration",))]

    def kept(self) -> list[Path]:
        return sorted((self.path.parent / "history").glob("*"))

    def run(self) -> None:
        while not self.ended.wait(0.01):
            self.pictures.offer(self.shows, START)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    path, empty = tmp_path / "table.json", load_image(EMPTY)
    save_calibration(path, replace(KNOWN, reference=save_reference(path, empty)))
    record, pictures, used = Record(RecordSettings(new_folder())), Snapshots(), []
    calibrating = Calibrating(path, load_calibration(path), record, "test", pictures, lambda *given: used.append(given))
    made = Bench(path, record, calibrating, pictures, used, empty)
    camera = threading.Thread(target=made.run, daemon=True)
    camera.start()
    yield made
    made.ended.set()
    camera.join()
    record.close()


def moved(layout: Layout, name: str = "discard", by: float = 10.0) -> Layout:
    zone = next(each for each in layout.all_zones if each.name == name)
    return with_zone(layout, replace(zone, center_mm=(zone.center_mm[0] + by, zone.center_mm[1])))


def test_a_place_is_moved(bench: Bench) -> None:
    bench.calibrating.put_places(moved(KNOWN.layout), bench.version, WHY)
    (calibration, version), (entry,) = bench.used[0], bench.entries()
    assert calibration.layout == load_calibration(bench.path).layout == moved(KNOWN.layout)
    assert bench.calibrating.in_use is not None
    assert (bench.version, len(bench.used), len(bench.kept())) == (version, 1, 1)
    assert (entry["by"], entry["reason"], entry["act"]) == ("tess", WHY.reason, "places moved: discard")
    assert load_calibration(bench.kept()[0]).layout == KNOWN.layout
    assert calibration.reference is not None
    (kept,) = bench.calibrating.earlier()
    assert kept.made_at is not None


def _change_file(bench: Bench) -> None:
    bench.path.write_bytes(bench.path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("layout", "version", "why", "said"),
    [
        (moved(KNOWN.layout, "box2", 150.0), None, WHY, "overlap"),
        (moved(KNOWN.layout, "discard", -900.0), None, WHY, "off the table"),
        (KNOWN.layout, None, WHY, "No place was changed"),
        (moved(KNOWN.layout), "0" * 64, WHY, "Somebody else has changed"),
        (moved(KNOWN.layout), None, Attribution("tess", " "), "Give a reason"),
    ],
)
def test_what_is_refused_changes_nothing(
    bench: Bench, layout: Layout, version: str | None, why: Attribution, said: str
) -> None:
    before = bench.path.read_bytes()
    with pytest.raises(CalibrationError, match=said):
        bench.calibrating.put_places(layout, version or bench.version, why)
    assert (bench.path.read_bytes(), bench.kept(), bench.used, bench.entries()) == (before, [], [], [])


def test_a_file_that_somebody_changed_is_not_written_over(bench: Bench) -> None:
    _change_file(bench)
    assert bench.calibrating.is_stale
    with pytest.raises(CalibrationError, match="restart the service"):
        bench.calibrating.put_places(moved(KNOWN.layout), bench.version, WHY)


def test_what_cannot_be_recorded_is_not_changed(bench: Bench) -> None:
    before = bench.path.read_bytes()
    bench.record.close()
    with pytest.raises(RecordUnavailableError):
        bench.calibrating.put_places(moved(KNOWN.layout), bench.version, WHY)
    assert (bench.path.read_bytes(), bench.used) == (before, [])


def test_what_cannot_be_written_is_recorded_as_not_done(bench: Bench) -> None:
    (bench.path.parent / "history").write_text("no folder")
    with pytest.raises(CalibrationError, match="nothing was changed"):
        bench.calibrating.put_places(moved(KNOWN.layout), bench.version, WHY)
    assert [str(entry["act"])[:11] for entry in bench.entries()] == ["places move", "not written"]
    assert bench.used == []


def test_the_check_says_what_most_pictures_show(bench: Bench) -> None:
    assert bench.calibrating.check().faults == ()
    bench.shows = np.asarray(bench.shows * 0.5, np.uint8)
    assert "dim" in [fault.code for fault in bench.calibrating.check().faults]


def test_without_a_camera_nothing_is_checked(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ended.set()
    monkeypatch.setattr("service.table.monitor.calibrating._WAIT_S", 0.01)
    with pytest.raises(CalibrationError, match="no picture"):
        bench.calibrating.check()


def test_the_camera_is_placed_by_points(bench: Bench) -> None:
    points_mm = np.array([(-900.0, 450.0, 0.0), (900.0, 450.0, 0.0), (900.0, -450.0, 0.0), (-880.0, -450.0, 0.0)])
    points_px = KNOWN.project(points_mm)
    assert bench.calibrating.solve(points_px, points_mm).residual_mm.max() < 0.01
    bench.calibrating.put_pose(points_px, points_mm, bench.version, WHY)
    (calibration, _), (entry,) = bench.used[0], bench.entries()
    assert np.allclose(calibration.pose.camera_mm, KNOWN.pose.camera_mm, atol=0.5)
    assert (entry["act"], entry["by"]) == ("place of the camera", "tess")
    assert calibration.layout == KNOWN.layout
    with pytest.raises(CalibrationError, match="could not be calculated"):
        bench.calibrating.solve(points_px[:3], points_mm[:3])


def test_a_form_that_nobody_touched_says_the_same() -> None:
    assert read_places(place_fields(KNOWN.layout), KNOWN.layout) == KNOWN.layout
    gone = {name: text for name, text in place_fields(KNOWN.layout).items() if name != "float.there"}
    assert read_places(gone, KNOWN.layout) == replace(KNOWN.layout, chip_float=None)
    for wrong in ("", "a", "nan", "1e9"):
        with pytest.raises(CalibrationError, match=r"house\.x: expected a number"):
            read_places({**place_fields(KNOWN.layout), "house.x": wrong}, KNOWN.layout)


def test_the_table_is_read_by_it_from_the_next_picture_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its versions name the new calibration; the comparison of the camera with it is tested elsewhere."""
    monkeypatch.setattr("service.table.pipeline.camera_watch_of", lambda *_: None)
    settings = config()
    app = app_of(settings, reader=FakeReader(), watch=False, calibration=KNOWN)
    parts = app.state.parts
    reader = FakeReader([HOUSE_RIGHT])
    source = FakeSource(frames(8), live=True)
    worker = Worker(
        settings,
        parts.only.live,
        parts.only.rules,
        parts.only.ledger,
        Instruments(reader, calibration=KNOWN, open_frames=lambda _: source),
    )
    worker.recalibrate(KNOWN, "ab" * 32)
    worker.start()
    wait_until(lambda: parts.only.live.state.current is not None)
    worker.stop()
    assert parts.only.live.state.current.versions["calibration"] == f"sha256:{'ab' * 32}"
    parts.record.close()


class TestPage:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        file = tmp_path / "table.json"
        save_calibration(file, KNOWN)
        return file

    @pytest.fixture
    def client(self, file: Path) -> Iterator[TestClient]:
        settings = config()
        settings = with_table(settings, calibration=file)
        app = app_of(settings, reader=FakeReader(), watch=False, calibration=load_calibration(file))
        with person(app, UserRole.TECHNICIAN, "tess") as client:
            yield client

    def form(self, client: TestClient, **changed: str) -> dict[str, str]:
        version = client.app.state.parts.only.calibrating.in_use.version  # type: ignore[attr-defined]
        fields = {**place_fields(KNOWN.layout), "version": version, "reason": "new felt"}
        return fields | {name.replace("_", "."): value for name, value in changed.items()}

    def test_what_is_in_use_is_shown(self, client: TestClient) -> None:
        html = client.get("/tables/test/calibration").text
        assert f"{KNOWN.pose.camera_mm[2]:.0f} mm over the felt" in html
        assert "Move the places" in html
        assert 'name="box3.x"' in client.get("/tables/test/calibration/places").text
        assert 'name="point4.y_px"' in client.get("/tables/test/calibration/points").text

    def test_places_are_moved_and_the_change_is_told(self, client: TestClient, file: Path) -> None:
        answer = client.post("/tables/test/calibration/places", data=self.form(client, discard_x="-640.0"))
        assert (answer.status_code, "Saved and recorded" in answer.text) == (200, True)
        place = load_calibration(file).layout.zone(DISCARD)
        assert place is not None
        assert place.center_mm[0] == -640.0
        changes = person(client.app, UserRole.AUDITOR, "audrey").get("/v1/changes").json()["changes"]  # type: ignore[arg-type]
        assert [(each["by"], each["reason"]) for each in changes if each["kind"] == "calibration"] == [
            ("tess", "new felt")
        ]

    def test_what_is_refused_stays_in_the_form(self, client: TestClient) -> None:
        answer = client.post("/tables/test/calibration/places", data=self.form(client, discard_x="-9000"))
        assert (answer.status_code, "off the table" in answer.text, 'value="-9000"' in answer.text) == (422, True, True)

    def test_points_are_tried_without_keeping_them(self, client: TestClient, file: Path) -> None:
        before = file.read_bytes()
        points_mm = np.array([(-900.0, 450.0, 0.0), (900.0, 450.0, 0.0), (900.0, -450.0, 0.0), (-880.0, -450.0, 0.0)])
        sent = {"action": "try"}
        for row, (px, mm) in enumerate(zip(KNOWN.project(points_mm), points_mm, strict=True), start=1):
            named = zip(("x_px", "y_px", "x_mm", "y_mm", "z_mm"), (*px, *mm), strict=True)
            sent |= {f"point{row}.{name}": f"{number:.3f}" for name, number in named}
        answer = client.post("/tables/test/calibration/points", data=sent)
        assert (answer.status_code, f"{KNOWN.pose.camera_mm[2]:.0f} mm over the felt" in answer.text) == (
            200,
            True,
        )
        sent["point1.x_mm"] = "-800"
        assert "do not agree" in client.post("/tables/test/calibration/points", data=sent).text
        assert file.read_bytes() == before

    def test_without_anything_to_compare_with_the_check_says_so(self, client: TestClient) -> None:
        answer = client.post("/tables/test/calibration/check")
        assert (answer.status_code, "to compare with" in answer.text) == (422, True)

    def test_without_a_calibration(self) -> None:
        app = app_of(config(), reader=FakeReader(), watch=False)
        client = person(app, UserRole.TECHNICIAN)
        assert "never verified" in client.get("/tables/test/calibration").text
        assert client.get("/tables/test/calibration/places").status_code == 404
        app.state.parts.record.close()
