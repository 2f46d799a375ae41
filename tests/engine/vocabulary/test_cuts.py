"""The cuts of the five books: names, options, who decides, and the orders of delivery against the printed drawings."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from engine.books.crown.cuts import ORDERS
from engine.books.registry import BOOKS, rulebook
from engine.errors import CutError
from engine.game.box_order import BOXES, FROM_RIGHT
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.delivery_order import END, DeliveryOrder, StackPlace, Turn
from engine.vocabulary.facts import Bank

CROWN = rulebook("crown-6.1").cuts
ALL_STACKED = {StackPlace(stack, level) for stack in range(1, 9) for level in range(1, 5)}
SET_UP_IS_LOST = {Cut.LONG_TAU_FONG_MAY, Cut.WUI_FUNG_BANK}


def drawn_orders() -> Iterator[tuple[str, Cut, frozenset[Turn]]]:
    """Every variant of every cut that has a drawing, in every book that names it."""
    for book, each in BOOKS.items():
        for named in each.cuts.named:
            if named.orders:
                yield from ((book, named.cut, frozenset(turns)) for turns in product(*named.orientations))


def order(cut: Cut, *turns: Turn) -> DeliveryOrder:
    return CROWN.get(cut).order(turns)


# Orders of delivery


@pytest.mark.parametrize(
    ("book", "cut", "turns"),
    [
        pytest.param(*each, id=f"{each[0]}-{each[1].value}-" + "-".join(sorted(turn.value for turn in each[2])))
        for each in drawn_orders()
    ],
)
def test_every_order_deals_each_tile_once_in_fours(book: str, cut: Cut, turns: frozenset[Turn]) -> None:
    delivered = rulebook(book).cuts.get(cut).order(turns)
    assert delivered.turns == turns
    dealt = [place for group in delivered.groups for place in group]
    assert [len(group) for group in delivered.groups] == [4] * 8
    assert len(set(dealt)) == len(dealt) == 32
    # Nothing floats: beneath every tile of the stacks lies another, down to the felt.
    assert all(place.level == 1 or StackPlace(place.stack, place.level - 1) in dealt for place in dealt)
    if cut in SET_UP_IS_LOST:
        with pytest.raises(CutError, match=r"pictures .* are lost from the text \(crown-6.1 Appendix 2: "):
            _ = delivered.from_the_stacks
    else:
        before = [place for group in delivered.from_the_stacks for place in group]
        assert len(before) == 32
        assert set(before) == ALL_STACKED
        # The others are delivered from the unmoved stacks, only Foot Say is rebuilt.
        assert (delivered.from_the_stacks == delivered.groups) is (cut is not Cut.FOOT_SAY)


@pytest.mark.parametrize("cut", [Cut.YAT_DONG_DONG, Cut.CUP_SAY, Cut.DAI_PIN, Cut.LONG_TAU_FONG_MAY])
def test_from_the_left_is_the_mirror_image(cut: Cut) -> None:
    named = CROWN.get(cut)
    for turns in product(*named.orientations):
        if Turn.RIGHT in turns:
            right = named.order(turns)
            left = named.order(Turn.LEFT if turn is Turn.RIGHT else turn for turn in turns)
            width = max(place.stack for _, place in right.tiles())
            flipped = {(group, StackPlace(width + 1 - place.stack, place.level)) for group, place in right.tiles()}
            assert set(left.tiles()) == flipped
            assert left.mirrored().rows == right.rows


# Against the text


@pytest.fixture(scope="module")
def appendix_2(shared: Path) -> list[list[list[str]]]:
    """Every drawing of numbers in Crown's Appendix 2, in printed order: its rows, split where the text has tabs."""
    text = (shared / "rulebooks" / "crown-melbourne-v6.1.txt").read_text()
    lines = text[text.index("DESCRIPTION OF TILE CUTS") :].splitlines()
    drawings: list[list[list[str]]] = [[]]
    for line in lines:
        if re.fullmatch(r"[\t1-8]*\t[\t1-8]*", line):
            drawings[-1].append(line.split("\t"))
        elif drawings[-1]:
            drawings.append([])
    return [drawing for drawing in drawings if drawing]


