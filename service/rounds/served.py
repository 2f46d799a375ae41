"""Rounds and readings with English sentences, for HTTP, webhooks and ``houseway read --json``.

The sentences are made when a value is served; they are never recorded.
"""

import inspect
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from engine.books.book import Rulebook
from engine.house_way import HouseWay
from engine.house_way.rules import Moment
from engine.vocabulary.irregularities import Remedies, code
from engine.vocabulary.remedy import Effect, Remedy
from service.rounds.judge.remedies import message_of, remedies_of, remedies_words_of
from service.rounds.judge.rules_in_force import RulesInForce, rules_of
from service.rounds.judge.verdicts import explain
from service.rounds.reports import (
    AbsentHandReport,
    BankReport,
    DiceReviewReport,
    DieReport,
    FacePair,
    FindingReport,
    FrozenModel,
    HandReadReport,
    HandReport,
    HandReviewReport,
    HouseWayReport,
    MarkerReport,
    ReadingReport,
    RoundReport,
    RoundVerdict,
    SettledStatus,
    ThrowReport,
    TileReport,
    verdict_of,
)
from service.words.findings import english
from service.words.rule_sentences import THE_HAND


class _Served(FrozenModel):
    """A served shape, whose schema describes the attributes of the recorded shape too."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        docs = [inspect.cleandoc(each.__doc__ or "") for each in cls.__mro__ if issubclass(each, FrozenModel)]
        listed = "".join(doc.partition("Attributes:")[2] for doc in docs)
        handler.resolve_ref_schema(schema)["description"] = f"{docs[0].partition('Attributes:')[0]}Attributes:{listed}"
        return schema


class _Worded(_Served):
    """Values with doubts, in English as well.

    Attributes:
        reasons: the doubts in English, in the same order.
    """

    reasons: tuple[str, ...] = ()


Out = TypeVar("Out", bound=_Worded)


class CorrectionOut(FrozenModel):
    """What to do about a hand that is not set by its rule, at this moment of the round.

    Attributes:
        do: ``correct`` it now, ``leave`` it, ``depends`` on an event that was not seen (``until``), or ``decide``: the
            rulebook is silent and a supervisor decides.
        duty: whether it ``must`` be corrected or ``may`` be; null unless it can be.
        until: code of the milestone after which it is too late; null if the rulebook names none.
        rule: citation.
    """

    do: Literal["correct", "leave", "depends", "decide"]
    duty: Literal["must", "may"] | None
    until: str | None
    rule: str

    @classmethod
    def of(cls, found: Remedies) -> Self:
        fix, stands = found.first(Effect.AS_SET_NOW), found.first(Effect.RESULTS_STAND)
        until = fix.before if fix is not None else stands.after if stands is not None else None
        do: Literal["correct", "leave", "depends", "decide"] = "decide"
        if fix is not None:
            do = "correct" if stands is None else "depends"
        elif stands is not None:
            do = "leave"
        rule = fix or stands or next(iter(found.options), None)
        return cls(
            do=do,
            duty=None if fix is None else fix.duty.value,
            until=until and code(until),
            rule="" if rule is None else rule.cite,
        )


class HandVerdictOut(HouseWayReport, _Worded):
    """A verdict with its explanation.

    Attributes:
        rule_text: the deciding rule in its book's words or close to them.
        explanation: the decision in words for a supervisor.
        remedy: what to do now if the hand lies wrong, in one imperative.
        correction: the same as codes; null if the hand lies right.
    """

    rule_text: str | None
    explanation: str
    remedy: str | None
    correction: CorrectionOut | None = None


class TileOut(TileReport, _Worded):
    """A tile."""


class DieOut(DieReport, _Worded):
    """A die."""


class MarkerOut(MarkerReport, _Worded):
    """A marker."""


class ThrowOut(ThrowReport, _Worded):
    """What the dice decide."""


class RoundBankOut(BankReport, _Worded):
    """The bank of a round."""


class HandReadOut(HandReadReport, _Worded):
    """A hand as it had been read before a person decided."""


class HandReviewOut(HandReviewReport, _Served):
    """A person's decision about a hand."""

    read: HandReadOut | None


class AbsentHandOut(AbsentHandReport, _Served):
    """A place where a person says that no hand lies."""

    review: HandReviewOut


class DiceReviewOut(DiceReviewReport, _Served):
    """A person's decision about the dice."""

    read: tuple[DieOut, ...]


class HandOut(HandReport, _Worded):
    """A hand."""

    house_way: HandVerdictOut | None
    review: HandReviewOut | None = None


