"""Mistakes of procedure: each is acted out on the table as the truth says."""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest

from calibration.table.places import DISCARD, HOUSE, Place, PlaceKind
from datasets.simulator.layouts import fitting, stack_spot
from datasets.simulator.readings import PERFECT, ReadingSource
from datasets.simulator.script import Options, Script, script
from datasets.simulator.staging.course import is_drawn, standing, taken
from datasets.simulator.staging.procedure import PROCEDURE_MISTAKES, emptied
from datasets.simulator.truth import Happening, RoundTruth
from engine.books.registry import BOOKS
from engine.game.ranking import Outcome
from engine.round import Session
from tests.amount import amount

pytestmark = pytest.mark.exhaustive

SMALL = (640, 360)
TABLES = [(book, layout) for book in BOOKS for layout in fitting(BOOKS[book])][:: amount(2, 1)]
ORDERED = [
    ("crown-6.1", "eight"),
    ("crown-6.1", "seven-from-left"),
    ("crown-6.1", "six"),
    ("crown-6.1", "six-from-left"),
    ("star-2024", "eight-from-left"),
    ("nz-1998", "eight"),
    ("uk-poster", "seven-from-left"),
]
"""Both directions of numbering, and six, seven and eight boxes."""
Made = tuple[Script, "RoundTruth", "Happening"]


@cache
def with_mistake(kind: str, book: str, layout: str, bank_rate: float = 0.0) -> Made:
    """A round in which it is made: not every round has room for every mistake."""
    for seed in range(20):
        options = Options(
            rulebook=book, layout=layout, size=SMALL, mistakes=(kind,), mistake_rate=1.0, player_bank_rate=bank_rate
        )
        session = script(seed, options)
        truth = session.rounds[0]
        if truth.mistakes:
            (mistake,) = truth.mistakes
            assert mistake.kind == kind
            return session, truth, mistake
    raise AssertionError(f"no round among twenty has room for {kind}")


def happened_s(truth: RoundTruth, kind: str) -> float:
    return next(each.t_s for each in truth.happenings if each.kind == kind)


def box_place(session: Script, box: int) -> Place:
    own = Place(PlaceKind.BOX, box)
    return own if own in session.setup.plan.places else HOUSE


def lying(session: Script, t: float, place: Place) -> set[int]:
    now = session.at(t)
    return {n for n, tile in enumerate(now.tiles) if tile.place == place and n not in now.moving}


def dealt_in_order(session: Script, truth: RoundTruth) -> list[int]:
    """The places in the order in which tiles come to lie there, as the time line shows it."""
    since, until = happened_s(truth, "dice-shown"), happened_s(truth, "tiles-delivered")
    first: dict[int, float] = {}
    for box in truth.course.dealt.order:
        place = box_place(session, box)
        first[box] = min(
            end
            for track in session.line.tracks
            for end, pose in zip(track.ends, track.poses, strict=True)
            if pose.place == place and since < end <= until + 1e-6
        )
    return sorted(first, key=first.__getitem__)


def emptied_stacks(session: Script, truth: RoundTruth) -> list[frozenset[int]]:
    """Which stacks each delivery empties, as the time line shows it; none of a stack's tiles hangs in the air."""
    since = happened_s(truth, "stacked")
    until = happened_s(truth, "tiles-delivered")
    ends = sorted(
        {
            end
            for track in session.line.tracks
            for end, pose in zip(track.ends, track.poses, strict=True)
            if pose.place is not None and since < end <= until + 1e-6
        }
    )
    before = set(range(1, 9))
    out = []
    for end in ends:
        now = session.at(end + 1e-6)
        there: dict[int, list[int]] = {}
        for tile in now.tiles:
            if abs(tile.y_mm - stack_spot(1, 1)[1]) < 10 and tile.place is None:
                level = round(tile.z_mm / stack_spot(1, 2)[2])
                there.setdefault(round(tile.x_mm / 26.6 + 4.5), []).append(level)
        assert all(sorted(levels) == list(range(len(levels))) for levels in there.values())
        out.append(frozenset(before - set(there)))
        before = set(there)
    return out


