"""When something goes wrong: each book's rules, read off the texts, before and after the event they hinge on."""

import csv
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.books.house_ways import get, way_under
from engine.books.registry import BOOKS, rulebook
from engine.errors import IrregularityError
from engine.game.setting import Deal, Setting
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity, Remedies, by_code, code
from engine.vocabulary.progress import so_far
from engine.vocabulary.remedy import Effect, Remedy
from tests.conftest import ROOT

with (ROOT / "tests" / "golden" / "irregularities.csv").open(newline="") as file:
    # Kind, whose hand and the last event (empty: any, none), then each option open: duty, who, effect and its rules.
    ROWS = [tuple(row.values()) for row in csv.DictReader(file)]


def _ask(book: str, kind: str, whose: str = "", event: str = "") -> Remedies:
    return rulebook(book).irregularities.remedies(
        by_code(Irregularity, kind),
        by_code(Whose, whose) if whose else None,
        [by_code(Milestone, event)] if event else [],
    )


def _short(option: Remedy) -> str:
    cites = ", ".join(cite.section for cite in (option.cite, *option.also))
    return f"{option.duty.value} {option.by.words} {code(option.effect)} {option.cite.rulebook} {cites}"


@pytest.mark.parametrize(("book", "kind", "whose", "event", "options"), ROWS)
def test_what_the_book_says_at_this_moment(book: str, kind: str, whose: str, event: str, options: str) -> None:
    finding = _ask(book, kind, whose, event)
    assert "; ".join(map(_short, finding.options)) == options
    assert not finding.silent


@pytest.mark.parametrize("book", BOOKS)
def test_every_option_of_every_book_is_read_off_the_text_above(book: str) -> None:
    """And one that hinges on an event is both open in a row and shut in another."""
    said = rulebook(book).irregularities.said
    findings = [_ask(*row[:4]) for row in ROWS if row[0] == book]
    assert said.keys() == {finding.irregularity for finding in findings}
    for kind, options in said.items():
        asked = [finding for finding in findings if finding.irregularity is kind]
        for option in options:
            shown = [option in finding.options for finding in asked if option.concerns(finding.whose)]
            assert any(shown), option
            if option.before:
                shown.append(option in _ask(book, code(kind), "", code(option.before)).options)
            if option.after or option.before:
                assert not all(shown), option


@pytest.mark.parametrize("book", BOOKS)
def test_a_silent_book_says_so_and_who_decides(book: str) -> None:
    book_of = rulebook(book).irregularities
    for kind in book_of.silent:
        finding = book_of.remedies(kind)
        assert finding.silent
        assert finding.options == (book_of.silent[kind] or book_of.said[Irregularity.DISPUTE])


@pytest.mark.parametrize("book", [name for name in BOOKS if name != "star-2024"])
@pytest.mark.parametrize("kind", ["missing-tile", "foreign-tile", "duplicate-face"])
def test_ruling_36_silent_books_are_treated_like_the_star(book: str, kind: str) -> None:
    void, stand = _ask(book, kind, "", "tiles-delivered").options
    assert (void.effect, void.rulings) == (Effect.ROUND_VOID, (36,))
    for moment in ("", "settled"):
        assert _ask(book, kind, "", moment).options == (stand,)
        assert (stand.effect, stand.rulings) == (Effect.RESULTS_STAND, (36,))


def test_ruling_35_more_than_two_tiles_exposed_in_a_laja_at_crown() -> None:
    finding = _ask("crown-6.1", "exposed-laja", "", "shuffled")
    assert finding.silent
    (option,) = finding.options
    assert _short(option) == "may TG Higher Duties Dealer (or above) mixed-again crown-6.1 5.5"


@pytest.mark.parametrize(
    ("book", "whose"), [("star-classic", "player"), *(("uk-poster", w) for w in ("player", "player-banker"))]
)
def test_a_book_may_be_silent_on_one_hand_and_speak_of_another(book: str, whose: str) -> None:
    finding = _ask(book, "not-house-way", whose, "hands-set")
    assert finding.silent
    assert finding.options == rulebook(book).irregularities.said[Irregularity.DISPUTE]
    assert not _ask(book, "not-house-way", "house", "hands-set").silent


MILESTONES = st.one_of(st.none(), st.frozensets(st.sampled_from(Milestone)))


@given(st.sampled_from(list(BOOKS)), st.sampled_from(Irregularity), st.none() | st.sampled_from(Whose), MILESTONES)
def test_there_is_always_something_to_do(
    book: str, kind: Irregularity, whose: Whose | None, reached: frozenset[Milestone] | None
) -> None:
    if whose not in {None, *rulebook(book).irregularities.hands}:
        return
    finding = rulebook(book).irregularities.remedies(kind, whose, reached)
    assert finding.options
    assert all(option.cite.rulebook == book for option in finding.options)


