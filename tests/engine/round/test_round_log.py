"""The log itself: numbers, what may happen next, its written form; and rules that the golden rounds do not meet."""

import json
from dataclasses import fields
from datetime import date
from fractions import Fraction

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError, RecordError, UnknownRulebookError
from engine.game.ranking import Outcome
from engine.game.tiles import FULL_SET, Tile
from engine.round import Before, RoundLog, Session, Setup, Table, Tenure
from engine.round.event import KINDS
from engine.round.event_rules import RULES
from engine.round.events import BankExposed, HandMatched, TilesChecked, WagerPlaced
from engine.round.serialization import VERSION, read_before, read_table, write
from engine.settlement.wagers import Offered, TableTerms
from engine.vocabulary.citations import Cite
from engine.vocabulary.cuts import Cut
from engine.vocabulary.facts import Bank
from engine.vocabulary.limits import Limits
from tests.engine.round.golden import GOLDEN
from tests.engine.round.test_bank_goes_round import after
from tests.engine.round.test_golden_rounds import EACH, played


def test_every_kind_has_its_rule() -> None:
    assert set(RULES) == set(KINDS.values())


@EACH
def test_a_log_reads_back_and_replays(book: str, bank: Bank) -> None:
    session = played(book, bank)
    log = session.current
    assert RoundLog.replayed(log.setup, log.before, log.events) == log
    written = json.dumps(log.to_dict())
    assert RoundLog.from_dict(json.loads(written)) == log
    assert json.dumps(RoundLog.from_dict(json.loads(written)).to_dict()) == written
    assert Session.from_dict(json.loads(json.dumps(session.to_dict()))) == session


def test_written_events_are_numbered_from_one() -> None:
    log = played("crown-6.1", Bank.HOUSE).current
    events = json.loads(json.dumps(log.to_dict()))["events"]
    assert [event["number"] for event in events] == list(range(1, len(log.events) + 1))


def test_what_may_happen_next_and_why_the_rest_may_not() -> None:
    log = played("nz-1998", Bank.HOUSE, "hand-exposed box=2").current
    allowed = log.allowed()
    assert allowed.keys() == KINDS.keys()
    free = {kind for kind, refusal in allowed.items() if refusal is None}
    assert free == {"hand-exposed", "hand-conceded", "tiles-viewed", "player-left", "limits-changed"} | {
        "irregularity-decided"
    }
    assert str(allowed["wager-placed"]).endswith("(nz-1998 6.9, ruling 30)")
    assert str(allowed["settled"]) == "the hand of box 2 is neither matched nor conceded (nz-1998 11.1(i))"


@pytest.mark.parametrize("amount", [12.5, -1, 0, True, "50", None])
@pytest.mark.parametrize("book", BOOKS)
def test_a_wager_is_whole_chips(book: str, amount: int) -> None:
    log = played(book, Bank.HOUSE, "dice-shaken" if book == "star-2024" else "wager-placed box=5").current
    with pytest.raises(IllegalEventError, match="no amount of chips") as caught:
        log.append(WagerPlaced(7, "Eve", amount))
    assert caught.value.refusal.cite == BOOKS[book].play.chips


@pytest.mark.parametrize("box", [0, 9, -1, 2.0, "2", True, None])
def test_a_wager_lies_on_a_box(box: int) -> None:
    log = played("crown-6.1", Bank.HOUSE, "bets-closed").current
    with pytest.raises(IllegalEventError, match=r"there is no box .* \(crown-6\.1 2\.2\.1, ruling 32\)"):
        log.append(WagerPlaced(box, "Eve", 100))


def test_tiles_are_tiles_and_outcomes_outcomes() -> None:
    log = played("crown-6.1", Bank.HOUSE, "bank-exposed").current
    with pytest.raises(IllegalEventError, match="4 tiles lie there"):
        log.append(BankExposed((Tile.TEEN, Tile.TEEN), (Tile.DAY, "1-1")))  # type: ignore[arg-type]
    log = played("crown-6.1", Bank.HOUSE, "hand-matched box=2").current
    with pytest.raises(IllegalEventError, match="not 'win'"):
        log.append(HandMatched(2, "win"))  # type: ignore[arg-type]
    with pytest.raises(IllegalEventError, match=r"box 2 .*: win, not push \(crown-6\.1 8\.14\.1\)"):
        log.append(HandMatched(2, Outcome.PUSH))
    assert log.refusal(HandMatched(2, Outcome.WIN)) is None


def test_a_set_of_32_in_any_order_of_like_ranks() -> None:
    nines = FULL_SET.index(Tile.NINE_63)
    tiles = (*FULL_SET[:nines], FULL_SET[nines + 1], FULL_SET[nines], *FULL_SET[nines + 2 :])
    log = RoundLog.opened(Setup(BOOKS["nz-1998"], Table()))
    assert log.append(TilesChecked(tiles, "game supervisor")).state.shown


