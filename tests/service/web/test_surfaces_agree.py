"""Simulated rounds with mistakes: page, sheet, hand-over, alarm and API say the same at each moment.

The API's JSON says what is expected: the verdict on each hand, what to do now, since when, and what was done.
"""

import html
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from datasets.simulator.script import Options, script
from datasets.simulator.staging.mistakes import MISTAKES
from engine.books.registry import BOOKS
from service.rounds.reports import RoundReport
from tests.service.rounds.followed import every_revision
from tests.service.rounds.golden_rounds import WAY_OF
from tests.service.stand_ins import FakeReader, app_of, config, person, with_table
from tests.service.web.test_downloads import text_of

SET_WRONG: Final = (
    "house-set-wrong",
    "asked-hand-set-wrong",
    "house-set-wrong-corrected",
    "house-set-wrong-corrected-late",
    "asked-hand-set-wrong-corrected",
)
"""Mistakes about how a hand is set."""
WORDS: Final = {"wrong": "Wrong", "correct": "Correct", "needs_review": "Needs review"}
DONE: Final = {"corrected": "Corrected", "too_late": "Too late to correct", "accepted": "Accepted"}
CALLED: Final = {"surveillance": "Surveillance called", "supervisor": "Supervisor called"}
IMPERATIVE: Final = re.compile(r"(?:It may be corrected|Correct it|Leave it|Set the \w+ hand right)[^.]*")


@dataclass(frozen=True, slots=True)
class WrongHand:
    """A hand that lay wrongly in a round, as the API tells it.

    Attributes:
        place: where.
        name: of the place.
        now: whether it still lies so.
        verdict: in the newest revision; empty if no hand lies there any more.
        to_do: what to do about it, now or when it was seen first.
        since: when it was first seen to lie so.
        outcome: what was done about it last; None if nothing was recorded.
    """

    place: str
    name: str
    now: bool
    verdict: str
    to_do: str
    since: datetime
    outcome: dict[str, Any] | None

    @property
    def instruction(self) -> str:
        """The sentence that every page has about it."""
        return self.to_do if self.now else f"At {clock(self.since)}: {self.to_do}"

    @property
    def concluded(self) -> str:
        """The sentence about what was done; empty if nothing was."""
        done = self.outcome
        if done is None:
            return ""
        what = f"Accepted by {done['title']}" if done["title"] else CALLED.get(done["called"]) or DONE[done["outcome"]]
        who = "seen by the camera" if done["source"] == "camera" else f"reported by {done['by']}"
        return f"{what} at {clock(datetime.fromisoformat(done['at']))} · {who} · Revision {done['revision']}"


def clock(at: datetime) -> str:
    return f"{at:%H:%M:%S}"


def plain(text: str) -> str:
    text = re.sub('<span class="asked">.*?</span>', "", text, flags=re.DOTALL)  # a question has both answers
    said = html.unescape(re.sub("<[^>]*>", " ", text)).replace("\N{NON-BREAKING HYPHEN}", "-")
    return re.sub(r" (?=[.,:;)])", "", " ".join(said.split()))


def between(page: str, start: str, end: str) -> list[str]:
    """The parts of a page between two patterns."""
    return re.findall(f"{start}(.*?){end}", page, re.DOTALL)


Played = dict[str, Any]
"""A round in one revision, as JSON."""


def hand_in(played: Played, place: str) -> dict[str, Any] | None:
    return next((hand for hand in played["hands"] if hand["place"] == place), None)


def verdict_in(played: Played, place: str) -> str:
    hand = hand_in(played, place)
    return "" if hand is None or hand["house_way"] is None else str(hand["house_way"]["verdict"])


def lay_in(played: Played, place: str) -> list[set[str]]:
    hand = hand_in(played, place)
    return [] if hand is None else [set(hand["low"]), set(hand["high"])]


def last_run(revisions: list[Played], place: str) -> list[Played]:
    """The revisions in which a hand lay in the same wrong way last, in a row but for doubts."""
    run: list[Played] = []
    ended = False
    for played in revisions:
        if verdict_in(played, place) == "wrong":
            goes_on = run and not ended and lay_in(run[-1], place) == lay_in(played, place)
            run, ended = [*run, played] if goes_on else [played], False
        else:
            ended = ended or (hand_in(played, place) or {"status": ""})["status"] != "uncertain"
    return run


