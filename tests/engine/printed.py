"""The numbers that the documents print, read from the texts themselves.

The texts were copied from scans and web pages: numbers follow bullets, stars and hashes, and some are damaged.
Corrections to the text are explained beside them.
"""

import re
from collections.abc import Callable, Iterator

_ORNAMENT = re.compile(r"^[\s#*\u2022-]*")
_DOTTED = re.compile(r"(\d+(?:\.\d+)+)\b")
_BRACKETED = re.compile(r"\(?([a-z]+)\) ")
_ROMAN = re.compile(r"[ivx]+")


def _lines(text: str, start: str) -> Iterator[str]:
    """Lines from the one with this prefix (skipping titles and table of contents), without ornaments."""
    found = False
    for line in text.splitlines():
        found = found or line.startswith(start)
        if found:
            yield _ORNAMENT.sub("", line).rstrip(" *")


class _Numbers:
    """Turns numbers, letters and roman numerals as printed into full ones."""

    def __init__(self) -> None:
        self.rule = self.letter = ""

    def read(self, line: str, before: str = "") -> str | None:
        """The full number that a line begins with; `before` is the name of the appendix it stands in."""
        if match := _DOTTED.match(line):
            self.rule, self.letter = before + match[1], ""
            return self.rule
        match = _BRACKETED.match(line)
        if match is None or not self.rule:
            return None
        mark = match[1]
        roman = _ROMAN.fullmatch(mark) and not (mark == "i" and self.letter == "h")  # behind (h), (i) is a letter
        if roman:
            return f"{self.rule}({self.letter})({mark})" if self.letter else f"{self.rule}({mark})"
        if len(mark) > 1:
            return None
        self.letter = mark
        return f"{self.rule}({mark})"


def crown(text: str) -> Iterator[str]:
    numbers = _Numbers()
    for line in _lines(text, "1 DEFINITIONS"):
        if match := re.fullmatch(r"(\d+) [A-Z ]+", line):
            yield match[1]
        elif numbers.rule == "1.1" and (match := re.match(r"['\u2018]\**(.+?)\**['\u2019]", line)):
            yield f"1.1 {match[1]}"
        elif match := re.match(r"(Table \d) \u2013|(Appendix \d) \u2013|(Diagram [AB])$", line.title()):
            yield match[match.lastindex or 0]
            numbers = _Numbers() if match[2] else numbers
        elif numbers.rule == "9.1" and line.startswith("(c)"):
            continue  # the footnote to 9.1 quotes the Casino Control Act
        elif number := numbers.read(line):
            yield number
        elif not numbers.rule:
            yield from _crown_appendix(line)


def _crown_appendix(line: str) -> Iterator[str]:
    if line in ("Pairs", "Individual"):
        yield f"Appendix 1: {line}"
    elif line == "Wongs Gongs and Higs":  # damaged
        yield "Appendix 1: Wongs, Gongs and High Nines"
    elif match := re.match(
        r"([A-Z ]+) - [A-Z ]+$|SETTING UP ([A-Z ]+ DI CHUT)|DELIVERY ORDER - (Long Tau|Fong May)", line
    ):
        yield f"Appendix 2: {(match[match.lastindex or 0]).title()}"


def new_zealand(text: str) -> Iterator[str]:
    numbers, before = _Numbers(), ""
    text = re.sub(r"\*\*(?=\d)", "\n", text)  # the heading of section 11.0 and rule 11.1 stand on one line
    for line in _lines(text, "1.0 Interpretation"):
        if numbers.rule == "1.0" and (match := re.match(r"(?:to )?\u201c\**(.+?)\**\u201d", line)):
            yield f"1.0 {match[1]}"
        elif numbers.rule == "1.0" and line.startswith("("):
            continue  # a definition's own parts
        elif match := re.match(r"(Appendix \d)\b", line):
            before, numbers = f"{match[1]}: ", _Numbers()
            yield match[1]
        elif before == "Appendix 2: " and line in ("PAIRS", "WONGS, GONGS AND HIGH NINES"):
            yield before + {"PAIRS": "Pairs"}.get(line, "Wongs, Gongs and High Nines")
        elif before == "Appendix 4: " and (match := re.match(r"(\d)\. ", line)):
            numbers.rule, numbers.letter = before + match[1], ""
            yield numbers.rule
        elif number := numbers.read(line, before):
            yield number


def star_2024(text: str) -> Iterator[str]:
    yield from _star(text, "# 1. Definitions", "line")


def star_classic(text: str) -> Iterator[str]:
    yield from _star(text, "1. Definitions", "point")


def _star(text: str, start: str, called: str) -> Iterator[str]:
    numbers, before = _Numbers(), ""
    section, points = "", 0
    for line in _lines(text, start):
        if numbers.rule == "1.1" and (match := re.match(r"[\u201c\"]\**(.+?)\**[\u201d\"]", line)):
            yield f"1.1 {match[1]}"
        elif match := re.match(r"(Appendix \d)|(Diagram) [\"']?([AB])", line.title()):
            yield match[1] or f"Diagram {match[3]}"
            before, numbers = f"{match[1]}: ", _Numbers()
            section = ""
        elif line == "Gee Jun (Gee)":  # the pairs have no heading
            yield f"{before}Pairs"
        elif before == "Appendix 1: " and line == "Wongs, Gongs and High Nines":
            yield before + line
        elif match := re.match(r"(\d+)\. ", line):
            section, points = before + match[1], 0
            yield section
        elif line.startswith("The exceptions listed above"):
            section, points = f"{before}format", 0
            yield section
        elif number := numbers.read(line, before):
            yield number
        elif line and _has_points(section, called):
            points += 1
            yield f"{section} {called} {points}"


def _has_points(section: str, called: str) -> bool:
    """Whether the lines below are rules of their own: on the older page all of sections 4 to 7, in 2024 of 7 alone."""
    return section.startswith("Appendix 2: ") and section[-1] in ("4567t" if called == "point" else "7t")


def uk(text: str) -> Iterator[str]:
    """The poster has no numbers: its bulleted points are counted, other text is identified by its first words."""
    named = {
        "The rules for Pai Gow Tiles": "preamble",
        "THE RANKINGS OF HANDS": "Rankings",
        "THE HOUSE EDGE FOR": "House edge",
        "PAI GOW RANKING CHART": "Ranking chart",
    }
    points = 0
    for line in text.splitlines():
        if line.startswith(("- ", "\u2022 ")):
            points += 1
            yield f"point {points}"
        yield from (name for words, name in named.items() if line.startswith(words))


TEXTS: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "crown-6.1": ("crown-melbourne-v6.1.txt", crown),
    "nz-1998": ("nz-gazette-1998-division-12.txt", new_zealand),
    "star-2024": ("star-sydney-2024.txt", star_2024),
    "star-classic": ("star-sydney-classic.txt", star_classic),
    "uk-poster": ("uk-casino-poster.txt", uk),
}
