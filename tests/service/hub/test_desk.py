"""What people do on the floor reaches the table's own record in their name, or nothing is done and they are told."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from service.access.credentials import csrf_token
from service.access.roles import UserRole
from service.api.claims import of_round
from service.record.ledger import Evidence
from service.record.shifts.shift_figures import shift_on
from service.record.store.entries import Entry, Picture
from service.rounds.reports import RoundReport
from tests.service.api.test_http import jpeg
from tests.service.hub.feeds import DOUBTFUL, RULES
from tests.service.hub.hubs import hub_config, serving_hub
from tests.service.serving import Served, serving
from tests.service.stand_ins import HOUSE_WRONG, key_for, new_folder, opened, report_round, session_for, wait_until
from vision.reading import Reading


@dataclass(slots=True)
class Both:
    """A table's service and the floor that collects it."""

    table: Served
    floor: FastAPI
    url: str

    def person(self, name: str = "ann") -> httpx2.Client:
        """A browser in which a supervisor of the floor is signed in."""
        secret = session_for(self.floor, UserRole.SUPERVISOR, name)
        cookies = {self.floor.state.parts.cookie: secret}
        return httpx2.Client(base_url=self.url, cookies=cookies, headers={"X-CSRF-Token": csrf_token(secret)})

    def plays(self, reading: Reading, round_id: str, evidence: Sequence[Evidence] = ()) -> RoundReport:
        """Record a round at the table, with its pictures, and wait until the floor shows it."""
        parts = self.table.app.state.parts
        seen = report_round(opened(reading), table="test", rules=RULES, versions={})
        *_, recorded = parts.only.ledger.revise(seen.model_copy(update={"id": round_id}), evidence)
        self.wait()
        played: RoundReport = recorded
        return played

    def wait(self) -> None:
        """Until the floor has made what it shows of all that the table recorded."""
        head = self.table.app.state.parts.record.head()
        assert head is not None

        def followed() -> bool:
            with self.floor.state.parts.hub.reader.database.connect() as connection:
                return bool(connection.exec_driver_sql("SELECT seq FROM followed WHERE log > 1").scalar() == head.seq)

        wait_until(followed)

    def recorded(self, kind: str) -> tuple[Entry, ...]:
        """The entries of a kind in the table's own record, newest first."""
        found: tuple[Entry, ...] = self.table.app.state.parts.record.last((kind,), count=20)
        return found


@contextmanager
def both(url: str) -> Iterator[Both]:
    with serving() as table:
        key = new_folder() / "key"
        key.write_text(key_for(table.app, UserRole.FLOOR)["Authorization"].removeprefix("Bearer "))
        config = hub_config(url, {"t1": {"url": table.url, "title": "Table 1", "key_file": str(key)}})
        with serving_hub(config) as floor:
            yield Both(table, floor.app, floor.url)


@pytest.fixture
def two(hub_url: str) -> Iterator[Both]:
    with both(hub_url) as made:
        yield made