PRINTED = (
    (Cut.YAT_DONG_DONG, {Turn.RIGHT}),
    (Cut.CUP_SAY, {Turn.RIGHT, Turn.TOP}),
    (Cut.CUP_SAY, {Turn.RIGHT, Turn.BOTTOM}),
    (Cut.CHEE_YEE, {Turn.TOP}),
    (Cut.CHEE_YEE, {Turn.BOTTOM}),
    (Cut.DAI_PIN, {Turn.RIGHT}),
    (Cut.JUNG_QUAT, {Turn.TOP}),
    (Cut.JUNG_QUAT, {Turn.BOTTOM}),
)
LONG_TAU, FONG_MAY, HONG_KONG, FOOT_SAY_SET_UP, FOOT_SAY = 8, 10, 12, 13, 14


def test_all_drawings_of_the_text_are_compared(appendix_2: list[list[list[str]]]) -> None:
    """Eight plain ones, two blocks each of Long Tau and Fong May, Hong Kong Bank, two of Foot Say."""
    assert len(appendix_2) == len(PRINTED) + 2 * 2 + 1 + 2 == FOOT_SAY + 1


@pytest.mark.parametrize("number", range(len(PRINTED)))
def test_the_plain_drawings_agree_with_the_text(number: int, appendix_2: list[list[list[str]]]) -> None:
    cut, turns = PRINTED[number]
    assert [list(row) for row in order(cut, *turns).rows] == appendix_2[number]


@pytest.mark.parametrize(("end", "number"), [(Turn.HEAD, LONG_TAU), (Turn.TAIL, FONG_MAY)])
def test_both_blocks_agree_with_the_text(end: Turn, number: int, appendix_2: list[list[list[str]]]) -> None:
    """The text prints the lower block first, then the higher."""
    rows = order(Cut.LONG_TAU_FONG_MAY, end).rows
    lower, higher = ([block.strip(".") for block in blocks] for blocks in zip(*map(str.split, rows), strict=True))
    assert [list(row) for row in lower if row] == appendix_2[number]
    assert [list(row) for row in higher] == appendix_2[number + 1]


def test_hong_kong_bank_agrees_as_far_as_the_text_shows(appendix_2: list[list[list[str]]]) -> None:
    """The text has lost the indents: each row starts at the left, and is as wide as the widest."""
    rows = order(Cut.WUI_FUNG_BANK).rows
    assert {len(row) for row in rows} == {len(row) for row in appendix_2[HONG_KONG]} == {6}
    assert [list(row.strip(".")) for row in rows] == [[cell for cell in row if cell] for row in appendix_2[HONG_KONG]]
    # Centred, so that both sides are alike in the number of tiles and in which.
    assert all(row == row[::-1] for row in rows)


def test_foot_say_agrees_with_the_text(appendix_2: list[list[list[str]]]) -> None:
    assert [list(row) for row in order(Cut.FOOT_SAY).rows] == appendix_2[FOOT_SAY]


def test_foot_say_is_built_as_the_text_marks_it(appendix_2: list[list[list[str]]]) -> None:
    """The rows above show where the stacks marked below at the ends are put: 1 outside, 2 inside, on either half."""
    rows = appendix_2[FOOT_SAY_SET_UP]
    target, source = rows[:4], rows[4:]
    assert all(row == target[0] for row in target)
    assert all(row == source[0] for row in source)
    built = []
    for half in (range(1, 5), range(5, 9)):
        built += [
            (stack, next(end for end in half if source[0][end - 1] == target[0][stack - 1]))
            for stack in half
            if target[0][stack - 1]
        ]
    assert order(Cut.FOOT_SAY).built == tuple(built)


LISTS = {
    "nz-1998": ("nz-gazette-1998-division-12.txt", "Appendix 5\nPai Gow Cuts"),
    "star-2024": ("star-sydney-2024.txt", "### PAI GOW CUTS"),
    "star-classic": ("star-sydney-classic.txt", "APPENDIX 3\n"),
}


@pytest.mark.parametrize("book", LISTS)
def test_the_list_agrees_with_the_text(book: str, shared: Path) -> None:
    """Name, options, English name, in printed order; how the options are joined is left aside."""
    file, heading = LISTS[book]
    text = (shared / "rulebooks" / file).read_text(encoding="utf-8", errors="replace")
    printed = text[text.rindex(heading) :]
    at = 0
    for named in rulebook(book).cuts.named:
        options = named.options
        turned = r"\W*".join(rf"{first.value} (?:or|and|to) {second.value}" for first, second in options)
        pattern = rf"{re.escape(named.chinese)}[\s(]*{turned}[\s)]*{re.escape(named.english)}".replace(r"\ ", r"\s+")
        found = re.compile(pattern, re.IGNORECASE).search(printed, at)
        assert found is not None, named.label
        assert not printed[at : found.start()].strip() or named is rulebook(book).cuts.named[0]
        at = found.end()


