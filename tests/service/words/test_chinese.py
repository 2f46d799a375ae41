"""Chinese: the simplified catalogues are those made of the traditional ones, and one thing has one word."""

import re
from pathlib import Path
from typing import Final

import pytest

from service.words.languages import LOCALE, catalogue_of
from service.words.simplified import simplified

_HAN: Final = "[\u3001-\u303f\u4e00-\u9fff\uff01-\uff5e]"
_WESTERN: Final = re.compile(rf"{_HAN}(?<!\u300c) ?[,.:;!?](?= ?{_HAN}|$)|{_HAN} ?\(|\) ?{_HAN}")
"""A Western mark between Chinese characters, after the last one, or a bracket beside one."""


def test_simplified_chinese_is_up_to_date() -> None:
    for path, text in simplified():
        assert path.read_bytes() == text, f"write {path} again: make languages"


@pytest.mark.parametrize("folder", [LOCALE, LOCALE / "rules"], ids=["page", "rules"])
@pytest.mark.parametrize(
    ("other", "word", "where"),
    [
        ("\u8ced\u684c", "\u724c\u684c: table", ""),
        ("\u767c\u724c", "\u6d3e\u724c: to deal", ""),
        ("\u9aa8\u724c", "\u724c: tile", ""),
        ("\u50be\u5074", "\u50be\u659c: to lean", ""),
        ("\u81ea\u6211\u6e2c\u8a66", "\u81ea\u6211\u6aa2\u6e2c: self-test", ""),
        ("\u9996\u500b\u9580\u4f4d", "\u9996\u9580: first box", ""),
        ("\u683c", "\u9580: box", r"\bbox\b"),
        ("\u838a\u724c", "\u838a\u5bb6\u6a19\u8a18: chung", r"\bchung\b"),
        ("\u93e1\u982d", "\u651d\u5f71\u6a5f: camera", r"^(?!.*lens).*\bcamera"),
        ("\u77ed\u7247", "\u7247\u6bb5: clip", r"\bclip\b"),
        ("\u5c0f\u724c", "\u4f4e\u724c: low hand", r"\blow hand\b"),
        ("\u7c92", "\u9846: one of several dice", ""),
        ("\u4f60", "\u60a8: you", ""),
        ("\u672c\u67b1", "\u672c\u684c: this table", ""),
        ("\u5be9\u8a08\u54e1", "\u5be9\u8a08\u4eba\u54e1: auditor", ""),
        ("(?<!\u901a\u884c)\u5bc6\u9470", "\u91d1\u9470: key, but \u901a\u884c\u5bc6\u9470: passkey", ""),
        ("\u8a18\u9304\u9805", "\u689d\u76ee: entry", ""),
        ("\u73ed\u6b21", "\u66f4\u6b21: shift", ""),
        ("\u76ee\u524d", "\u73fe\u6642: now", ""),
        ("\u5730\u5740", "\u4f4d\u5740: address", ""),
        ("\u5716\u7247", "\u5f71\u50cf: picture", ""),
        ("\u724c\u7d44(?!\u5408)", "\u624b\u724c: hand", ""),
        ("\u88c1\u6c7a", "\u88c1\u5b9a: decision", ""),
        ("[\u4e0a\u4e0b]\u5348 ?[0-9%]", "24 hours: time of day", ""),
        ("\u724c\u5177\u8ca0\u8cac", "\u63a5\u7d0d: to accept the tiles", ""),
    ],
)
def test_one_thing_has_one_word(folder: Path, other: str, word: str, where: str) -> None:
    """A Chinese word (a pattern) that stands in no translation, where its English says so; and the word to use."""
    for message in catalogue_of(folder, "zh-Hant"):
        asked, said = (
            " ".join([text] if isinstance(text, str) else text) for text in (message.id, message.string or "")
        )
        if asked and re.search(where, asked, re.IGNORECASE):
            assert not re.search(other, said), f"{asked}: write {word}"


@pytest.mark.parametrize("folder", [LOCALE, LOCALE / "rules"], ids=["page", "rules"])
def test_punctuation_between_chinese_characters_is_chinese(folder: Path) -> None:
    for message in catalogue_of(folder, "zh-Hant"):
        if message.id:
            said = message.string or ""
            for form in (said,) if isinstance(said, str) else said:
                assert not _WESTERN.search(form), form


@pytest.mark.parametrize(
    ("text", "western"),
    [
        ("\u724c, \u684c", True),
        ("\u724c (6-5)", True),
        ("\u724c.", True),
        ("\u724c\uff1a6-5, 4-3\uff08\u684c\uff09\u3002", False),
    ],
)
def test_western_punctuation_is_found(text: str, *, western: bool) -> None:
    assert (_WESTERN.search(text) is not None) == western
