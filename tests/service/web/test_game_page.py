"""The page for the game's owner: exact edges, and what sets two House Ways apart."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from engine.analysis.difference import difference
from engine.books.house_ways import get
from service.access.roles import UserRole
from service.web.game_figures import differences, way_figures
from service.web.routes import game
from tests.conftest import ROOT
from tests.service.stand_ins import FakeReader, app_of, config, person, with_table

DOCUMENT = (ROOT / "docs" / "house-way-of-your-own.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with viewer() as client:
        yield client


def viewer() -> AbstractContextManager[TestClient]:
    return person(app_of(config(), reader=FakeReader(), watch=False), UserRole.VIEWER)


def counted(client: TestClient, **asked: str) -> str:
    """The figures once they are counted, as the page fetches them."""
    while (told := client.get("/tables/test/game/figures", params=asked)).status_code == 202:
        pass  # each waits for them
    assert told.status_code == 200
    return told.text


def test_edges_and_differences_are_drawn(client: TestClient) -> None:
    asked = {"first": "crown-6.1", "second": "star-2024"}
    page = client.get("/tables/test/game", params=asked).text
    assert "These figures are being computed" in page
    assert "2.3884%" not in page
    figures = counted(client, **asked)
    for said in ("2.3884%", "29.58%", "156 of 35,960 deals", "15 kinds of hand", "0.0189% less"):
        assert said in figures
    assert figures.strip() in client.get("/tables/test/game", params=asked).text


def test_a_page_does_not_wait_for_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "_ANSWERED_S", 0.0)
    with viewer() as client:
        for percent in range(20):
            told = client.get("/tables/test/game/figures", params={"commission": f"{percent}%"})
            if told.status_code != 202:
                break
        assert percent > 1
        assert told.status_code == 503
        assert "being computed for others" in told.text
        page = client.get("/tables/test/game", params={"commission": "99%"})
        assert page.status_code == 200
        assert "These figures are being computed" in page.text


def test_a_commission_changes_the_edge(client: TestClient) -> None:
    assert "2.0927%" in counted(client, commission="4%")


@pytest.mark.parametrize("path", ["/tables/test/game", "/tables/test/game/figures"])
@pytest.mark.parametrize("asked", [{"commission": "much"}, {"first": "/etc/passwd"}, {"second": "nope"}])
def test_what_cannot_be_is_refused(client: TestClient, asked: dict[str, str], path: str) -> None:
    assert client.get(path, params=asked).status_code == 422


def test_the_kinds_add_up_to_the_whole_difference() -> None:
    first, second, commission = get("crown-6.1"), get("nz-1998"), Fraction(1, 20)
    found = differences(first, second, commission)
    kinds = found.kinds
    whole = difference(first, second, commission)
    assert sum(kind.deals for kind in kinds) == whole.deals
    assert sum(kind.weight for kind in kinds) == pytest.approx(float(whole.house_alone_edge - whole.first_edge))
    assert [abs(kind.weight) for kind in kinds] == sorted((abs(kind.weight) for kind in kinds), reverse=True)
    assert found.deals == whole.deals


PROGRAM = next(iter(re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)))
FILE = next(iter(re.findall(r"```toml house-way\n(.*?)```", DOCUMENT, re.DOTALL)))


@pytest.mark.parametrize(("name", "text"), [("own.toml", FILE), ("own.py", PROGRAM)])
def test_figures_are_of_the_house_way_that_was_loaded(tmp_path: Path, name: str, text: str) -> None:
    """Worked out in another process, though the file is gone by then."""
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    commission = Fraction(1, 20)
    edge = way_figures(get(file), commission).edge
    app = app_of(with_table(config(), rulebook=str(file)), reader=FakeReader(), watch=False)
    file.unlink()
    with person(app, UserRole.VIEWER) as client:
        figures = counted(client, first="example-2026", second="crown-6.1")
    assert f"{edge:.4%}" in figures
