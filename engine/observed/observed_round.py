"""An observed round: its departures from the book, its progress, and its written form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from engine.books.registry import rulebook
from engine.errors import RecordError
from engine.observed.delivery import delivery_departures
from engine.observed.departures import CAUSES, Departure, DepartureKind
from engine.observed.observations import KINDS, Observation, TilesMixed
from engine.observed.opening import opening_departures
from engine.observed.possible import THE_HOUSE, KnownBank, Possible, bank_departures, possible
from engine.observed.progress import progress
from engine.round.serialization import meant, read_value, with_keys, write, write_kind
from engine.vocabulary.facts import Bank
from engine.vocabulary.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.books.book import Rulebook
    from engine.vocabulary.irregularities import Remedies

VERSION = 1
"""Version of the written form; other versions are rejected."""


@dataclass(frozen=True)
class ObservedRound:
    """The observations of a round, in order.

    Attributes:
        boxes: number of players' boxes.
        from_right: whether they are numbered from the dealer's right; None if unknown.
        bank: known facts about the bank.
        side_wagers: whether the table may take side wagers, for which a lost hand may stay open; the camera cannot see
            them.
    """

    book: Rulebook
    boxes: int
    from_right: bool | None = True
    bank: KnownBank = THE_HOUSE
    seen: tuple[Observation, ...] = ()
    side_wagers: bool = True

    @cached_property
    def ways(self) -> tuple[Possible, ...]:
        """The possible ways of banking; empty if the known facts contradict the book.

        A button that lies there although the House banks changes nothing, nor does a marker at a player's box where
        the House has a place of its own.
        """
        bank = self.bank
        if bank.method is Bank.HOUSE:
            bank = replace(bank, button=None, box=None if self.book.banking.house_box.value > self.boxes else bank.box)
        return possible(self.book, self.boxes, from_right=self.from_right, bank=bank)

    @cached_property
    def since_mixed(self) -> tuple[Observation, ...]:
        """Observations since the tiles were last mixed; earlier deals no longer count."""
        mixed = [number for number, each in enumerate(self.seen) if isinstance(each, TilesMixed)]
        return self.seen[mixed[-1] :] if mixed else self.seen

    @cached_property
    def departures(self) -> tuple[Departure, ...]:
        """Departures from the book under every possible way of banking."""
        misplaced = bank_departures(self.book, self.boxes, from_right=self.from_right, bank=self.bank)
        return (*misplaced, *self._under_every_bank(misplaced))

    def _under_every_bank(self, misplaced: tuple[Departure, ...]) -> tuple[Departure, ...]:
        each_way = [self._departures(way) for way in self.ways]
        if not each_way:
            return ()
        first, *others = each_way
        return tuple(
            _agreed([departure, *(other[about] for other in others)])
            for about, departure in first.items()
            if all(about in other for other in others)
            # Whether the dealer counted a button that should not lie there is not known.
            and not (misplaced and departure.kind is DepartureKind.WRONG_FIRST_BOX)
        )

    @cached_property
    def method(self) -> Bank | None:
        methods = {way.method for way in self.ways}
        return methods.pop() if len(methods) == 1 else self.bank.method

    @cached_property
    def progress(self) -> Progress:
        """What the observations show of how far the round has come."""
        return Progress.common(progress(way, way.without_dealers_hand(self.since_mixed)) for way in self.ways)

    def _departures(self, way: Possible) -> dict[tuple[object, object], Departure]:
        seen = way.without_dealers_hand(self.since_mixed)
        side_wagers = self.side_wagers and self.book.side_wagers is not None
        found: dict[tuple[object, object], Departure] = {}
        for each in (
            *delivery_departures(way, seen, side_wagers=side_wagers),
            *opening_departures(way, seen, side_wagers=side_wagers),
        ):
            found.setdefault(each.about, each)
        return found

    def remedies(self, departure: Departure) -> tuple[Remedies, ...]:
        """The book's remedies for each possible cause of a departure at this point."""
        rules = self.book.irregularities
        return tuple(
            rules.remedies(each.irregularity, each.whose, self.progress, bank=self.method, rulings=each.rulings)
            for each in CAUSES[departure.kind]
        )

    def to_dict(self) -> dict[str, object]:
        """The round as plain data, its observations numbered."""
        return {
            "version": VERSION,
            "rulebook": self.book.id,
            "rulebook_version": self.book.version,
            **({} if self.book.variant is None else {"variant": self.book.variant}),
            "boxes": self.boxes,
            "box1_at_dealers_right": self.from_right,
            "side_wagers": self.side_wagers,
            "bank": write(self.bank),
            "seen": [
                {"number": number, **write_kind(each.kind, each)} for number, each in enumerate(self.seen, start=1)
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """Parse a written round; `RecordError` if it is not in the form of `to_dict`."""
        table = {"boxes", "box1_at_dealers_right", "side_wagers", "bank"}
        keys = {"version", "rulebook", "rulebook_version", "seen", *table}
        data = with_keys(data, keys, {"variant"}, "the observed round")
        if data["version"] != VERSION:
            raise RecordError(f"version {data['version']!r} of an observed round is not read here, only {VERSION}")
        if not isinstance(data["seen"], list):
            raise RecordError("seen: a list belongs here")
        seen = []
        for number, written in enumerate(data["seen"], start=1):
            if not isinstance(written, dict) or written.get("number") != number:
                raise RecordError(f"observation {number}: it bears this number, and none is missing or twice")
            seen.append(_observation(written, f"observation {number}"))
        book = rulebook(str(data["rulebook"]), version=str(data["rulebook_version"]))
        return cls(
            book.playing_variant(read_value(str | None, data.get("variant"), "variant")),
            read_value(int, data["boxes"], "boxes"),
            read_value(bool | None, data["box1_at_dealers_right"], "box1_at_dealers_right"),
            read_value(KnownBank, data["bank"], "bank"),
            tuple(seen),
            read_value(bool, data["side_wagers"], "side_wagers"),
        )


def _observation(written: dict[str, object], where: str) -> Observation:
    kind = written.get("kind")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise RecordError(
            f"{where}: no observation is of kind {kind!r}{meant(kind, KINDS)}; known are {', '.join(sorted(KINDS))}"
        )
    bare = {key: value for key, value in written.items() if key not in {"number", "kind"}}
    observation: Observation = read_value(cls, bare, f"{where} ({kind})")
    return observation


def _agreed(same: list[Departure]) -> Departure:
    """One departure as several ways of banking have it; fields on which they disagree are omitted."""
    first = same[0]
    due = first.due if all(each.due == first.due for each in same) else ()
    unless = tuple(dict.fromkeys(one for each in same for one in each.unless))
    return replace(first, due=due, unless=unless)
