"""What each phrase of a House Way file means: as a rule of its own on every deal, against what Python says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.books.house_ways import get
from engine.game.hands import Hand, Name
from engine.game.ranking import rank_of
from engine.game.setting import Deal, Setting, all_deals
from engine.game.tiles import Kind
from engine.house_way.rules import Settings
from engine.house_way.terms import dominates, lone_pair, two_pairs
from tests.engine.house_way.files import HEAD, LAST, written

DEALS = all_deals()[::3]
TD = (Kind.TEEN, Kind.DAY)
FIRST_SIX = frozenset(Kind(rank) for rank in range(1, 7))


def alone(rule: str) -> Callable[[Deal], Settings | None]:
    (made, *_) = written(f'[[rule]]\nnumber = "1"\n{rule}\n').rules
    return lambda deal: made.allow(deal, deal.settings)


def value(hand: Hand) -> int:
    return hand.points if hand.name is Name.POINTS else 10 + hand.name


def most(deal: Deal, key: Callable[[Setting], int]) -> Settings:
    best = max(map(key, deal.settings))
    return tuple(one for one in deal.settings if key(one) == best)


def wanted(deal: Deal, holds: Callable[[Setting], bool]) -> Settings:
    return tuple(filter(holds, deal.settings))


def holding(hand: Hand, *kinds: Kind) -> bool:
    return bool({tile.kind for tile in hand.tiles} & set(kinds))


def split(hand: Hand, *kinds: Kind) -> bool:
    return not all(tile.kind in kinds for tile in hand.tiles)


SETS: list[tuple[str, Callable[[Deal], Settings]]] = [
    ("keep the pair", lambda deal: wanted(deal, lambda one: not set(kinds(one.low)) & set(kinds(one.high)))),
    ("Split the PAIR", lambda deal: wanted(deal, lambda one: Name.PAIR not in {one.low.name, one.high.name})),
    ("high is gong", lambda deal: wanted(deal, lambda one: one.high.name is Name.GONG)),
    (
        "the high hand is a wong, gong or high nine",
        lambda deal: wanted(deal, lambda one: one.high.name in {1, 2, 3}),
    ),
    ("low is 8 or better", lambda deal: wanted(deal, lambda one: value(one.low) >= 8)),
    ("low at least eight", lambda deal: wanted(deal, lambda one: value(one.low) >= 8)),
    ("low is 3 or less", lambda deal: wanted(deal, lambda one: value(one.low) <= 3)),
    ("low at most 3", lambda deal: wanted(deal, lambda one: value(one.low) <= 3)),
    ("high is 9", lambda deal: wanted(deal, lambda one: value(one.high) == 9)),
    ("low is 3 with teen/day", lambda deal: wanted(deal, lambda one: one.low.points == 3 and has_td(one.low))),
    ("7 and 9", lambda deal: wanted(deal, lambda one: one.counts == (7, 9) and one.high.name is Name.POINTS)),
    ("0 and 8, or 0 and 9", lambda deal: wanted(deal, lambda one: plain(one) and one.counts in {(0, 8), (0, 9)})),
    ("teen in high", lambda deal: wanted(deal, lambda one: holding(one.high, Kind.TEEN))),
    ("high 8 on low", lambda deal: wanted(deal, lambda one: holding(one.low, Kind.HIGH_8))),
    ("any six in low", lambda deal: wanted(deal, lambda one: holding(one.low, Kind.HIGH_6, Kind.LOW_6))),
    ("highest tile in high", lambda deal: wanted(deal, lambda one: holding(one.high, deal.kinds[0]))),
    ("highest tile in low", lambda deal: wanted(deal, lambda one: holding(one.low, deal.kinds[0]))),
    ("teen and day apart", lambda deal: wanted(deal, lambda one: split(one.low, *TD) and split(one.high, *TD))),
    ("two highest tiles apart", lambda deal: wanted(deal, lambda one: two_highest_apart(deal, one))),
    ("most points in low", lambda deal: most(deal, lambda one: value(one.low))),
    ("most points in high", lambda deal: most(deal, lambda one: value(one.high))),
    ("most points in both", lambda deal: most(deal, lambda one: value(one.low) + value(one.high))),
    ("closest together", lambda deal: most(deal, lambda one: value(one.low) - value(one.high))),
    ("best low", lambda deal: most(deal, lambda one: rank_of(one.low))),
    ("best high", lambda deal: most(deal, lambda one: rank_of(one.high))),
    (
        "never worse in both hands",
        lambda deal: wanted(deal, lambda one: not any(dominates(o, one) for o in deal.settings)),
    ),
    (
        "high is gong and low is 5 or better",
        lambda deal: wanted(deal, lambda o: o.high.name is Name.GONG and value(o.low) > 4),
    ),
]


def kinds(hand: Hand) -> list[Kind]:
    return [tile.kind for tile in hand.tiles]


def has_td(hand: Hand) -> bool:
    return holding(hand, *TD)


def plain(one: Setting) -> bool:
    return one.high.name is Name.POINTS


def two_highest_apart(deal: Deal, one: Setting) -> bool:
    highest = deal.kinds[:2]
    return split(one.low, *highest) and split(one.high, *highest)


@pytest.mark.parametrize(("phrase", "means"), SETS, ids=[phrase for phrase, _ in SETS])
def test_what_is_set(phrase: str, means: Callable[[Deal], Settings]) -> None:
    must, may = alone(f'set = "{phrase}"'), alone(f'set = "{phrase}, if possible"')
    spoke = 0
    for deal in DEALS:
        kept = means(deal)
        assert must(deal) == kept, str(deal)
        assert may(deal) == (kept or None)
        spoke += 0 < len(kept) < len(deal.settings)
    assert spoke > 10  # the phrase says something of these deals


def bearing(deal: Deal, name: Name | None) -> Settings:
    return wanted(deal, lambda one: one.high.name is name)


def test_an_order_of_preference() -> None:
    allow = alone('set = "high is high nine, else gong, else wong, if possible"')
    for deal in DEALS:
        best = min((one.high.name for one in deal.settings if one.high.name in {1, 2, 3}), default=None)
        assert allow(deal) == (bearing(deal, best) or None)


IFS: list[tuple[str, Callable[[Deal], bool]]] = [
    ("two pairs", two_pairs),
    ("one pair", lambda deal: lone_pair(deal) is not None),
    ("no pair", lambda deal: len(set(deal.kinds)) == 4),
    ("has low 10", lambda deal: Kind.LOW_10 in deal.kinds),
    ("has teen and day", lambda deal: {*TD} <= set(deal.kinds)),
    ("has nine and nine", lambda deal: deal.kinds.count(Kind.NINE) == 2),
    ("tiles are teen/day, 9, any, any", lambda deal: bool({*TD} & {*deal.kinds}) and Kind.NINE in deal.kinds),
    ("high can be gong", lambda deal: any(one.high.name is Name.GONG for one in deal.settings)),
    ("high cannot be 8 or better", lambda deal: all(value(one.high) < 8 for one in deal.settings)),
    ("low is 7 or less", lambda deal: all(value(one.low) <= 7 for one in deal.settings)),
    ("8 and 8 can be set", lambda deal: any(one.counts == (8, 8) and plain(one) for one in deal.settings)),
    ("8 and 8 cannot be set", lambda deal: not any(one.counts == (8, 8) and plain(one) for one in deal.settings)),
    ("teen or day apart", lambda deal: all(split(h, *TD) for one in deal.settings for h in (one.low, one.high))),
]


@pytest.mark.parametrize(("phrase", "means"), IFS, ids=[phrase for phrase, _ in IFS])
def test_when_a_rule_is_asked(phrase: str, means: Callable[[Deal], bool]) -> None:
    asked, not_asked = (alone(f'{key} = "{phrase}"\nset = "best low"') for key in ("if", "unless"))
    held = 0
    for deal in DEALS:
        assert (asked(deal) is not None) is means(deal), str(deal)
        assert (not_asked(deal) is None) is means(deal)
        held += means(deal)
    assert 0 < held < len(DEALS)


TILES: list[tuple[str, Callable[[Deal], bool]]] = [
    ('pair = "nines"', lambda deal: lone_pair(deal) is Kind.NINE),
    ('pair = "any"', lambda deal: lone_pair(deal) is not None),
    ('pair = "teens, days or high fours"', lambda deal: lone_pair(deal) in {*TD, Kind.HIGH_4}),
    (
        'pair = "nines"\nwith = ["teen and day", "teen/day and 10"]',
        lambda deal: (
            lone_pair(deal) is Kind.NINE
            and (({*TD} <= {*deal.kinds}) or (bool({*TD} & {*deal.kinds}) and bool({5, 9} & {*deal.kinds})))
        ),
    ),
    (
        'tiles = "high 10, low 10, 11 and any 7"',
        lambda deal: {5, 9, 8} < {*deal.kinds} and bool({10, 14} & {*deal.kinds}),
    ),
    ('tiles = ["6, 7, 11, any", "teen, day, any, any"]', lambda deal: six_seven_eleven(deal) or {*TD} <= {*deal.kinds}),
]


def six_seven_eleven(deal: Deal) -> bool:
    return bool({6, 11} & {*deal.kinds}) and bool({10, 14} & {*deal.kinds}) and Kind.ELEVEN in deal.kinds


@pytest.mark.parametrize(("keys", "means"), TILES, ids=[keys for keys, _ in TILES])
def test_which_tiles_a_rule_is_about(keys: str, means: Callable[[Deal], bool]) -> None:
    asked = alone(f'{keys}\nset = "best low"')
    about = [deal for deal in all_deals() if asked(deal) is not None]
    assert about == [deal for deal in all_deals() if means(deal)]
    assert about


def test_an_exception_takes_the_place_of_its_rule() -> None:
    way = written(
        '[[rule]]\nnumber = "1"\nset = "best high"\n[[rule.exception]]\nif = "has teen"\nset = "best low"\n'
        '[[rule.exception]]\nnumber = "1(a)"\nif = "has day"\nset = "best low"\n'
    )
    assert [rule.cite.section for rule in way.rules] == ["1(a)", "1"]
    for deal in DEALS:
        low = most(deal, lambda one: rank_of(one.low))
        high = most(deal, lambda one: rank_of(one.high))
        with_day, others = (rule.allow(deal, deal.settings) for rule in way.rules)
        assert with_day == (low if Kind.DAY in deal.kinds else None)
        assert others == (None if Kind.DAY in deal.kinds else low if Kind.TEEN in deal.kinds else high)


def test_kinds_of_the_files_own() -> None:
    kinds_of_its_own = (
        '[[kind]]\nname = "Harmony 3"\nhand = "4 or better, or 3 with teen/day/high 8/high 4"\nnumber = "0"\n'
        '[[kind]]\nname = "high-ranking"\ntiles = "teen, day, high 8, high 4, high 10 or high 6"\n'
        '[[kind]]\nname = "good"\nhand = "Harmony 3 or 0"\n'
    )
    rules = '[[rule]]\nnumber = "1"\nset = "low is good"\n[[rule]]\nnumber = "2"\nset = "high-ranking apart"\n'
    way = written(kinds_of_its_own + rules)
    good, apart = way.rules
    for deal in DEALS:
        assert good.allow(deal, deal.settings) == wanted(
            deal,
            lambda one: (
                value(one.low) > 3 or (one.low.points == 3 and one.low.first.kind <= Kind.HIGH_4) or value(one.low) == 0
            ),
        )
        assert apart.allow(deal, deal.settings) == wanted(
            deal, lambda one: split(one.low, *FIRST_SIX) and split(one.high, *FIRST_SIX)
        )
    assert [(one.word, one.cite.section) for one in way.definitions] == [("Harmony 3", "0"), ("good", "good")]


def test_a_rule_of_a_printed_way_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'{HEAD}[[rule]]\nnumber = "7"\nsame_as = "crown-6.1 split_nines"\n{LAST}')
    own, crown = get(path).rules[0], next(one for one in get("crown-6.1").rules if one.name == "split_nines")
    assert (own.name, own.text, own.cite) == (crown.name, crown.text, "test-2026 7")
    assert all(own.allow(deal, deal.settings) == crown.allow(deal, deal.settings) for deal in DEALS)


@pytest.mark.parametrize(
    ("rule", "deal", "refused", "why"),
    [
        (
            'set = "keep the pair"',
            "6-6 6-6 6-3 6-2",
            "6-6 6-2 / 6-6 6-3",
            "it splits a pair that is kept",
        ),
        (
            'set = "low is 5 or better"',
            "6-6 6-3 6-2 5-1",
            "5-1 6-2 / 6-6 6-3",
            "its low hand, 4 with the Low 6, is not 5 or better",
        ),
        (
            'set = "most points in low"',
            "6-6 6-3 6-2 5-1",
            "5-1 6-2 / 6-6 6-3",
            "its low hand counts 4, less than 7",
        ),
        (
            'set = "high is gong, else wong"',
            "6-6 6-3 6-2 5-5",
            "5-5 6-2 / 6-6 6-3",
            "a Gong is set instead of a Wong",
        ),
        (
            'set = "teen in high"',
            "6-6 6-5 6-4 6-3",
            "6-6 6-5 / 6-4 6-3",
            "the teen belongs in the high hand",
        ),
        (
            'set = "teen in high"\nrefusal = "{low} and {high points} as {low hand}, not {right low}"',
            "6-6 6-5 6-4 6-3",
            "6-6 6-5 / 6-4 6-3",
            "3 and 9 as 3 with the Teen, not 1",
        ),
    ],
)
def test_the_reason_for_a_refusal(rule: str, deal: str, refused: str, why: str) -> None:
    way = written(f'[[rule]]\nnumber = "1"\n{rule}\n{LAST}')
    decision = way.decide(Deal.parse(deal))
    (one,) = (each for each in decision.refused if each.setting == Setting.parse(refused))
    assert one.rule.cite == "test-2026 1"
    assert one.rule.reason(one.setting, decision.setting).startswith(why)


def test_a_rule_without_a_text_says_its_own_words() -> None:
    (rule,) = written(
        '[[rule]]\nnumber = 3\npair = "nines"\nwith = ["teen and day", "10 and 10"]\n'
        'unless = "low can be 8 or better"\nset = "split the pair"\n'
    ).rules
    assert (rule.name, rule.cite) == ("rule 3", "test-2026 3")
    assert rule.text == "Pair of nines with teen and day; or 10 and 10, unless low can be 8 or better: split the pair."
