"""Chinese: the simplified catalogues are those made of the traditional ones, and one thing has one word."""

import re
from pathlib import Path

import pytest

from service.words.languages import LOCALE, catalogue_of
from service.words.simplified import simplified


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
    ],
)
def test_one_thing_has_one_word(folder: Path, other: str, word: str, where: str) -> None:
    """A Chinese word that stands in no translation, where its English says so; and the word to use."""
    for message in catalogue_of(folder, "zh-Hant"):
        asked, said = (
            " ".join([text] if isinstance(text, str) else text) for text in (message.id, message.string or "")
        )
        if asked and re.search(where, asked, re.IGNORECASE):
            assert other not in said, f"{asked}: write {word}"
