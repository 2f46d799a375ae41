"""What rules decide of a recorded round, again; and in what two decisions of the same round differ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from engine.books.house_ways import get, way_under
from engine.books.registry import BOOKS, rulebook
from service.judge.remedies import departed
from service.judge.throws import decided
from service.judge.verdicts import judge_hand
from service.rounds.bank import known_bank
from service.rounds.reports import DICE, FrozenModel, SettingReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.books.book import Rulebook
    from engine.house_way import HouseWay
    from service.floor.reread.told import Chosen
    from service.rounds.reports import HandReport, RoundReport

What = Literal["hand", "dice", "verdict", "setting", "remedy", "throw", "departures"]


class Difference(FrozenModel):
    """Something that would be otherwise.

    Attributes:
        what: ``hand`` and ``dice``: what lies there, and whether that is verified; ``verdict`` on a hand, the
            ``setting`` that the House Way asks for, the ``remedy``; what the ``throw`` decides; the ``departures`` from
            the rulebook.
        place: of the hand; null where it is about none.
        by: whether the ``rules`` are otherwise, or what the ``pictures`` show is read otherwise.
        recorded: as it was recorded; null for nothing.
        now: as it would be.
        decided: what a person said that lies there; null if nobody did.
    """

    what: What
    place: str | None
    by: Literal["rules", "pictures"]
    recorded: Any
    now: Any
    decided: Any = None


def book_and_way(report: RoundReport, chosen: Chosen) -> tuple[Rulebook | None, HouseWay]:
    """The rulebook and House Way to decide a round by: the run's, or else those that were recorded.

    Of the recorded rulebook it is the version under which the round was played. A House Way that is played under no
    rulebook has none.

    Raises:
        EngineError: this program does not know one of them.
    """
    if chosen.book is not None and chosen.way is not None:
        return chosen.book, chosen.way
    if report.rulebook not in BOOKS:
        return None, chosen.way or get(report.house_way)
    book = rulebook(report.rulebook, version=report.versions.get("rulebook_version"))
    if chosen.way is not None:
        return book, book.playing(chosen.way)
    return book, way_under(book, None if report.house_way == book.id else report.house_way)


def decide_again(report: RoundReport, book: Rulebook | None, way: HouseWay) -> RoundReport:
    """A round with all that follows from its tiles, dice and log decided again; EngineError if it cannot be.

    Args:
        report: the round.
        book: by which throw and dealing are held; None to leave them as they are.
        way: by which hands are judged.
    """
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


def differences(before: RoundReport, after: RoundReport, by: Literal["rules", "pictures"]) -> tuple[Difference, ...]:
    """In what two decisions of the same round differ; how it is said does not count."""
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
        shown = [{"role": die.role, "value": die.value, "status": _sure(die.status)} for die in report.dice]
        yield ("dice", DICE), sorted(shown, key=lambda each: (str(each["role"]), str(each["value"])))
    if (throw := report.throw) is not None:
        yield ("throw", DICE), throw.model_dump(mode="json", include={"total", "first_box", "cut"})
    parted = [{"code": each.code, "params": each.alone.model_dump(mode="json")["params"]} for each in report.departures]
    if parted:
        yield ("departures", None), sorted(parted, key=str)


def laid_as(low: tuple[str, str], high: tuple[str, str], status: str) -> dict[str, Any]:
    """A hand as it lies, in a form in which the order of two tiles says nothing."""
    return {"low": sorted(low), "high": sorted(high), "status": _sure(status)}


def _setting(setting: SettingReport) -> dict[str, list[str]]:
    return {"low": sorted(setting.low), "high": sorted(setting.high)}


def _sure(status: str) -> str:
    """A person's word is as good as a verified reading."""
    return "uncertain" if status == "uncertain" else "verified"
