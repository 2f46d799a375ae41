"""The command about one deal: ``set``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import AsJson, HouseWayUnder, Rulebook, plain_errors, played_under, setting_json

if TYPE_CHECKING:
    from engine.house_way import Decision, HouseWay


def set_tiles(
    faces: Annotated[list[str], typer.Argument(help="Four tiles, such as 6-6 6-3 5-4 2-1.", metavar="FACE")],
    rulebook: Rulebook,
    *,
    house_way: HouseWayUnder = None,
    as_json: AsJson = False,
) -> None:
    """Set four tiles by the House Way, and name the rule that decides.

    Also says why each other setting is not allowed.
    """
    from engine.game.setting import Deal
    from engine.game.tiles import Tile
    from service.judge.house_way_choice import house_way_of

    with plain_errors():
        deal = Deal.of([Tile.parse(face) for face in faces])
        way = house_way_of(rulebook, house_way)
        decision = way.decide(deal)
    typer.echo(json.dumps(_decision_json(way, decision)) if as_json else _decision_text(way, decision))


def _decision_json(way: HouseWay, decision: Decision) -> dict[str, Any]:
    from service.words.house_way import decision_words, refusal_words

    return {
        "rulebook": way.played_under,
        "house_way": way.rulebook,
        "deal": [str(tile) for tile in decision.deal.tiles],
        **setting_json(decision.setting),
        "rule": decision.rule.cite,
        "text": decision.rule.text,
        "explanation": str(decision_words(decision)),
        "choices": [setting_json(setting) for setting in decision.choices],
        "alike": [setting_json(setting) for setting in decision.alike],
        "refused": [
            {**setting_json(one.setting), "reason": str(refusal_words(one.setting, one.rule, decision.setting))}
            for one in decision.refused
        ],
    }


def _decision_text(way: HouseWay, decision: Decision) -> str:
    from service.words.house_way import refusal_words, rule_words

    low, high = decision.setting.low, decision.setting.high
    lines = [
        f"{decision.deal}, {way.source.title}, {way.source.revision}{played_under(way)}",
        f"  low   {low}   {low.describe()}",
        f"  high  {high}   {high.describe()}",
        f"  rule  {rule_words(decision.rule)}",
    ]
    lines += [f"  after {rule_words(step)}" for step in decision.steps[:-1]]
    lines += [f"  or    {setting}: the dealer may choose it ({setting.describe()})" for setting in decision.choices]
    lines += [f"  alike {setting}: ranks the same in both hands" for setting in decision.alike]
    lines += [
        f"  not   {one.setting}: {refusal_words(one.setting, one.rule, decision.setting)}" for one in decision.refused
    ]
    return "\n".join(lines)