class RemedyOut(FrozenModel):
    """One thing that the rulebook says must or may be done about a finding.

    Attributes:
        by: the person responsible, in the book's words.
        effect: code of the effect on wagers and tiles.
        action: what to do, in the book's words.
        where: the conditions in the book's words; empty without conditions.
        given: codes of the conditions that a log of the round can tell.
        after: code of the milestone that must have been reached; null if none.
        before: code of the milestone that ends it; null if none.
        open: whether its moment has come and not passed; null where that was not seen.
        irregularity: code of the irregularity for which it is the remedy; a finding may have several possible causes.
        rule: citation.
        rulings: numbers of our rulings under which that rule is read.
        duty: whether it ``must`` be done or ``may`` be.
    """

    irregularity: str
    duty: str
    by: str
    effect: str
    action: str
    where: str
    given: tuple[str, ...]
    after: str | None
    before: str | None
    open: bool | None
    rule: str
    rulings: tuple[int, ...]

    @classmethod
    def of(cls, found: Remedies, option: Remedy) -> Self:
        return cls(
            irregularity=code(found.irregularity),
            duty=option.duty.value,
            by=option.by.words,
            effect=code(option.effect),
            action=option.action.format(hand=found.whose.value if found.whose else THE_HAND),
            where=option.where,
            given=tuple(map(code, option.given)),
            after=option.after and code(option.after),
            before=option.before and code(option.before),
            open=True if found.surely_open(option) else None,
            rule=option.cite,
            rulings=option.rulings,
        )


class FindingOut(FindingReport, _Served):
    """A finding with its sentence.

    Attributes:
        message: in English, with rule and remedy.
        remedy: what the rulebook says must or may be done now, in its words.
        options: the same, one by one, for each possible cause; empty where the rulebook has nothing for it.
    """

    message: str
    remedy: str | None = None
    options: tuple[RemedyOut, ...] = ()

    @classmethod
    def from_report(cls, found: FindingReport, book: Rulebook | None = None) -> Self:
        """Return a finding with its English sentence and this rulebook's remedies."""
        remedies = remedies_of(found, book)
        words = remedies_words_of(found, book)
        return cls(
            **_fields(found),
            message=message_of(found, book),
            remedy=None if words is None else str(words),
            options=tuple(RemedyOut.of(each, option) for each in remedies for option in each.options),
        )


class PictureOut(ReadingReport, _Served):
    """What was read from one picture, with English sentences."""

    tiles: tuple[TileOut, ...]
    dice: tuple[DieOut, ...]
    hands: tuple[HandOut, ...]
    findings: tuple[FindingOut, ...]
    markers: tuple[MarkerOut, ...] | None = None

    @classmethod
    def from_report(cls, reading: ReadingReport, rules: RulesInForce) -> Self:
        """Return a reading with English sentences, by the rules that it was judged by."""
        return cls.model_construct(
            **_fields(reading)
            | {
                "tiles": tuple(_worded(TileOut, each) for each in reading.tiles),
                "dice": tuple(_worded(DieOut, each) for each in reading.dice),
                "hands": tuple(_hand(each, rules.house_way) for each in reading.hands),
                "findings": tuple(FindingOut.from_report(each, rules.book) for each in reading.findings),
                "markers": reading.markers and tuple(_worded(MarkerOut, each) for each in reading.markers),
            }
        )


class RoundOut(RoundReport, _Served):
    """A round, with English sentences."""

    hands: tuple[HandOut, ...] = ()
    dice: tuple[DieOut, ...] = ()
    findings: tuple[FindingOut, ...] = ()
    throw: ThrowOut | None = None
    dice_review: DiceReviewOut | None = None
    absent: tuple[AbsentHandOut, ...] = ()
    bank: RoundBankOut | None = None

    @classmethod
    def from_report(cls, played: RoundReport, rules: RulesInForce | None = None) -> Self:
        """Return a round with English sentences, by the rules that it was judged by; looked up if omitted."""
        rules = rules or rules_of(played)
        dice_review = played.dice_review
        return cls.model_construct(
            **_fields(played)
            | {
                "hands": tuple(_hand(each, rules.house_way, played.reached) for each in played.hands),
                "dice": tuple(_worded(DieOut, each) for each in played.dice),
                "findings": tuple(FindingOut.from_report(each, rules.book) for each in played.findings),
                "throw": played.throw and _worded(ThrowOut, played.throw),
                "dice_review": dice_review
                and DiceReviewOut.model_construct(
                    **_fields(dice_review) | {"read": tuple(_worded(DieOut, each) for each in dice_review.read)}
                ),
                "absent": tuple(
                    AbsentHandOut.model_construct(place=each.place, review=_review(each.review))
                    for each in played.absent
                ),
                "bank": played.bank and _worded(RoundBankOut, played.bank),
            }
        )


