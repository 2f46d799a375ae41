"""A whole service whose record is edited under it: it stops verifying, gives alarm, and says what and where."""

import pytest
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.record.integrity import guard
from tests.service.record.integrity.conftest import WHY, behind_its_back
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    FakeReader,
    FakeSource,
    app_of,
    config,
    frames,
    key_for,
    wait_until,
    with_table,
)
from vision.reading import Reading


def statuses(reading: Reading) -> set[str]:
    return {tile.status for tile in reading.tiles}


def test_an_account_made_administrator_in_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LOOK_EVERY_S", 0.2)
    settings = config()
    settings = with_table(settings, source=settings.table.watched.model_copy(update={"interval_s": 0.02}))
    source = FakeSource(frames(5_000), live=True)
    app = app_of(settings, reader=FakeReader([HOUSE_RIGHT]), open_frames=lambda _: source)
    live, record = app.state.parts.only.live, app.state.parts.record
    app.state.parts.access.accounts.add("ann", UserRole.VIEWER, "several plain words", WHY)
    with TestClient(app, base_url="http://localhost", headers=key_for(app)) as client:
        wait_until(lambda: live.state.current is not None and live.state.current.status == "verified", 30)
        behind_its_back(record, "UPDATE accounts SET role = 'admin' WHERE name = 'ann'")
        wait_until(lambda: client.get("/v1/tables/test").json()["local"]["phase"] == "not_reading", 30)
        table = client.get("/v1/tables/test").json()["local"]
        assert table["status"]["code"] == "record_not_as_recorded"
        check = next(each for each in table["checks"] if each["name"] == "integrity")
        assert "the account ann was changed in the database" in check["message"]
        wait_until(lambda: live.state.reading is not None and "uncertain" in statuses(live.state.reading), 30)
        told = [each for each in record.last(("alarm",)) if "integrity" in each.body]
        wait_until(lambda: bool(told or [each for each in record.last(("alarm",)) if "integrity" in each.body]), 30)
        alarms = client.get("/v1/alarms").json()["alarms"]
        assert "integrity" in {each["subject"] for each in alarms}
    again = app_of(settings, reader=FakeReader([HOUSE_RIGHT]), watch=False)
    table = (
        TestClient(again, base_url="http://localhost", headers=key_for(again)).get("/v1/tables/test").json()["local"]
    )
    assert not next(each for each in table["checks"] if each["name"] == "integrity")["ok"]
    again.state.parts.record.close()