# A single player against the House, and hands out of play


def _single(book: str) -> Session:
    """Ann alone against the House, her tiles dealt."""
    setup = Setup(BOOKS[book], Table())
    session = Session(setup, (RoundLog.opened(setup, Before(check_due=False)),))
    house = "supervisor"
    shake, show = "dice-shaken by=dealer", "dice-shown box_dice=2,4,5 first_box=3"
    die = [shake, f"{show} cut_die=4", "cut-named cut=Dai_Pin by=cut_die"]
    order = {
        "crown-6.1": ["bets-closed", *die],
        "nz-1998": ["bets-closed", shake, f"cut-named cut=Foot_Say by={house}", show],
        "star-2024": die,
        "star-classic": [f"cut-named cut=Foot_Say by={house}", shake, show],
        "uk-poster": [shake, "dice-shown box_dice=2,4,6 first_box=3"],
    }[book]
    begin = ["house-banks", "shuffled", "stacked", "wager-placed box=2 player=Ann amount=100"]
    return after(session, *begin, *order, "tiles-delivered order=3,4,5,6,7,8,1,2")


LAID_OPEN = "tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1"


@pytest.mark.parametrize("book", ["nz-1998", "star-2024", "star-classic"])
def test_the_only_player_may_lay_his_tiles_open(book: str) -> None:
    """N 10.14, S 12.19, O 12.16."""
    session = after(_single(book), LAID_OPEN)
    state = session.current.state
    assert "the first player's hand has been exposed" not in {reached.value for reached in state.happened}
    house = "hand-set box=2 by=Ann/empty-retrieved boxes=3,4,5,6,7,8/bank-moved/bank-set by=dealer"
    title = "casino_operator" if book == "nz-1998" else "casino_supervisor"
    house += f"/bank-exposed low=6-5,6-1 high=6-6,6-3/house-way-confirmed by={title}"
    session = after(session, *house.split("/"))
    with pytest.raises(IllegalEventError, match="not the tiles seen there before"):
        after(session, "hand-exposed box=2 low=5-5,5-5 high=1-1,3-3")
    after(session, "hand-exposed box=2 low=5-5,1-1 high=5-5,1-1")


@pytest.mark.parametrize(("book", "rule"), [("crown-6.1", "10.2.7"), ("uk-poster", "point 13")])
def test_elsewhere_no_tiles_are_laid_open(book: str, rule: str) -> None:
    with pytest.raises(IllegalEventError) as caught:
        after(_single(book), LAID_OPEN)
    assert caught.value.refusal.cite.section == rule


def test_several_on_a_box_concede_nothing() -> None:
    lines = "house-banks/shuffled/stacked/wager-placed box=2 player=Ann amount=9/wager-placed box=2 player=Bob amount=8"
    deal = "bets-closed/dice-shaken by=dealer/dice-shown box_dice=2,4,5 cut_die=4 first_box=3"
    setup = Setup(BOOKS["crown-6.1"], Table())
    session = Session(setup, (RoundLog.opened(setup, Before(check_due=False)),))
    rest = "cut-named cut=Dai_Pin by=cut_die/tiles-delivered order=3,4,5,6,7,8,1,2"
    session = after(session, *f"{lines}/{deal}/{rest}".split("/"))
    with pytest.raises(IllegalEventError, match=r"others wager on box 2 too \(crown-6\.1 10\.2\.10\)"):
        after(session, "hand-conceded box=2 player=Ann")


# The written form


def test_an_opening_and_a_table_read_back() -> None:
    before = Before(
        commencement=False,
        check_due=False,
        seats={2: "Ann"},
        offer_from=4,
        tenure=Tenure(3, "Bob", 1, 2),
        played={"Ann": frozenset({2, 5})},
        control={2: "Ann"},
        chung=3,
        rotation=frozenset({"Bob", "Ann"}),
        out=frozenset({7}),
        limits=Limits(25, 500),
        kept={"Ann": 10},
        barred={"Eve": Cite("crown-6.1", "16.2.2")},
        abstained={"Ann": 2},
        notice=1,
        closes_at_once=Cite("crown-6.1", "12.6.5"),
    )
    table = Table(
        boxes=6,
        methods=frozenset({Bank.HOUSE, Bank.PLAYER}),
        banks=3,
        shared=True,
        players_a_box=4,
        buttons=False,
        house_way_boxes=frozenset({7, 2}),
        bank_minimum=500,
        terms=TableTerms(
            chip=50, maximum=900, commission=Fraction(1, 25), side={"tie": Offered("tie-b", surrender=True)}
        ),
        house_way="star-2024",
        house_way_on=date(2025, 3, 1),
        cuts=frozenset({Cut.CUP_SAY, Cut.DAI_PIN}),
        variant="crown-pai-gow",
    )
    assert read_before(json.loads(json.dumps(write(before)))) == before
    assert read_table(json.loads(json.dumps(write(table)))) == table
    for value in (before, table):
        assert all(getattr(value, field.name) != field.default for field in fields(value))


