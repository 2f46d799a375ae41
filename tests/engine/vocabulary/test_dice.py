"""First box, buttons, cocked dice and Big/Small of the five books, the rule beside each number."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.books.registry import BOOKS, rulebook
from engine.errors import DiceError, UnknownRulebookError
from engine.game.box_order import BOXES, FROM_RIGHT
from engine.vocabulary.dice import COCKED, BigSmall, Cup, Face, Role, ShakeAgain, Thrown, big_or_small
from engine.vocabulary.facts import Bank

CROWN_PAI_GOW = "crown-pai-gow"
FACES = st.sampled_from([*range(1, 7), COCKED])
FOUR_DICE = ("crown-6.1", "star-2024")
STEALING = ("nz-1998", "star-2024", "star-classic")


def cup(book: str, *box: Face, cut: Face = 1) -> Cup:
    return Cup(box, cut=cut if book in FOUR_DICE else None)


def throw(book: str, *box: Face, bank: Bank = Bank.HOUSE, chung: int | None = None, button: int = 0) -> Thrown:
    result = rulebook(book).dice.read(cup(book, *box), bank, chung, button)
    assert isinstance(result, Thrown)
    return result


def test_three_dice_reach_the_boxes_as_often_as_is_known() -> None:
    """The figures are published: 28 28 28 28 27 25 25 27 of 216, boxes counted from the banker's."""
    firsts = Counter(FROM_RIGHT.counted(sum(dice), 1) for dice in product(range(1, 7), repeat=3))
    assert [firsts[box] for box in range(1, BOXES + 1)] == [28, 28, 28, 28, 27, 25, 25, 27]


@pytest.mark.parametrize("book", BOOKS)
def test_every_total_falls_on_the_printed_box(book: str) -> None:
    """Crown prints the whole table (Table 2); the others count the banker as 1, 9 and 17."""
    table_2 = {1: (9, 17), 2: (10, 18), 3: (3, 11), 4: (4, 12), 5: (5, 13), 6: (6, 14), 7: (7, 15), 8: (8, 16)}
    place = {total: count for count, totals in table_2.items() for total in totals}
    for dice in product(range(1, 7), repeat=3):
        thrown = throw(book, *dice)
        assert thrown.first_box == FROM_RIGHT.counted(place[sum(dice)], thrown.chung)
        assert thrown.boxes.index(thrown.first_box) == 0
        assert sorted(thrown.boxes) == list(range(1, BOXES + 1))


@given(st.integers(-1, 22), st.sampled_from(range(1, BOXES + 1)))
def test_a_total_counts_on_and_eight_more_come_round(total: int, chung: int) -> None:
    """Ruling 26, against counting on one's fingers."""
    box = chung
    for _ in range(total + 7):  # count 1 is the chung; eight rounds back lies -7
        box = box % BOXES + 1
    assert FROM_RIGHT.counted(total, chung) == FROM_RIGHT.counted(total + 8, chung) == box
    assert FROM_RIGHT.starting_at(box) == tuple((box - 1 + step) % BOXES + 1 for step in range(BOXES))


@pytest.mark.parametrize("book", BOOKS)
def test_only_the_poster_has_totals_in_doubt(book: str) -> None:
    """Ruling 25."""
    doubted = {
        thrown.total for dice in product(range(1, 7), repeat=3) if (thrown := throw(book, *dice)).doubt is not None
    }
    assert doubted == ({8, 9, 16, 17} if book == "uk-poster" else set())


def test_the_doubt_says_under_which_ruling_it_is_read() -> None:
    doubt = throw("uk-poster", 2, 2, 4).doubt
    assert doubt is not None
    assert doubt.where == "uk-poster point 3, read under ruling 25"


BUTTONS = {"nz-1998": {-4, 4}, "star-2024": set(range(-4, 5)) - {0}, "star-classic": set(range(-4, 5)) - {0}}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("button", [value for value in range(-6, 7) if value])
def test_each_book_has_its_own_buttons(book: str, button: int) -> None:
    """Ruling 26; Crown and the poster have none."""
    dice = rulebook(book).dice
    if button in BUTTONS.get(book, ()):
        assert throw(book, 1, 2, 3, bank=Bank.PLAYER, chung=5, button=button).adjusted == 6 + button
    else:
        with pytest.raises(DiceError, match=r"button") as refused:
            dice.read(cup(book, 1, 2, 3), Bank.PLAYER, 5, button)
        assert dice.buttons.cite in str(refused.value)


