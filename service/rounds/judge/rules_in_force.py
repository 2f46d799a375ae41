"""The rules that a round is judged by: those in force when it started, in the casino's time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Self

from engine.books.house_ways import declared, known_ids, read_again
from engine.books.registry import VERSIONS, rulebook
from engine.books.way_files import is_file
from engine.errors import EngineError, UnknownRulebookError
from engine.house_way.rules import HouseWay, Rule
from engine.vocabulary.citations import Source
from engine.vocabulary.play import Lie
from vision.reading import FEWEST_DICE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date, tzinfo

    from engine.books.book import Rulebook
    from engine.game.setting import Deal
    from engine.house_way.rules import Settings, WayFile
    from service.rounds.reports import RoundReport

    RulesOf = Callable[[RoundReport], "RulesInForce"]


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """The rules of one moment.

    Attributes:
        book: the rulebook in its version, of the variant played; None for a House Way that is played under no rulebook.
        house_way: in its version, with the remedies of the book.
    """

    book: Rulebook | None
    house_way: HouseWay

    @property
    def rulebook(self) -> str:
        """Id of the rulebook whose remedies apply; of the House Way itself if it is played under none."""
        return self.house_way.played_under

    def check_in_force(self, day: date) -> None:
        """Refuse a day before the first one of the rulebook or of the House Way's own; a round is judged even then.

        Raises:
            RulebookVersionError: it was not in force yet.
        """
        for name in (self.rulebook, self.house_way.rulebook):
            if name in VERSIONS:
                rulebook(name, on=day)

    def low_hand(self, configured: Lie | None) -> Lie:
        """Return how a low hand lies, as the dealer sees it.

        The table's settings take precedence over the rulebook; a low hand is upright if neither says it (ruling 39).
        """
        return configured or (Lie.VERTICAL if self.book is None else self.book.play.low_hand.value)

    @property
    def fewest_dice(self) -> int:
        """With fewer dice in sight some of a throw are hidden."""
        return FEWEST_DICE if self.book is None else min(FEWEST_DICE, self.book.dice.fewest)

    @property
    def versions(self) -> dict[str, str]:
        """What a round records of them, and is judged by later on: see `rules_of`."""
        return {
            "rulebook": self.rulebook,
            **({} if self.book is None else {"rulebook_version": self.book.version}),
            **({} if self.book is None or self.book.variant is None else {"variant": self.book.variant}),
            "house_way": _identity(self.house_way),
        }


class LoadedRules(NamedTuple):
    """The rules of a table for another process: as the settings name them, and the file that was read at the start."""

    rulebook: str
    house_way: str | None
    file: WayFile | None

    @property
    def rules(self) -> TableRules:
        """The same rules; errors as for `TableRules.of`."""
        return TableRules.of(self.rulebook, self.house_way, file=self.file)


@dataclass(frozen=True, slots=True, eq=False)
class TableRules:
    """The rules of a table over time. A House Way of the casino's own is read once, in all its versions.

    Attributes:
        rulebook: as the settings name it.
        house_way: as the settings name it; None for the rulebook's own.
        zone: the casino's time zone, which decides when a day starts.
        own: the first version of the House Way, if it is not one that a rulebook prints.
        variant: the variant of the rulebook that is played; None for Pai Gow itself.
    """

    rulebook: str
    house_way: str | None
    zone: tzinfo
    own: HouseWay | None
    variant: str | None = None

    @classmethod
    def of(
        cls,
        rulebook: str,
        house_way: str | None = None,
        zone: tzinfo = UTC,
        variant: str | None = None,
        file: WayFile | None = None,
    ) -> Self:
        """Find the rules by the ids or files that the settings name; ``rulebook`` may itself be a House Way.

        Args:
            rulebook: as the settings name it.
            house_way: as the settings name it.
            zone: the casino's time zone.
            variant: as the settings name it.
            file: the casino's own House Way as another process read it, which is used whatever the file holds now.

        Raises:
            UnknownRulebookError: there is none of this name, the rulebook prints none and none is named (ruling 12), or
                has no such variant.
            RulebookFileError: the file cannot be used.
        """
        if house_way is not None:
            _version(rulebook, None)
        named = rulebook if house_way is None else house_way
        first = declared(named) if file is None else read_again(file)
        if variant is not None:
            _ = _version(first.played_under if house_way is None else rulebook, None).dice_of(variant)
        return cls(rulebook, house_way, zone, None if named in VERSIONS else first, variant)

    @property
    def as_loaded(self) -> LoadedRules:
        """What another process makes the same rules of."""
        return LoadedRules(self.rulebook, self.house_way, None if self.own is None else self.own.file)

    def at(self, moment: datetime) -> RulesInForce:
        """The rules of a round that starts at this moment."""
        return self.on(self.day_of(moment))

    def on(self, day: date) -> RulesInForce:
        """The rules of a day; those of a rulebook's first day for any before it."""
        printed = self.rulebook if self.house_way is None else self.house_way
        way = _version(printed, day).house_way() if self.own is None else self.own.on(day)
        book = way.played_under if self.house_way is None else self.rulebook
        return _under(_version(book, day).playing_variant(self.variant) if book in VERSIONS else None, way)

    def of_round(self, played: RoundReport) -> RulesInForce:
        """The rules that a recorded round was judged by; see `rules_of`."""
        return rules_of(played, self.own, self.zone)

    def known_of_round(self, played: RoundReport) -> RulesInForce:
        """The rules that a recorded round was judged by; raises as `known_rules_of`."""
        return known_rules_of(played, self.own, self.zone)

    def asked(self, rulebook: str | None, house_way: str | None, day: date) -> RulesInForce:
        """The rules that a request names by ids; else the table's own.

        Raises:
            UnknownRulebookError: no such id, or the rulebook prints no House Way and none is named.
        """
        own = self.on(day)
        if house_way is not None:
            return _under(_version(rulebook or own.rulebook, day), self.way(house_way, day))
        if rulebook is None:
            return own
        if _prints(rulebook):
            return _under(book := _version(rulebook, day), book.house_way())
        if rulebook == own.rulebook:
            return own
        way = self.way(rulebook, day)
        return _under(_version(way.played_under, day) if way.played_under in VERSIONS else None, way)

    def way(self, name: str, day: date) -> HouseWay:
        """A House Way as callers over the network may name it: by id, or as the table's own, never by a file.

        A file may be a program, and only whoever starts the service chooses what that runs and reads.

        Raises:
            UnknownRulebookError: no such id; the message lists those known.
        """
        own = self.on(day)
        if name == own.house_way.rulebook:
            return own.house_way
        if name in known_ids():
            return _version(name, day).house_way() if _prints(name) else declared(name).on(day)
        reason = f"no House Way is called {name!r}"
        if not is_file(name):
            try:
                declared(name)
            except UnknownRulebookError as error:
                reason = str(error).partition("; known:")[0]
        known = ", ".join(sorted({*known_ids(), own.house_way.rulebook}))
        raise UnknownRulebookError(f"{reason}; known: {known}")

    @property
    def now(self) -> RulesInForce:
        """The rules of this moment."""
        return self.on(self.today)

    @property
    def today(self) -> date:
        """Today at the casino."""
        return self.day_of(datetime.now(UTC))

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


