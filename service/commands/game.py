"""Commands about the game itself: ``set``, ``house-way export``, ``house-way diff``, ``edge``.

The engine is imported when a command runs, so that asking for help, or for another command, does not wait for it.
"""

from __future__ import annotations

import csv
import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.difference import Difference, SetDifferently
    from engine.edge import Chances
    from engine.house_way import Decision, HouseWay
    from engine.setting import Setting
    from engine.side_bets import SideBet

Rulebook = Annotated[
    str, typer.Option("--rulebook", help="Id of a House Way, such as crown-6.1, or the path of a .py file of your own.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    house_way = typer.Typer(no_args_is_help=True, help="House Ways as tables, and compared.")
    house_way.command("export")(export)
    house_way.command("diff")(diff)
    app.command("set")(set_tiles)
    app.add_typer(house_way, name="house-way")
    app.command("edge")(edge)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say what was wrong in one line and leave with status 2, instead of a traceback."""
    from engine.errors import EngineError

    try:
        yield
    except EngineError as error:
        typer.echo(f"houseway: {error}", err=True)
        raise typer.Exit(2) from error


def set_tiles(
    faces: Annotated[list[str], typer.Argument(help="Four tiles, such as 6-6 6-3 5-4 2-1.", metavar="FACE...")],
    rulebook: Rulebook,
    *,
    as_json: AsJson = False,
) -> None:
    """Set four tiles the House Way: the hands, the rule that decided, and why each other setting is refused."""
    from engine.house_way import get
    from engine.setting import Deal
    from engine.tiles import Tile

    with plain_errors():
        deal = Deal.of([Tile.parse(face) for face in faces])
        way = get(rulebook)
        decision = way.decide(deal)
    typer.echo(json.dumps(_decision_json(way, decision)) if as_json else _decision_text(way, decision))


def _decision_json(way: HouseWay, decision: Decision) -> dict[str, Any]:
    return {
        "rulebook": way.rulebook,
        "deal": [str(tile) for tile in decision.deal.tiles],
        **_setting_json(decision.setting),
        "rule": decision.rule.cite,
        "text": decision.rule.text,
        "explanation": decision.explanation,
        "alike": [_setting_json(setting) for setting in decision.alike],
        "refused": [{**_setting_json(setting), "reason": reason} for setting, reason in decision.refused],
    }


def _setting_json(setting: Setting) -> dict[str, list[str]]:
    return {"low": [str(tile) for tile in setting.low.tiles], "high": [str(tile) for tile in setting.high.tiles]}


def _decision_text(way: HouseWay, decision: Decision) -> str:
    low, high = decision.setting.low, decision.setting.high
    lines = [
        f"{decision.deal}, {way.source.title}, {way.source.revision}",
        f"  low   {low}   {low.describe()}",
        f"  high  {high}   {high.describe()}",
        f"  rule  {decision.rule.words}",
    ]
    lines += [f"  after {step.words}" for step in decision.steps[:-1]]
    lines += [f"  alike {setting}: ranks the same in both hands" for setting in decision.alike]
    lines += [f"  not   {setting}: {reason}" for setting, reason in decision.refused]
    return "\n".join(lines)


def export(rulebook: Rulebook) -> None:
    """Print the setting of all 8,130 hands by face as CSV: hand, low, high, rule."""
    from engine.house_way import get

    with plain_errors():
        decisions = get(rulebook).decisions
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("hand", "low", "high", "rule"))
    for deal, decision in decisions.items():
        table.writerow((deal, decision.setting.low, decision.setting.high, decision.rule.cite))


def diff(
    first: Annotated[str, typer.Argument(help="Id or file of a House Way.")],
    second: Annotated[str, typer.Argument(help="Id or file of another.")],
    *,
    as_json: AsJson = False,
) -> None:
    """List the hands that two House Ways set differently, how often they are dealt, and the effect on the edge."""
    from engine.difference import difference
    from engine.house_way import get

    with plain_errors():
        one, other = get(first), get(second)
        found = difference(one, other)
    typer.echo(json.dumps(_difference_json(one, other, found)) if as_json else _difference_text(one, other, found))


def _difference_json(one: HouseWay, other: HouseWay, found: Difference) -> dict[str, Any]:
    return {
        "first": one.rulebook,
        "second": other.rulebook,
        "kinds": found.kinds,
        "hands_by_face": len(found.hands),
        "deals": found.deals,
        "of_deals": 35_960,
        "edge_first": float(found.first_edge),
        "edge_second": float(found.second_edge),
        "edge_house_second_player_first": float(found.house_alone_edge),
        "hands": [
            {
                "hand": [str(tile) for tile in hand.deal.tiles],
                "deals": hand.deal.ways,
                "first": {**_setting_json(hand.first.setting), "rule": hand.first.rule.cite},
                "second": {**_setting_json(hand.second.setting), "rule": hand.second.rule.cite},
                "house_keeps_first": float(hand.kept_by_first),
                "house_keeps_second": float(hand.kept_by_second),
            }
            for hand in found.hands
        ],
    }


def _difference_text(one: HouseWay, other: HouseWay, found: Difference) -> str:
    first, second, alone = (float(edge) for edge in (found.first_edge, found.second_edge, found.house_alone_edge))
    head = f"""\
{one.rulebook} and {other.rulebook} set {found.deals:,} of 35,960 deals differently: \
{found.kinds} kinds of hand, {len(found.hands)} by face.
House edge, both sides {one.rulebook}: {first:.6%}; both sides {other.rulebook}: {second:.6%} ({second - first:+.6%}).
If the house alone changes to {other.rulebook}: {alone:.6%} ({alone - first:+.6%})."""
    return "\n".join([head, *(_hand_text(one, other, hand) for hand in found.hands)])


def _hand_text(one: HouseWay, other: HouseWay, hand: SetDifferently) -> str:
    lines = [f"{hand.deal}  (dealt {hand.deal.ways} of 35,960)"]
    lines += [
        f"    {way.rulebook}: {decision.setting}  {decision.rule.cite}; house keeps {float(kept):.2%}"
        for way, decision, kept in (
            (one, hand.first, hand.kept_by_first),
            (other, hand.second, hand.kept_by_second),
        )
    ]
    return "\n".join(lines)


def edge(
    rulebook: Rulebook,
    *,
    bet: Annotated[
        str | None,
        typer.Option(help="A side bet: bonus-a .. bonus-e, tie-a, tie-b, big-small. Without it, the main game."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the exact chances and the house edge, house and player both setting the House Way."""
    from engine.edge import chances
    from engine.house_way import get
    from engine.side_bets import side_bet

    with plain_errors():
        way = get(rulebook)
        if bet is not None:
            counted = side_bet(bet, way)
            typer.echo(json.dumps(_side_bet_json(counted)) if as_json else _side_bet_text(counted))
            return
        result = chances(way, way)
    typer.echo(json.dumps(_chances_json(result)) if as_json else _chances_text(way, result))


def _chances_json(result: Chances) -> dict[str, Any]:
    return {
        "player_wins": result.player_wins,
        "pushes": result.pushes,
        "player_loses": result.player_loses,
        "total": result.total,
        "edge": float(result.edge()),
        "banker_edge": float(result.banker_edge()),
    }


def _chances_text(way: HouseWay, result: Chances) -> str:
    shares = (
        ("player wins", result.player_wins),
        ("pushes", result.pushes),
        ("player loses", result.player_loses),
        ("all", result.total),
    )
    lines = [f"{way.source.title}, {way.source.revision}: house and player both the House Way"]
    lines += [f"  {name:13} {count:>11,}  {count / result.total:8.4%}" for name, count in shares]
    lines += [
        f"  house edge against a player          {float(result.edge()):.6%}",
        f"  house edge against a player-banker   {float(result.banker_edge()):.6%}",
        "  at 5 % commission; per unit wagered against the bank",
    ]
    return "\n".join(lines)


def _side_bet_json(bet: SideBet) -> dict[str, Any]:
    surrender = {} if bet.edge_with_surrender is None else {"edge_with_surrender": float(bet.edge_with_surrender)}
    return {
        "bet": bet.name,
        "rule": bet.cite,
        "edge": float(bet.edge),
        **surrender,
        "total": bet.total,
        "lines": [{"line": line.name, "pays": float(line.pays), "count": line.count} for line in bet.lines],
    }


def _side_bet_text(bet: SideBet) -> str:
    lines = [f"{bet.name} ({bet.cite})"]
    lines += [
        f"  {line.name:50} {'loses' if line.pays < 0 else f'{line.pays} to 1':>9} {line.count:>12,}"
        f"  {line.count / bet.total:9.5%}"
        for line in bet.lines
    ]
    lines.append(f"  house edge {float(bet.edge):.4%}")
    if bet.edge_with_surrender is not None:
        lines.append(f"  house edge against a player who surrenders at best {float(bet.edge_with_surrender):.4%}")
    return "\n".join(lines)