# Which rounds


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_a_round_with_a_mistake_of_procedure_is_legal_in_its_log(book: str, layout: str) -> None:
    options = Options(
        rulebook=book,
        layout=layout,
        size=SMALL,
        rounds=4,
        mistakes=tuple(PROCEDURE_MISTAKES),
        mistake_rate=1.0,
        player_bank_rate=0.5,
        cocked_rate=0.3,
    )
    session = script(11, options)
    log = session.rounds[-1].course.session
    assert Session.from_dict(log.to_dict()).to_dict() == log.to_dict()
    for truth, events in zip(session.rounds, log.to_dict()["rounds"], strict=True):  # type: ignore[call-overload]
        counted = Counter(str(each.event) for each in truth.happenings if each.event is not None)
        assert counted == Counter(str({k: v for k, v in event.items() if k != "number"}) for event in events)
    assert any(truth.mistakes for truth in session.rounds)


def test_the_chung_lies_nowhere_else_where_the_house_has_a_place_of_its_own() -> None:
    options = Options(
        rulebook="uk-poster",
        layout="seven",
        size=SMALL,
        house_way="crown-6.1",
        in_turn=("chung-elsewhere",) * 3,
        rounds=3,
        player_bank_rate=0.01,
    )
    assert not any(truth.mistakes for truth in script(4, options).rounds)


def test_mistakes_of_procedure_are_made_only_where_asked_for() -> None:
    made = [script(seed, Options(size=SMALL, rounds=2, mistake_rate=1.0)) for seed in range(8)]
    kinds = {each.kind for session in made for truth in session.rounds for each in truth.mistakes}
    assert kinds
    assert not kinds & set(PROCEDURE_MISTAKES)


def test_a_session_of_a_seed_stays_as_it_was() -> None:
    session = script(8, Options(rulebook="star-2024", size=SMALL, rounds=2, mistake_rate=1.0, cocked_rate=0.5))
    dealt = [truth.course.dealt for truth in session.rounds]
    assert [(each.first_box, each.cut) for each in dealt] == [(3, "chee-yee"), (8, "cup-say")]
    assert [[each.kind for each in truth.mistakes] for truth in session.rounds] == [
        ["house-set-wrong"],
        ["exposed-before-bank"],
    ]
    assert [truth.end_s for truth in session.rounds] == pytest.approx([81.718, 150.344], abs=0.001)


# The stacks


@pytest.mark.parametrize("book", BOOKS)
def test_no_cut_takes_a_tile_from_under_another(book: str) -> None:
    for named in (None, *filter(is_drawn, BOOKS[book].cuts.named)):
        groups = taken(named)
        stacks = [list(standing(groups)[first : first + 4]) for first in range(0, 32, 4)]
        for group in groups:
            for stack in stacks:
                kept = [number for number in stack if number not in group]
                assert stack[: len(kept)] == kept
                stack[:] = kept
        assert not any(stacks)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 9, 17])  # each cut of the die
