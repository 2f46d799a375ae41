"""The HTTP side: what is served, and that every fault is a problem."""

import json
import re
import struct
import threading
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import cv2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engine.game.box_order import FROM_RIGHT, BoxOrder
from engine.vocabulary.play import Lie
from service.record.health import Check
from service.rounds.reports import RoundReport
from service.rounds.served import RoundOut
from service.system.settings import Config
from service.table import live_state
from service.table.live_pictures import View
from service.words.codes import ServiceCode
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    opened,
    picture,
    report_round,
    signed_in,
    with_table,
)
from vision.capture import CaptureStatistics
from vision.capture.faults import CaptureCode
from vision.findings import Finding
from vision.reading import Reading


@pytest.fixture
def settings() -> Config:
    return config(max_wait_s=60.0)


def play(
    app: FastAPI, reading: Reading = HOUSE_RIGHT, round_id: str = "r1", order: BoxOrder = FROM_RIGHT
) -> RoundReport:
    """Let the live state know of one round."""
    parts = app.state.parts
    report = report_round(
        opened(reading, round_id),
        table="test",
        rules=parts.only.rules,
        versions=reading.versions,
        box_order=order,
    )
    recorded: tuple[RoundReport, ...] = parts.only.ledger.revise(report)
    parts.only.live.publish_rounds(*recorded)
    state = parts.only.live.state
    if state.view is not None and state.reading is not None:  # the picture follows its round
        parts.only.live.publish_picture(state.view, state.reading, state.progress)
    return recorded[-1]


def show(app: FastAPI, at: datetime | None = None) -> None:
    """Let the live state know of one picture."""
    parts = app.state.parts
    parts.only.live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=True, why="pictures arrive"))
    parts.only.live.publish_picture(View(1, at or datetime.now(UTC), lambda: b"\xff\xd8 picture"), HOUSE_RIGHT)


def jpeg(width: int = 640, height: int = 360) -> bytes:
    """A plain picture as a file."""
    return cv2.imencode(".jpg", picture(width, height))[1].tobytes()


