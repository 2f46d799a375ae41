"""``houseway edge``: exact chances and the house edge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import choice_notes, commission_notes, per_cent, plain_errors, played_under, refuse, rules_on
from service.cli.options import AsJson, Commission, Day, HouseWayUnder, Rulebook

if TYPE_CHECKING:
    from datetime import date
    from fractions import Fraction

    from engine.analysis.edge import OutcomeChances, WayTable
    from engine.analysis.side_bets import SideBet
    from engine.house_way import HouseWay

_FULL = "5%"


def edge(
    rulebook: Rulebook,
    *,
    house_way: HouseWayUnder = None,
    bet: Annotated[
        str | None,
        typer.Option(help="A side bet: bonus-a to bonus-e, tie-a, tie-b or big-small. Default: the main game."),
    ] = None,
    player_way: Annotated[
        str | None,
        typer.Option(
            "--player-way",
            help="How the player sets tiles: a House Way (id or file), maximise-low, maximise-high or best-reply. "
            "Default: as the House does.",
        ),
    ] = None,
    commission: Commission = _FULL,
    banking: Annotated[
        bool, typer.Option("--banking", help="Also show who keeps what when a player banks, and what is assumed.")
    ] = False,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Count the exact chances and the house edge."""
    from engine.analysis.edge import chances_by_deal, rate, summed
    from engine.analysis.side_bets import side_bet

    with plain_errors():
        way, taken = rules_on(on, rulebook, house_way).house_way, rate(commission)
        player = None if player_way is None else _table_of(player_way, way, taken, on)
        choices = choice_notes(way, *_own_way(player_way, on))
        if bet is not None:
            _refuse_for_side_bets(bet, player_way, commission, banking=banking)
            counted = side_bet(bet, way, player)
            typer.echo(json.dumps(_side_bet_json(counted, choices)) if as_json else _side_bet_text(counted, choices))
            return
        result = summed(chances_by_deal(way.table if player is None else player, way.table))
    notes = [*commission_notes(taken, on, way.played_under), *choices]
    assumed = _assumed(way, player_way, taken) if banking else ()
    if as_json:
        optional = {
            "notes": notes,
            "player_way": player_way,
            "banking": banking and _banking_json(result, taken, assumed),
        }
        figures = _chances_json(result, taken) | {name: given for name, given in optional.items() if given}
        typer.echo(json.dumps(figures))
    else:
        sides = (
            f"the House sets its House Way, the player {player_way}"
            if player_way
            else "House and player both set the House Way"
        )
        typer.echo(f"{way.source.title}, {way.source.revision}{played_under(way)}: {sides}")
        typer.echo("\n".join(_chances_text(result, taken, notes)))
        if banking:
            typer.echo("\n".join(_banking_text(result, taken, assumed)))


def _table_of(player_way: str, bank: HouseWay, commission: Fraction, day: date) -> WayTable:
    from engine.analysis.strategies import STRATEGIES, strategy
    from engine.books.house_ways import get
    from engine.errors import UnknownRulebookError

    if player_way in STRATEGIES:
        return strategy(player_way, bank.table, commission)
    try:
        return get(player_way, day).table
    except UnknownRulebookError as error:
        raise UnknownRulebookError(f"{error}; a player may also set by {', '.join(STRATEGIES)}") from None


def _own_way(player_way: str | None, day: date) -> tuple[HouseWay, ...]:
    """Return the House Way of the player, if it differs from the House's."""
    from engine.analysis.strategies import STRATEGIES
    from engine.books.house_ways import get

    return () if player_way is None or player_way in STRATEGIES else (get(player_way, day),)


def _refuse_for_side_bets(bet: str, player_way: str | None, commission: str, *, banking: bool) -> None:
    """Refuse options that do not apply to side bets: the House banks them, and they pay by their tables."""
    if commission != _FULL or banking:
        refuse(f"{bet} is paid by its table, by the house and without commission: leave --commission and --banking out")
    if player_way is not None and not bet.startswith("tie-"):
        refuse(f"{bet} does not depend on how tiles are set: leave --player-way out")