@pytest.mark.parametrize("book", STEALING)
def test_the_house_steals_no_cut(book: str) -> None:
    with pytest.raises(DiceError, match=r"only a player who banks") as refused:
        throw(book, 1, 2, 3, button=4)
    rule = {"nz-1998": "9.6", "star-2024": "8.2", "star-classic": "7.8"}[book]
    assert f"({book} {rule}, read under ruling 26)" in str(refused.value)


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("book", BOOKS)
def test_a_leaning_die_is_shaken_again(book: str, at: int) -> None:
    box: list[Face] = [6, 6, 6]
    box[at] = COCKED
    result = rulebook(book).dice.read(cup(book, *box), Bank.HOUSE)
    rule = {"crown-6.1": "4.3", "nz-1998": "9.8", "star-2024": "8.3", "star-classic": "8.2", "uk-poster": "point 3"}
    assert result == ShakeAgain(Role.BOX, rulebook(book).source.at(rule[book]), printed=book != "uk-poster")
    assert ("does not mention it" in result.words) is (book == "uk-poster")


def test_a_refusal_goes_before_a_leaning_die() -> None:
    with pytest.raises(DiceError, match="a die shows 1 to 6, not 7"):
        rulebook("nz-1998").dice.read(Cup((COCKED, 7, 1)), Bank.HOUSE)


@pytest.mark.parametrize(
    ("book", "dice", "bank", "chung", "why"),
    [
        pytest.param("crown-6.1", Cup((7, 1, 1), cut=1), Bank.HOUSE, 1, r"not 7 \(crown-6.1 2.4.2\)", id="die-of-7"),
        pytest.param("crown-6.1", Cup((1, 1, 1), cut=0), Bank.HOUSE, 1, r"not 0 \(crown-6.1 2.4.2\)", id="cut-of-0"),
        pytest.param(
            "star-2024", Cup((1, 1, -1), cut=1), Bank.HOUSE, 1, r"not -1 \(star-2024 2.3\)", id="die-of-minus-1"
        ),
        pytest.param(
            "nz-1998", Cup((1, 1)), Bank.HOUSE, 1, r"3 box dice must be thrown, not 2 \(nz-1998 3.3\(b\)\)", id="two"
        ),
        pytest.param("nz-1998", Cup((1,) * 4), Bank.HOUSE, 1, r"not 4 \(nz-1998 3.3\(b\)\)", id="four"),
        pytest.param("nz-1998", Cup((1, 1, 1), cut=1), Bank.HOUSE, 1, r"no cut die.*\(nz-1998 3.3\(b\)\)", id="nz-cut"),
        pytest.param("star-classic", Cup((1, 1, 1), cut=1), Bank.HOUSE, 1, r"no cut die.*2.3\)", id="classic-cut"),
        pytest.param(
            "star-2024",
            Cup((1, 1, 1)),
            Bank.HOUSE,
            1,
            r"1 cut die must be thrown, not 0 \(star-2024 2.4\)",
            id="no-cut",
        ),
        pytest.param(
            "crown-6.1", Cup((1, 1, 1), 1, 1), Bank.HOUSE, 1, r"this cup has no Big/Small die", id="fifth-die"
        ),
        pytest.param(
            "crown-6.1", Cup((1, 1, 1), 1), Bank.HOUSE, 2, r"on box 1, not 2 \(crown-6.1 10.3.1\(a\)\)", id="house"
        ),
        pytest.param(
            "crown-6.1", Cup((1, 1, 1), 1), Bank.PLAYER, 9, r"box 1 to 8, not 9 \(crown-6.1 10.3.2\(e\)\)", id="box-9"
        ),
        pytest.param("nz-1998", Cup((1, 1, 1)), Bank.PLAYER, 0, r"box 1 to 8, not 0 \(nz-1998 11.2\(a\)\)", id="box-0"),
        pytest.param(
            "nz-1998", Cup((1, 1, 1)), Bank.PLAYER, None, r"say where .*\(nz-1998 11.2\(a\)\)", id="which-box"
        ),
        pytest.param(
            "star-2024",
            Cup((1, 1, 1), 1),
            Bank.CO_BANK,
            2,
            r"no co-bank \(star-2024 11.1, read under ruling 24\)",
            id="star-co-bank",
        ),
        pytest.param(
            "uk-poster",
            Cup((1, 1, 1)),
            Bank.CO_BANK,
            2,
            r"no co-bank \(uk-poster point 24, read under ruling 24\)",
            id="uk-co-bank",
        ),
        pytest.param(
            "uk-poster", Cup((1, 1, 1)), Bank.PLAYER, 8, r"player bank .* not 8 \(uk-poster point 25", id="uk-dealer"
        ),
        pytest.param(
            "uk-poster", Cup((1, 1, 1)), Bank.HOUSE, 3, r"house bank .* box 8, not 3 \(uk-poster", id="uk-house"
        ),
    ],
)
def test_what_a_book_does_not_know_is_refused_with_its_rule(
    book: str, dice: Cup, bank: Bank, chung: int | None, why: str
) -> None:
    with pytest.raises(DiceError, match=why):
        rulebook(book).dice.read(dice, bank, chung)