def wrong_hands(client: TestClient, round_id: str) -> list[WrongHand]:
    """The hands that lay wrongly in a round, each as it did so last."""
    answer = client.get(f"/v1/rounds/{round_id}/revisions").json()
    revisions = [each["round"] for each in answer["revisions"]]
    newest, found = revisions[-1], []
    for place in dict.fromkeys(hand["place"] for played in revisions for hand in played["hands"]):
        run = last_run(revisions, place)
        if not run:
            continue
        now, lasted = verdict_in(newest, place) == "wrong", range(run[0]["revision"], run[-1]["revision"] + 1)
        done = [each for each in newest["outcomes"] if each["place"] == place and each["seen_in"] in lasted]
        said = hand_in(newest if now else run[0], place)
        assert said is not None
        found.append(
            WrongHand(
                place=place,
                name="House" if place == "house" else place.replace("box", "Box "),
                now=now,
                verdict=verdict_in(newest, place),
                to_do=said["house_way"]["remedy"],
                since=datetime.fromisoformat(run[0]["changed_at"]),
                outcome=done[-1] if done else None,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of each surface about one round.

    Attributes:
        sheets: whether the incident sheet is printed, which takes a second.
    """

    client: TestClient
    number: int
    round_id: str
    sheets: bool

    @property
    def at(self) -> str:
        return f"/tables/test/rounds/{self.round_id}"

    def page(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, path
        return answer.text

    def check(self) -> int:
        """Compare all surfaces; return the number of hands that were compared."""
        hands = wrong_hands(self.client, self.round_id)
        answer = self.client.get("/v1/alarms", params={"state": "all", "limit": 200}).json()
        alarms = [each for each in answer["alarms"] if each["round"] and each["round"]["id"] == self.round_id]
        for hand in hands:
            self._alarm(hand, alarms)
            self._table_page(hand)
            self._round_page(hand)
            self._hand_over(hand)
        if hands and self.sheets:
            sheet = text_of(self.client.get(f"{self.at}/incident.pdf").content)
            for hand in hands:
                self._sheet(hand, sheet)
        self._findings(alarms)
        return len(hands)

    def _alarm(self, hand: WrongHand, alarms: list[dict[str, Any]]) -> None:
        raised = [each for each in alarms if each["kind"] == "house_hand_wrong" and each["subject"] == hand.place]
        newest = max(raised, key=lambda each: each["last_raised_at"])
        assert newest["remedy"] == (hand.to_do if hand.now else None)
        assert datetime.fromisoformat(newest["last_raised_at"]) == hand.since
        assert (newest["over_at"] is None) == hand.now
        if hand.outcome is not None and hand.outcome["source"] == "camera" and hand.outcome["outcome"] == "corrected":
            assert newest["over_at"] == hand.outcome["at"]
        person_said = hand.outcome is not None and hand.outcome["source"] == "http"
        assert (newest["answer"] is not None) == person_said
        rows = between(self.page("/alarms"), "<tr(?: data-key=[^>]*)?>", "</tr>")
        at = f"{self.round_id}?place={hand.place}"
        row = next(each for each in rows if at in each and "hand set wrongly" in each)
        said = plain(row)
        assert f"Round {self.number}" in said
        assert clock(hand.since) in said
        assert imperatives(said) == (imperatives(hand.to_do) if hand.now and not person_said else []), said

    def _table_page(self, hand: WrongHand) -> None:
        cards = map(plain, between(self.page("/tables/test"), '<article class="card verdict', "</article>"))
        card = next((each for each in cards if f"{hand.name} hand, round {self.number} " in each), "")
        if hand.now or (hand.verdict and hand.place == "house"):
            assert f" {WORDS[hand.verdict]} " in card
        if hand.now:
            self._says(hand, card)
        else:
            assert imperatives(card) == []

    def _round_page(self, hand: WrongHand) -> None:
        page = self.page(f"{self.at}?place={hand.place}")
        (moment,) = between(page, '<section class="card moment', "</section>")
        (sheet,) = between(page, '<article class="sheet">', "<table>")
        if hand.verdict == "needs_review":
            return  # it shows what to decide
        for said in map(plain, (moment, sheet)):
            assert clock(hand.since) in said
            self._says(hand, said)

    def _hand_over(self, hand: WrongHand) -> None:
        page = self.page("/handover?day=2026-01-01&shift=00:00")
        (table,) = between(page, 'aria-label="House hands set wrongly"', "</table>")
        row = next(each for each in between(table, "<tr>", "</tr>") if f'{self.round_id}?place={hand.place}"' in each)
        said = plain(row)
        assert f"Round {self.number} {clock(hand.since)} · {hand.name}" in said
        self._says(hand, said)
        alarm = f"Round {self.number}: {hand.name} hand set wrongly"
        (raised,) = (each for each in map(plain, between(page, "<tr>", "</tr>")) if alarm in each)
        assert clock(hand.since) in raised

    def _sheet(self, hand: WrongHand, sheet: str) -> None:
        parts = re.split(r"(?=(?:House|Box \d) hand, round \d+: )", sheet)
        title = f"{hand.name} hand, round {self.number}: Wrong"
        said = next(each for each in reversed(parts) if each.startswith(title))
        assert re.search(rf"Seen at [^:]*{clock(hand.since)}", said)
        assert f"Remedy: {hand.instruction}" in said
        assert hand.concluded in said

    def _says(self, hand: WrongHand, said: str) -> None:
        assert hand.instruction in said, (hand.instruction, said)
        assert imperatives(said) == imperatives(hand.to_do) != [], said
        assert hand.concluded in said, (hand.concluded, said)

    def _findings(self, alarms: list[dict[str, Any]]) -> None:
        newest = self.client.get(f"/v1/rounds/{self.round_id}").json()
        certain = [each for each in newest["findings"] if each["rule"] and not each["unless"]]
        lasting = [each for each in alarms if each["kind"] == "procedure" and each["over_at"] is None]
        raised = {each["findings"][0]["message"]: each["findings"][0] for each in lasting}
        assert set(raised) == {each["message"] for each in certain}
        if not certain:
            return
        page, listed = plain(self.page(self.at)), plain(self.page("/alarms"))
        handover = plain(self.page("/handover?day=2026-01-01&shift=00:00"))
        for found in certain:
            assert raised[found["message"]]["options"] == found["options"]
            sentence = found["message"].partition(f" ({found['rule']})")[0]
            assert f"{sentence} ({found['rule']})" in page
            for option in found["options"]:
                assert option["action"] in page
            assert sentence in listed
            assert f"{sentence} ({found['rule']})" in handover


def imperatives(text: str) -> list[str]:
    return IMPERATIVE.findall(text)


def state_of(played: RoundReport) -> object:
    """What makes a revision another moment."""
    verdicts = [(hand.place, hand.house_way.verdict) for hand in played.judged if hand.house_way is not None]
    return verdicts, played.reached, played.state, len(played.outcomes), len(played.departures)


def app_for(book: str) -> FastAPI:
    way = {"house_way": WAY_OF[book]} if book in WAY_OF else {}
    return app_of(with_table(config(), rulebook=book, **way), reader=FakeReader(), watch=False)


def played(book: str, seed: int, kinds: tuple[str, ...], *, sheets: bool) -> tuple[int, int, int]:
    """Play rounds with these mistakes; return the numbers of rounds, of moments and of hands compared."""
    way, rounds = WAY_OF.get(book), len(kinds)
    made = script(seed, Options(rulebook=book, house_way=way, rounds=rounds, in_turn=kinds, players=(2, 4)))
    app = app_for(book)
    parts = app.state.parts
    moments, hands, ids = 0, 0, set()
    before: object = None
    with person(app) as client:
        for report in every_revision(made):
            seen = report.model_copy(update={"table": "test"})
            recorded = parts.only.ledger.revise(seen)
            parts.only.live.publish_rounds(*recorded)
            newest = recorded[-1]
            asked = Asked(client, newest.number, newest.id, sheets=sheets)
            ids.add(newest.id)
            if (newest.id, state_of(newest)) != before:
                before = newest.id, state_of(newest)
                moments += 1
                hands += asked.check()
            if newest.state == "closed" and (wrong := [hand for hand in wrong_hands(client, newest.id) if hand.now]):
                sent = {"part": wrong[0].place, "revision": str(newest.revision), "outcome": "called surveillance"}
                assert client.post(f"{asked.at}/outcome", data=sent, follow_redirects=False).status_code == 303
                moments += 1
                hands += asked.check()
    return len(ids), moments, hands


def test_surfaces_agree_about_rounds_with_mistakes() -> None:
    rounds, moments, hands = played("crown-6.1", 7, ("house-set-wrong",), sheets=True)
    assert rounds == 1
    assert moments >= 5
    assert hands >= 4


KINDS: Final = (*SET_WRONG, *sorted({*MISTAKES} - {*SET_WRONG}))


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(10))
def test_surfaces_agree_about_fifty_rounds(number: int) -> None:
    book = sorted(BOOKS)[number % len(BOOKS)]
    others = KINDS[len(SET_WRONG) :]
    kinds = (*SET_WRONG[:3], *(others[(2 * number + each) % len(others)] for each in (0, 1)))
    if number >= 5:
        kinds = (SET_WRONG[0], *SET_WRONG[3:], *kinds[3:])
    rounds, moments, hands = played(book, 100 + number, kinds, sheets=number % 5 == 0)
    assert rounds == len(kinds)
    assert moments >= 4 * len(kinds)
    assert hands > 0
