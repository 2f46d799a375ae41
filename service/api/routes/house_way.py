"""The House Way of four tiles, for whoever asks."""

from datetime import UTC, datetime

from fastapi import APIRouter

from engine.game.hands import Hand
from engine.game.setting import Deal, Setting
from engine.game.tiles import Tile
from service.access.roles import Permission
from service.api.deps import AskedTableDep
from service.api.errors import problems
from service.api.permissions import requires
from service.api.schemas import HouseWayIn, HouseWayOut, RefusedOut, RuleOut, VerdictOut
from service.rounds.reports import SettingReport
from service.words.rule_sentences import decision_words, refusal_words, verdict_remedy, verdict_words

router = APIRouter(prefix="/v1", tags=["house way"])


@router.post("/house-way", dependencies=[requires(Permission.ASK)], responses=problems(400, 404, 408, 413, 422))
def ask_house_way(asked: HouseWayIn, table: AskedTableDep) -> HouseWayOut:
    """How a rulebook sets four tiles, which rule decides, and whether a given setting is right."""
    day = table.rules.day_of(datetime.now(UTC))
    house_way = table.rules.asked(asked.rulebook, asked.house_way, day).house_way
    deal = Deal.of(Tile.parse(name) for name in asked.tiles)
    decision = house_way.decide(deal)
    verdict = None
    if asked.setting is not None:
        low, high = (Hand.of(map(Tile.parse, pair)) for pair in (asked.setting.low, asked.setting.high))
        judged = house_way.judge(deal, Setting.of(low, high))
        found = verdict_remedy(judged)
        remedy = None if found is None else str(found)
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