def png_header(width: int, height: int) -> bytes:
    """A grey PNG of this size with next to nothing in it; nobody should ask for the rest."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def problem_of(answer: object) -> dict[str, object]:
    assert answer.headers["content-type"] == "application/problem+json"  # type: ignore[attr-defined]
    said: dict[str, object] = answer.json()  # type: ignore[attr-defined]
    assert {"type", "title", "status", "detail", "instance", "code"} <= said.keys()
    assert said["status"] == answer.status_code  # type: ignore[attr-defined]
    return said


class TestTables:
    def test_a_table_that_waits(self, client: TestClient) -> None:
        (table,) = client.get("/v1/tables").json()["tables"]
        assert (table["name"], table["state"], table["remote"]) == ("test", "cannot_verify", None)
        assert (table["local"]["rulebook"], table["local"]["phase"]) == ("crown-6.1", "waiting")
        assert client.get("/v1/tables/test").json() == table

    def test_a_table_with_a_round(self, app: FastAPI, client: TestClient) -> None:
        show(app)
        play(app)
        table = client.get("/v1/tables/test").json()["local"]
        assert (table["phase"], table["healthy"], table["pictures_read"]) == ("round_open", True, 1)
        assert table["current_round"] == "r1"

    def test_a_table_that_ails(self, app: FastAPI, client: TestClient) -> None:
        why = "camera 0: does not open"
        app.state.parts.only.live.check(Check.of("source", ServiceCode.READING_FAULT, ok=False, why=why))
        table = client.get("/v1/tables/test").json()["local"]
        assert (table["phase"], table["healthy"]) == ("not_reading", False)
        check = next(each for each in table["checks"] if each["name"] == "source")
        assert check["ok"] is False
        assert why in check["message"]
        assert [each["code"] for each in check["findings"]] == ["reading_fault"]

    def test_a_picture_that_grows_old_is_no_health(self, app: FastAPI, client: TestClient) -> None:
        parts = app.state.parts
        long_ago = datetime(2026, 1, 1, tzinfo=UTC)
        parts.only.live.publish_picture(View(1, long_ago, lambda: b""), HOUSE_RIGHT)
        table = client.get("/v1/tables/test").json()["local"]
        assert not table["healthy"]
        assert "no picture for" in table["checks"][-1]["message"]

    def test_the_etag_of_all_tables_is_the_same_after_another_picture(
        self, app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(live_state, "_DISPLAYED_APART_S", 0.0)
        play(app)
        show(app)
        first = client.get("/v1/tables")
        show(app)
        second = client.get("/v1/tables", headers={"If-None-Match": first.headers["etag"]})
        assert first.headers["etag"].startswith('W/"')
        assert (second.status_code, second.headers["etag"]) == (304, first.headers["etag"])
        newest = client.get("/v1/tables").json()["tables"][0]["local"]["last_picture_at"]
        assert newest != first.json()["tables"][0]["local"]["last_picture_at"]
        app.state.parts.only.live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="source is gone"))
        third = client.get("/v1/tables", headers={"If-None-Match": first.headers["etag"]})
        assert (third.status_code, third.headers["etag"] != first.headers["etag"]) == (200, True)

    @pytest.mark.parametrize(
        ("change", "status"),
        [
            pytest.param(
                {
                    "frames": 9,
                    "delivered": 6,
                    "dropped": 2,
                    "bad": 1,
                    "gaps": 1,
                    "longest_gap_ms": 2e3,
                    "lag_ms": 40.0,
                    "worst_lag_ms": 90.0,
                    "fps": 30.0,
                },
                304,
                id="pictures",
            ),
            pytest.param({"state": "bad_picture"}, 200, id="state"),
            pytest.param({"restarts": 1}, 200, id="restart"),
            pytest.param({"last_error": Finding.of(CaptureCode.SILENT, name="a", seconds=5)}, 200, id="error"),
            pytest.param({"last_error_at": datetime(2026, 1, 2, tzinfo=UTC)}, 200, id="same-error-again"),
        ],
    )
    def test_the_etag_of_all_tables_changes_with_the_state_of_a_source(
        self, app: FastAPI, client: TestClient, change: dict[str, Any], status: int
    ) -> None:
        live, before = app.state.parts.only.live, CaptureStatistics("running")
        live.watch_capture(lambda: before)
        etag = client.get("/v1/tables").headers["etag"]
        live.watch_capture(lambda: replace(before, **change))
        assert client.get("/v1/tables", headers={"If-None-Match": etag}).status_code == status

    @pytest.mark.parametrize("path", ["", "/rounds/current", "/view.jpg"])
    def test_an_unknown_table(self, client: TestClient, path: str) -> None:
        said = problem_of(client.get(f"/v1/tables/other{path}"))
        assert (said["status"], said["code"]) == (404, "unknown_table")


class TestRounds:
    def test_none_yet(self, client: TestClient) -> None:
        assert problem_of(client.get("/v1/tables/test/rounds/current"))["code"] == "no_round_yet"

    def test_the_current_one_and_the_same_by_id(self, app: FastAPI, client: TestClient) -> None:
        report = play(app)
        current = client.get("/v1/tables/test/rounds/current")
        assert current.json() == json.loads(RoundOut.from_report(report).model_dump_json())
        assert current.json()["hands"][0]["house_way"]["verdict"] == "correct"
        assert client.get("/v1/rounds/r1").content == current.content

    def test_an_unknown_one(self, client: TestClient) -> None:
        assert problem_of(client.get("/v1/rounds/none"))["code"] == "unknown_round"

    @pytest.mark.parametrize("path", ["/v1/tables/test/rounds/current", "/v1/rounds/r1"])
    def test_the_etag_is_strong_and_answers_304(self, app: FastAPI, client: TestClient, path: str) -> None:
        play(app)
        etag = client.get(path).headers["etag"]
        assert etag.startswith('"')
        for held in (etag, f'"other", {etag}', f"W/{etag}", "*"):
            again = client.get(path, headers={"If-None-Match": held})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
        play(app, HOUSE_WRONG)
        changed = client.get(path, headers={"If-None-Match": etag})
        assert changed.status_code == 200
        assert changed.headers["etag"] != etag

    def test_waiting_ends_with_304_or_with_news(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        path = "/v1/tables/test/rounds/current"
        etag = client.get(path).headers["etag"]
        assert client.get(path, params={"wait": 0.05}, headers={"If-None-Match": etag}).status_code == 304
        threading.Timer(0.05, play, (app, HOUSE_WRONG)).start()
        news = client.get(path, params={"wait": 300}, headers={"If-None-Match": etag})
        assert news.json()["hands"][0]["house_way"]["verdict"] == "wrong"

    def test_waiting_for_the_first_round(self, app: FastAPI, client: TestClient) -> None:
        threading.Timer(0.05, play, (app,)).start()
        assert client.get("/v1/tables/test/rounds/current", params={"wait": 10}).status_code == 200

    @pytest.mark.parametrize("wait", ["-1", "301", "soon", "nan"])
    def test_an_invalid_wait(self, client: TestClient, wait: str) -> None:
        said = problem_of(client.get("/v1/tables/test/rounds/current", params={"wait": wait}))
        assert (said["status"], said["errors"][0]["field"]) == (422, "wait")  # type: ignore[index]

    def test_all_rounds_are_kept_and_the_last_are_shown(self, app: FastAPI, client: TestClient) -> None:
        for number in range(5):
            play(app, round_id=f"r{number}")
        assert [client.get(f"/v1/rounds/r{number}").status_code for number in range(5)] == [200] * 5
        assert list(app.state.parts.only.live.state.rounds) == ["r2", "r3", "r4"]


class TestView:
    def test_none_yet(self, client: TestClient) -> None:
        assert problem_of(client.get("/v1/tables/test/view.jpg"))["code"] == "no_picture_yet"

    def test_the_picture_and_its_etag(self, app: FastAPI, client: TestClient) -> None:
        show(app)
        view = client.get("/v1/tables/test/view.jpg")
        assert (view.headers["content-type"], view.content) == ("image/jpeg", b"\xff\xd8 picture")
        held = {"If-None-Match": view.headers["etag"]}
        assert client.get("/v1/tables/test/view.jpg", headers=held).status_code == 304


class TestHealth:
    def test_alive_and_not_ready(self, client: TestClient) -> None:
        assert client.get("/healthz").json()["status"] == "alive"
        assert problem_of(client.get("/readyz"))["status"] == 503

    def test_ready_until_the_source_fails(self, app: FastAPI, client: TestClient) -> None:
        show(app)
        assert client.get("/readyz").status_code == 200
        app.state.parts.only.live.check(
            Check.of("source", ServiceCode.READING_FAULT, ok=False, why="the camera is gone")
        )
        assert "the camera is gone" in str(problem_of(client.get("/readyz"))["detail"])


class TestRead:
    def test_a_form(self, client: TestClient) -> None:
        said = client.post("/v1/read", files={"picture": ("a.jpg", jpeg())}).json()
        assert (said["image"], said["size"], said["rulebook"]) == ("a.jpg", [640, 360], "crown-6.1")
        assert said["hands"][0]["house_way"]["verdict"] == "correct"

    def test_a_bare_body_and_another_rulebook(self, client: TestClient) -> None:
        headers = {"Content-Type": "image/jpeg"}
        said = client.post("/v1/read", params={"rulebook": "nz-1998"}, content=jpeg(), headers=headers).json()
        assert (said["image"], said["rulebook"]) == ("picture", "nz-1998")

    def test_the_form_names_the_rulebook(self, client: TestClient) -> None:
        sent = {"picture": ("a.jpg", jpeg())}
        assert client.post("/v1/read", files=sent, data={"rulebook": "star-2024"}).json()["rulebook"] == "star-2024"

    @pytest.mark.parametrize("as_file", [True, False], ids=["file", "field"])
    def test_a_calibration(self, client: TestClient, as_file: bool) -> None:  # noqa: FBT001
        files = {"picture": ("a.jpg", jpeg(), "image/jpeg")}
        if as_file:
            answer = client.post("/v1/read", files={**files, "calibration": ("c.json", calibration_of(640, 360))})
        else:
            answer = client.post("/v1/read", files=files, data={"calibration": calibration_of(640, 360).decode()})
        assert answer.json()["calibrated"] is True

    @pytest.mark.parametrize(
        ("sent", "code", "says"),
        [
            pytest.param(b"", "not_readable", "empty", id="zero-bytes"),
            pytest.param(b"hello, table", "not_readable", "picture", id="not-a-picture"),
            pytest.param(jpeg()[:400], "not_readable", "", id="truncated"),
            pytest.param(jpeg(1, 1), "not_readable", "1", id="one-pixel"),
        ],
    )
    def test_bad_pictures(self, client: TestClient, sent: bytes, code: str, says: str) -> None:
        said = problem_of(client.post("/v1/read", files={"picture": ("bad.jpg", sent)}))
        assert (said["status"], said["code"]) == (422, code)
        assert says in str(said["detail"])

    def test_a_giant_is_refused_before_it_is_decoded(self, client: TestClient) -> None:
        said = problem_of(client.post("/v1/read", files={"picture": ("giant.png", png_header(20_000, 20_000))}))
        assert (said["status"], said["code"]) == (422, "not_readable")
        assert "13 megapixels" in str(said["detail"])

    @pytest.mark.parametrize(
        ("calibration", "says"),
        [
            pytest.param(b"no json", "not valid JSON", id="not-json"),
            pytest.param(b"{}", "not a calibration", id="something-else"),
            pytest.param(b"[1, 2]", "calibration", id="a-list"),
        ],
    )
    def test_bad_calibrations(self, client: TestClient, calibration: bytes, says: str) -> None:
        files = {"picture": ("a.jpg", jpeg()), "calibration": ("c.json", calibration)}
        said = problem_of(client.post("/v1/read", files=files))
        assert (said["status"], said["code"]) == (422, "bad_calibration")
        assert says in str(said["detail"])
        assert "/tmp" not in str(said["detail"])  # noqa: S108  whoever sends a file need not know where it was put

    def test_a_calibration_of_another_size(self, client: TestClient) -> None:
        files = {"picture": ("a.jpg", jpeg()), "calibration": ("c.json", calibration_of(2304, 1296))}
        said = problem_of(client.post("/v1/read", files=files))
        assert said["code"] == "bad_calibration"
        assert "2304" in str(said["detail"])
        assert "640" in str(said["detail"])

    def test_a_rulebook_nobody_knows(self, client: TestClient) -> None:
        said = problem_of(client.post("/v1/read", params={"rulebook": "macau"}, files={"picture": ("a.jpg", jpeg())}))
        assert (said["status"], said["code"]) == (422, "unknown_rulebook")
        assert "crown-6.1" in str(said["detail"])

    def test_a_form_without_a_picture(self, client: TestClient) -> None:
        assert problem_of(client.post("/v1/read", files={"photo": ("a.jpg", jpeg())}))["code"] == "no_picture"

    @pytest.mark.parametrize("kind", ["text/plain", "application/json", ""])
    def test_another_media_type(self, client: TestClient, kind: str) -> None:
        said = problem_of(client.post("/v1/read", content=b"x", headers={"Content-Type": kind}))
        assert said["status"] == 415

    def test_a_form_that_is_broken(self, client: TestClient) -> None:
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        assert problem_of(client.post("/v1/read", content=b"nonsense", headers=headers))["status"] in {400, 422}

    def test_too_large_by_its_announced_length(self, client: TestClient) -> None:
        headers = {"Content-Type": "image/jpeg"}
        said = problem_of(client.post("/v1/read", content=bytes(1_000_001), headers=headers))
        assert (said["status"], said["code"]) == (413, "too_large")

    def test_too_large_without_one(self, client: TestClient) -> None:
        chunks = (bytes(100_000) for _ in range(11))
        said = problem_of(client.post("/v1/read", content=chunks, headers={"Content-Type": "image/jpeg"}))
        assert said["status"] == 413

    def test_a_fault_of_our_own_is_a_problem_too(self) -> None:
        app = app_of(config(), reader=FakeReader([RuntimeError("secret path")]), watch=False)
        with signed_in(app, raise_server_exceptions=False) as client:
            said = problem_of(client.post("/v1/read", files={"picture": ("a.jpg", jpeg())}))
        assert said["status"] == 500
        assert "secret" not in str(said["detail"])

    def test_a_person_is_told_of_it_on_a_page(self) -> None:
        def broken() -> None:
            raise RuntimeError("secret path")

        app = app_of(config(), reader=FakeReader(), watch=False)
        app.add_api_route("/broken", broken)
        with signed_in(app, raise_server_exceptions=False) as client:
            said = client.get("/broken", headers={"Accept": "text/html"})
        assert (said.status_code, "Service error" in said.text, "secret" in said.text) == (500, True, False)


class TestHouseWay:
    ASKED = ("6-6", "6-3", "6-1", "5-3")

    def test_a_decision(self, client: TestClient) -> None:
        said = client.post("/v1/house-way", json={"tiles": self.ASKED, "rulebook": "crown-6.1"}).json()
        assert set(said["setting"]["high"]) == {"6-6", "6-1"}
        assert said["rule"]["cite"] == "crown-6.1 7.4.2"
        assert len(said["refused"]) == 2
        assert said["verdict"] is None

    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [(("6-3", "5-3"), ("1-6", "66"), "correct"), (("6-1", "5-3"), ("6-6", "6-3"), "wrong")],
        ids=["correct", "wrong"],
    )
    def test_a_verdict(self, client: TestClient, low: tuple[str], high: tuple[str], verdict: str) -> None:
        asked = {"tiles": self.ASKED, "setting": {"low": low, "high": high}}
        said = client.post("/v1/house-way", json=asked).json()["verdict"]
        assert said["verdict"] == verdict
        assert (said["remedy"] is None) == (verdict == "correct")

    @pytest.mark.parametrize(
        ("asked", "says"),
        [
            pytest.param({"tiles": ["6-6", "6-3", "5-4"]}, "tiles: give at least 4, not 3", id="three-tiles"),
            pytest.param({"tiles": ["6-6", "6-3", "5-4", "2-1", "1-1"]}, "tiles", id="five-tiles"),
            pytest.param({"tiles": ["6-6", "6-3", "5-4", "7-1"]}, "7-1", id="no-such-tile"),
            pytest.param({"tiles": ["6-6", "6-6", "6-6", "1-1"]}, "3 times", id="three-of-one-face"),
            pytest.param({"tiles": ["6-6", "6-3", "5-4", "x" * 50]}, "tiles", id="long-name"),
            pytest.param({"tiles": ASKED, "rulebook": "macau"}, "crown-6.1", id="unknown-rulebook"),
            pytest.param({"tiles": ASKED, "rulebook": "uk-poster"}, "prints no House Way", id="uk-poster"),
            pytest.param({"tiles": ASKED, "rulebook": "/etc/evil.py"}, "known: crown-6.1", id="a-file"),
            pytest.param(
                {"tiles": ASKED, "setting": {"low": ["1-1", "5-4"], "high": ["6-6", "6-3"]}}, "1-1", id="other-tiles"
            ),
            pytest.param({"tiles": ASKED, "seting": {}}, "seting: unknown key", id="unknown-key"),
            pytest.param([], "body: keys with values are needed", id="not-an-object"),
            pytest.param({"tiles": 5}, "tiles: a list is needed", id="no-list"),
            pytest.param({}, "tiles: it is missing", id="no-tiles"),
        ],
    )
    def test_bad_questions(self, client: TestClient, asked: object, says: str) -> None:
        said = problem_of(client.post("/v1/house-way", json=asked))
        assert said["status"] == 422
        assert says in str(said["detail"])

    def test_not_json(self, client: TestClient) -> None:
        headers = {"Content-Type": "application/json"}
        said = problem_of(client.post("/v1/house-way", content=b'{"tiles":\n  six}', headers=headers))
        why = "not JSON: Expecting value, line 2, column 3"
        assert (said["status"], said["errors"]) == (422, [{"field": "body", "message": why}])


class TestFaults:
    def test_nothing_there(self, client: TestClient) -> None:
        assert problem_of(client.get("/v1/nothing"))["code"] == "not_found"

    def test_head_is_answered_wherever_there_is_get(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_RIGHT)
        for path in ("/healthz", "/v1/tables", "/v1/rounds", "/tables/test"):
            assert client.head(path).status_code == client.get(path).status_code == 200
            assert client.head(path).headers["content-type"] == client.get(path).headers["content-type"]
        assert client.head("/v1/events").status_code == 405
        assert client.head("/v1/nothing").status_code == 404

    def test_tables_are_sent_again_only_when_they_changed(self, client: TestClient) -> None:
        known = client.get("/v1/tables").headers["etag"]
        assert client.get("/v1/tables", headers={"If-None-Match": known}).status_code in {200, 304}
        assert client.get("/docs", follow_redirects=False).headers["location"] == "/api"

    def test_another_method(self, client: TestClient) -> None:
        answer = client.post("/v1/tables")
        assert problem_of(answer)["code"] == "method_not_allowed"
        assert answer.headers["allow"] == "GET"

    def test_static_files_that_are_not_there(self, client: TestClient) -> None:
        assert problem_of(client.get("/static/../config.py"))["status"] == 404


class TestPage:
    def test_before_anything_was_seen(self, client: TestClient) -> None:
        page = client.get("/")
        assert page.status_code == 200
        assert "No hands have been laid yet." in page.text
        assert "default-src 'self'" in page.headers["content-security-policy"]

    def test_nothing_is_loaded_from_elsewhere(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        html = client.get("/").text
        assert "http://" not in html
        assert "https://" not in html

    def test_a_wrong_hand(self, app: FastAPI, client: TestClient) -> None:
        show(app)
        play(app, HOUSE_WRONG)
        html = client.get("/tables/test/board").text
        for said in ("Wrong", "Set as", "Should be", "crown-6.1 7.4.2", "12.5", 'aria-label="6-6"'):
            assert said in html

    def test_earlier_rounds(self, app: FastAPI, client: TestClient) -> None:
        play(app, HOUSE_WRONG, "r1")
        play(app, HOUSE_RIGHT, "r2")
        html = client.get("/tables/test/board").text
        assert "6-1 5-3 /<br>6-6 6-3" in html

    def test_the_board_is_not_sent_twice(self, app: FastAPI, client: TestClient) -> None:
        play(app)
        etag = client.get("/tables/test/board").headers["etag"]
        assert client.get("/tables/test/board", headers={"If-None-Match": etag}).status_code == 304

    @pytest.mark.parametrize("said", [None, Lie.VERTICAL, Lie.HORIZONTAL])
    def test_hands_are_drawn_as_the_table_lays_them(self, said: Lie | None) -> None:
        """The upright pair at the dealer's left, whichever half of the hand it is."""
        app = app_of(with_table(config(), low_hand=said), reader=FakeReader(), watch=False)
        with signed_in(app) as client:
            show(app)
            play(app, HOUSE_WRONG)
            html = client.get("/tables/test/board").text
        upright, across = ("high", "low") if said is Lie.HORIZONTAL else ("low", "high")
        pairs = re.findall(r'<div class="pair (low|high)( lying)?"><svg class="tile( lying)?"', html)
        assert pairs[:2] == [(upright, "", ""), (across, " lying", " lying")]
        assert pairs == pairs[:2] * (len(pairs) // 2)

    def test_names_are_escaped(self) -> None:
        app = app_of(with_table(config(), title="<script>alert(1)</script>"), reader=FakeReader(), watch=False)
        with signed_in(app) as client:
            assert "<script>alert" not in client.get("/").text


def calibration_of(width: int, height: int) -> bytes:
    """A camera straight above the table, as the frames describe it."""
    calibration = {
        "size": [width, height],
        "camera": {
            "K": [[1000, 0, width / 2], [0, 1000, height / 2], [0, 0, 1]],
            "dist": [0, 0, 0, 0, 0],
            "R": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
            "t": [0, 0, 1500],
        },
        "layout": {"house": [0, -300, 90]},
        "dealer_side": "bottom of image",
    }
    return json.dumps(calibration).encode()