WAGER = {"number": 1, "kind": "wager-placed", "box": 2, "player": "Ann", "amount": 5}


def _round(**changes: object) -> dict[str, object]:
    opened = RoundLog.opened(Setup(BOOKS["crown-6.1"], Table()), Before(check_due=False))
    return {**opened.to_dict(), "events": [WAGER], **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": VERSION + 1}, r"version 2 .* only 1"),
        (
            {"colour": "red"},
            "the written log: 'colour' is no key here. It holds before, events, rulebook, rulebook_version ",
        ),
        ({"befor": {}}, "'befor' is no key here. It holds"),
        ({"events": None}, "events: a list belongs here"),
        ({"events": [WAGER, WAGER]}, "event 2: it bears this number"),
        ({"events": [{**WAGER, "kind": "x"}]}, "no event is of kind 'x'; known are bank-accepted"),
        ({"events": [{**WAGER, "kind": 3}]}, "of kind 3"),
        (
            {"events": [{**WAGER, "size": 3}]},
            r"event 1 \(wager-placed\): 'size' is no key here\. It holds amount, .*box, .*means \(may be",
        ),
        ({"events": [{**WAGER, "maens": "chips"}]}, r"event 1 .*: 'maens' is no key here \(did you mean means\?\)"),
        (
            {"events": [{"number": 1, "kind": "dice-shown", "box_dice": [2, 4, 5], "frist_box": 3}]},
            r"event 1 \(dice-shown\): 'frist_box' is no key here \(did you mean first_box\?\)\. It holds ",
        ),
        ({"events": [{"number": 1, "kind": "dice-shwon"}]}, r"of kind 'dice-shwon' \(did you mean dice-shown\?\)"),
        (
            {"events": [{"number": 1, "kind": "wager-placed", "box": 2}]},
            r": amount is missing; player is missing\. It holds",
        ),
        ({"events": [{**WAGER, "amount": 5.5}]}, r"event 1 \(wager-placed\), amount: a whole number .* not 5\.5"),
        ({"events": [{**WAGER, "amount": True}]}, "a whole number belongs here, not True"),
        ({"events": [{**WAGER, "player": 5}]}, "a text belongs here, not 5"),
        ({"events": [{**WAGER, "consent": 1}]}, "true or false belongs here, not 1"),
        ({"events": [{**WAGER, "means": "gold"}]}, "means: 'gold' is not a valid Means"),
        ({"events": [{**WAGER, "means": 1}]}, "a name belongs here, not 1"),
        ({"events": [{"number": 1, "kind": "tiles-checked", "tiles": ["7-7"], "by": "x"}]}, "each half bears 1 to 6"),
        ({"events": [{"number": 1, "kind": "tiles-checked", "tiles": "6-6", "by": "x"}]}, "a list belongs here"),
        ({"before": {"seats": [1]}}, "before, seats: an object belongs here"),
        ({"before": {"seats": {"two": "Ann"}}}, "before, seats: .*'two'"),
        ({"before": 5}, "before: an object belongs here, not 5"),
        ({"table": {"boxs": 6}}, r"table: 'boxs' is no key here \(did you mean boxes\?\)"),
        ({"table": {"methods": ["bank"]}}, "table, methods: 'bank' is not a valid Bank"),
    ],
)
def test_what_is_not_written_right_is_not_read(changes: dict[str, object], message: str) -> None:
    assert RoundLog.from_dict(_round()).state.total == 5
    with pytest.raises(RecordError, match=message):
        RoundLog.from_dict(_round(**changes))


def test_a_written_round_is_verified_again() -> None:
    with pytest.raises(IllegalEventError, match=r"there is no box 9.*crown-6\.1 2\.2\.1"):
        RoundLog.from_dict(_round(events=[{**WAGER, "box": 9}]))
    with pytest.raises(UnknownRulebookError):
        RoundLog.from_dict(_round(rulebook="crown-7"))


def test_a_written_session_is_whole_rounds() -> None:
    written = played("crown-6.1", Bank.HOUSE).to_dict()
    rounds = written["rounds"]
    assert isinstance(rounds, list)
    with pytest.raises(RecordError, match="round 2 follows one that is not over"):
        Session.from_dict({**written, "rounds": [rounds[0][:-1], rounds[0]]})
    with pytest.raises(RecordError, match="at least one round"):
        Session.from_dict({**written, "rounds": []})


def test_golden_rounds_are_of_every_book_and_bank() -> None:
    assert set(GOLDEN) == {(book.id, bank) for book in BOOKS.values() for bank in book.banking.methods.value}