@given(st.sampled_from(list(BOOKS)), st.sampled_from(Whose), MILESTONES)
def test_a_wrong_hand_is_either_set_right_or_stands(
    book: str, whose: Whose, reached: frozenset[Milestone] | None
) -> None:
    if whose not in rulebook(book).irregularities.hands:
        return
    finding = rulebook(book).irregularities.remedies(Irregularity.NOT_HOUSE_WAY, whose, reached)
    effects = {option.effect for option in finding.options}
    if finding.silent and not finding.progress.may_be_reached(Milestone.TILES_DELIVERED):
        return  # no hand can be set wrongly before the deal
    if book == "uk-poster" and Milestone.ROUND_OVER in finding.progress.reached:
        return
    if finding.silent:
        assert (book, whose) not in product(BOOKS, [Whose.HOUSE])
    elif reached is None and book != "uk-poster":
        assert effects == {Effect.AS_SET_NOW, Effect.RESULTS_STAND}
    else:
        assert len(effects) == 1


@given(st.frozensets(st.sampled_from(Milestone)))
def test_milestones_bring_those_before_them(reached: frozenset[Milestone]) -> None:
    known = so_far(reached)
    assert reached <= known == so_far(known)
    assert (Milestone.FIRST_HAND_EXPOSED in known) >= (Milestone.BANK_PUT_AWAY in reached)


def test_the_last_event_alone_is_enough() -> None:
    """Told only that the bank's tiles are away, nobody hears that New Zealand still lets the hand be set right."""
    (option,) = _ask("nz-1998", "not-house-way", "house", "round-over").options
    assert option.effect is Effect.RESULTS_STAND
    assert so_far([Milestone.ROUND_OVER]) == frozenset(Milestone)


@pytest.mark.parametrize("book", BOOKS)
def test_titles_that_decide_are_on_the_ladder(book: str) -> None:
    rules, ladder = rulebook(book).irregularities, {title for titles in rulebook(book).play.ranks for title in titles}
    options = [option for each in (rules.said, rules.silent) for options in each.values() for option in options]
    titles = {option.by.title for option in options} - {None}
    assert titles
    assert titles <= ladder
    assert all(option.by.title for option in options if option.by.dealer_on_instruction)


def test_a_book_that_forgets_a_kind_or_has_it_twice_is_refused() -> None:
    whole = rulebook("nz-1998").irregularities
    said = dict(whole.said)
    del said[Irregularity.WRONG_DEAL]
    with pytest.raises(IrregularityError, match=r"nz-1998: .*wrong-deal"):
        Irregularities(whole.source, said, whole.silent, whole.play, whole.methods)
    twice = {**whole.silent, Irregularity.WRONG_DEAL: ()}
    with pytest.raises(IrregularityError, match=r"nz-1998: .*wrong-deal"):
        Irregularities(whole.source, whole.said, twice, whole.play, whole.methods)
    with pytest.raises(IrregularityError, match="dispute"):
        Irregularities(whole.source, {**whole.said, Irregularity.DISPUTE: ()}, whole.silent, whole.play, whole.methods)


def test_unknown_words_name_the_nearest() -> None:
    with pytest.raises(
        IrregularityError, match=r"no irregularity is called 'wrong-dael' \(did you mean wrong-deal\?\)"
    ):
        by_code(Irregularity, "wrong-dael")
    with pytest.raises(
        IrregularityError, match="no whose is called 'me'; known: house, co-bank, player-banker, player"
    ):
        by_code(Whose, "me")


# The House Way under a book.

DEAL, WRONG = Deal.parse("6-6 6-3 5-4 2-1"), Setting.parse("5-4 2-1 / 6-6 6-3")
OWN = """
from engine.house_way import HouseWay, Source
from engine.books.crown.house_way import HOUSE_WAY as CROWN
HOUSE_WAY = HouseWay(source=Source("own-2026", "Own", revision="1"), rules=CROWN.rules)
"""


@pytest.mark.parametrize(
    ("book", "section"),
    [
        ("crown-6.1", "12.5"),
        ("nz-1998", "12.8(a)"),
        ("star-2024", "15.7"),
        ("star-classic", "15.7"),
        ("uk-poster", "point 29"),
    ],
)
def test_a_casinos_own_way_gets_the_remedies_of_its_book(book: str, section: str, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN)
    alone = get(own).judge(DEAL, WRONG).remedies
    under = way_under(rulebook(book), str(own)).judge(DEAL, WRONG).remedies
    assert alone is not None
    assert (alone.rulebook, alone.silent, alone.options) == ("own-2026", True, ())
    assert under is not None
    assert under.options[0].cite == f"{book} {section}"