def test_stacks_get_lower_and_their_places_empty(seed: int) -> None:
    session = script(seed, Options(size=SMALL, cocked_rate=0.0))
    truth = session.rounds[0]
    seen = emptied_stacks(session, truth)
    left = dict.fromkeys(range(8), 4)
    due = []
    spot = {number: n for n, number in enumerate(truth.course.dealt.standing)}
    for group in truth.course.dealt.groups:
        for number in group:
            left[spot[number] // 4] -= 1
        due.append(frozenset(stack + 1 for stack, tiles in left.items() if tiles == 0))
        left = {stack: tiles for stack, tiles in left.items() if tiles}
    assert seen == due


# Each mistake


@pytest.mark.parametrize(("book", "layout"), [("crown-6.1", "eight"), ("uk-poster", "seven")])
def test_tiles_are_delivered_by_a_throw_with_a_leaning_die(book: str, layout: str) -> None:
    session, truth, mistake = with_mistake("leaning-die-not-reshaken", book, layout)
    shown, delivered = happened_s(truth, "dice-shown"), happened_s(truth, "tiles-delivered")
    dice = session.at(shown).dice
    assert [n for n, die in enumerate(dice) if die.cocked] == [mistake.data["leans"]]
    assert not any(shown < start < delivered for start, _ in session.line.cup.shaking)
    reading = ReadingSource(session, faults=PERFECT).read(shown)
    assert [die.surely_cocked for die in reading.dice].count(True) == 1
    total = sum(die.value for die in dice if die.role == "box")
    ring = truth.course.session.setup.ring(truth.course.bank_box)
    assert dealt_in_order(session, truth)[0] == ring[(total - 1) % len(ring)]
    assert shown <= mistake.t_s < float(str(mistake.data["end_s"])) <= delivered + 0.001


@pytest.mark.parametrize(
    ("book", "layout"), [each for each in ORDERED if each[1][:5] == "eight" or each[0] == "uk-poster"]
)
def test_delivery_begins_at_another_box_and_goes_on_from_there(book: str, layout: str) -> None:
    session, truth, mistake = with_mistake("wrong-first-box", book, layout)
    dealt = dealt_in_order(session, truth)
    assert dealt == mistake.data["dealt"] == truth.course.session.setup.ring(dealt[0])
    assert mistake.data["due"] == truth.course.session.setup.ring(truth.course.dealt.first_box)
    assert mistake.data["boxes"] == [truth.course.dealt.first_box, dealt[0]]
    assert dealt[0] != truth.course.dealt.first_box
    assert mistake.t_s <= happened_s(truth, "tiles-delivered")


@pytest.mark.parametrize("layout", ["six", "seven-from-left"])
def test_no_first_box_is_wrong_where_the_book_leaves_it_open(layout: str) -> None:
    options = Options(layout=layout, size=SMALL, rounds=3, mistakes=("wrong-first-box",), mistake_rate=1.0)
    assert not any(truth.mistakes for truth in script(4, options).rounds)


@pytest.mark.parametrize(("book", "layout"), ORDERED)
def test_two_neighbouring_places_are_dealt_to_in_exchanged_order(book: str, layout: str) -> None:
    session, truth, mistake = with_mistake("wrong-delivery-order", book, layout)
    dealt, due = dealt_in_order(session, truth), list(truth.course.dealt.order)
    k = next(n for n, box in enumerate(due) if dealt[n] != box)
    assert k > 0
    assert dealt == [*due[:k], due[k + 1], due[k], *due[k + 2 :]] == mistake.data["dealt"]
    assert mistake.data["boxes"] == due[k : k + 2]


@pytest.mark.parametrize(("book", "layout"), ORDERED)
def test_a_tile_lies_at_the_wrong_box_until_it_is_put_right(book: str, layout: str) -> None:
    session, truth, mistake = with_mistake("tile-to-wrong-box", book, layout)
    box, at, tile = (int(str(mistake.data[key])) for key in ("box", "at", "tile"))
    end_s = float(str(mistake.data["end_s"]))
    own, wrong = box_place(session, box), box_place(session, at)
    plan = session.setup.plan.places
    gaps = [abs(plan[own][0] - plan[other][0]) for other in plan if other not in (own, HOUSE)]
    assert abs(plan[own][0] - plan[wrong][0]) == pytest.approx(min(gaps), rel=0.02)
    delivered = happened_s(truth, "tiles-delivered")
    assert end_s - delivered > 2.0
    for t in (delivered + 0.01, end_s - 0.01):
        assert (len(lying(session, t, own)), len(lying(session, t, wrong))) == (3, 5)
        assert tile in lying(session, t, wrong)
    corrected = happened_s(truth, "corrected") + 0.001
    assert (len(lying(session, corrected, own)), len(lying(session, corrected, wrong))) == (4, 4)
    assert tile in lying(session, corrected, own)


def test_a_fifth_tile_is_seen_beside_the_four() -> None:
    session, truth, mistake = with_mistake("tile-to-wrong-box", "crown-6.1", "eight")
    wrong = Place(PlaceKind.BOX, int(str(mistake.data["at"])))
    reading = ReadingSource(session, faults=PERFECT).read(float(str(mistake.data["end_s"])) - 0.5)
    # Of four tiles in two columns two are seen.
    assert sum(tile.place == wrong for tile in reading.tiles) == 3
    assert truth.exposed


@pytest.mark.parametrize(("book", "layout"), [("crown-6.1", "six-from-left"), ("star-2024", "eight")])
def test_the_stacks_are_taken_by_another_cut_than_the_die_shows(book: str, layout: str) -> None:
    session, truth, mistake = with_mistake("cut-against-die", book, layout)
    cuts = BOOKS[book].cuts
    (cut_die,) = (die.value for die in session.at(happened_s(truth, "dice-shown")).dice if die.role == "cut")
    assert cut_die == mistake.data["cut_die"]
    due = cuts.of_die(cut_die)
    assert due.cut.value == mistake.data["due"] == truth.course.dealt.cut
    seen = tuple(emptied_stacks(session, truth))
    for turns in product(*due.options):
        assert seen != emptied(due.order(turns).from_the_stacks)[: len(seen)]
    made, _ = cuts.find(str(mistake.data["made"]))
    assert seen == emptied(made.order().from_the_stacks)[: len(seen)]


@pytest.mark.parametrize("book", ["nz-1998", "star-classic", "uk-poster"])
def test_a_book_without_a_cut_die_has_no_cut_against_it(book: str) -> None:
    options = Options(rulebook=book, size=SMALL, mistakes=("cut-against-die",), mistake_rate=1.0)
    assert not script(3, options).rounds[0].mistakes


@pytest.mark.parametrize(
    ("book", "layout", "bank_rate"),
    [("nz-1998", "eight-from-left", 0.0), ("crown-6.1", "six", 1.0), ("star-2024", "eight", 1.0)],
)
def test_a_lost_hand_lies_while_the_next_is_opened(book: str, layout: str, bank_rate: float) -> None:
    session, truth, mistake = with_mistake("lost-hand-left", book, layout, bank_rate)
    left, following = truth.hands[mistake.place], truth.hands[Place.parse(str(mistake.data["next"]))]
    played = truth.course.played
    assert played.index(following.box) == played.index(left.box) + 1
    assert truth.course.outcomes[left.box] is Outcome.LOSE
    assert left.away_s is not None
    assert following.lays[0].t_s == mistake.t_s < left.away_s
    assert mistake.data["end_s"] == round(left.away_s, 3)
    assert set(left.tiles) == lying(session, mistake.t_s, left.place)
    assert set(following.tiles) == lying(session, mistake.t_s, following.place)
    assert set(left.tiles) <= lying(session, truth.end_s, DISCARD)
    put_away = [each for each in truth.happenings if each.kind == "tiles-put-away" and each.place == left.place]
    assert [each.event is None for each in put_away] == [False, True]


def test_a_lost_hand_may_lie_where_the_book_lets_it() -> None:
    options = Options(rulebook="crown-6.1", size=SMALL, mistakes=("lost-hand-left",), mistake_rate=1.0)
    assert not any(script(seed, options).rounds[0].mistakes for seed in range(4))


@pytest.mark.parametrize(
    ("book", "layout", "bank_rate"),
    [("crown-6.1", "seven", 0.0), ("star-2024", "eight-from-left", 1.0), ("uk-poster", "seven", 1.0)],
)
def test_hands_are_opened_after_the_banks_tiles_are_away(book: str, layout: str, bank_rate: float) -> None:
    session, truth, mistake = with_mistake("bank-away-early", book, layout, bank_rate)
    bank = truth.bank_hand
    assert bank.away_s == mistake.t_s
    later = [truth.hands[Place.parse(place)] for place in mistake.data["unopened"]]  # type: ignore[attr-defined]
    assert [hand.box for hand in later] == mistake.data["boxes"]
    assert later
    for hand in later:
        opened = hand.lays[0].t_s
        assert set(bank.tiles) <= lying(session, opened, DISCARD)
        tiles = session.at(opened).tiles
        assert all(tiles[n].face_up for n in hand.tiles)
        assert not any(session.at(mistake.t_s).tiles[n].face_up for n in hand.tiles)
    assert mistake.data["end_s"] == pytest.approx(later[-1].lays[0].t_s, abs=0.001)
    assert np.isfinite([each.t_s for each in truth.happenings]).all()