def test_crowns_tables_agree_with_the_text(shared: Path) -> None:
    text = (shared / "rulebooks" / "crown-melbourne-v6.1.txt").read_text()
    tables = text[text.index("6 PAI GOW CUTS\n\n") : text.index("7 HOUSE WAY\n\n")]
    for number, named in enumerate(CROWN.named, start=1):
        options = [option for option in named.options if option is not END]
        turned = " ".join(f"{first.value} or {second.value}" for first, second in options)
        assert f"\n{number}\t{named.chinese}\t{turned}\t{named.english}\n" in tables
    # Table 2: box dice totals, Crown Pai Gow's box die, first box, cut die, cut (ruling 27).
    rows = re.findall(r"^(\d+) \+ (\d+)\t(\d?)\t(\d)\t(\d?)\t([^\t]*)", tables, re.MULTILINE)
    assert len(rows) == BOXES
    for low, high, box_die, first, cut_die, chinese in rows:
        assert FROM_RIGHT.counted(int(low), 1) == FROM_RIGHT.counted(int(high), 1) == int(first)
        assert box_die in {"", first}
        assert chinese == (CROWN.of_die(int(cut_die)).chinese if cut_die else "")


# Names


@pytest.mark.parametrize(
    ("name", "cut", "turns"),
    [
        ("Yat Dong Dong", Cut.YAT_DONG_DONG, set()),
        ("one stack", Cut.YAT_DONG_DONG, set()),
        ("cup-say", Cut.CUP_SAY, set()),
        ("TIGERS HEAD", Cut.CUP_SAY, set()),
        ("Tiger", Cut.CUP_SAY, set()),
        ("Cup Say Di Chut", Cut.CUP_SAY, {Turn.BOTTOM}),
        ("chee yee di chut", Cut.CHEE_YEE, {Turn.BOTTOM}),
        ("Jung Quat Di Chut", Cut.JUNG_QUAT, {Turn.BOTTOM}),
        ("Long Tau/Fong May", Cut.LONG_TAU_FONG_MAY, set()),
        ("Dragon's Head / Phoenix Tail", Cut.LONG_TAU_FONG_MAY, set()),
        ("Long Tau", Cut.LONG_TAU_FONG_MAY, {Turn.HEAD}),
        ("Phoenix Tail", Cut.LONG_TAU_FONG_MAY, {Turn.TAIL}),
        ("Fong May/Long Tau", Cut.LONG_TAU_FONG_MAY, {Turn.TAIL}),
        ("Hong Kong Bank", Cut.WUI_FUNG_BANK, set()),
        ("4 across", Cut.FOOT_SAY, set()),
    ],
)
@pytest.mark.parametrize("book", [book for book in BOOKS if book != "uk-poster"])
def test_a_cut_goes_by_all_its_names_in_every_book(book: str, name: str, cut: Cut, turns: set[Turn]) -> None:
    found, implied = rulebook(book).cuts.find(name)
    assert (found.cut, set(implied)) == (cut, turns)
    assert found.cite.rulebook == book


@pytest.mark.parametrize("book", BOOKS)
def test_every_cut_is_found_by_its_own_names(book: str) -> None:
    cuts = rulebook(book).cuts
    for named in cuts.named:
        for name in (named.cut.value, named.chinese, named.english):
            assert cuts.find(name) == (named, frozenset())
        assert cuts.get(named.cut) is named


def test_every_cut_is_named_by_a_book() -> None:
    assert {named.cut for book in BOOKS.values() for named in book.cuts.named} == set(Cut)


@pytest.mark.parametrize(
    ("book", "name", "why"),
    [
        ("crown-6.1", "Kangaroo Jump", r"crown-6.1 names no cut 'Kangaroo Jump'; .*Foot Say \(crown-6.1 Table 1\)"),
        ("crown-6.1", "Cup Sey", r"did you mean Cup Say \(Tiger's Head\)\?"),
        ("nz-1998", "Sydney Tower", r"nz-1998 names no cut 'Sydney Tower'.*\(nz-1998 Appendix 5\)"),
        ("uk-poster", "Cup Say", r"it names: none \(uk-poster point 25\)"),
    ],
)
def test_an_unknown_name_is_refused(book: str, name: str, why: str) -> None:
    with pytest.raises(CutError, match=why):
        rulebook(book).cuts.find(name)


