"""The source documents of the rules, and citations.

The full texts are not part of this repository; their hashes identify the exact text that was used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from engine.messages import message

SHA256: Final = re.compile(r"[0-9a-f]{64}")
NOT_A_SHA256: Final = message(
    "the fingerprint of the source is not 64 digits 0-9 and letters a-f: copy what {command} prints for its text",
    command="sha256sum FILE",
)


class Cite(str):
    """Where a rule is printed, such as ``crown-6.1 7.4.1``; a string that keeps its parts.

    Attributes:
        rulebook: the rulebook's id.
        section: the section as printed.
    """

    __slots__ = ("rulebook", "section")
    rulebook: str
    section: str

    def __new__(cls, rulebook: str, section: str) -> Self:
        cite = super().__new__(cls, f"{rulebook} {section}")
        cite.rulebook = rulebook
        cite.section = section
        return cite

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # other than those of str
        # For pickle, which would make it of its text alone: rules are also checked in other processes.
        return self.rulebook, self.section

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a citation such as ``crown-6.1 7.4.1``; `ValueError` if it is invalid."""
        rulebook, _, section = text.partition(" ")
        if not rulebook or not section:
            raise ValueError(f"{text!r} is no citation: write a rulebook and a rule of it, as in 'crown-6.1 16.2.2'")
        return cls(rulebook, section)


@dataclass(frozen=True, slots=True)
class Source:
    """A source document of rules.

    Attributes:
        rulebook: its id, as used in configuration and commands.
        revision: version or date.
        sha256: of the text the rules were written from; empty otherwise.
    """

    rulebook: str
    title: str
    revision: str
    sha256: str = ""

    def at(self, section: str) -> Cite:
        return Cite(self.rulebook, section)


CROWN = Source(
    "crown-6.1",
    "Crown Melbourne, Pai Gow Rules",
    revision="6.1",
    sha256="61a328f6c18490bc9c6f17f8a04eba037d55f6055b29c5dc8c27ec490bf6c601",
)

NZ = Source(
    "nz-1998",
    "New Zealand Gazette, Casino Control Authority, Division 12: Pai Gow",
    revision="1998-02-01",
    sha256="c734f64d25c661a53b02c8469b6ebe40cad3a2e5fa4afab66e9853b3b561f909",
)

STAR_2024 = Source(
    "star-2024",
    "The Star Sydney, Pai Gow, game rules DF24/017426",
    revision="2024-08-16",
    sha256="6257b0b831858491be369e7b23d489ec17a466857d4b5a68b27b2015ea7e01fc",
)

STAR_CLASSIC = Source(
    "star-classic",
    "The Star Sydney, Official Rules of Pai Gow (older page)",
    revision="undated, before 2024",
    sha256="e6fffe5b286fda35081e634f672f863ab3ecf5f9ea60e49744ae66e4813a3e68",
)
UK = Source(
    "uk-poster",
    "Pai Gow Tiles, rules displayed in a British casino",
    revision="undated",
    sha256="81fa3993bf069329b211521f90f6b00452a4b2060042b1dad5531ae170bca3d4",
)


def read_under(rulings: tuple[int, ...]) -> str:
    """The rulings as text: ``read under ruling 26``; empty for none."""
    word = "ruling" if len(rulings) == 1 else "rulings"
    return f"read under {word} {' and '.join(map(str, rulings))}" if rulings else ""


def where(cite: Cite, rulings: tuple[int, ...]) -> str:
    """A citation with its rulings: ``nz-1998 9.6, read under ruling 26``."""
    return ", ".join(filter(None, (cite, read_under(rulings))))


SOURCES = {source.rulebook: source for source in (CROWN, NZ, STAR_2024, STAR_CLASSIC, UK)}
"""The five documents by id."""
