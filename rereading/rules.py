"""Decides recorded rounds again by their own rules or others, and compares two decisions of one round."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from engine.books.house_ways import declared, get, way_under
from engine.books.registry import rulebook
from engine.errors import EngineError
from service.rounds.bank import known_bank
from service.rounds.judge.remedies import departed
from service.rounds.judge.rules_in_force import RulesInForce, book_of, known_rules_of
from service.rounds.judge.throws import decided
from service.rounds.judge.verdicts import judge_hand
from service.rounds.reports import DICE, FrozenModel, SettingReport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from engine.books.book import Rulebook
    from engine.house_way import HouseWay
    from service.rounds.reports import HandReport, RoundReport

What = Literal["hand", "dice", "verdict", "setting", "throw", "departures"]
Cause = Literal["rules", "pictures"]


class Difference(FrozenModel):
    """One thing that would be different.

    Attributes:
        what: ``hand`` and ``dice``: what lies there and whether it is verified; ``verdict`` on a hand; ``setting``
            that the House Way requires; what the ``throw`` decides; ``departures`` from the rulebook.
        place: of the hand; None for the round itself.
        by: whether the rules decide differently, or the pictures are read differently.
        recorded: as recorded; None for nothing.
        now: as it would be.
        entered: what a person entered for it; None if nobody did.
    """

    what: What
    place: str | None
    by: Cause
    recorded: Any
    now: Any
    entered: Any = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rulebook and House Way of a run; None keeps the recorded ones.

    Attributes:
        named: the House Way as the user named it: an id or a file.
        day: whose versions these are.
        all_rounds: whether the House Way of that day also decides rounds that an earlier version of it judged.
    """

    book: Rulebook | None = None
    way: HouseWay | None = None
    named: str | None = None
    day: date | None = None
    all_rounds: bool = False

    @classmethod
    def of(
        cls, book: str | None, version: str | None, house_way: str | None, day: date, *, all_rounds: bool = False
    ) -> Self:
        """Find them by name; EngineError if one does not exist or cannot be used.

        Without ``version`` the book is the one in force on that day, and so is the House Way. It is played under
        ``book``, or under the recorded rulebook of each round.
        """
        if book is None:
            way = None if house_way is None else get(house_way, day)
            return cls(None, way, house_way, day, all_rounds)
        found = rulebook(book, on=day, version=version)
        return cls(found, way_under(found, house_way, day), house_way, day, all_rounds)


def rules_for(report: RoundReport, chosen: Chosen) -> RulesInForce:
    """The rules to decide a round by; EngineError if this program does not know the recorded ones.

    What is not chosen is as it was when the round was played. If only a House Way is chosen, a round that one of its
    versions judged keeps that version. A House Way that is played under no rulebook has none.
    """
    if chosen.book is not None and chosen.way is not None:
        return RulesInForce(chosen.book, chosen.way)
    if chosen.way is None:
        return known_rules_of(report)
    if report.house_way == chosen.way.rulebook and chosen.named is not None and not chosen.all_rounds:
        with suppress(EngineError):  # it has been changed in place since, so that the one chosen decides
            return known_rules_of(report, declared(chosen.named))
    book = book_of(report.rulebook, report.versions.get("rulebook_version", ""))
    return RulesInForce(book, chosen.way if book is None else book.playing(chosen.way))


def decide_again(report: RoundReport, rules: RulesInForce) -> RoundReport:
    """Decide all that follows from the tiles, dice and log of a round; EngineError if that is impossible.

    Without a rulebook throw and dealing do not change.
    """
    book, way = rules.book, rules.house_way
    hands = tuple(_judged(hand, report, way) for hand in report.hands)
    if book is None:
        return report.model_copy(update={"hands": hands})
    throw = None
    if report.dice:
        throw = decided(report.dice, book, report.order, known_bank(report.bank))
    findings = report.findings
    if report.log is not None:
        observed = replace(report.log.observed, book=book)
        found = (departed(observed, each) for each in observed.departures)
        findings = (*(each for each in findings if each.rule is None), *found)
    return report.model_copy(update={"hands": hands, "throw": throw, "findings": findings})


def _judged(hand: HandReport, report: RoundReport, way: HouseWay) -> HandReport:
    return hand if hand.house_way is None else judge_hand(hand, way, asked=hand.place in report.asked)


def differences(before: RoundReport, after: RoundReport, by: Cause) -> tuple[Difference, ...]:
    """What differs between two decisions of the same round."""
    old, new = dict(_decisions(before)), dict(_decisions(after))
    return tuple(
        Difference(what=what, place=place, by=by, recorded=old.get((what, place)), now=new.get((what, place)))
        for what, place in {**old, **new}
        if old.get((what, place)) != new.get((what, place))
    )


def _decisions(report: RoundReport) -> Iterator[tuple[tuple[What, str | None], Any]]:
    for hand in report.hands:
        yield ("hand", hand.place), laid_as(hand.low, hand.high, hand.status)
        if (judged := hand.house_way) is not None:
            yield ("verdict", hand.place), judged.verdict
            right = () if judged.expected is None else (judged.expected, *judged.choices)
            yield ("setting", hand.place), [_setting(each) for each in right]
    if report.dice:
        shown = [{"role": die.role, "value": die.value, "status": _certainty(die.status)} for die in report.dice]
        yield ("dice", DICE), sorted(shown, key=lambda each: (str(each["role"]), str(each["value"])))
    if (throw := report.throw) is not None:
        yield ("throw", DICE), throw.model_dump(mode="json", include={"total", "first_box", "cut"})
    parted = [{"code": each.code, "params": each.alone.model_dump(mode="json")["params"]} for each in report.departures]
    if parted:
        yield ("departures", None), sorted(parted, key=str)


def laid_as(low: tuple[str, str], high: tuple[str, str], status: str) -> dict[str, Any]:
    """A hand as it lies; the order of two tiles does not matter."""
    return {"low": sorted(low), "high": sorted(high), "status": _certainty(status)}


def _setting(setting: SettingReport) -> dict[str, list[str]]:
    return {"low": sorted(setting.low), "high": sorted(setting.high)}


def _certainty(status: str) -> str:
    """What a person entered counts as verified."""
    return "uncertain" if status == "uncertain" else "verified"
