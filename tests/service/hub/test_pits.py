"""Accounts and keys limited to a pit see that pit and nothing of another."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from service.access.accounts import AccountError
from service.access.credentials import csrf_token
from service.access.roles import UserRole
from service.api.permissions import declared, routes_of
from service.api.routes import event_stream as events
from service.record.changes import Attribution
from service.rounds.reports import EvidenceReport
from service.system.remote_settings import PitConfig
from tests.service.databases import new_database
from tests.service.hub.feeds import RecordedFeed, check, play
from tests.service.hub.hubs import ServedHub, hub_config, results_of, serving_hub
from tests.service.hub.remote_tables import serving_feeds
from tests.service.stand_ins import session_for, wait_until

pytestmark = pytest.mark.usefixtures("_cheap_hashes")
WHY = Attribution("test", "test")
PICTURE = "ab" * 32
HIDDEN = (
    *(
        "eastern1",
        "eastern table",
        "eastern pit",
        "own2",
        "e1-right",
        "e1-wrong",
        "e1-doubt",
        "e1-doubt5",
        "e1-pictured",
    ),
    *("outlier1", "outlier table", "own3", "o1-right", PICTURE),
)
"""Words that reveal the eastern pit, or the table without one."""
FILLED = {
    "entry": "1",
    "language": "en",
    "theme": "dark",
    "factor_id": "x",
    "session_id": "x",
    "table": "eastern1",
    "round_id": "e1-doubt",
    "sha256": PICTURE,
    "name": "ann",
    "digest": 64 * "0",
    "file": "settings.toml",
    "run": "1",
    "key_id": "x",
}


def evening(own: str, rounds: str, count: int) -> RecordedFeed:
    feed = RecordedFeed(table=own)
    for number, how in enumerate(("right", *("wrong", "doubt") * count), start=1):
        play(feed, how, f"{rounds}{how}{'' if number < 4 else number}", number=number, minutes=4 * number)
    return feed


@pytest.fixture(scope="module")
def hub(postgresql: str, _cheap_hashes: None) -> Iterator[ServedHub]:
    feeds = {
        "western1": evening("own1", "w1-", 1),
        "eastern1": evening("own2", "e1-", 3),
        "outlier1": evening("own3", "o1-", 2),
    }
    check(feeds["eastern1"], "clock")
    with serving_feeds(feeds) as server:
        pictured = EvidenceReport(sha256=PICTURE, role="frame", media_type="image/jpeg", bytes=3)
        play(feeds["eastern1"], "right", "e1-pictured", number=20, minutes=90, evidence=(pictured,))
        told = {
            "western1": {"title": "Western table", "pit": "west"},
            "eastern1": {"title": "Eastern table", "pit": "east"},
            "outlier1": {"title": "Outlier table"},
        }
        tables = {name: {**each, "url": f"{server.url}/{name}"} for name, each in told.items()}
        pits = (PitConfig(name="west", title="West"), PitConfig(name="east", title="Eastern pit"))
        made = hub_config(new_database(postgresql, with_tables=True), tables).model_copy(update={"pits": pits})
        with serving_hub(made) as served:
            known = served.parts.hub.writer
            wait_until(lambda: all(known.known[name].seq == len(feed.entries) for name, feed in feeds.items()))
            wait_until(lambda: shown(served)["west"]["waiting"] == 1 and shown(served)["east"]["waiting"] == 3)
            yield served


def pits_of(hub: ServedHub, name: str) -> tuple[str, ...]:
    account = hub.parts.access.accounts.account(name)
    assert account is not None
    return account.pits


def shown(hub: ServedHub) -> dict[str, Any]:
    with hub.client() as client:
        return {pit["name"]: pit for pit in client.get("/v1/pits").json()["pits"]}


@contextmanager
def person(hub: ServedHub, role: UserRole, *pits: str) -> Iterator[httpx2.Client]:
    """A browser in which somebody of some pits is signed in, of all tables if none is named."""
    name = f"{role.value}.{'-'.join(pits) or 'whole'}"
    secret = session_for(hub.app, role, name)
    if pits:
        hub.parts.access.accounts.set_pits(name, pits, WHY)
    cookies = {hub.parts.cookie: secret}
    with httpx2.Client(
        base_url=hub.url, cookies=cookies, headers={"X-CSRF-Token": csrf_token(secret)}, timeout=30
    ) as client:
        yield client


def test_every_route_hides_the_other_pits(hub: ServedHub) -> None:
    """As a program and as a person, whatever is sent."""
    with hub.client() as whole:
        alarms = whole.get("/v1/alarms", params={"limit": 200}).json()["alarms"]
        assert {each["table"] for each in alarms} == {"western1", "eastern1", "outlier1"}
        theirs = [each["id"] for each in alarms if each["table"] != "western1"]
    walked = set()
    opened = [
        (context.path or "", method)
        for context in routes_of(hub.app)
        for method in context.methods or ()
        if (need := declared(context)) is not None
        and need.permission is not None
        and method in {"GET", "POST", "DELETE", "PUT"}
    ]
    assert {"/v1/results", "/v1/evidence/{sha256}", "/shifts", "/tables/{table}/rounds/{round_id}/decide"} <= {
        path for path, _ in opened
    }
    before = len(hub.parts.record.last(("desk",), count=1000))
    for role in (UserRole.SUPERVISOR, UserRole.AUDITOR, UserRole.FLOOR):  # together all that can be bounded to pits
        key = hub.parts.access.accounts.add_key(f"west {role.value}", role, 1, WHY, ["west"])[1]
        program = httpx2.Client(base_url=hub.url, headers={"Authorization": f"Bearer {key}"}, timeout=30)
        with program, person(hub, role, "west") as browser:
            for client, accept in ((program, "application/json"), (browser, "text/html")):
                for path, method in opened:
                    if path in {"/v1/events", "/account"} or path.startswith(("/sign-out", "/account/")):
                        continue  # of the person's own account; events are looked at below
                    asked = re.sub(
                        r"\{(\w+)(:path)?\}", lambda found: theirs[0] if found[1] == "alarm" else FILLED[found[1]], path
                    )
                    body: dict[str, Any] = {}
                    if method == "POST":
                        json_body = {"alarms": theirs, "by": "x", "action": "confirm", "reason": "x", "revision": 1}
                        body = (
                            {"data": {"alarm": theirs[0], "part": "house"}}
                            if not path.startswith("/v1")
                            else {"json": json_body}
                        )
                    answer = client.request(method, asked, headers={"Accept": accept}, follow_redirects=False, **body)
                    said = answer.text.lower()
                    found = [word for word in HIDDEN if word in said and word not in asked.lower()]
                    assert not found, (role, method, asked, answer.status_code, found, said[:2000])
                    if "{table}" in path or "{sha256}" in path:
                        assert answer.status_code in {403, 404, 422}, (role, method, asked, answer.status_code)
                    assert answer.status_code < 500, (role, method, asked, answer.text)
                    walked.add(path)
    assert len(walked) > 40
    assert len(hub.parts.record.last(("desk",), count=1000)) == before  # nothing was done at any table
    assert hub.parts.desk.taken_alarms(theirs) == {}


def test_counts_search_feed_and_shifts_are_those_of_the_pit(hub: ServedHub) -> None:
    with person(hub, UserRole.SUPERVISOR, "west") as ann, person(hub, UserRole.SUPERVISOR) as whole:
        assert [table["name"] for table in ann.get("/v1/tables").json()["tables"]] == ["western1"]
        assert sum(ann.get("/v1/tables").json()["states"].values()) == 1
        assert ann.get("/v1/reviews").json()["waiting"] == 1
        assert whole.get("/v1/reviews").json()["waiting"] == 6
        unanswered = ann.get("/v1/alarms").json()["unanswered"]
        assert unanswered["house_hand_wrong"] == 1
        assert whole.get("/v1/alarms").json()["unanswered"]["house_hand_wrong"] == 6
        assert {each["table"] for each in ann.get("/v1/rounds", params={"q": "wrong"}).json()["rounds"]} == {"western1"}
        results = results_of(ann, limit=200)["results"]
        assert {each["table"] for each in results} == {"western1"}
        assert results == [each for each in results_of(whole, limit=200)["results"] if each["table"] == "western1"]
        ahead = results_of(whole, limit=10)
        mine = [each for each in ahead["results"] if each["table"] == "western1"]
        assert results_of(ann, ahead["next"], limit=200)["results"] == results[len(mine) :]
        assert ann.get("/v1/results?table=eastern1").json()["code"] == "unknown_table"
        assert ann.get("/v1/rounds?pit=east").json()["code"] == "unknown_pit"
        page = ann.get("/shifts?day=2026-01-01", headers={"Accept": "text/html"}).text
        assert re.search(r"<tfoot><tr><th scope=\"row\">[^<]*</th><td>3</td>", page)
        assert ann.get("/metrics").json()["code"] == "not_allowed_for_pits"


def test_the_hand_over_opens_on_all_tables_unless_one_is_limited_to_pits(hub: ServedHub) -> None:
    with person(hub, UserRole.SUPERVISOR, "west") as ann, person(hub, UserRole.SUPERVISOR) as whole:
        pages = {who: client.get("/handover").text for who, client in (("ann", ann), ("whole", whole))}
    assert "All tables ·" in pages["whole"]
    assert '<option value="">all</option><option value="west">' in pages["whole"]
    assert "West ·" in pages["ann"]
    assert '<option value="">all</option><option value="west">' not in pages["ann"]


def test_a_picture_is_there_for_those_who_see_a_table_that_names_it(hub: ServedHub) -> None:
    held = {"If-None-Match": f'"{PICTURE}"'}
    with person(hub, UserRole.SUPERVISOR, "west") as west, person(hub, UserRole.SUPERVISOR, "east") as east:
        assert east.get(f"/v1/evidence/{PICTURE}", headers=held).status_code == 304
        assert west.get(f"/v1/evidence/{PICTURE}", headers=held).status_code == 404


def test_news_of_another_pit_are_no_news(hub: ServedHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_S", 1.5)
    with person(hub, UserRole.VIEWER, "west") as west, west.stream("GET", "/v1/events") as stream:
        lines = (line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: "))
        first = json.loads(next(lines))
        assert (first["waiting"], first["moment"], sum(first["states"].values())) == (1, 1, 1)
        assert first["unanswered"]["house_hand_wrong"] == 1
        hub.parts.hub.collector.states.tables["eastern1"].changes.notify()
        following = json.loads(next(lines))
        assert set(following) == {"at"}  # a heartbeat


def test_an_account_is_bounded_to_pits_that_there_are(hub: ServedHub) -> None:
    accounts = hub.parts.access.accounts
    with pytest.raises(AccountError, match="no pit 'north' here"):
        accounts.add("ned", UserRole.VIEWER, "several plain words", WHY, pits=["north"])
    with pytest.raises(AccountError, match="all tables"):
        accounts.add("ned", UserRole.ADMIN, "several plain words", WHY, pits=["west"])
    accounts.add("ned", UserRole.AUDITOR, "several plain words", WHY, pits=["west", "east", "west"])
    assert pits_of(hub, "ned") == ("east", "west")
    with pytest.raises(AccountError, match="all tables"):
        accounts.set_role("ned", UserRole.ADMIN, WHY)
    accounts.set_pits("ned", [], WHY)
    accounts.set_role("ned", UserRole.ADMIN, WHY)
    with pytest.raises(AccountError, match="all tables"):
        accounts.set_pits("ned", ["west"], WHY)
    told = [entry.data for entry in hub.parts.record.last(("account",), count=3)]
    assert [(each["act"], each.get("pits")) for each in reversed(told)] == [
        ("added", ["east", "west"]),
        ("pits changed", []),
        ("role changed", None),
    ]


def test_another_pit_ends_what_was_open(hub: ServedHub) -> None:
    """A page that waits for news of the pit that somebody had is not told of it any more."""
    accounts = hub.parts.access.accounts
    with person(hub, UserRole.VIEWER, "east") as east:
        caller = hub.parts.access.by_session(next(iter(east.cookies.values())))
        assert caller is not None
        assert caller.pits == ("east",)
        accounts.set_pits(caller.name, ["west"], WHY)
        assert east.get("/v1/tables/eastern1").status_code == 404
        assert east.get("/v1/tables/western1").status_code == 200


def test_the_page_of_accounts_bounds_them(hub: ServedHub) -> None:
    with person(hub, UserRole.ADMIN) as admin:
        html = {"Accept": "text/html"}
        assert 'name="pit" value="west"' in admin.get("/accounts", headers=html).text
        token = {"csrf_token": admin.headers["X-CSRF-Token"], "reason": "test"}
        made = admin.post("/accounts", data={**token, "name": "wes", "role": "viewer", "pit": "west"}, headers=html)
        assert made.status_code == 200
        assert pits_of(hub, "wes") == ("west",)
        admin.post("/accounts/wes/pits", data={**token, "pit": ["west", "east"]}, headers=html)
        assert pits_of(hub, "wes") == ("east", "west")
        admin.post("/accounts/wes/pits", data=token, headers=html)
        assert pits_of(hub, "wes") == ()
        refused = admin.post("/accounts/wes/pits", data={**token, "pit": "north"}, headers=html)
        assert (refused.status_code, "no pit" in refused.text) == (422, True)
        key = admin.post(
            "/keys", data={**token, "name": "till", "role": "integrator", "days": 1, "pit": "west"}, headers=html
        )
        assert key.status_code == 200
        assert [each.pits for each in hub.parts.access.accounts.all_keys() if each.name == "till"] == [("west",)]