def test_a_way_under_another_book_takes_that_books_remedy() -> None:
    way = way_under(rulebook("uk-poster"), "nz-1998")
    remedies = way.judge(DEAL, WRONG).remedies
    assert remedies is not None
    assert {option.cite for option in remedies.options} == {"uk-poster point 29"}
    assert rulebook("nz-1998").house_way() is get("nz-1998")


# A box taken out of play: C 12.6.2, 12.6.3, N 12.10, S 15.9.3, 15.9.4, O 15.10, 15.11. By hand: box 1 is 1, 9 and 17.
COUNTED = {3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6, 15: 7, 16: 8, 17: 1, 18: 2}
REMOVAL = [
    ("crown-6.1", "12.6.2", "12.6.3"),
    ("nz-1998", "12.10", "12.10"),
    ("star-2024", "15.9.3", "15.9.4"),
    ("star-classic", "15.10", "15.11"),
]


@pytest.mark.parametrize(("book", "count", "again"), REMOVAL)
def test_the_box_out_of_play_is_counted_from_box_1(book: str, count: str, again: str) -> None:
    for dice in product(range(1, 7), repeat=3):
        removed = rulebook(book).irregularities.remove_box(dice, Bank.HOUSE)
        assert removed.counted == COUNTED[removed.total]
        if removed.counted == 1:
            assert (removed.box, removed.cite.section) == (None, again)
        else:
            assert (removed.box, removed.cite.section) == (removed.counted, count)


@pytest.mark.parametrize(
    ("book", "dice", "bank", "box", "said"),
    [
        pytest.param("crown-6.1", (1, 2), Bank.HOUSE, 1, "not three dice", id="two-dice"),
        pytest.param("crown-6.1", (1, 2, 7), Bank.HOUSE, 1, "not three dice", id="a-seven"),
        pytest.param("crown-6.1", (1, 2, 3), Bank.HOUSE, 9, "there is no box 9", id="box-nine"),
        pytest.param("nz-1998", (1, 2, 3), Bank.PLAYER, 1, "only for co-bank or house", id="player-banks"),
        pytest.param("uk-poster", (1, 2, 3), Bank.HOUSE, 1, "takes no box out of play", id="uk"),
    ],
)
def test_what_takes_no_box_out(book: str, dice: tuple[int, ...], bank: Bank, box: int, said: str) -> None:
    with pytest.raises(IrregularityError, match=said):
        rulebook(book).irregularities.remove_box(dice, bank, box)


# Every citation exists.

TEXTS = {
    "crown-6.1": "crown-melbourne-v6.1.txt",
    "nz-1998": "nz-gazette-1998-division-12.txt",
    "star-2024": "star-sydney-2024.txt",
    "star-classic": "star-sydney-classic.txt",
    "uk-poster": "uk-casino-poster.txt",
}
_NUMBER = re.compile(r"^[\s#*•-]*(\d+(?:\.\d+)+)\b", re.MULTILINE)


def _cited(book: Irregularities) -> set[str]:
    options = [option for each in (book.said, book.silent) for options in each.values() for option in options]
    removal = [book.removal.cite, book.removal.again] if book.removal else []
    return {cite.section for option in options for cite in (option.cite, *option.also)} | {c.section for c in removal}


@pytest.mark.parametrize("book", [name for name in BOOKS if name != "uk-poster"])
def test_every_citation_is_printed(book: str, shared: Path) -> None:
    text = (shared / "rulebooks" / TEXTS[book]).read_text()
    text = re.sub(r"\*\*(?=\d)", "\n", text)  # New Zealand's heading 11.0 shares its line with rule 11.1
    rules = {match[1]: text[match.end() :] for match in reversed([*_NUMBER.finditer(text)])}  # the first of a number
    for section in _cited(rulebook(book).irregularities):
        number, letters = re.fullmatch(r"([\d.]+)(?: \w+)?((?:\(\w+\))*)", section).groups()  # type: ignore[union-attr]
        assert number in rules, section
        body = rules[number]
        following = _NUMBER.search(body)
        body = body[: following.start() if following else None]
        for letter in re.findall(r"\(\w+\)", letters):
            _, printed, body = body.partition(letter)
            assert printed, section


def test_every_point_of_the_poster_is_printed(shared: Path) -> None:
    text = (shared / "rulebooks" / TEXTS["uk-poster"]).read_text()
    points = re.findall(r"^[-•] (.+)", text, re.MULTILINE)
    about = {
        2: "place their bets",
        5: "High and Low",
        19: "full view",
        20: "exchange or communicate",
        21: "own responsibility",
        22: "misdeal",
        23: "exposed tile",
        24: "sufficient funds",
        28: "twice the House maximum",
        29: "re-set",
    }
    cited = _cited(rulebook("uk-poster").irregularities)
    assert {f"point {number}" for number in about} | {"preamble"} == cited
    for number, words in about.items():
        assert words in points[number - 1]
