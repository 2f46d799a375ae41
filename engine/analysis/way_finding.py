"""Findings about a House Way, and those about what it declares: its source, its rules as cited, its side bets."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS
from engine.analysis.side_bets import SIDE_BETS
from engine.house_way.rules import HouseWay, Rule
from engine.vocabulary.citations import Cite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from engine.game.setting import Deal
    from engine.house_way.rules import Place
    from engine.vocabulary.citations import Source


_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class WayFinding:
    """A problem that the owner of a House Way should fix, or a fact to know.

    Attributes:
        code: identifier such as ``undecided``.
        fault: whether it must be corrected.
        words: description and advice.
        rules: the rules concerned.
        deals: the deals concerned.
        examples: some of the deals, with what happens to them.
        at: position in a file, if not where its rules start.
    """

    code: str
    fault: bool
    words: str
    rules: tuple[Rule, ...] = ()
    deals: tuple[Deal, ...] = ()
    examples: tuple[str, ...] = ()
    at: Place | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        if self.at is not None:
            return (self.at,)
        return tuple(dict.fromkeys(rule.place for rule in self.rules if rule.place is not None))

    @property
    def ways(self) -> int:
        """How many of the 35,960 deals are concerned."""
        return ways_of(self.deals)


def wrong(code: str, words: str, *rules: Rule) -> WayFinding:
    return WayFinding(code, fault=True, words=words, rules=rules)


def note(code: str, words: str, *rules: Rule) -> WayFinding:
    return WayFinding(code, fault=False, words=words, rules=rules)


def fault(code: str, words: str, deals: Iterable[Deal], examples: Iterable[str], *rules: Rule) -> WayFinding:
    """A fault on some deals; ``{deals}`` in the text is replaced by their number."""
    found = tuple(deals)
    counted = f"{ways_of(found):,} of {HANDS:,} deals"
    return WayFinding(
        code,
        fault=True,
        words=words.replace("{deals}", counted),
        rules=rules,
        deals=found,
        examples=tuple(islice(examples, _EXAMPLES)),
    )


def ways_of(deals: Iterable[Deal]) -> int:
    """Number of physical deals (of 35,960) that these deals by face represent."""
    return sum(deal.ways for deal in deals)


_SHA256 = re.compile(r"[0-9a-f]{64}")


def declarations(way: HouseWay, taken: Collection[str]) -> Iterator[WayFinding]:
    """Faults in the declarations of a House Way; its ids must not be among those ``taken``."""
    yield from (replace(each, at=way.place) for each in _source(way.source, taken))
    names = Counter(each.name for each in way.rules if isinstance(each, Rule))
    for number, rule in enumerate(way.rules, 1):
        if isinstance(rule, Rule):
            yield from _declared(rule, way.rulebook)
        else:
            yield wrong(
                "declaration", f"rule {number} is no rule but {rule!r}: put @rule(cite=..., refusal=...) before it"
            )
    for name, times in names.items():
        if times > 1:
            called = [each for each in way.rules if isinstance(each, Rule) and each.name == name]
            words = f"{times} rules are called {name}: give each its own name, and ask it once"
            yield wrong("name", words, *called)
    for bet in way.side_bets:
        if bet not in SIDE_BETS:
            yield wrong("side bet", f"no side bet is called {bet!r}; known: {', '.join(SIDE_BETS)}")
    for one in way.definitions:
        if not isinstance(one.cite, Cite) or one.cite.rulebook != way.rulebook or not one.text.strip():
            yield wrong("definition", f"{one.word!r} is defined without a citation of {way.rulebook} or without a text")
    if way.irregularities is None:
        yield note(
            "remedy",
            "no irregularities are named: unless a rulebook is, the supervisor decides about a hand set wrongly",
        )


def _source(source: Source, taken: Collection[str]) -> Iterator[WayFinding]:
    for name, value in (("id", source.rulebook), ("title", source.title), ("revision", source.revision)):
        if not value.strip():
            yield wrong("source", f"the source has no {name}: write it down, records and cards print it")
    if source.rulebook in taken:
        yield wrong("id", f"the id {source.rulebook} is another rulebook's: give this one its own")
    if not source.sha256:
        yield note("source", "the source has no sha256: which text the rules were written from cannot be told later")
    elif not _SHA256.fullmatch(source.sha256):
        words = "the sha256 of the source is not 64 digits 0-9 and a-f: write that of the document's text"
        yield wrong("source", words)


def _declared(rule: Rule, rulebook: str) -> Iterator[WayFinding]:
    cite, name = rule.cite, rule.name
    if not isinstance(cite, Cite) or not cite.section.strip():
        words = f"{name} cites no section: write cite=SOURCE.at(...) with the section as printed"
        yield wrong("citation", words, rule)
    elif cite.rulebook != rulebook:
        yield wrong("citation", f"{name} cites {cite}, another document than {rulebook}", rule)
    if not rule.text.strip():
        words = f"{name} has no text: write the rule in plain words as the function's docstring"
        yield wrong("text", words, rule)
    if not rule.refusal:
        yield wrong("refusal", f"{name} gives no reason to a setting that it refuses: write refusal=...", rule)