class HandSummaryOut(FrozenModel):
    """A hand in short.

    Attributes:
        verdict: whether it is set the House Way; null for a hand that a player set.
    """

    place: str
    low: FacePair
    high: FacePair
    status: SettledStatus
    verdict: Literal["correct", "wrong", "needs_review"] | None


class RoundSummaryOut(FrozenModel):
    """A round in short.

    Attributes:
        id: names this round for ever.
        number: counts the table's rounds since the start of its record.
        revision: a higher one supersedes a lower one.
        state: ``open`` while tiles lie, ``closed`` once they have left.
        status: ``verified`` if every hand and die is, ``confirmed`` if a person cleared what was in doubt.
        opened_at: when its first tiles were seen, UTC.
        changed_at: when this revision was made, UTC.
        closed_at: when its tiles had left, UTC; null while they lie.
        dealer: the reported dealer; null if nobody reported one.
        verdict: the most serious one of the House's hand and those that the dealer set.
        variant: of the rulebook, such as ``crown-pai-gow``; null for Pai Gow itself.
        hands: in the order of the places.
        total: of the box dice; null if unknown.
        first_box: the box that gets the first tiles; null if unknown.
        findings: their codes.
        asked: the places whose hands the dealer was asked to set.
    """

    id: str
    table: str
    number: int
    revision: int
    state: Literal["open", "closed"]
    status: Literal["verified", "confirmed", "needs_review"]
    opened_at: datetime
    changed_at: datetime
    closed_at: datetime | None
    rulebook: str
    variant: str | None
    dealer: str | None
    verdict: RoundVerdict
    hands: tuple[HandSummaryOut, ...]
    total: int | None
    first_box: int | None
    findings: tuple[str, ...]
    asked: tuple[str, ...]

    @classmethod
    def from_report(cls, played: RoundReport) -> Self:
        """Return a round in short."""
        same = {name: getattr(played, name) for name in cls.model_fields if name in RoundReport.model_fields}
        throw = played.throw
        return cls.model_construct(
            **same
            | {
                "variant": played.variant,
                "verdict": verdict_of(played),
                "hands": tuple(
                    HandSummaryOut(
                        place=each.place,
                        low=each.low,
                        high=each.high,
                        status=each.status,
                        verdict=None if each.house_way is None else each.house_way.verdict,
                    )
                    for each in played.hands
                ),
                "total": None if throw is None else throw.total,
                "first_box": None if throw is None else throw.first_box,
                "findings": tuple(each.code for each in played.findings),
            }
        )


def bank_out(bank: BankReport) -> RoundBankOut:
    """Return a bank with English sentences."""
    return _worded(RoundBankOut, bank)


def findings_out(findings: Iterable[FindingReport], book: Rulebook | None = None) -> tuple[FindingOut, ...]:
    """Return findings with English sentences and this rulebook's remedies."""
    return tuple(FindingOut.from_report(each, book) for each in findings)


def _fields(model: BaseModel) -> dict[str, Any]:
    return {name: getattr(model, name) for name in type(model).model_fields}


def _worded(out: type[Out], read: BaseModel) -> Out:
    fields = _fields(read)
    return out.model_construct(**fields, reasons=english(fields["doubts"]))


def _review(review: HandReviewReport) -> HandReviewOut:
    read = None if review.read is None else _worded(HandReadOut, review.read)
    return HandReviewOut.model_construct(**_fields(review) | {"read": read})


def _hand(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> HandOut:
    judged = hand.house_way
    house_way = None
    if judged is not None:
        explained = explain(hand, way, moment)
        house_way = HandVerdictOut.model_construct(
            **_fields(judged),
            reasons=english(judged.doubts),
            rule_text=explained.rule_text,
            explanation=str(explained.explanation),
            remedy=None if explained.remedy is None else str(explained.remedy),
            correction=None if explained.remedies is None else CorrectionOut.of(explained.remedies),
        )
    return HandOut.model_construct(
        **_fields(hand)
        | {
            "reasons": english(hand.doubts),
            "house_way": house_way,
            "review": None if hand.review is None else _review(hand.review),
        }
    )