# Orientation


def test_right_top_and_head_are_taken_where_nobody_says() -> None:
    """Ruling 28."""
    for named in CROWN.named:
        assert set(named.turned()) <= {Turn.RIGHT, Turn.TOP, Turn.HEAD}
        assert len(named.turned()) == len(named.orientations)
    assert CROWN.get(Cut.CUP_SAY).turned([Turn.LEFT]) == (Turn.TOP, Turn.LEFT)


@pytest.mark.parametrize(
    ("cut", "turns", "why"),
    [
        (Cut.DAI_PIN, [Turn.TOP], r"cannot be turned 'top'; it has right, left \(crown-6.1 Table 1\)"),
        (Cut.FOOT_SAY, [Turn.LEFT], r"it has no options"),
        (Cut.CUP_SAY, [Turn.LEFT, Turn.RIGHT], r"right or left, not both \(crown-6.1 Table 1\)"),
    ],
)
def test_a_turn_that_the_cut_does_not_have_is_refused(cut: Cut, turns: list[Turn], why: str) -> None:
    with pytest.raises(CutError, match=why):
        CROWN.get(cut).order(turns)


@pytest.mark.parametrize("book", [book for book in BOOKS if book not in {"crown-6.1", "uk-poster"}])
def test_no_order_is_invented(book: str) -> None:
    """Ruling 29: Crown's drawings serve the eight cuts that all name; the other twelve have none."""
    named = rulebook(book).cuts.named
    assert sum(bool(each.orders) for each in named) == 8
    for each in named:
        if each.orders:
            drawn = each.order()
            assert drawn.where == f"{ORDERS[each.cut][0].cite}, read under ruling 29"
        else:
            with pytest.raises(CutError, match=r"no rulebook draws .*, read under ruling 29\)"):
                each.order()


def test_crowns_own_drawings_need_no_ruling() -> None:
    assert order(Cut.DAI_PIN).where == "crown-6.1 Appendix 2: Dai Pin"


# The cut die, and who decides


DIE = {
    1: Cut.LONG_TAU_FONG_MAY,
    2: Cut.JUNG_QUAT,
    3: Cut.CUP_SAY,
    4: Cut.DAI_PIN,
    5: Cut.WUI_FUNG_BANK,
    6: Cut.CHEE_YEE,
}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("face", range(8))
def test_the_cut_die(book: str, face: int) -> None:
    """Crown Table 2, Star 2024 Appendix 4; the other three have no such die."""
    cuts = rulebook(book).cuts
    if book in {"crown-6.1", "star-2024"} and face in DIE:
        assert cuts.of_die(face).cut is DIE[face]
    else:
        with pytest.raises(CutError, match=rf"\({book} .*\)" if cuts.by_die else "has no cut die"):
            cuts.of_die(face)


BANKER, SUPERVISOR, CUT_DIE = Chooser.BANKER, Chooser.SUPERVISOR, Chooser.CUT_DIE


@pytest.mark.parametrize(
    ("book", "bank", "who", "words", "rule"),
    [
        ("crown-6.1", Bank.HOUSE, (CUT_DIE,), "the cut die decides", "5.4.1"),
        ("crown-6.1", Bank.PLAYER, (BANKER, SUPERVISOR), "else the TG Higher Duties Dealer (or above)", "5.4.2"),
        ("crown-6.1", Bank.CO_BANK, (BANKER, SUPERVISOR), "else the TG Higher Duties Dealer (or above)", "5.4.2"),
        ("nz-1998", Bank.HOUSE, (SUPERVISOR,), "the game supervisor decides; Yat Dong Dong unless", "9.5"),
        ("nz-1998", Bank.PLAYER, (BANKER, SUPERVISOR), "the player-banker decides, else the game supervisor;", "9.5"),
        ("nz-1998", Bank.CO_BANK, (BANKER, SUPERVISOR), "Yat Dong Dong unless another is directed", "9.5"),
        ("star-2024", Bank.HOUSE, (CUT_DIE,), "the cut die decides", "8.4.4"),
        ("star-2024", Bank.PLAYER, (BANKER, CUT_DIE), "the player-banker decides, else the cut die", "8.4.3"),
        ("star-classic", Bank.HOUSE, (SUPERVISOR,), "the game supervisor decides", "7.6"),
        ("star-classic", Bank.PLAYER, (BANKER, SUPERVISOR), "else the game supervisor", "7.7"),
        ("star-classic", Bank.CO_BANK, (BANKER, SUPERVISOR), "else the game supervisor", "7.7"),
        ("uk-poster", Bank.HOUSE, (), "the book does not say who decides", "point 3"),
        ("uk-poster", Bank.PLAYER, (BANKER,), "the player-banker decides", "point 25"),
    ],
)
def test_who_decides_the_cut(book: str, bank: Bank, who: tuple[Chooser, ...], words: str, rule: str) -> None:
    choice = rulebook(book).cuts.chooser(bank)
    assert (choice.who, choice.cite) == (who, f"{book} {rule}")
    assert words in choice.words


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("bank", Bank)
def test_the_cuts_and_the_dice_know_the_same_banks(book: str, bank: Bank) -> None:
    cuts = rulebook(book).cuts
    assert (bank in cuts.choice) is (bank in rulebook(book).banking.methods.value)
    if bank not in cuts.choice:
        with pytest.raises(CutError, match=rf"knows no {bank.value} .*\({book} "):
            cuts.chooser(bank)


