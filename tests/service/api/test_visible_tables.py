"""Problems about tables name only those that the caller may see."""

import pytest
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.record.changes import Attribution
from service.record.health import Check
from service.record.store.entries import Draft, Picture
from service.system.remote_settings import PitConfig
from service.system.settings import Config
from service.words.codes import ServiceCode
from tests.service.api.test_http import problem_of
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

PITS = {"one": "west", "two": "west", "three": "east"}


@pytest.fixture
def settings() -> Config:
    usual = config()
    tables = tuple(usual.table.model_copy(update={"name": name, "pit": pit}) for name, pit in PITS.items())
    pits = tuple(PitConfig(name=name, title=name) for name in ("west", "east"))
    return usual.model_copy(update={"tables": tables, "pits": pits})


@pytest.mark.parametrize(
    ("pits", "visible"),
    [((), ["one", "two", "three"]), (("west",), ["one", "two"]), (("east",), ["three"])],
    ids=["unlimited", "west", "east"],
)
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/audit", 422, "table_needed"),
        ("/v1/audit?table=four", 404, "unknown_table"),
        ("/v1/tables/four/dealer", 404, "unknown_table"),
    ],
)
def test_problems_name_only_visible_tables(
    settings: Config, pits: tuple[str, ...], visible: list[str], path: str, status: int, code: str
) -> None:
    app = app_of(settings, reader=FakeReader(), watch=False)
    why = Attribution("the tests", "to be tested")
    _, key = app.state.parts.access.accounts.add_key("audit", UserRole.AUDITOR, 1, why, pits)
    client = TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {key}"})
    problem = problem_of(client.get(path))
    assert (problem["status"], problem["code"]) == (status, code)
    assert [name for name in PITS if f"'{name}'" in str(problem["detail"])] == visible


def test_a_table_of_another_pit_is_unknown(settings: Config) -> None:
    app = app_of(settings, reader=FakeReader(), watch=False)
    why = Attribution("the tests", "to be tested")
    _, key = app.state.parts.access.accounts.add_key("audit", UserRole.AUDITOR, 1, why, ["west"])
    client = TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {key}"})
    for path in ("/v1/tables/three", "/v1/tables/three/dealer", "/v1/results?table=three", "/v1/audit?table=three"):
        problem = problem_of(client.get(path))
        assert problem["code"] == "unknown_table", path
        assert str(problem["detail"]).count("three") == 1, path


def test_readiness_names_only_visible_tables(settings: Config) -> None:
    app = app_of(settings, reader=FakeReader(), watch=False)
    parts = app.state.parts
    parts.tables["three"].live.check(Check.of("source", ServiceCode.SOURCE_NOT_CHOSEN, ok=False))
    why = Attribution("the tests", "to be tested")
    details = {}
    for pit in ("west", "east"):
        _, key = parts.access.accounts.add_key(pit, UserRole.INTEGRATOR, 1, why, [pit])
        client = TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {key}"})
        details[pit] = str(problem_of(client.get("/readyz"))["detail"])
    assert "three: source" in details["east"]
    assert "three" not in details["west"]


def test_a_reused_key_records_nothing_at_any_table(settings: Config) -> None:
    app = app_of(settings, reader=FakeReader(), watch=False)
    parts = app.state.parts
    names = []
    for table in ("one", "two"):
        live = parts.tables[table].live
        bad = [{"name": "camera", "message": "", "findings": []}]
        parts.record.append(Draft("alarm", {"ok": False, "checks": bad, "new": ["camera"]}, table=table))
        live.recorded.notify()
    parts.projector.catch_up()
    with signed_in(app) as client:
        names = [each["id"] for each in client.get("/v1/alarms").json()["alarms"] if each["id"] is not None]
        assert len(names) == 2
        path, headers = "/v1/alarms/acknowledgement", {"Idempotency-Key": "k"}
        assert client.post(path, json={"alarms": names[:1]}, headers=headers).status_code == 200
        problem = problem_of(client.post(path, json={"alarms": names[1:]}, headers=headers))
        assert problem["code"] == "key_reused"
        left = [each["id"] for each in client.get("/v1/alarms").json()["alarms"] if each["id"] is not None]
        assert left == names[1:]


def test_pictures_are_those_of_visible_tables(settings: Config) -> None:
    app = app_of(settings, reader=FakeReader(), watch=False)
    parts, picture = app.state.parts, Picture(b"a picture")
    named = {"sha256": picture.sha256, "bytes": 9, "media_type": picture.media_type, "role": "frame"}
    parts.record.append(Draft("health", {"evidence": [named]}, table="three"), pictures=[picture])
    why, status = Attribution("the tests", "to be tested"), {}
    for pits in ((), ("west",), ("east",)):
        _, key = parts.access.accounts.add_key("".join(pits) or "all", UserRole.SUPERVISOR, 1, why, pits)
        client = TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {key}"})
        status[pits] = client.get(f"/v1/evidence/{picture.sha256}").status_code
    assert status == {(): 200, ("west",): 404, ("east",): 200}
