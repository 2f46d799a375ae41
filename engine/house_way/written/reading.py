"""A House Way read from a TOML file: its source, kinds, rules and examples; `docs/house-way-of-your-own.md`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from engine.errors import DealError, IllegalSettingError, TileError
from engine.game.setting import Setting
from engine.house_way.rules import Definition, Example, HouseWay, Rule
from engine.house_way.written.phrases import Phrase, displayable
from engine.house_way.written.sheet import Sheet
from engine.house_way.written.vocabulary import Vocabulary, kind_of_hand, one_of
from engine.house_way.written.written_rule import WrittenException, WrittenRule, case_of, reason_of
from engine.messages import Listed, Message, message
from engine.vocabulary.citations import NOT_A_SHA256, SHA256, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from datetime import date

    from engine.game.hands import Hand
    from engine.house_way.rules import Place
    from engine.house_way.terms import Group
    from engine.house_way.written.sheet import Entry, Text
    from engine.house_way.written.written_rule import Case
    from engine.vocabulary.irregularities import Irregularities

    FindRule = Callable[[str, str], Rule | None]

T = TypeVar("T")

MOST_RULES = 300
_ID = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")


def _no_rule(_id: str, _name: str) -> Rule | None:
    return None


def way_of(
    data: bytes,
    file: str,
    *,
    source: Source | None = None,
    rulebooks: Collection[str] = (),
    find_rule: FindRule = _no_rule,
) -> tuple[HouseWay, str | None]:
    """Read a House Way.

    Args:
        data: content of the file.
        file: its name, for errors.
        source: the document, if it is one of the books; its file then has no title, revision and sha256.
        rulebooks: ids of the rulebooks it may be played under.
        find_rule: looks up a rule of another House Way by its id and the rule's name, for ``same_as``.

    Returns:
        The House Way with its later versions, without irregularities, and the rulebook under which it is played.

    Raises:
        WayFileError: the file has mistakes; the error holds all of them.
    """
    sheet = Sheet(data, file)
    top = sheet.top()
    head, kinds = top.entry("house_way"), top.entries("kind")
    rules, examples = top.entries("rule"), top.entries("example")
    top.finish()
    top.needs("house_way", message("begin with {table} and its id, title and revision", table="[house_way]"))
    top.needs("rule", message("write one rule or more, each under {table}", table="[[rule]]"))
    if len(rules) > MOST_RULES:
        top.wrong(
            "rule", message("these are {count} rules; more than {most} are not read", count=len(rules), most=MOST_RULES)
        )
        rules = ()
    under = None if head is None else head.text("rulebook")
    if head is not None and under is not None and under.text not in rulebooks:
        head.wrong(
            "rulebook",
            message(
                "no rulebook is called {id}; known: {known}",
                id=displayable(under.text),
                known=", ".join(rulebooks) if rulebooks else message("none"),
            ),
        )
    document = source or _source(head)
    if source is not None and head is not None:
        _same_id(head, source)
    known = Vocabulary()
    definitions = tuple(filter(None, [_kind(each, known, document) for each in kinds]))
    written = tuple(_Written.of(each, tuple(_rules(each, known, document, find_rule))) for each in rules)
    shown = tuple(_Written.of(each, _example(each)) for each in examples)
    if head is not None:
        head.finish()
    place = None if head is None else head.place
    changes = {*chain.from_iterable(each.days for each in written), *chain.from_iterable(each.days for each in shown)}
    days: list[date | None] = [None, *sorted(changes)]
    ways = [_version(document, definitions, written, shown, place, day) for day in days]
    sheet.raise_mistakes()
    first, *later = (
        replace(way, text_sha256="" if source is not None and way.in_force is None else _hash(kinds, written, way))
        for way in ways
    )
    later = [
        replace(way, source=replace(document, revision=_amended(document, way), sha256=way.text_sha256))
        for way in later
    ]
    return replace(first, later=tuple(later)), None if under is None else under.text


@dataclass(frozen=True, slots=True)
class _Written(Generic[T]):
    """A rule or example of the file, with the days between which it is in force."""

    entry: Entry
    read: T
    starts: date | None
    ends: date | None

    @classmethod
    def of(cls, entry: Entry, read: T) -> Self:
        starts, ends = entry.day("from"), entry.day("until")
        if starts is not None and ends is not None and ends <= starts:
            entry.wrong(
                "until",
                message(
                    "{until} is the first day on which it is no longer in force, after its first day, {since}",
                    until="until",
                    since="from",
                ),
            )
        entry.finish()
        return cls(entry, read, starts, ends)

    @property
    def days(self) -> tuple[date, ...]:
        return tuple(day for day in (self.starts, self.ends) if day is not None)

    def holds(self, day: date | None) -> bool:
        """Whether it is in force on a day; None for before all of them."""
        if day is None:
            return self.starts is None
        return (self.starts is None or self.starts <= day) and (self.ends is None or day < self.ends)


def _version(
    source: Source,
    definitions: tuple[Definition, ...],
    rules: tuple[_Written[tuple[Rule, ...]], ...],
    examples: tuple[_Written[Example | None], ...],
    place: Place | None,
    day: date | None,
) -> HouseWay:
    """The House Way in force from a day; None for its first version."""
    named = _with_names([rule for each in rules if each.holds(day) for rule in each.read])
    sections = {rule.cite.section for rule in named}
    shown = []
    for each in examples:
        if not each.holds(day) or each.read is None:
            continue
        if each.read.section and each.read.section not in sections:
            each.entry.wrong("rule", _no_rule_with(displayable(each.read.section), day))
        shown.append(each.read)
    if rules and not any(each.holds(day) for each in rules):
        rules[0].entry.wrong("from", _no_rule_in_force(day))
    return HouseWay(source, named, definitions=definitions, examples=tuple(shown), place=place, in_force=day)


def _no_rule_with(number: str, day: date | None) -> Message:
    if day is None:
        return message("no rule has the number {number}", number=number)
    return message("no rule has the number {number} on {day}", number=number, day=day)


def _no_rule_in_force(day: date | None) -> Message:
    if day is None:
        return message("no rule is in force before the first day of a rule")
    return message("no rule is in force on {day}", day=day)


def _amended(source: Source, way: HouseWay) -> str:
    return f"{source.revision}, amended {way.in_force}"


def _hash(kinds: Iterable[Entry], rules: Iterable[_Written[tuple[Rule, ...]]], way: HouseWay) -> str:
    """Of the text of kinds and rules in force, whatever other versions the file has."""
    text = [each.written() for each in (*kinds, *(each.entry for each in rules if each.holds(way.in_force)))]
    return sha256(json.dumps(text, sort_keys=True, default=str).encode()).hexdigest()


def printed_way(
    package: str,
    source: Source,
    irregularities: Irregularities,
    *,
    side_bets: tuple[str, ...] = (),
    like: HouseWay | None = None,
) -> HouseWay:
    """The House Way of a book, from ``house_way.toml`` in its folder.

    Args:
        package: the book's folder as a package.
        source: the document.
        irregularities: the book's irregularities, for hands set wrongly.
        side_bets: offered by the book.
        like: the House Way of another book that some rules refer to.
    """

    def of_the_other(book: str, name: str) -> Rule | None:
        if like is None or book != like.rulebook:
            return None
        return next((rule for rule in like.rules if rule.name == name), None)

    file = resources.files(package) / "house_way.toml"
    way, _ = way_of(file.read_bytes(), str(file), source=source, find_rule=of_the_other)
    later = tuple(replace(each, irregularities=irregularities, side_bets=side_bets) for each in way.later)
    return replace(way, irregularities=irregularities, side_bets=side_bets, later=later)


# Source


def _source(head: Entry | None) -> Source:
    if head is None:
        return Source("", "", "")
    for key, why in (
        ("id", message("such as {example}", example='id = "example-2026"')),
        ("title", message("what the document is called")),
        ("revision", message("its version or date")),
    ):
        head.needs(key, why)
    name, title, revision = head.text("id"), head.text("title"), head.text("revision")
    sha256 = head.text("sha256")
    if name and (len(name.text) > 40 or not _ID.fullmatch(name.text) or name.text.endswith((".py", ".toml"))):
        head.wrong(
            "id",
            message(
                "an id is made of small letters, digits, hyphens and dots, at most 40, such as {example}",
                example="example-2026",
            ),
        )
    if sha256 and not SHA256.fullmatch(sha256.text):
        head.wrong("sha256", NOT_A_SHA256)
    return Source(*(str(each or "") for each in (name, title, revision, sha256)))


def _same_id(head: Entry, source: Source) -> None:
    name = head.text("id")
    if name is None or name.text != source.rulebook:
        head.wrong("id", message("this is the file of {rulebook}", rulebook=source.rulebook))


# Kinds


def _kind(entry: Entry, known: Vocabulary, source: Source) -> Definition | None:
    """Define a kind of tile or hand; it may use kinds defined above it, so cycles are impossible."""
    name, number, text = entry.text("name"), entry.text("number"), entry.text("text")
    tiles, hand, rulings = entry.text("tiles"), entry.text("hand"), entry.numbers("rulings")
    entry.finish()
    entry.needs("name", message("such as {example}", example='name = "harmony 3"'))
    if entry.has("tiles") == entry.has("hand"):
        wanted = message(
            "a kind says what its tiles or what its hand may be: one of {keys}",
            keys=Listed(('tiles = "..."', 'hand = "..."'), "and"),
        )
        entry.sheet.mistake(entry.place, wanted)
    words = None if name is None else entry.sheet.read(name, known.new_name)
    group = None if tiles is None else entry.sheet.read(tiles, lambda phrase: _group(phrase, known))
    fits = None if hand is None else entry.sheet.read(hand, lambda phrase: _hand(phrase, known))
    if words is None or name is None:
        return None
    if group:
        known.tiles[words] = group
    if fits:
        known.hands[words] = fits
    given = text or tiles or hand
    section = str(number or name)
    return Definition(str(name), str(given), source.at(section), rulings, fits) if hand or text else None


def _group(text: str, known: Vocabulary) -> Group:
    phrase = Phrase(text)
    found = one_of(phrase, known, commas=True)
    phrase.end(message("tiles are written such as: {example}", example="teen, day or high 8"))
    return found


def _hand(text: str, known: Vocabulary) -> Callable[[Hand], bool]:
    phrase = Phrase(text)
    found = kind_of_hand(phrase, known)
    phrase.end(message("hands are written such as: {example}", example="4 or better, or 3 with teen/day"))
    return found


# Rules


def _rules(entry: Entry, known: Vocabulary, source: Source, find_rule: FindRule) -> Iterator[Rule]:
    """A rule, preceded by those of its exceptions that are separate rules."""
    if entry.has("same_as"):
        yield from _same_rule(entry, source, find_rule)
        return
    case = case_of(entry, known)
    exceptions = entry.entries("exception")
    entry.needs("number", message("the rule's number as printed, such as {example}", example='number = "7.4.1"'))
    cases = [case_of(each, known) for each in exceptions]
    within = tuple(one for each, one in zip(exceptions, cases, strict=True) if not _is_own(each))
    own = [(each, one) for each, one in zip(exceptions, cases, strict=True) if _is_own(each)]
    number = entry.text("number")
    for each, one in own:
        yield _rule(each, one, WrittenException(one, case), source, within=(), above=number)
    allow = WrittenRule(case, within, tuple(one for _, one in own))
    yield _rule(entry, case, allow, source, within=within)
    for each in exceptions:
        each.finish()


def _is_own(exception: Entry) -> bool:
    """Whether an exception is a separate rule with its own citation rather than part of the rule it excepts."""
    return any(exception.has(key) for key in ("number", "name", "text", "rulings", "refusal", "dealers_choice"))


def _rule(
    entry: Entry,
    case: Case,
    allow: WrittenRule | WrittenException,
    source: Source,
    within: tuple[Case, ...],
    above: Text | None = None,
) -> Rule:
    number, name, text = entry.text("number") or above, entry.text("name"), entry.text("text")
    return Rule(
        name=str(name or ""),
        cite=source.at(str(number or "")),
        text=str(text or case.text),
        allow=allow,
        refusal=reason_of(entry, case, within),
        rulings=entry.numbers("rulings"),
        dealers_choice=entry.flag("dealers_choice"),
        place=entry.place,
    )


def _same_rule(entry: Entry, source: Source, find_rule: FindRule) -> Iterator[Rule]:
    same, number, name, text = (entry.text(key) for key in ("same_as", "number", "name", "text"))
    entry.needs("number", message("the rule's number as printed here"))
    if same is None:
        return
    way, _, rule = str(same).partition(" ")
    found = find_rule(way, rule)
    if found is None:
        entry.wrong(
            "same_as",
            message(
                "{name} is no rule of a printed House Way: write its id and the rule's name",
                name=displayable(str(same)),
            ),
        )
        return
    yield replace(
        found,
        cite=source.at(str(number or "")),
        name=str(name or found.name),
        text=str(text or found.text),
        place=entry.place,
    )


def _with_names(rules: list[Rule]) -> tuple[Rule, ...]:
    """Rules without a name are named by their number; duplicates get a suffix."""
    taken = {rule.name for rule in rules}
    named = []
    for rule in rules:
        name, times = rule.name or f"rule {rule.cite.section}", 1
        if not rule.name:
            while name in taken:
                times += 1
                name = f"rule {rule.cite.section}, part {times}"
            taken.add(name)
        named.append(replace(rule, name=name))
    return tuple(named)


# Examples


def _example(entry: Entry) -> Example | None:
    written, rule = entry.texts("set"), entry.text("rule")
    entry.needs(
        "set", message("the setting that is wanted, low / high, such as {example}", example='set = "6-6 2-1 / 6-3 5-4"')
    )
    settings = []
    for each in written:
        try:
            settings.append(Setting.parse(each.text))
        except (DealError, IllegalSettingError, TileError) as error:
            entry.sheet.mistake(entry.sheet.places.value(each.path), error.reason)
    if len({setting.deal for setting in settings}) > 1:
        entry.wrong("set", message("these settings are not of the same four tiles"))
        return None
    return Example(tuple(settings), str(rule or ""), entry.place) if settings else None
