"""The page's languages: that nothing is missing, and who gets which."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from fastapi.testclient import TestClient

from engine import messages
from service.access.roles import UserRole
from service.web.rendering import WEB, describe
from service.web.templating import environment
from service.words.codes import RecordCode
from service.words.findings import words_of
from service.words.languages import LANGUAGES, LOCALE, catalogue_of, choose_language, translations
from service.words.wording import sentence, words
from tests.conftest import ROOT
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, person
from vision.findings import Code, Finding

OTHERS = [tag for tag in LANGUAGES if tag != "en"]
_FIELD = re.compile(r"%\(\w+\)s|\{\w+\}")
_COMMANDS = re.compile(r"`[^`]*`|%\(\w+\)s|\{\w+\}|houseway [a-z -]+|Authorization: Bearer KEY|Raspberry Pi")
_NAMES = re.compile("Houseway|UTC|sha256")  # alike in every language
# The printed House Way is a document in English, after its rulebook; no page shows it.
PAGES = sorted(path for path in (WEB / "templates").glob("*.html") if path.name != "card.html")


def texts() -> set[str | tuple[str, ...]]:
    """All texts of the templates, the sentences of the service that pages tell, and the messages of the engine."""
    options = {"**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}}
    found = [
        *extract_from_dir(WEB / "templates", method_map=[("**.html", "jinja2")], options_map=options),
        *extract_from_dir(
            WEB.parent, method_map=[("**.py", "python")], keywords={words.__name__: None, sentence.__name__: None}
        ),
        *extract_from_dir(
            ROOT / "engine", method_map=[("**.py", "python")], keywords={messages.message.__name__: None}
        ),
    ]
    return {text for _, _, text, _, _ in found}


class _Bare(HTMLParser):
    """Collects what people read in a page and nothing translates, but for what is said to be English."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag not in {"img", "input", "link", "meta", "br"}:
            english = tag in {"style", "script", "code"} or known.get("lang") == "en"
            self._open.append((tag, english or self._english))
        for name in ("alt", "title", "placeholder", "aria-label"):
            self._take(known.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        # A tag that is opened in either part of a condition is closed once.
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self._take(data)

    @property
    def _english(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _take(self, text: str) -> None:
        if not self._english:
            self.found += re.findall(r"[A-Za-z]{3,}", _NAMES.sub("", text))


@pytest.mark.parametrize("boxes", [("box4",), ("box4", "box5"), ("box4", "box5", "box6")])
def test_a_page_joins_a_list_as_every_other_sentence_does(boxes: tuple[str, ...]) -> None:
    found = Finding.of(Code.BANK_AWAY_EARLY, waiting=boxes)
    for language in ("en", "zh-Hant"):
        assert describe(found, translations(language)).unescape() == words_of(found).translated(translations(language))


def test_a_page_shows_a_command_as_code() -> None:
    assert "<code>houseway record export</code>" in describe(
        Finding(RecordCode.DISK_FULL_OF_PICTURES), translations("en")
    )
    quoted = describe(Finding.of(RecordCode.CHANGED, why="`<b>`"), translations("en"))
    assert "(`&lt;b&gt;`)" in quoted


_INSIDE_A_TAG = {"layout", "begin", "part_at"}  # blocks of base.html that are no words


def bare(source: str) -> list[str]:
    """The words of a template that are in no catalogue."""
    page, translated, before, depth, in_tag, shown = _Bare(), False, "", 0, False, False
    for _, kind, value in environment("en").lex(source):
        if kind == "name" and before == "block":
            translated = value in _INSIDE_A_TAG
        elif kind == "name" and value in {"trans", "endtrans", "endblock"}:
            translated = value == "trans"
        elif kind == "data" and not translated:
            page.feed(value)
            in_tag = value.rfind("<") > value.rfind(">") if re.search("[<>]", value) else in_tag
        elif kind in {"variable_begin", "variable_end"}:
            depth, shown = 0, kind == "variable_begin"
        elif kind == "operator":
            depth += (value in "([{") - (value in ")]}")
        elif kind == "string" and shown and depth == 0 and not in_tag and before in {"{{", "else"}:
            page.feed(value[1:-1])
        before = value if value.strip() else before
    page.close()
    return page.found


@pytest.mark.parametrize("template", PAGES, ids=lambda path: path.stem)
def test_no_template_has_a_word_that_is_not_translated(template: Path) -> None:
    assert bare(template.read_text()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>{{ _('One') }} · Houseway</p>", []),
        ("<p>One {{ two }}</p>", ["One"]),
        ('<p lang="en">One <b>two</b></p><p>three</p>', ["three"]),
        ('<p class="one" aria-label="Two"></p>', ["Two"]),
        ("{{ 'Take one' if one == 'two' else _('Take two') }}", ["Take", "one"]),
        ("{{ _('Take one') if one else 'two' }}", ["two"]),
        ("<p class=\"{{ 'one two' if one }}\">", []),
        ("{% block layout %}one{% endblock %}{% block main %}two{% endblock %}", ["two"]),
        ("{% trans count=one %}one{% pluralize %}many{% endtrans %} words", ["words"]),
        ("{# one #}<style>one</style><input>{% if two %}three{% endif %}", ["three"]),
    ],
)
def test_a_word_that_is_not_translated_is_found(source: str, found: list[str]) -> None:
    assert bare(source) == found


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


@pytest.mark.parametrize("tag", OTHERS)
def test_a_translation_is_in_its_language(tag: str) -> None:
    for message in filter(lambda each: each.id, catalogue_of(LOCALE, tag)):
        forms = message.string or ""
        for said in (forms,) if isinstance(forms, str) else forms:
            assert not re.search("[A-Za-z]{2,}[,;:.]? [A-Za-z]{2,}", _COMMANDS.sub("", said)), message.id


def test_a_sentence_of_the_service_in_both_languages() -> None:
    why = words("Not changed: %(why)s.", why=words("there is no account %(name)s", name="'100%'"))
    assert str(why) == "Not changed: there is no account '100%'."
    assert why.translated(translations("en")) == str(why)
    assert why.translated(translations("zh-Hant")) == "\u672a\u8b8a\u66f4\uff1a\u6c92\u6709\u5e33\u6236 '100%'\u3002"
    assert words("in no catalogue").translated(translations("zh-Hant")) == "in no catalogue"


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
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        (None, "zh-SG", "zh-Hans"),
        (None, "zh", "zh-Hans"),
        (None, "zh-Hans-MY", "zh-Hans"),
        (None, "fr, de;q=x", "en"),
        ("zh-Hant", "en", "zh-Hant"),
        ("en", "zh-TW", "en"),
        ("xx", "zh-TW", "zh-Hant"),
    ],
)
def test_who_gets_which(cookie: str | None, accepted: str, expected: str) -> None:
    assert choose_language(cookie, accepted, "en") == expected


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = app_of(config(), reader=FakeReader(), watch=False)
    play(app, HOUSE_WRONG)
    with person(app) as client:
        yield client