@pytest.mark.parametrize(
    ("book", "cut", "by", "bank", "how", "why"),
    [
        ("crown-6.1", Cut.CUP_SAY, BANKER, Bank.HOUSE, {}, r"the cut die decides \(crown-6.1 5.4.1\)"),
        ("crown-6.1", Cut.CUP_SAY, CUT_DIE, Bank.HOUSE, {}, r"say what it shows \(crown-6.1 5.4.1\)"),
        ("crown-6.1", Cut.CUP_SAY, CUT_DIE, Bank.HOUSE, {"die": 4}, r"shows 4, Dai Pin .*\(crown-6.1 Table 2,"),
        ("crown-6.1", Cut.CUP_SAY, CUT_DIE, Bank.HOUSE, {"die": 7}, r"1 to 6, not 7 \(crown-6.1 Table 2,"),
        ("crown-6.1", Cut.CUP_SAY, CUT_DIE, Bank.PLAYER, {"die": 3, "declined": True}, r"\(crown-6.1 5.4.2\)"),
        ("crown-6.1", Cut.CUP_SAY, SUPERVISOR, Bank.PLAYER, {}, r"has not declined \(crown-6.1 5.4.2\)"),
        ("crown-6.1", Cut.PONG_YUN, BANKER, Bank.PLAYER, {}, r"TG Assistant Casino Manager .*\(crown-6.1 5.4.3\)"),
        ("nz-1998", Cut.SYDNEY_TOWER, BANKER, Bank.PLAYER, {"leave": True}, r"not among .*\(nz-1998 Appendix 5\)"),
        ("nz-1998", Cut.CUP_SAY, CUT_DIE, Bank.HOUSE, {"die": 3}, r"the game supervisor decides.*\(nz-1998 9.5\)"),
        ("star-2024", Cut.CUP_SAY, SUPERVISOR, Bank.HOUSE, {}, r"the cut die decides \(star-2024 8.4.4\)"),
        ("star-2024", Cut.HARBOUR_BRIDGE, BANKER, Bank.PLAYER, {}, r"the casino supervisor .*\(star-2024 8.4.5\)"),
        ("star-2024", Cut.CUP_SAY, BANKER, Bank.CO_BANK, {}, r"\(star-2024 11.1, read under ruling 24\)"),
        ("star-classic", Cut.CUP_SAY, BANKER, Bank.HOUSE, {}, r"the game supervisor decides \(star-classic 7.6\)"),
        ("uk-poster", Cut.CUP_SAY, BANKER, Bank.HOUSE, {}, r"does not say who decides \(uk-poster point 3\)"),
        (
            "uk-poster",
            Cut.CUP_SAY,
            BANKER,
            Bank.PLAYER,
            {},
            r"the management or above may accept it, .*\(uk-poster point 25\)",
        ),
    ],
)
def test_a_cut_decided_otherwise_is_refused_with_the_rule(
    book: str, cut: Cut, by: Chooser, bank: Bank, how: dict[str, int], why: str
) -> None:
    cuts = rulebook(book).cuts
    with pytest.raises(CutError, match=why):
        cuts.decide(cut, by, bank, declined="declined" in how, die=how.get("die"), leave="leave" in how)