def _assumed(way: HouseWay, player_way: str | None, commission: Fraction) -> tuple[str, ...]:
    """Return the assumptions behind the figures for a player's bank."""
    charged = (
        f"Commission is {per_cent(commission)} of a win: a player's by wager; a banker's once a round on the net, "
        "after losses are paid and the stake is returned; a co-banker's on half of it (ruling 22). Nothing is rounded "
        "to chips."
    )
    opponents = (
        "One opponent with one wager. Against more, a banker's wins and losses are netted before commission, so a "
        "banker gives up less, down to the figure without commission."
    )
    return (
        f"The bank sets {way.rulebook}, whoever holds it; the player sets {player_way or 'it too'}.",
        "A copy, and zero against zero, goes to the bank in that hand (rulings 15 and 16).",
        charged,
        opponents,
        "A co-bank stakes half and half and sets its tiles the House Way; not every rulebook has one (ruling 24).",
    )


def _chances_json(result: OutcomeChances, level: Fraction) -> dict[str, Any]:
    return {
        "player_wins": result.player_wins,
        "pushes": result.pushes,
        "player_loses": result.player_loses,
        "total": result.total,
        "edge": float(result.edge(level)),
        "banker_edge": float(result.banker_edge(level)),
    }


def _banking_json(result: OutcomeChances, level: Fraction, assumed: tuple[str, ...]) -> dict[str, Any]:
    return {
        "commission": str(level),
        "house": {"house_keeps": float(result.edge(level))},
        "player": {
            "banker_edge": float(result.banker_edge(level)),
            "banker_edge_without_commission": float(result.banker_edge_without_commission()),
            "house_keeps": float(result.house_from_player_bank(level)),
        },
        "co_bank": {
            "co_banker_edge_of_his_half": float(result.banker_edge(level)),
            "co_banker_edge_of_the_wager": float(result.banker_edge(level) / 2),
            "house_keeps": float(result.house_from_co_bank(level)),
        },
        "assumed": assumed,
    }


def _chances_text(result: OutcomeChances, level: Fraction, notes: list[str]) -> list[str]:
    shares = (
        ("player wins", result.player_wins),
        ("pushes", result.pushes),
        ("player loses", result.player_loses),
        ("all", result.total),
    )
    return [
        *(f"  {name:13} {count:>11,}  {count / result.total:8.4%}" for name, count in shares),
        f"  house edge against a player          {float(result.edge(level)):.6%}",
        f"  house edge against a player-banker   {float(result.banker_edge(level)):.6%}",
        f"  at {per_cent(level)} commission; per unit wagered against the bank",
        *(f"  note: {note}" for note in notes),
    ]


def _banking_text(result: OutcomeChances, level: Fraction, assumed: tuple[str, ...]) -> list[str]:
    player, banker = float(result.edge(level)), float(result.banker_edge(level))
    bare = float(result.banker_edge_without_commission())
    accounts = (
        ("house bank", None, result.edge(level)),
        ("player-bank", banker, result.house_from_player_bank(level)),
        ("co-bank", banker / 2, result.house_from_co_bank(level)),
    )
    return [
        "",
        "  of each unit wagered against the bank   the player    the banker     the house",
        "                                            gives up      gives up         keeps",
        *(
            f"  {name:38}{player:>12.6%}{'' if gives is None else f'{gives:.6%}':>14}{float(keeps):>14.6%}"
            for name, gives, keeps in accounts
        ),
        f"  A co-banker gives up {banker:.6%} of his own half.",
        f"  A banker who paid no commission would give up {bare:.6%}.",
        *(f"  - {line}" for line in assumed),
    ]


def _side_bet_json(bet: SideBet, notes: list[str]) -> dict[str, Any]:
    surrender = {} if bet.edge_with_surrender is None else {"edge_with_surrender": float(bet.edge_with_surrender)}
    return {
        "bet": bet.name,
        "rule": bet.cite,
        "edge": float(bet.edge),
        **surrender,
        **({"notes": notes} if notes else {}),
        "total": bet.total,
        "lines": [{"line": line.name, "pays": float(line.pays), "count": line.count} for line in bet.lines],
    }


def _side_bet_text(bet: SideBet, notes: list[str]) -> str:
    lines = [f"{bet.name} ({bet.cite})"]
    lines += [
        f"  {line.name:50} {'loses' if line.pays < 0 else f'{line.pays} to 1':>9} {line.count:>12,}"
        f"  {line.count / bet.total:9.5%}"
        for line in bet.lines
    ]
    lines.append(f"  house edge {float(bet.edge):.4%}")
    if bet.edge_with_surrender is not None:
        lines.append(f"  house edge against a player who surrenders at best {float(bet.edge_with_surrender):.4%}")
    return "\n".join([*lines, *(f"  note: {note}" for note in notes)])
