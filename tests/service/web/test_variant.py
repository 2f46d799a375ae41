"""Pages, sheets and the API name the variant of the rulebook where they name the rulebook."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_RIGHT, FakeReader, app_of, config, person, with_table
from tests.service.web.test_downloads import text_of

TITLE = "Crown Pai Gow"


@pytest.fixture(params=["crown-pai-gow", None])
def played(request: pytest.FixtureRequest) -> Iterator[tuple[TestClient, str | None, str]]:
    """A client, the variant of its table, and the id of a round there."""
    app = app_of(with_table(config(), variant=request.param), reader=FakeReader(), watch=False)
    dice = tuple(replace(each, role=None) for each in HOUSE_RIGHT.dice[:3])
    report = play(app, replace(HOUSE_RIGHT, dice=dice))
    with person(app, UserRole.SUPERVISOR) as client:
        yield client, request.param, report.id


def test_pages_and_sheets_name_the_variant(played: tuple[TestClient, str | None, str]) -> None:
    client, variant, name = played
    page = client.get("/tables/test").text
    assert (TITLE in page.partition("<main")[0]) == (variant is not None)
    main = client.get(f"/tables/test/rounds/{name}").text.partition("<main")[2]
    before, _, sheet = main.partition('<article class="sheet">')
    assert sheet
    assert (TITLE in before, TITLE in sheet) == (variant is not None,) * 2
    incident = client.get(f"/tables/test/rounds/{name}/incident.pdf")
    assert (TITLE in text_of(incident.content)) == (variant is not None)


def test_the_api_names_the_variant(played: tuple[TestClient, str | None, str]) -> None:
    client, variant, name = played
    (table,) = client.get("/v1/tables").json()["tables"]
    assert table["local"]["variant"] == variant
    (newest,) = client.get("/v1/results", params={"view": "summary"}).json()["results"]
    assert (newest["round"]["id"], newest["round"]["variant"]) == (name, variant)
