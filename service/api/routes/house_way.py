"""The House Way of four tiles."""

import datetime as dt
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from engine.game.hands import Hand
from engine.game.setting import Deal, Setting
from engine.game.tiles import Tile
from service.access.roles import Permission
from service.api.deps import AskedTableDep
from service.api.permissions import requires
from service.api.problems import problems
from service.rounds.reports import FacePair, FrozenModel, SettingReport
from service.words.rule_sentences import correction_words, decision_words, refusal_words, verdict_words

router = APIRouter(prefix="/v1", tags=["house way"])

FaceName = Annotated[str, Field(max_length=8, examples=["6-5"])]


class SettingIn(FrozenModel):
    """A setting to judge."""

    low: tuple[FaceName, FaceName]
    high: tuple[FaceName, FaceName]


class HouseWayIn(FrozenModel):
    """Four tiles, optionally with a setting to judge.

    Attributes:
        tiles: four tiles by their faces.
        setting: the setting to judge; optional.
    """

    tiles: Annotated[tuple[FaceName, ...], Field(min_length=4, max_length=4, examples=[("6-6", "6-3", "5-4", "2-1")])]
    rulebook: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="id of a rulebook; by default the table's", examples=["crown-6.1"]
    )
    house_way: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="id of the House Way played under the rulebook; by default the rulebook's own"
    )
    date: dt.date | None = Field(default=None, description="the day whose rules apply; today if omitted")
    setting: SettingIn | None = None


class RuleOut(FrozenModel):
    """The citation of a rule.

    Attributes:
        cite: rulebook and number of the rule.
        text: the rule, close to the book's wording.
    """

    cite: str
    text: str


class RefusedOut(FrozenModel):
    """A setting that is not the House Way, with the reason."""

    low: FacePair
    high: FacePair
    reason: str


class VerdictOut(FrozenModel):
    """The verdict on a setting.

    Attributes:
        verdict: ``correct`` if the setting is the House Way.
        remedy: what the rulebook allows now; null if the setting is correct.
    """

    verdict: Literal["correct", "wrong"]
    explanation: str
    remedy: str | None


class HouseWayOut(FrozenModel):
    """The House Way of four tiles.

    Attributes:
        setting: the House Way's setting.
        rule: the rule that decides.
        refused: settings that a rule forbids, with the reasons.
        verdict: on the setting in the request; null without one.
    """

    rulebook: str
    house_way: str
    setting: SettingReport
    choices: tuple[SettingReport, ...] = Field(
        default=(), description="alternative settings that the dealer may choose; each is the House Way as well"
    )
    rule: RuleOut
    explanation: str
    refused: tuple[RefusedOut, ...]
    verdict: VerdictOut | None


@router.post("/house-way", dependencies=[requires(Permission.ASK)], responses=problems(400, 404, 408, 413, 422))
def ask_house_way(asked: HouseWayIn, table: AskedTableDep) -> HouseWayOut:
    """A rulebook's setting of four tiles, the deciding rule, and the verdict on a setting."""
    day = asked.date or table.rules.today
    rules = table.rules.asked(asked.rulebook, asked.house_way, day)
    if asked.date is not None:
        rules.check_in_force(day)
    house_way = rules.house_way
    deal = Deal.of(Tile.parse(name) for name in asked.tiles)
    decision = house_way.decide(deal)
    verdict = None
    if asked.setting is not None:
        low, high = (Hand.of(map(Tile.parse, pair)) for pair in (asked.setting.low, asked.setting.high))
        judged = house_way.judge(deal, Setting.of(low, high))
        remedy = None if judged.remedies is None else str(correction_words(judged.remedies))
        explanation = " ".join(filter(None, (str(verdict_words(judged)), remedy)))
        verdict = VerdictOut(verdict="correct" if judged.correct else "wrong", explanation=explanation, remedy=remedy)
    return HouseWayOut(
        rulebook=house_way.played_under,
        house_way=house_way.rulebook,
        setting=SettingReport.of(decision.setting),
        choices=tuple(map(SettingReport.of, decision.choices)),
        rule=RuleOut(cite=decision.rule.cite, text=decision.rule.text),
        explanation=str(decision_words(decision)),
        refused=tuple(
            RefusedOut(
                **SettingReport.of(one.setting).model_dump(),
                reason=str(refusal_words(one.setting, one.rule, decision.setting)),
            )
            for one in decision.refused
        ),
        verdict=verdict,
    )
