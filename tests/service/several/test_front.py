"""The page of all tables: real services of two tables, asked by one page with what the browser sent."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from calibration.files.calibration_file import load_calibration
from service.access.roles import UserRole
from service.app import create_app
from service.cli.table.listening import listen, server_of
from service.config.settings import SAMPLE_PICTURES
from service.config.tables_file import load_tables
from service.several.front import Front
from service.several.labelled import labelled
from service.several.supervisor import Supervisor
from service.several.table_process import ProcessState, Program, TableProcess
from service.table.live_state import Check
from tests.service.cli.test_run import certificate_of_this_machine
from tests.service.several.test_tables_file import named, table, tables
from tests.service.stand_ins import FakeReader, key_for, session_for, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi import FastAPI
    from uvicorn import Server

_TWO = ("one", "two")


class Floor:
    """Two tables' services, and what shows them."""

    def __init__(self, apps: list[FastAPI], processes: list[TableProcess], front: TestClient) -> None:
        self.apps, self.processes, self.front = apps, processes, front


def _end(server: Server) -> None:
    server.should_exit = True


@contextmanager
def serving(folder: Path, server: str = "") -> Iterator[Floor]:
    quick = (
        '[source]\nkind = "simulator"\n[clock]\nneed_sync = false\n[record]\nmin_free_mb = 0\nfolder = "{}-record"\n'
    )
    for name in _TWO:
        table(folder, name, quick.format(name))
    known = load_tables(tables(folder, *named(*_TWO), more=server), port=0)
    calibration = load_calibration(SAMPLE_PICTURES.parent / "calibration.json")
    with ExitStack() as ends:
        processes, apps = [], []
        for one in known.each:
            at_any_port = one.config.server.model_copy(update={"port": 0, "all_tables": 8000})
            settings = one.config.model_copy(update={"server": at_any_port})
            at = ends.enter_context(listen(settings))
            app = create_app(settings, reader=FakeReader(), calibration=calibration, watch=False)
            served = server_of(app)
            thread = threading.Thread(target=served.run, kwargs={"sockets": [at.dup()]})
            thread.start()
            ends.callback(thread.join, 10)
            ends.callback(_end, served)
            wait_until(partial(getattr, served, "started"))
            apps.append(app)
            processes.append(TableProcess(one, at, Program(("true",), 8000), ProcessState.RUNNING, starts=1))
        front = TestClient(
            Front(known, Supervisor(processes)).app(),
            base_url=f"{'https' if known.config.server.tls else 'http'}://localhost:8000",
        )
        ends.callback(front.close)
        yield Floor(apps, processes, front)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    with serving(tmp_path) as found:
        yield found


def test_who_is_not_signed_in_is_led_to_the_first_table(floor: Floor) -> None:
    answer = floor.front.get("/", follow_redirects=False)
    port = floor.processes[0].listening.getsockname()[1]
    assert (answer.status_code, answer.headers["location"]) == (303, f"http://localhost:{port}/sign-in?next=/tables")
    assert floor.front.get("/v1/tables").status_code == 401
    assert floor.front.get("/metrics").status_code == 401


def test_who_signs_in_at_one_table_is_signed_in_at_all_and_out_again(floor: Floor) -> None:
    secret = session_for(floor.apps[1])
    floor.front.cookies.set("houseway_one", secret)
    page = floor.front.get("/")
    assert page.status_code == 200
    assert page.text.count("one-table ") == 2
    floor.apps[0].state.parts.access.sessions.end(secret)
    assert floor.front.get("/", follow_redirects=False).status_code in {200, 303}
    wait_until(lambda: floor.front.get("/", follow_redirects=False).status_code == 303)


