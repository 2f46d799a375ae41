"""The rulebooks' texts in Chinese: all of them and no other, with the same tiles, numbers and fields."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from engine.books.house_ways import get
from engine.books.registry import BOOKS
from engine.game.tiles import Kind
from engine.house_way import HouseWay, Moment
from engine.vocabulary.facts import Milestone
from engine.vocabulary.irregularities import Irregularity, by_code, code
from engine.vocabulary.progress import ANYWHERE
from engine.vocabulary.remedy import Effect
from service.rounds.judge.remedies import remedies_words_of
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.judge.verdicts import explain, judge_hand
from service.rounds.reports import FindingReport, HandReport, IrregularityReport, RoundReport, SettingReport
from service.rounds.served import FindingOut
from service.words.languages import LANGUAGES, LOCALE, book_texts, catalogue_of, translations
from service.words.rule_sentences import verdict_words
from service.words.wording import translated
from tests.service.stand_ins import START

CHINESE = [tag for tag in LANGUAGES if tag.startswith("zh")]
WAYS = [name for name, book in BOOKS.items() if book.prints_house_way]
_FIELD = re.compile(r"\{[^{}]*\}")
_TILE = re.compile("|".join(sorted((kind.label for kind in Kind if kind.label[0].isupper()), key=len, reverse=True)))
"""A tile by its name; one by its number is found as a number."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CITED = re.compile(r"(?:Appendix|1\.0 Hand|point|line|preamble|uk-poster|star-classic|star-2024|nz-1998|crown-6\.1)")
_NAMED = re.compile(r"Harmony|laja|NICC|The Star|[\[(\uff08][A-Z][A-Za-z/ ]+\uff09")
"""Text in Latin letters in Chinese too: citations, the books' own names, the names of cuts."""


@cache
def rules(tag: str) -> dict[str, str]:
    return {str(each.id): str(each.string) for each in catalogue_of(LOCALE / "rules", tag) if each.id}


@pytest.mark.parametrize("tag", CHINESE)
def test_every_text_of_the_rulebooks_is_translated_and_no_other(tag: str) -> None:
    assert set(rules(tag)) == book_texts()
    assert all(rules(tag).values())


@pytest.mark.parametrize("tag", CHINESE)
def test_a_translation_has_the_fields_of_its_text(tag: str) -> None:
    for english, chinese in rules(tag).items():
        assert Counter(_FIELD.findall(english)) == Counter(_FIELD.findall(chinese)), english


@pytest.mark.parametrize("tag", CHINESE)
def test_a_translation_names_the_tiles_of_its_text(tag: str) -> None:
    spoken = rules(tag)
    for english, chinese in spoken.items():
        assert all(_short(spoken[tile]) in chinese for tile in _TILE.findall(english)), english


@pytest.mark.parametrize("tag", CHINESE)
def test_a_translation_has_the_numbers_of_its_text(tag: str) -> None:
    for english, chinese in rules(tag).items():
        missing = Counter(_NUMBER.findall(_TILE.sub("", english))) - Counter(_NUMBER.findall(chinese))
        assert not missing, english
        added = set(_NUMBER.findall(chinese)) - set(_NUMBER.findall(_in_digits(english)))
        assert not added, english


@pytest.mark.parametrize("tag", CHINESE)
def test_a_translation_has_no_english(tag: str) -> None:
    for chinese in rules(tag).values():
        assert not re.search("[A-Za-z]{2,}", _NAMED.sub("", _FIELD.sub("", chinese))), chinese


def _short(tile: str) -> str:
    """A tile's name without the word for tile, which names of hands leave out."""
    return tile.removesuffix("\u724c")


def _in_digits(english: str) -> str:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
    written = english.lower()
    for number, word in enumerate(words):
        written = re.sub(rf"\b{word}(?:e?s)?\b", str(number), written)
    return written.replace("sixteen", "16").replace("sixes", "6")


def _judged(way: HouseWay, at: int) -> Iterator[tuple[HandReport, Moment | None]]:
    """Every setting of some deals, judged as a House hand, over all moments."""
    for number, decision in enumerate(list(way.decisions.values())[at::101]):
        for setting in decision.deal.settings:
            laid = SettingReport.of(setting)
            hand = HandReport(place="house", low=laid.low, high=laid.high, status="verified")
            yield judge_hand(hand, way), (None, *Moment)[number % 4]


@pytest.mark.parametrize("name", WAYS)
def test_verdicts_are_said_in_chinese(name: str) -> None:
    way, chinese = get(name), translations("zh-Hant")
    for hand, moment in _judged(way, 7):
        assert hand.house_way is not None
        assert hand.house_way.rule is not None
        explained = explain(hand, way).explanation
        assert hand.house_way.rule in str(explained)
        assert _bare(translated(explained, chinese)) == []
        remedy = explain(hand, way, moment).remedy
        assert (remedy is None) is (hand.house_way.verdict == "correct")
        if remedy is not None:
            assert _bare(translated(remedy, chinese)) == []


@pytest.mark.parametrize("name", BOOKS)
@pytest.mark.parametrize("reached", [None, (Milestone.TILES_DELIVERED,), (Milestone.FIRST_HAND_EXPOSED,)])
def test_remedies_are_said_in_chinese(name: str, reached: tuple[Milestone] | None) -> None:
    chinese = translations("zh-Hant")
    for kind in Irregularity:
        so_far = ANYWHERE if reached is None else BOOKS[name].irregularities.progress(reached)
        happened = IrregularityReport(
            kind=code(kind), reached=tuple(map(code, so_far.reached)), unknown=tuple(map(code, so_far.unknown))
        )
        found = FindingReport(code="x", irregularities=(happened,))
        said = remedies_words_of(found, BOOKS[name])
        assert said is not None
        assert _bare(translated(said, chinese)) == []
        for option in FindingOut.from_report(found, BOOKS[name]).options:
            for text in (option.by, option.action, option.where or "player", by_code(Effect, option.effect).value):
                assert _bare(chinese.gettext(text)) == []


def test_a_verdict_of_an_unknown_house_way_is_not_explained() -> None:
    hand, _ = next(_judged(get("crown-6.1"), 7))
    report = RoundReport(id="r1", opened_at=START, changed_at=START, agreeing_frames=3, house_way="macau")
    way = rules_of(report).house_way
    assert "not available here" in str(explain(hand, way).explanation)
    assert explain(hand, way).remedy is None


def test_a_verdict_that_the_house_way_does_not_give_is_not_explained() -> None:
    way = get("crown-6.1")
    hand, _ = next(_judged(way, 7))
    assert hand.house_way is not None
    other = hand.model_copy(update={"house_way": hand.house_way.model_copy(update={"rule": "crown-6.1 0"})})
    assert "not available here" in str(explain(other, way).explanation)


def test_the_words_of_a_casinos_own_rule_stay_as_they_are() -> None:
    printed = get("crown-6.1")
    first = replace(printed.rules[0], text="Pairs first, says the owner.")
    way = replace(printed, rules=(first, *printed.rules[1:]))
    decision = next(each for each in way.decisions.values() if each.rule is first)
    said = verdict_words(way.judge(decision.deal, decision.setting)).translated(translations("zh-Hant"))
    assert "Pairs first, says the owner" in said
    assert "\u838a\u5bb6\u64fa\u724c\u6cd5" in said


def _bare(chinese: str) -> list[str]:
    """English words in a Chinese sentence, beside citations and names."""
    return re.findall("[A-Za-z]{3,}", _NAMED.sub("", _CITED.sub("", chinese)))
