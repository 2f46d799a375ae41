"""The form that decides a round, and what becomes of it."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.rounds.reports import RoundReport
from service.rounds.review import as_read
from tests.service.api.test_http import play
from tests.service.stand_ins import RIGHT, WRONG, FakeReader, app_of, config, die, hand, person, reading

PHANTOM = hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("a reflection",))
DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), PHANTOM, dice=(die(3), die(2, "cut")))
SIGNED = {"reason": "Looked at the table", "revision": "1"}


@pytest.fixture
def app() -> FastAPI:
    made = app_of(config(), reader=FakeReader(), watch=False)
    play(made, DOUBTFUL)
    return made


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with person(app) as client:
        yield client


def shown(**changed: str) -> dict[str, str]:
    """The form as the page sends it when nothing was changed but this."""
    form = {**SIGNED}
    for place, low, high in (("house", *RIGHT), ("box2", "1-1 4-3", "4-4 5-5")):
        names = ("low1", "low2", "high1", "high2")
        form |= {f"{place}.{name}": face for name, face in zip(names, f"{low} {high}".split(), strict=True)}
    form |= {"die1.value": "3", "die1.role": "box", "die2.value": "2", "die2.role": "cut", "die3.value": ""}
    return form | {name.replace("_", "."): value for name, value in changed.items()}


def newest(app: FastAPI) -> RoundReport:
    found: RoundReport = app.state.parts.only.ledger.newest("r1")
    return found


def send(client: TestClient, **changed: str) -> str:
    """What the page says, after it followed where the answer leads."""
    return client.post("/tables/test/rounds/r1/review", data=shown(**changed)).text


def test_the_form_shows_what_was_read(client: TestClient) -> None:
    html = client.get("/tables/test/rounds/r1").text
    for said in ("glare on the", "a reflection", 'name="box2.absent"', 'name="revision" value="1"', "No hand lies"):
        assert said in html


def test_confirming(app: FastAPI, client: TestClient) -> None:
    assert "Your decision is recorded" in send(client, action="confirm")
    played = newest(app)
    assert (played.status, played.revision, played.hands[0].status) == ("confirmed", 2, "confirmed")
    assert played.hands[0].review is not None
    assert played.hands[0].review.by == "ann"
    assert app.state.parts.only.live.state.current == played
    assert "No rounds to review" in client.get("/reviews").text


@pytest.mark.parametrize(
    "changed",
    [{"house_low1": "5-4"}, {"box2_absent": "true"}, {"die1_value": "4"}, {"die3_value": "1"}, {"added_place": "box5"}],
)
def test_confirming_never_drops_what_was_changed(app: FastAPI, client: TestClient, changed: dict[str, str]) -> None:
    html = send(client, action="confirm", **changed)
    assert "record the correction" in html
    assert newest(app).revision == 1


def test_correcting_a_hand(app: FastAPI, client: TestClient) -> None:
    low, high = (pair.split() for pair in WRONG)
    send(
        client,
        action="correct",
        house_low1=low[0],
        house_low2=low[1],
        house_high1=high[0],
        house_high2=high[1],
        box2_absent="true",
    )
    (house,) = newest(app).hands
    assert house.house_way is not None
    assert (house.house_way.verdict, list(house.low)) == ("wrong", low)
    assert newest(app).dice_review is None  # dice that nobody changed are nobody's decision
    assert "Corrected by ann" in client.get("/").text


def test_a_phantom_is_gone_until_something_else_is_read(app: FastAPI, client: TestClient) -> None:
    send(client, action="correct", box2_absent="true")
    played = newest(app)
    assert [hand.place for hand in played.hands] == ["house"]
    assert (played.status, played.absent[0].place, played.absent[0].review.by) == ("confirmed", "box2", "ann")
    assert played.absent[0].review.read is not None
    assert played.absent[0].review.read.low == ("1-1", "4-3")
    assert "no hand lies here" in client.get("/tables/test/rounds/r1").text
    # The reading still sees it, also after a restart of the service.
    assert [str(hand.place) for hand in as_read(played).hands] == ["house", "box2"]
    assert [hand.place for hand in play(app, DOUBTFUL).hands] == ["house"]
    laid = play(app, reading(*DOUBTFUL.hands[:1], hand("box2", "1-1 5-3", "4-4 5-5")))
    assert ([hand.place for hand in laid.hands], laid.absent) == (["house", "box2"], ())


def test_a_round_of_nothing_but_a_phantom_is_a_persons_word(app: FastAPI, client: TestClient) -> None:
    play(app, reading(PHANTOM), "r2")
    form = {**SIGNED, "action": "correct", "box2.absent": "true"}
    client.post("/tables/test/rounds/r2/review", data=form)
    played = app.state.parts.only.ledger.newest("r2")
    assert (played.hands, played.status) == ((), "confirmed")


def test_a_hand_that_was_not_read(app: FastAPI, client: TestClient) -> None:
    tiles = {"low1": "6-4", "low2": "4-1", "high1": "3-1", "high2": "2-2"}
    added = {f"added_{name}": face for name, face in tiles.items()}
    send(client, action="correct", added_place="box5", **added)
    hands = {hand.place: hand for hand in newest(app).hands}
    assert hands["box5"].review is not None
    assert (hands["box5"].low, hands["box5"].review.read) == (("6-4", "4-1"), None)


def test_correcting_the_dice(app: FastAPI, client: TestClient) -> None:
    send(client, action="correct", die1_value="6", die3_value="5", die3_role="box")
    assert [(each.value, each.role) for each in newest(app).dice] == [(6, "box"), (2, "cut"), (5, "box")]
    assert newest(app).dice_review is not None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"action": "correct", "reason": " "}, "reason"),
        ({"action": "nothing"}, "action"),
        ({"action": "correct", "house_low1": ""}, "House: enter all four tiles"),
        ({"action": "correct", "added_place": "box5"}, "Box 5: enter all four tiles"),
        ({"action": "correct", "house_low1": "5-3"}, "is entered 2 times"),
    ],
)
def test_what_is_refused_is_told_and_kept_in_the_form(
    app: FastAPI, client: TestClient, changed: dict[str, str], said: str
) -> None:
    answer = client.post("/tables/test/rounds/r1/review", data=shown(**{"box2_absent": "true", **changed}))
    assert answer.status_code == 422
    assert "Not recorded." in answer.text
    assert said in answer.text.partition("Not recorded.")[2][:300]
    assert 'name="box2.absent" value="true" checked' in answer.text
    assert newest(app).revision == 1


def test_a_newer_revision_must_be_looked_at_first(app: FastAPI, client: TestClient) -> None:
    play(app, reading(hand("house", *WRONG, "uncertain", ("blurred",))))
    answer = client.post("/tables/test/rounds/r1/review", data=shown(action="confirm"))
    assert answer.status_code in {409, 422}
    assert newest(app).revision == 2


def test_faults_are_pages(app: FastAPI, client: TestClient) -> None:
    missing = client.get("/tables/test/rounds/none").text
    assert "<title>Page not found" in missing.replace("\n", "")
    assert missing.count("Page not found") == 2  # the heading too
    assert client.get("/tables/test/rounds/none").status_code == 404
    assert client.get("/rounds", params={"place": "box9"}).status_code == 422
    app.state.parts.record.database.dispose()
    app.state.parts.record.settings.folder.joinpath("record.db").write_bytes(b"nothing like a database" * 99)
    answer = client.get("/rounds")
    assert (answer.status_code, "The record cannot be used now" in answer.text) == (503, True)
