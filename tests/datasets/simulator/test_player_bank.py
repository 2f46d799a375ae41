"""Players in the bank: the rounds that the books allow, and where chung, button and the bank's tiles lie."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.simulate import app
from datasets.simulator.film import parse_spec
from datasets.simulator.layouts import SimulatorError, fitting
from datasets.simulator.moments import Renderer
from datasets.simulator.readings import PERFECT, ReadingSource
from datasets.simulator.script import Options, Script, script
from datasets.simulator.staging.course import start_round
from datasets.simulator.truth import RoundTruth
from engine.books.registry import BOOKS
from engine.round import Session
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank, Whose
from tests.amount import amount
from vision.markers.marker_kinds import CHUNGS, MarkerKind
from vision.reading import MarkerReading

pytestmark = pytest.mark.exhaustive

SMALL = (640, 360)
TABLES = [(book, layout) for book in BOOKS for layout in fitting(BOOKS[book])][:: amount(2, 1)]
CO_BANKS = [book for book in BOOKS if Bank.CO_BANK in BOOKS[book].banking.methods.value]
BUTTONS = [book for book in BOOKS if BOOKS[book].dice_of(None).buttons.value.values]


@cache
def made(seed: int = 3, **options: object) -> Script:
    return script(seed, Options(size=SMALL, **options))  # type: ignore[arg-type]


def banked(session: Script, method: Bank | None = None) -> list[RoundTruth]:
    return [each for each in session.rounds if each.course.method in ({method} if method else set(Bank) - {Bank.HOUSE})]


def a_round(book: str, method: Bank) -> tuple[Script, RoundTruth]:
    for seed in range(20):
        session = made(seed, rulebook=book, rounds=2, player_bank_rate=1.0)
        if rounds := banked(session, method):
            return session, rounds[0]
    raise AssertionError(f"no {method} under {book} in twenty sessions")


def happened_s(truth: RoundTruth, kind: str) -> float:
    return next(each.t_s for each in truth.happenings if each.kind == kind)


def box(number: int) -> Place:
    return Place(PlaceKind.BOX, number)


def markers(session: Script, t: float) -> list[MarkerReading]:
    found = ReadingSource(session, faults=PERFECT, markers=True).read(t).markers
    assert found is not None
    return list(found)


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_a_round_that_a_player_banks_is_one_of_the_book(book: str, layout: str) -> None:
    session = made(8, rulebook=book, layout=layout, rounds=3, player_bank_rate=1.0)
    log = session.rounds[-1].course.session
    assert Session.from_dict(log.to_dict()).to_dict() == log.to_dict()
    rounds = banked(session)
    assert len(rounds) >= 2  # where the House has the first round, in the others
    for truth in rounds:
        course, data = truth.course, truth.to_json(session.way)
        assert data["bank"] == {"method": course.method.value, "box": course.bank_box}
        assert course.bank_box not in course.played
        # The bank's place is shown first, then hands are opened counter-clockwise from the chung.
        setup = course.session.setup
        opened = [truth.hands[each.place].box for each in truth.exposed]
        assert opened == [course.bank_box, *setup.in_turn(course.played, course.bank_box)]


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_the_chung_lies_at_the_bankers_box(book: str, layout: str) -> None:
    session = made(8, rulebook=book, layout=layout, rounds=3, player_bank_rate=0.7)
    for truth in session.rounds:
        bank = truth.course.bank_box
        (chung,) = [each for each in markers(session, happened_s(truth, "tiles-delivered")) if each.kind in CHUNGS]
        assert chung.place == (box(bank) if box(bank) in session.setup.plan.places else None)
        assert chung.status == "verified"
        assert (chung.kind is MarkerKind.CHUNG_CO_BANK) is (truth.course.method is Bank.CO_BANK)


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_the_houses_chung_lies_where_its_tiles_are_dealt(book: str, layout: str) -> None:
    session = made(8, rulebook=book, layout=layout)
    (chung,) = [prop for prop in session.still if prop.means]
    bank = box(session.rounds[0].course.bank_box)
    assert chung.place == (str(bank) if bank in session.setup.plan.places else "")
    (read,) = markers(session, happened_s(session.rounds[0], "tiles-delivered"))
    assert read.place == (bank if bank in session.setup.plan.places else None)


def test_nobody_looks_for_markers_unless_asked_to() -> None:
    session = made()
    t = session.rounds[0].exposed[0].visible[-1][0]
    source, looking = (ReadingSource(session, markers=looks) for looks in (False, True))
    assert source.read(t).markers is None
    assert source.read(t).tiles == looking.read(t).tiles


def test_a_chung_that_a_hand_covers_or_moves_is_not_verified() -> None:
    session = made(4, rulebook="crown-6.1", rounds=3, player_bank_rate=0.6)
    start, end, _ = session.line.markers[0].keys[-1]
    assert end > start > 0
    assert markers(session, (start + end) / 2) == []
    # As the hand that laid it there leaves, it still covers it.
    assert all(each.status != "verified" for each in markers(session, end + 0.02))


@pytest.mark.parametrize("book", BUTTONS)
def test_a_button_at_the_bankers_box_moves_the_first_box(book: str) -> None:
    found = 0
    for seed in range(4):
        session = made(seed, rulebook=book, rounds=3, player_bank_rate=1.0)
        for truth in session.rounds:
            course, value = truth.course, truth.course.dealt.button
            assert truth.to_json(session.way)["button"] == value
            t = happened_s(truth, "dice-shown")
            lying = [each for each in markers(session, t) if each.kind is MarkerKind.PLUS_MINUS]
            assert [(each.value, each.place) for each in lying] == (
                [] if value is None else [(value, box(course.bank_box))]
            )
            if value is None:
                continue
            found += 1
            assert course.method is not Bank.HOUSE
            throw, setup = course.dealt.throws[-1], course.session.setup
            cup = Cup(throw.box_dice, throw.cut_die)
            read = setup.dice.read(cup, course.method, course.bank_box, value, setup.order)
            assert isinstance(read, Thrown)
            assert course.dealt.first_box == read.first_box
            assert not [each for each in markers(session, truth.end_s) if each.kind is MarkerKind.PLUS_MINUS]
    assert found


def test_a_marker_that_moves_is_labelled_where_it_lies() -> None:
    session, truth = a_round("star-2024", Bank.PLAYER)
    renderer = Renderer(session)
    picture = renderer.draw(session.at(happened_s(truth, "tiles-delivered")))
    labels = [each.data for each in renderer.labels(picture, "x.jpg").others if "subtype" in each.data]
    assert labels[0]["subtype"] == "chung"
    assert labels[0]["place"] == f"box{truth.course.bank_box}"
    assert labels[0]["visible"] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("book", ["crown-6.1", "star-2024", "star-classic", "nz-1998"])
def test_a_banker_sets_his_hand_at_his_box_before_the_float(book: str) -> None:
    session, truth = a_round(book, Bank.PLAYER)
    bank = truth.bank_hand
    assert (bank.place, bank.set_by, bank.whose) == (HOUSE, "player", Whose.PLAYER_BANKER)
    banker = truth.course.session.current.state.bankers if truth is session.rounds[-1] else None
    setting = next(each for each in truth.happenings if each.kind == "bank-set")
    assert setting.event is not None
    assert banker is None or setting.event["by"] == banker[0]
    assert setting.place == box(truth.course.bank_box)
    for t, place in ((setting.t_s, box(truth.course.bank_box)), (happened_s(truth, "bank-moved"), HOUSE)):
        tiles = session.at(t + 0.001).tiles
        assert {tiles[n].place for n in bank.tiles} == {place}
        assert not any(tiles[n].face_up for n in bank.tiles)
    assert happened_s(truth, "bank-moved") < happened_s(truth, "bank-exposed")


def test_a_bankers_hand_stays_at_his_box_where_the_book_has_it() -> None:
    session, truth = a_round("uk-poster", Bank.PLAYER)
    bank = truth.bank_hand
    assert bank.place == box(truth.course.bank_box)
    assert HOUSE not in truth.hands
    assert "bank-moved" not in {each.kind for each in truth.happenings}
    seen = ReadingSource(session, faults=PERFECT).read(float(np.mean(bank.visible[0])))
    hand = next(each for each in seen.hands if each.place == bank.place)
    assert set(hand.low) == set(bank.lays[0].low)
    # Nobody but the banker may shake the cup there.
    shaken = next(each for each in truth.happenings if each.kind == "dice-shaken")
    assert shaken.event is not None
    assert shaken.event["by"] != "dealer"


@pytest.mark.parametrize("book", CO_BANKS)
def test_the_dealer_sets_the_hand_of_a_co_bank_the_house_way(book: str) -> None:
    session, truth = a_round(book, Bank.CO_BANK)
    bank = truth.bank_hand
    assert (bank.place, bank.set_by, bank.whose) == (HOUSE, "dealer", Whose.CO_BANK)
    lay = truth.to_json(session.way)["hands"]["house"]["lays"][0]  # type: ignore[index]
    assert lay["house_way"]["verdict"] == "correct"


def test_players_hold_the_bank_in_the_share_that_was_asked_for() -> None:
    opened = Session.opened(BOOKS["crown-6.1"])
    rngs = (np.random.default_rng(seed) for seed in range(200))
    held = [start_round(rng, opened, shown=True, player_bank_rate=0.5).current.state.held for rng in rngs]
    assert 0.4 < sum(each.method is not Bank.HOUSE for each in held) / len(held) < 0.6
    assert {each.box for each in held if each.method is not Bank.HOUSE} == set(range(1, 9))


def test_without_a_share_the_house_has_every_bank() -> None:
    session = made(5, rounds=2)
    assert not banked(session)
    assert session.line.markers == []
    assert session.rounds[0].to_json(session.way)["bank"] == {"method": "house", "box": 1}


def test_a_share_of_banks_is_one() -> None:
    with pytest.raises(SimulatorError, match="player_bank_rate is a share"):
        Options(player_bank_rate=1.5)


def test_a_seed_gives_the_same_banks_again() -> None:
    one, two = (script(5, Options(size=SMALL, rounds=3, player_bank_rate=0.5)) for _ in range(2))
    assert [each.to_json(one.way) for each in one.rounds] == [each.to_json(two.way) for each in two.rounds]
    assert one.at(40.0).markers == two.at(40.0).markers


def test_the_command_and_a_line_of_text_take_the_share(tmp_path: Path) -> None:
    arguments = ["--out", str(tmp_path), "--form", "none", "--player-bank-rate", "1", "--mistakes", "wrong-first-box"]
    done = CliRunner().invoke(app, [*arguments, "--mistake-rate", "1", "--seed", "8"])
    assert done.exit_code == 0, done.output
    (line,) = (tmp_path / "rounds.jsonl").read_text().splitlines()
    data = json.loads(line)
    assert data["bank"]["method"] in {"player", "co-bank"}
    assert [each["kind"] for each in data["mistakes"]] == ["wrong-first-box"]
    assert parse_spec("simulator:player_bank_rate=0.4").options.player_bank_rate == 0.4
