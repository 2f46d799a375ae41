"""The page's languages: that nothing is missing, and who gets which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from service.app import create_app
from service.page.languages import LANGUAGES, LOCALE, chosen, translations
from service.page.templates import WEB
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, config, person
from tests.service.test_http import play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

OTHERS = [tag for tag in LANGUAGES if tag != "en"]
_FIELD = re.compile(r"%\(\w+\)s")


def texts() -> set[str | tuple[str, ...]]:
    """All texts of the templates."""
    options = {"**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}}
    found = extract_from_dir(WEB / "templates", method_map=[("**.html", "jinja2")], options_map=options)
    return {message for _, _, message, _, _ in found}


@pytest.mark.parametrize("tag", OTHERS)
def test_a_catalogue_has_every_text_and_no_other(tag: str) -> None:
    with (LOCALE / f"{tag}.po").open("rb") as file:
        catalogue = read_po(file)
    assert {message.id for message in catalogue if message.id} == texts()
    for message in catalogue:
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        assert all(said), message.id
        assert not message.fuzzy or not message.id
        asked = message.id if isinstance(message.id, str) else message.id[0]
        if message.id:
            for form in said:
                assert sorted(_FIELD.findall(str(form))) == sorted(_FIELD.findall(asked)), message.id


def test_plural_forms() -> None:
    english, chinese = translations("en"), translations("zh-Hant")
    asked = ("%(num)s tile", "%(num)s tiles")
    assert [english.ngettext(*asked, number) for number in (1, 2)] == list(asked)
    assert chinese.ngettext(*asked, 1) == chinese.ngettext(*asked, 2) != asked[0]


@pytest.mark.parametrize(
    ("cookie", "accepted", "expected"),
    [
        (None, "", "en"),
        (None, "en-AU,en;q=0.9", "en"),
        (None, "zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"),
        (None, "zh-Hant-HK", "zh-Hant"),
        (None, "en;q=0.2, zh-HK;q=0.7", "zh-Hant"),
        (None, "fr, de;q=x", "en"),
        ("zh-Hant", "en", "zh-Hant"),
        ("en", "zh-TW", "en"),
        ("xx", "zh-TW", "zh-Hant"),
    ],
)
def test_who_gets_which(cookie: str | None, accepted: str, expected: str) -> None:
    assert chosen(cookie, accepted, "en") == expected


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = create_app(config(), reader=FakeReader(), watch=False)
    play(app, HOUSE_WRONG)
    with person(app) as client:
        yield client


def test_a_choice_is_remembered(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/").text
    page = client.get("/language/zh-Hant", params={"next": "/history"})
    assert page.url.path == "/history"
    assert '<html lang="zh-Hant">' in page.text
    # What a rulebook says stays as it is written, and says so to a screen reader.
    assert re.search(r'<span lang="en">[^<]*High Nine', client.get("/").text)
    client.get("/language/xx")
    assert '<html lang="zh-Hant">' in client.get("/").text


def test_how_bright_is_remembered(client: TestClient) -> None:
    assert "data-theme" not in client.get("/").text
    assert 'data-theme="dim"' in client.get("/theme/dim").text
    client.get("/theme/pink")
    assert 'data-theme="dim"' in client.get("/sign-in").text
    assert "data-theme" not in client.get("/theme/device").text


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org", "/\\example.org", "example.org"])
def test_a_choice_leads_nowhere_else(client: TestClient, elsewhere: str) -> None:
    answer = client.get("/language/en", params={"next": elsewhere}, follow_redirects=False)
    assert answer.headers["location"] == "/"