def test_what_is_wrong_comes_first(floor: Floor) -> None:
    floor.front.cookies.set("houseway_one", session_for(floor.apps[0]))
    well = floor.front.get("/").text
    assert well.index("one-title") < well.index("two-title")
    live = floor.apps[1].state.parts.live
    for app, ok in zip(floor.apps, (True, False), strict=True):
        for check in app.state.parts.live.health():
            app.state.parts.live.check(Check(check.name, ok=True, findings=check.findings))
        app.state.parts.live.check(Check("source", ok=ok, findings=()))
    assert not all(check.ok for check in live.health())
    wrong = floor.front.get("/").text
    assert wrong.index("two-title") < wrong.index("one-title")
    floor.processes[0].state = ProcessState.STOPPED
    stopped = floor.front.get("/").text
    assert stopped.index("one-title") < stopped.index("two-title")
    assert "is started again by itself" in stopped


def test_programs_get_all_tables_in_one_answer(floor: Floor) -> None:
    headers = key_for(floor.apps[0])
    wait_until(lambda: floor.front.get("/v1/tables", headers=headers).status_code == 200)
    told = floor.front.get("/v1/tables", headers=headers).json()["tables"]
    assert [(one["name"], one["process"], one["table"]["name"]) for one in told] == [
        (name, "running", name) for name in _TWO
    ]
    floor.processes[1].state = ProcessState.STOPPED
    assert floor.front.get("/v1/tables", headers=headers).json()["tables"][1]["table"] is None


def test_figures_say_which_table_they_are_of(floor: Floor) -> None:
    headers = key_for(floor.apps[0])
    wait_until(lambda: floor.front.get("/metrics", headers=headers).status_code == 200)
    text = floor.front.get("/metrics", headers=headers).text
    for name in _TWO:
        assert f'houseway_pictures_total{{table="{name}"}} 0.0' in text
        assert f'houseway_table_running{{table="{name}"}} 1.0' in text


def test_a_table_is_reached_by_its_name(floor: Floor) -> None:
    port = floor.processes[1].listening.getsockname()[1]
    assert floor.front.get("/tables/two", follow_redirects=False).headers["location"] == f"http://localhost:{port}/"
    assert floor.front.get("/tables/none").status_code == 404


def test_a_name_that_is_not_this_machines_is_refused(floor: Floor) -> None:
    floor.front.cookies.set("houseway_one", session_for(floor.apps[0]), domain="evil.example")
    assert floor.front.get("/", headers={"host": "evil.example"}, follow_redirects=False).status_code == 421


def test_a_viewer_sees_all_tables(floor: Floor) -> None:
    floor.front.cookies.set("houseway_one", session_for(floor.apps[0], UserRole.VIEWER, "wall"))
    assert floor.front.get("/").status_code == 200


def test_what_the_page_looks_like_is_remembered(floor: Floor) -> None:
    floor.front.cookies.set("houseway_one", session_for(floor.apps[0]))
    assert 'data-theme="dim"' in floor.front.get("/theme/dim").text
    assert 'lang="zh-Hant"' in floor.front.get("/language/zh-Hant").text
    assert floor.front.get("/static/tables.js").status_code == 200
    assert floor.front.get("/healthz").json()["status"] == "ok"


def test_a_page_that_has_not_changed_is_not_sent_again(floor: Floor) -> None:
    floor.front.cookies.set("houseway_one", session_for(floor.apps[0]))
    etag = floor.front.get("/").headers["etag"]
    assert floor.front.get("/", headers={"if-none-match": etag}).status_code == 304


def test_all_is_the_same_with_tls(tmp_path: Path) -> None:
    certificate, key = certificate_of_this_machine(tmp_path)
    server = f'[server]\ntls_certificate = "{certificate}"\ntls_key = "{key}"\n'
    with serving(tmp_path, server) as floor:
        answer = floor.front.get("/", follow_redirects=False)
        assert answer.headers["location"].startswith("https://localhost:")
        floor.front.cookies.set("houseway_one", session_for(floor.apps[0]))
        assert floor.front.get("/").text.count("one-table ") == 2


def test_metrics_of_a_table_that_did_not_answer_are_left_out() -> None:
    text = labelled(
        [("one", "# TYPE pictures counter\npictures_total 3\n"), ("two", "")], [("one", True, 1), ("two", False, 4)]
    )
    assert 'pictures_total{table="one"} 3.0' in text
    assert 'houseway_table_running{table="two"} 0.0' in text
    assert 'houseway_table_starts_total{table="two"} 4.0' in text