def rules_of_tables(tables: Mapping[str, TableRules]) -> RulesOf:
    """A function that finds the rules of recorded rounds of several tables.

    A service with one table has all rounds, including those recorded under an earlier name of the table.
    """
    only = next(iter(tables.values())) if len(tables) == 1 else None

    def found(played: RoundReport) -> RulesInForce:
        table = tables.get(played.table, only)
        return rules_of(played) if table is None else table.of_round(played)

    return found


def book_of(name: str, version: str) -> Rulebook | None:
    """A rulebook by id and version; None if it is not available here."""
    return next((book for book in VERSIONS.get(name, ()) if book.version == version), None)


def rules_of(played: RoundReport, own: HouseWay | None = None, zone: tzinfo = UTC) -> RulesInForce:
    """The rules that a recorded round was judged by; arguments as for `known_rules_of`.

    A House Way that is not available here judges no hand: asked to, it raises an error that says so.
    """
    try:
        return known_rules_of(played, own, zone)
    except EngineError:
        book = VERSIONS[played.rulebook][0] if played.rulebook in VERSIONS else None
        return _under(book, _not_here(played.house_way, played.versions.get("house_way", played.house_way)))


def known_rules_of(played: RoundReport, own: HouseWay | None = None, zone: tzinfo = UTC) -> RulesInForce:
    """The rules that a recorded round was judged by.

    Args:
        played: the round; it records rulebook and House Way, their versions and hashes.
        own: the first version of the table's own House Way; None if it has none, or its table is another computer.
        zone: the casino's time zone, for a round that records no versions.

    Raises:
        UnknownRulebookError: they are not available here.
        RulebookVersionError: the version of the rulebook is not.
    """
    day = played.opened_at.astimezone(zone).date()
    recorded = played.versions.get("house_way")
    ways = tuple(_ways(played.house_way, own))
    if recorded is None:
        way = next((each for each in reversed(ways) if each.in_force is None or each.in_force <= day), None)
    else:
        way = next((each for each in ways if _identity(each) == recorded), None)
    if way is None:
        raise _missing(recorded or played.house_way)
    if played.rulebook not in VERSIONS:
        return _under(None, way)
    book = _version(played.rulebook, day, played.versions.get("rulebook_version"))
    return _under(book.playing_variant(played.versions.get("variant")), way)


def _ways(name: str, own: HouseWay | None) -> tuple[HouseWay, ...]:
    """All versions of a House Way, the earliest first."""
    found = () if own is None or own.rulebook != name else (own, *own.later)
    if _prints(name):
        return (*(book.house_way() for book in VERSIONS[name]), *found)
    if name in known_ids():
        first = declared(name)
        return (first, *first.later, *found)
    return found


def _prints(name: str) -> bool:
    return name in VERSIONS and VERSIONS[name][0].prints_house_way


def _version(name: str, day: date | None, version: str | None = None) -> Rulebook:
    """A rulebook in a version by name, or in that of a day: the first one for any day before it."""
    if version is not None or name not in VERSIONS or day is None:
        return rulebook(name, version=version)
    begun = [each for each in VERSIONS[name] if each.in_force is None or each.in_force <= day]
    return begun[-1] if begun else VERSIONS[name][0]


@lru_cache(maxsize=64)
def _under(book: Rulebook | None, way: HouseWay) -> RulesInForce:
    """A House Way under a book; the same object each time, for a House Way keeps what it has worked out."""
    return RulesInForce(book, way if book is None else book.playing(way))


def _missing(identity: str) -> UnknownRulebookError:
    return UnknownRulebookError(f"the House Way that judged this round is not available here: {identity}")


def _identity(way: HouseWay) -> str:
    return f"{way.rulebook} sha256:{way.sha256}"


@lru_cache(maxsize=8)
def _not_here(name: str, identity: str) -> HouseWay:
    """A House Way that refuses to judge, used if the recorded one is not available here."""

    def refuse(_deal: Deal, _settings: Settings) -> Settings | None:
        raise _missing(identity)

    source = Source(name, name, "")
    return HouseWay(source, (Rule("not available", source.at("none"), "", refuse, ""),))