def confirm(played: RoundReport, **more: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
    return {"action": "confirm", "reason": "Looked at the table", "revision": played.revision, **more}


def test_an_alarm_is_answered_at_its_table_in_the_persons_name(two: Both) -> None:
    two.plays(HOUSE_WRONG, "r1")
    with two.person() as ann:
        (alarm,) = ann.get("/v1/alarms").json()["alarms"]
        assert (alarm["table"], alarm["kind"], alarm["taken"]) == ("t1", "house_hand_wrong", None)
        done = ann.post("/v1/alarms/acknowledgement", json={"alarms": [alarm["id"]], "reason": "told the dealer"})
        assert (done.status_code, done.json()) == (
            200,
            {"acknowledged": [alarm["id"]], "by": "ann", "not_answered": []},
        )
        (entry,) = two.recorded("acknowledgement")
        assert entry.data["by"].startswith("ann (")
        assert entry.data["reason"] == "told the dealer"
        two.wait()
        assert ann.get("/v1/alarms").json()["alarms"] == []
        (answered,) = ann.get("/v1/alarms", params={"state": "all"}).json()["alarms"]
        assert answered["answer"]["by"] == entry.data["by"]
        (noted,) = two.floor.state.parts.record.last(("desk",))
        assert (noted.table, noted.data["act"], noted.data["by"]) == ("t1", "acknowledged", "ann")
        # Once more, as by a second press: nothing is recorded twice.
        assert ann.post("/v1/alarms/acknowledgement", json={"alarms": [alarm["id"]]}).status_code == 200
        assert len(two.recorded("acknowledgement")) == 1


def test_an_alarm_that_another_person_has_taken_is_left_to_them(two: Both) -> None:
    two.plays(HOUSE_WRONG, "r1")
    with two.person() as ann, two.person("ben") as ben:
        name = ann.get("/v1/alarms").json()["alarms"][0]["id"]
        assert ben.post(f"/v1/alarms/{name}/claim").json()["by"] == "ben"
        assert ann.post(f"/v1/alarms/{name}/claim").status_code == 409
        assert ann.get("/v1/alarms").json()["alarms"][0]["taken"]["by"] == "ben"
        (refused,) = ann.post("/v1/alarms/acknowledgement", json={"alarms": [name]}).json()["not_answered"]
        assert (refused["code"], refused["alarms"]) == ("taken", [name])
        assert two.recorded("acknowledgement") == ()
        assert ben.post("/v1/alarms/acknowledgement", json={"alarms": [name]}).json()["acknowledged"] == [name]
        assert ann.post("/v1/alarms/99.1/claim").status_code == 404


def test_an_alarm_raised_again_since_is_not_answered(two: Both) -> None:
    two.plays(HOUSE_WRONG, "r1")
    with two.person() as ann:
        name = ann.get("/v1/alarms").json()["alarms"][0]["id"]
        before = name.rpartition(".")[0] + ".7"
        (refused,) = ann.post("/v1/alarms/acknowledgement", json={"alarms": [before]}).json()["not_answered"]
        assert refused["code"] == "unknown_alarm"
        assert two.recorded("acknowledgement") == ()


def test_a_round_is_decided_by_whoever_has_taken_it(two: Both) -> None:
    played = two.plays(DOUBTFUL, "r1")
    at = "/v1/reviews/t1/r1"
    with two.person() as ann, two.person("ben") as ben:
        queue = ann.get("/v1/reviews").json()
        assert [(each["table"], each["round"]["id"], each["taken"]) for each in queue["reviews"]] == [
            ("t1", "r1", None)
        ]
        assert ben.post(f"{at}/claim").status_code == 200
        refused = ann.post(at, json=confirm(played))
        assert (refused.status_code, refused.json()["code"]) == (409, "taken")
        assert two.recorded("review") == ()
        assert ben.delete(f"{at}/claim").status_code == 204
        decided = ann.post(at, json=confirm(played))
        assert (decided.status_code, decided.json()["status"]) == (200, "confirmed")
        (entry,) = two.recorded("review")
        assert entry.data["hands"][0]["review"]["by"].startswith("ann (")
        assert two.floor.state.parts.desk.claims.held([(1, of_round("r1"))]) == {}  # it is done
        two.wait()
        assert ann.get("/v1/reviews").json()["reviews"] == []
        late = ben.post(at, json=confirm(played))
        assert (late.status_code, late.json()["code"]) == (409, "newer_revision")
        assert len(two.recorded("review")) == 1


def test_an_outcome_reported_on_the_floor_is_the_tables_record(two: Both) -> None:
    two.plays(HOUSE_WRONG, "r1")
    said = {"action": "outcome", "revision": 1, "outcome": {"part": "house", "outcome": "too_late"}}
    with two.person() as ann:
        answer = ann.post("/v1/reviews/t1/r1", json=said)
    assert answer.status_code == 200
    (entry,) = two.recorded("review")
    (outcome,) = entry.data["outcomes"]
    assert (outcome["outcome"], outcome["by"].split(" ")[0], outcome["revision"]) == ("too_late", "ann", 2)
    assert answer.json()["outcomes"] == [outcome]


def test_where_the_table_refuses_its_words_are_handed_on(two: Both) -> None:
    played = two.plays(HOUSE_WRONG, "r1")
    with two.person() as ann:
        refused = ann.post("/v1/reviews/t1/r1", json=confirm(played))
        assert (refused.status_code, refused.json()["code"]) == (422, "not_allowed")
        assert "Nothing in this round is in doubt" in refused.json()["detail"]
        assert ann.post("/v1/reviews/t1/none/claim").status_code == 404
        assert ann.post("/v1/reviews/t2/r1/claim").status_code == 404


def test_with_the_line_cut_nothing_is_done_and_that_is_said(two: Both) -> None:
    played = two.plays(DOUBTFUL, "r1")
    two.table.stop()
    with two.person() as ann:
        name = ann.get("/v1/alarms").json()["alarms"][0]["id"]
        cut = ann.post("/v1/reviews/t1/r1", json=confirm(played))
        assert (cut.status_code, cut.json()["code"]) == (503, "table_unreachable")
        (refused,) = ann.post("/v1/alarms/acknowledgement", json={"alarms": [name]}).json()["not_answered"]
        assert refused["code"] == "table_unreachable"
        assert two.floor.state.parts.record.last(("desk",)) == ()
        page = ann.post(
            "/page/alarms/acknowledge", data={"alarm": name}, headers={"Accept": "text/html"}, follow_redirects=False
        )
        assert page.status_code == 409
        assert "Not recorded." in page.text
        assert "cannot be reached now" in page.text
        assert ann.get("/v1/reviews").json()["reviews"][0]["taken"]["by"] == "ann"  # to try again


def test_the_same_decision_sent_again_is_recorded_once(two: Both) -> None:
    """As somebody does whose answer was lost on the way."""
    played = two.plays(DOUBTFUL, "r1")
    with two.person() as ann:
        first, again = (ann.post("/v1/reviews/t1/r1", json=confirm(played)) for _ in range(2))
        assert (first.status_code, again.status_code) == (200, 200)
        assert first.json() == again.json()
        assert len(two.recorded("review")) == 1
        assert ann.post("/v1/reviews/t1/r1", json=confirm(played, reason="Another")).status_code == 409


def test_several_rounds_are_confirmed_with_one_reason_but_not_those_of_others(two: Both) -> None:
    close_up = (Evidence("house", "close_up", Picture(jpeg(644, 360))),)
    for name in ("r1", "r2", "r3"):
        two.plays(DOUBTFUL, name, close_up)
    two.plays(DOUBTFUL, "r4")  # nothing was kept by which it could be confirmed unseen
    with two.person("ben") as ben, two.person() as ann:
        page = ann.get("/reviews").text
        ticks = re.findall(r'name="tick" value="(t1 [^"]+)"', page)
        assert [tick.split()[1] for tick in ticks] == ["r3", "r2", "r1"]
        assert "Decide this round on its own page." in page
        assert ben.post("/v1/reviews/t1/r3/claim").status_code == 200
        token = ann.headers["X-CSRF-Token"]
        nothing = ann.post("/reviews", data={"csrf_token": token, "tick": ticks})
        assert nothing.status_code == 422
        assert "Give a reason" in nothing.text
        done = ann.post("/reviews", data={"csrf_token": token, "tick": ticks, "because": "picture"})
        assert done.status_code == 409
        assert "2 rounds confirmed." in done.text
        assert "not confirmed." in done.text
        assert "ben" in done.text
        assert {entry.round for entry in two.recorded("review")} == {"r1", "r2"}
        assert "r3" not in re.findall(r'name="tick" value="t1 (\w+)', ann.get("/reviews").text)


def test_a_shift_is_handed_over_for_all_tables_and_signed_in_the_floor_s_record(two: Both) -> None:
    two.plays(HOUSE_WRONG, "r1")
    two.plays(DOUBTFUL, "r2")
    with two.person() as ann, two.person("ben") as ben:
        played = two.plays(DOUBTFUL, "r3")
        assert ann.post("/v1/reviews/t1/r3", json=confirm(played)).status_code == 200
        two.wait()
        now = ann.get("/handover").text
        for part in ("Confirmed by ann", "Nobody yet", "/tables/t1/rounds/r3"):
            assert part in now, part
        settings = two.floor.state.parts.config.page
        shift = shift_on(played.opened_at, settings.zone, settings.shifts)
        at = {"day": shift.day.isoformat(), "shift": f"{shift.starts:%H:%M}"}
        page = ann.get("/handover", params=at).text
        for part in ("Table 1", "House hands set wrongly", "/tables/t1/rounds/r2"):
            assert part in page, part

        def sign(who: httpx2.Client, act: str, text: str = "") -> int:
            sent = {"csrf_token": who.headers["X-CSRF-Token"], **at, "act": act, "text": text}
            return who.post("/handover", data=sent).status_code

        assert sign(ann, "handed_over", "watch table 1") == 303
        assert sign(ann, "taken_over") == 409
        assert sign(ben, "taken_over") == 303
        assert "watch table 1" in ben.get("/handover", params=at).text
    second, first = two.floor.state.parts.record.last(("handover",), count=2)
    assert (first.data["by"], second.data["by"], first.table, first.data["pit"]) == ("ann", "ben", "", None)
    counted = {name: first.data["stood"][name] for name in ("rounds", "verified", "decided", "waiting", "mistakes")}
    assert counted == {"rounds": 3, "verified": 1, "decided": 1, "waiting": 1, "mistakes": 1}
