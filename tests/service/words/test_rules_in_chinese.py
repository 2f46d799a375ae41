"""The rulebooks' texts in Chinese: all of them and no other, with the same tiles, numbers and fields."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from service.judge.composed_again import explanation_of, remedies_of, remedy_of

from engine.books.house_ways import get
from engine.books.registry import BOOKS
from engine.game.tiles import Kind
from engine.house_way import Moment
from engine.vocabulary.facts import Milestone
from engine.vocabulary.irregularities import Irregularity, by_code
from engine.vocabulary.remedy import Effect
from service.judge.remedies import options_of
from service.rounds.reports import FindingReport, HandReport, HouseWayReport, SettingReport
from service.words.house_way import verdict_remedy, verdict_words
from service.words.irregularities import remedies_words
from service.words.languages import LANGUAGES, LOCALE, catalogue_of, translations
from service.words.rules import book_texts
from service.words.wording import Quote

CHINESE = [tag for tag in LANGUAGES if tag.startswith("zh")]
WAYS = [name for name, book in BOOKS.items() if book.prints_house_way]
_FIELD = re.compile(r"\{[^{}]*\}")
_TILE = re.compile("|".join(sorted((kind.label for kind in Kind if kind.label[0].isupper()), key=len, reverse=True)))
"""A tile by its name; one by its number is found as a number."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CITED = re.compile(r"(?:Appendix|1\.0 Hand|point|line|preamble|uk-poster|star-classic|star-2024|nz-1998|crown-6\.1)")
_NAMED = re.compile(r"Harmony|laja|NICC|The Star|[\[(\uff08][A-Z][A-Za-z/ ]+\uff09")
"""What stands in Latin letters in Chinese too: citations, names of the books' own, the names of cuts."""


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


def _judged(name: str, at: int) -> list[tuple[HandReport, HouseWayReport]]:
    """Every setting of some deals as the record has them, over all moments."""
    way = BOOKS[name].house_way()
    found = []
    for number, decision in enumerate(list(way.decisions.values())[at::101]):
        for setting in decision.deal.settings:
            moment = (None, *Moment)[number % 4]
            verdict = way.judge(decision.deal, setting, moment=moment)
            remedy = verdict_remedy(verdict)
            judged = HouseWayReport(
                verdict="correct" if verdict.correct else "wrong",
                expected=SettingReport.of(decision.setting),
                rule=decision.rule.cite,
                explanation=str(verdict_words(verdict)),
                remedy=None if remedy is None else str(remedy),
                reasons=(),
            )
            laid = SettingReport.of(setting)
            hand = HandReport.model_construct(place="house", low=laid.low, high=laid.high, house_way=judged)
            found.append((hand, judged))
    return found


@pytest.mark.parametrize("name", WAYS)
def test_verdicts_are_composed_again_and_said_in_chinese(name: str) -> None:
    way, chinese = get(name), translations("zh-Hant")
    for hand, judged in _judged(name, 7):
        explained = explanation_of(hand, judged, way)
        assert str(explained) == judged.explanation
        assert _bare(explained.said_in(chinese)) == []
        if judged.remedy is not None:
            remedied = remedy_of(judged, way)
            assert str(remedied) == judged.remedy
            assert _bare(remedied.said_in(chinese)) == []


@pytest.mark.parametrize("name", BOOKS)
@pytest.mark.parametrize("reached", [None, (Milestone.TILES_DELIVERED,), (Milestone.FIRST_HAND_EXPOSED,)])
def test_remedies_are_composed_again_and_said_in_chinese(name: str, reached: tuple[Milestone] | None) -> None:
    book, chinese = BOOKS[name], translations("zh-Hant")
    way = replace(get("crown-6.1"), irregularities=book.irregularities)
    for kind in Irregularity:
        found = book.irregularities.remedies(kind, None, reached)
        remedy = str(remedies_words(found))
        report = FindingReport(code="x", message="x", remedy=remedy, options=options_of(found))
        said = remedies_of(report, way)
        assert str(said) == remedy
        assert not isinstance(said, Quote), remedy
        assert _bare(said.said_in(chinese)) == []
        for option in report.options:
            for text in (option.by, option.action, option.where or "player", by_code(Effect, option.effect).value):
                assert _bare(chinese.gettext(text)) == []


def test_what_was_recorded_otherwise_is_quoted() -> None:
    way, (hand, judged) = get("crown-6.1"), _judged("crown-6.1", 7)[0]
    other = judged.model_copy(update={"explanation": "This was said before.", "remedy": "Ask."})
    assert explanation_of(hand, other, way) == Quote("This was said before.")
    assert remedy_of(other, way) == Quote("Ask.")
    assert remedies_of(FindingReport(code="x", message="x", remedy="Ask."), way) == Quote("Ask.")


def test_the_words_of_a_casinos_own_rule_stay_as_they_are() -> None:
    printed = get("crown-6.1")
    first = replace(printed.rules[0], text="Pairs first, says the owner.")
    way = replace(printed, rules=(first, *printed.rules[1:]))
    decision = next(each for each in way.decisions.values() if each.rule is first)
    said = verdict_words(way.judge(decision.deal, decision.setting)).said_in(translations("zh-Hant"))
    assert "Pairs first, says the owner" in said
    assert "\u838a\u5bb6\u64fa\u724c\u6cd5" in said


def _bare(chinese: str) -> list[str]:
    """English words in a Chinese sentence, beside citations and names."""
    return re.findall("[A-Za-z]{3,}", _NAMED.sub("", _CITED.sub("", chinese)))
