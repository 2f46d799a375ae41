"""Problems about tables name only those that the caller may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.record.changes import Attribution
from service.system.remote_settings import PitConfig
from tests.service.api.test_http import problem_of
from tests.service.stand_ins import FakeReader, app_of, config

if TYPE_CHECKING:
    from service.system.settings import Config

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
