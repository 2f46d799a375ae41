"""Findings about a House Way, and those about what it declares: its source, its rules as cited, its side bets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS
from engine.analysis.side_bets import SIDE_BETS
from engine.house_way.rules import HouseWay, Rule
from engine.messages import Message, message
from engine.vocabulary.citations import NOT_A_SHA256, SHA256, Cite

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
    words: Message
    rules: tuple[Rule, ...] = ()
    deals: tuple[Deal, ...] = ()
    examples: tuple[Message, ...] = ()
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


def wrong(code: str, words: Message, *rules: Rule) -> WayFinding:
    return WayFinding(code, fault=True, words=words, rules=rules)


def note(code: str, words: Message, *rules: Rule) -> WayFinding:
    return WayFinding(code, fault=False, words=words, rules=rules)


def fault(code: str, words: Message, deals: Iterable[Deal], examples: Iterable[Message], *rules: Rule) -> WayFinding:
    """A fault on some deals, with the first of the examples."""
    shown = tuple(islice(examples, _EXAMPLES))
    return WayFinding(code, fault=True, words=words, rules=rules, deals=tuple(deals), examples=shown)


def number_of(deals: Iterable[Deal]) -> Message:
    """Say how many of all deals these are."""
    return message("{count} of {all} deals", count=ways_of(deals), all=HANDS)


def ways_of(deals: Iterable[Deal]) -> int:
    """Number of physical deals (of 35,960) that these deals by face represent."""
    return sum(deal.ways for deal in deals)


_NO_SHA256 = message(
    "the file does not say from which text of the document the rules were written, so nobody can check it later: save "
    "that text, compute its fingerprint with {command}, and write it under {table} as {key}",
    command="sha256sum FILE",
    table="[house_way]",
    key='sha256 = "..."',
)


def declarations(way: HouseWay, taken: Collection[str]) -> Iterator[WayFinding]:
    """Faults in the declarations of a House Way; its ids must not be among those ``taken``."""
    yield from (replace(each, at=way.place) for each in _source(way.source, taken))
    names = Counter(each.name for each in way.rules if isinstance(each, Rule))
    for number, rule in enumerate(way.rules, 1):
        if isinstance(rule, Rule):
            yield from _declared(rule, way.rulebook)
        else:
            yield wrong(
                "declaration",
                message(
                    "rule {number} is no rule but {what}: put {remedy} before it",
                    number=number,
                    what=repr(rule),
                    remedy="@rule(cite=..., refusal=...)",
                ),
            )
    for name, times in names.items():
        if times > 1:
            called = [each for each in way.rules if isinstance(each, Rule) and each.name == name]
            words = message(
                "{times} rules are called {name}: give each its own name, and ask it once", times=times, name=name
            )
            yield wrong("name", words, *called)
    for bet in way.side_bets:
        if bet not in SIDE_BETS:
            yield wrong(
                "side bet",
                message("no side bet is called {bet}; known: {known}", bet=repr(bet), known=", ".join(SIDE_BETS)),
            )
    for one in way.definitions:
        if not isinstance(one.cite, Cite) or one.cite.rulebook != way.rulebook or not one.text.strip():
            yield wrong(
                "definition",
                message(
                    "{word} is defined without a citation of {rulebook} or without a text",
                    word=repr(one.word),
                    rulebook=way.rulebook,
                ),
            )
    if way.irregularities is None:
        yield note(
            "remedy",
            message(
                "no irregularities are named: unless a rulebook is, the supervisor decides about a hand set wrongly"
            ),
        )


def _source(source: Source, taken: Collection[str]) -> Iterator[WayFinding]:
    for name, value in (("id", source.rulebook), ("title", source.title), ("revision", source.revision)):
        if not value.strip():
            yield wrong(
                "source", message("the source has no {key}: write it down, records and cards print it", key=name)
            )
    if source.rulebook in taken:
        yield wrong("id", message("the id {id} is another rulebook's: give this one its own", id=source.rulebook))
    if not source.sha256:
        yield note("source", _NO_SHA256)
    elif not SHA256.fullmatch(source.sha256):
        yield wrong("source", NOT_A_SHA256)


def _declared(rule: Rule, rulebook: str) -> Iterator[WayFinding]:
    cite, name = rule.cite, rule.name
    if not isinstance(cite, Cite) or not cite.section.strip():
        words = message(
            "{name} cites no section: write {remedy} with the section as printed",
            name=name,
            remedy="cite=SOURCE.at(...)",
        )
        yield wrong("citation", words, rule)
    elif cite.rulebook != rulebook:
        yield wrong(
            "citation",
            message("{name} cites {rule}, another document than {rulebook}", name=name, rule=cite, rulebook=rulebook),
            rule,
        )
    if not rule.text.strip():
        words = message("{name} has no text: write the rule in plain words as the function's docstring", name=name)
        yield wrong("text", words, rule)
    if not rule.refusal:
        yield wrong(
            "refusal",
            message(
                "{name} gives no reason to a setting that it refuses: write {remedy}", name=name, remedy="refusal=..."
            ),
            rule,
        )
