"""Every deal under every House Way: legal, decided, counted, and the same as a second reading of the texts."""

from collections import Counter
from collections.abc import Callable

import pytest

from engine.books.house_ways import get, known_ids
from engine.game.ranking import rank_of
from engine.game.setting import Deal, Setting, all_deals
from engine.game.tiles import FULL_SET, Kind
from engine.house_way import HouseWay
from tests.conftest import ROOT
from tests.engine import literal

GOLDEN = ROOT / "tests" / "golden" / "house_way_counts.csv"
BOOKS = ("crown-6.1", "nz-1998", "star-2024", "star-classic")
NAMES = dict(zip(Kind, literal.ORDER, strict=True))


@pytest.fixture(params=BOOKS)
def way(request: pytest.FixtureRequest) -> HouseWay:
    return get(request.param)


def test_the_four_books_are_known() -> None:
    assert set(BOOKS) <= set(known_ids())


def test_every_deal_is_set_legally_and_by_one_rule(way: HouseWay) -> None:
    assert sum(deal.ways for deal in way.decisions) == 35_960
    for deal, decision in way.decisions.items():
        assert decision.setting in deal.settings
        assert rank_of(decision.setting.low) <= rank_of(decision.setting.high)
        assert way.table[deal] == decision.setting
        assert decision.steps[-1] is decision.rule
        answered = {decision.setting, *decision.alike, *(refused.setting for refused in decision.refused)}
        assert answered == set(deal.settings)
        for refused in decision.refused:
            reason = refused.rule.reason(refused.setting, decision.setting)
            assert refused.rule in decision.steps
            assert reason
            assert "{" not in reason


def test_how_many_deals_each_rule_decides(way: HouseWay) -> None:
    decided: Counter[str] = Counter()
    for deal, decision in way.decisions.items():
        decided[decision.rule.name] += deal.ways
    assert decided.total() == 35_960
    golden = [line.split(",", 3) for line in GOLDEN.read_text().splitlines()[1:]]
    expected = [(name, section, int(count)) for book, name, count, section in golden if book == way.rulebook]
    assert [(rule.name, rule.cite.section, decided[rule.name]) for rule in way.rules] == expected
    assert all(count > 0 for _, _, count in expected)


READINGS: dict[str, Callable[[list[str]], literal.Lay]] = {
    "crown-6.1": literal.crown,
    "nz-1998": literal.nz,
    "star-2024": literal.star,
    "star-classic": literal.star,
}


def test_every_deal_is_set_as_a_second_reading_of_the_text_does(way: HouseWay) -> None:
    read = READINGS[way.rulebook]
    second = {tuple(four): tuple(map(literal.strength, read(four))) for four in literal.all_kinds()}
    assert len(second) == 3620
    differs = [
        (str(deal), str(setting))
        for deal, setting in way.table.items()
        if tuple(literal.strength(_named(two)) for two in (setting.low.tiles, setting.high.tiles))
        != second[tuple(NAMES[kind] for kind in deal.kinds)]
    ]
    assert differs == []


def _named(tiles: tuple[object, object]) -> literal.Two:
    first, second = (NAMES[tile.kind] for tile in tiles)  # type: ignore[attr-defined]
    return first, second


def test_no_setting_is_dominated_by_another(way: HouseWay) -> None:
    for deal, setting in way.table.items():
        low, high = setting.ranks
        for other in deal.settings:
            if other.ranks != setting.ranks:
                assert other.ranks[0] < low or other.ranks[1] < high, (str(deal), str(setting), str(other))


def test_faces_of_one_rank_are_set_alike(way: HouseWay) -> None:
    ranks: dict[tuple[Kind, ...], set[tuple[int, int]]] = {}
    for deal, setting in way.table.items():
        ranks.setdefault(deal.kinds, set()).add(setting.ranks)
    assert all(len(each) == 1 for each in ranks.values())


def different(one: str, other: str) -> list[Deal]:
    first, second = get(one).table, get(other).table
    return [deal for deal in all_deals() if first[deal].ranks != second[deal].ranks]


def test_the_two_editions_of_the_star_set_every_deal_alike() -> None:
    assert different("star-2024", "star-classic") == []


def test_what_crown_has_and_the_star_has_not() -> None:
    kinds = {deal.kinds for deal in different("crown-6.1", "star-2024")}
    gee_jun = {(Kind.LOW_6, Kind.FIVE), (Kind.HIGH_4, Kind.LOW_6), (Kind.LOW_4, Kind.LOW_6)}
    sevens = {
        tuple(sorted((seven, seven, ten, Kind.ELEVEN)))
        for seven in (Kind.HIGH_7, Kind.LOW_7)
        for ten in (Kind.HIGH_10, Kind.LOW_10)
    }
    with_5_gee_jun_high_6 = {
        tuple(sorted((Kind.HIGH_6, Kind.FIVE, Kind.GEE_JUN, other)))
        for other in (Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_10, Kind.LOW_10, Kind.ELEVEN, Kind.LOW_6, Kind.NINE)
    }
    fours = {(Kind.HIGH_4, Kind.LOW_4, Kind.FIVE, Kind.GEE_JUN)}
    pairs = {(*two, Kind.GEE_JUN, Kind.GEE_JUN) for two in gee_jun}
    assert kinds == pairs | sevens | with_5_gee_jun_high_6 | fours


@pytest.mark.parametrize("others", ["5-1 4-1", "5-1 3-1", "5-1 2-2"])
@pytest.mark.parametrize(
    ("book", "kept"), [("crown-6.1", False), ("nz-1998", False), ("star-2024", True), ("star-classic", True)]
)
def test_ruling_1_gee_jun_with_a_low_6(others: str, book: str, *, kept: bool) -> None:
    decision = get(book).decide(Deal.parse(f"4-2 2-1 {others}"))
    assert (decision.setting == Setting.parse(f"{others} / 4-2 2-1")) is kept


def test_rulings_8_the_list_and_the_format_of_the_star() -> None:
    differs = {}
    for four in literal.all_kinds():
        listed, formatted = literal.star(four), literal.star_format(four)
        if [literal.strength(two) for two in listed] != [literal.strength(two) for two in formatted]:
            differs[" ".join(four)] = tuple(tuple(sorted(two, key=literal.ORDER.index)) for two in formatted)
    assert differs == {
        "T H10 L10 G": (("H10", "L10"), ("T", "G")),
        "D H10 L10 G": (("H10", "L10"), ("D", "G")),
        "H8 H4 H6 L8": (("H8", "H4"), ("H6", "L8")),
    }


@pytest.mark.parametrize(
    ("deal", "setting"),
    [
        ("6-6 5-5 6-4 2-1", "6-6 6-4 / 5-5 2-1"),
        ("1-1 5-5 6-4 4-2", "1-1 6-4 / 5-5 4-2"),
        ("4-4 3-1 3-3 6-2", "3-1 6-2 / 4-4 3-3"),
    ],
)
def test_where_the_stars_list_and_format_differ_the_list_decides(deal: str, setting: str) -> None:
    for book in ("star-2024", "star-classic"):
        assert get(book).table[Deal.parse(deal)] == Setting.parse(setting)


def test_the_order_in_which_tiles_are_named_does_not_matter(way: HouseWay) -> None:
    tiles = [FULL_SET[place] for place in (0, 12, 22, 31)]
    assert way.decide(Deal.of(tiles)).setting == way.decide(Deal.of(reversed(tiles))).setting