def test_crown_pai_gows_big_small_takes_all_three_dice() -> None:
    """14.2.1(c), ruling 21; the third die is there only where the wager is offered (14.3.1)."""
    dice = rulebook("crown-6.1").dice_of(CROWN_PAI_GOW)
    for box, cut, third in product(range(1, 7), repeat=3):
        result = dice.read(Cup((box,), cut=cut, big_small=third), Bank.HOUSE)
        assert isinstance(result, Thrown)
        assert result.big_small is big_or_small((box, cut, third))
    assert isinstance(dice.read(Cup((1,), 1, COCKED), Bank.HOUSE), ShakeAgain)
    with pytest.raises(DiceError, match=r"1 cut die must be thrown, not 0 \(crown-6.1 14.2.1\(b\)\)"):
        dice.read(Cup((1,), big_small=1), Bank.HOUSE)


def test_other_books_and_variants_have_no_dice_of_their_own() -> None:
    assert rulebook("crown-6.1").dice_of() is rulebook("crown-6.1").dice
    with pytest.raises(UnknownRulebookError, match="it has: crown-pai-gow"):
        rulebook("crown-6.1").dice_of("bonanza")
    with pytest.raises(UnknownRulebookError, match="has no variants"):
        rulebook("nz-1998").dice_of(CROWN_PAI_GOW)


def test_big_and_small_share_what_no_triple_takes() -> None:
    """Crown 1.1: 105 of 216 each."""
    sides = Counter(big_or_small(dice) for dice in product(range(1, 7), repeat=3))
    assert sides == {BigSmall.BIG: 105, BigSmall.SMALL: 105, BigSmall.TRIPLE: 6}


@pytest.mark.parametrize(
    ("book", "cups"),
    [
        ("crown-6.1", [("box", 3, True, 10, "2.4.3"), ("cut", 1, True, 10, "2.4.3")]),
        ("nz-1998", [("box", 3, False, 10, "3.3(b)")]),
        ("star-2024", [("box", 3, True, None, "2.5.1"), ("cut", 1, True, None, "2.4")]),
        ("star-classic", [("box", 3, False, None, "2.3")]),
        ("uk-poster", [("box", 3, False, None, "point 3")]),
    ],
)
def test_what_lies_in_the_cup(book: str, cups: list[tuple[str, int, bool, int | None, str]]) -> None:
    """Number, whether colours tell them apart, least size: as each book has it."""
    result = [
        (dice.role.value, dice.number, dice.one_colour, dice.least_mm, dice.cite.section)
        for dice in rulebook(book).dice.cup
    ]
    assert result == cups


@given(
    book=st.sampled_from(sorted(BOOKS)),
    box=st.lists(FACES, min_size=3, max_size=3) | st.lists(FACES | st.sampled_from([-1, 0, 7]), max_size=4),
    cut=st.none() | FACES | st.sampled_from([0, 7]),
    bank=st.sampled_from(Bank),
    chung=st.none() | st.integers(0, 9),
    button=st.just(0) | st.integers(-5, 5),
)
def test_legal_throws_are_read_and_all_others_refused_with_a_rule(
    book: str, box: list[Face], cut: Face | None, bank: Bank, chung: int | None, button: int
) -> None:
    def flat_or_leaning(face: Face | None) -> bool:
        return face is COCKED or face in range(1, 7)

    house = 8 if book == "uk-poster" else 1
    no_co_bank = book in {"star-2024", "uk-poster"}
    legal = (
        len(box) == 3
        and all(map(flat_or_leaning, box))
        and (flat_or_leaning(cut) if book in FOUR_DICE else cut is None)
        and (button == 0 or (button in BUTTONS.get(book, ()) and bank is not Bank.HOUSE))
        and not (bank is Bank.CO_BANK and no_co_bank)
        and (chung in {None, house} if bank is Bank.HOUSE else chung in range(1, 9 - (book == "uk-poster")))
    )
    dice, thrown = rulebook(book).dice, Cup(tuple(box), cut)
    if legal:
        assert isinstance(dice.read(thrown, bank, chung, button), ShakeAgain) is (COCKED in (*box, cut))
    else:
        with pytest.raises(DiceError, match=rf"\({book} "):
            dice.read(thrown, bank, chung, button)