def test_a_choice_is_remembered(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/").text
    page = client.get("/language/zh-Hant", params={"next": "/rounds"})
    assert page.url.path == "/rounds"
    assert '<html lang="zh-Hant">' in page.text
    # Text of a rulebook is not translated, and marked as English for screen readers.
    assert re.search(r'<q lang="en">[^<]*High Nine', client.get("/").text)
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


def test_accounts_are_administered_in_the_language_of_the_page() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with person(app, UserRole.ADMIN) as client:
        client.get("/language/zh-Hant")

        def says(page: str, *asked: str) -> None:
            chinese = translations("zh-Hant")
            for text in asked:
                assert chinese.gettext(text) != text
                assert chinese.gettext(text).partition("%")[0] in page
            assert 'lang="en"' not in page.partition("<main")[2].partition("</main>")[0]

        added = client.post("/accounts", data={"name": "till", "role": "viewer", "reason": "x"})
        says(added.text, "Accounts of people", "viewer", "added", "Latest changes")
        assert "Password of" not in added.text
        key = client.post("/keys", data={"name": "k", "role": "auditor", "days": "3", "reason": "x"})
        says(key.text, "auditor", "active", "until %(day)s")
        refused = client.post("/accounts/ann/disable", data={"reason": "x"})
        assert refused.status_code == 422
        assert "\u672a\u8b8a\u66f4" in refused.text
        assert "last administrator" not in refused.text
        says(client.get("/changes").text, "When", "account", "key")
        differing = {"password": "several plain words", "again": "others", "current": "x"}
        own = client.post("/account/password", data=differing)
        says(own.text, "Your account", "admin", "The two new passwords are not the same.")
        says(
            client.post("/sign-in", data={"name": "x", "password": "x"}).text,
            "Wrong name or password.",
        )
