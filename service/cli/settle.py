"""``houseway settle`` and ``houseway tournament``: rounds and tournaments described in a file."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import plain_errors, say, today
from service.cli.options import AsJson, Day, HouseWayUnder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.rounds.judge.settlement_io import ReadingOut, SettlementOut, WagerOut
    from service.rounds.judge.tournament_io import PlayedTableOut, PlayOut, TermsCheckOut


@contextmanager
def _errors_of(file: Path) -> Iterator[None]:
    """Name the file in errors of the engine about its content; end the command in one line."""
    from engine.errors import EngineError
    from service.rounds.judge.settlement_io import DescribedFileError

    with plain_errors(DescribedFileError):
        try:
            yield
        except EngineError as error:
            raise DescribedFileError(f"{file}: {error}") from None


def settle(
    file: Annotated[Path, typer.Argument(help="The round, in TOML or JSON; docs/settlement.md explains the format.")],
    *,
    house_way: HouseWayUnder = None,
    as_json: AsJson = False,
) -> None:
    """Settle a round described in a file, to the cent.

    Says for each wager whether it won or lost and under which rule; what is paid, returned and collected; and the
    result of the bank.
    """
    from engine.books.house_ways import get
    from service.rounds.judge.settlement_io import RoundIn, SettlementOut, load

    with _errors_of(file):
        described = load(file, RoundIn)
    if house_way is not None:
        with plain_errors():
            get(house_way, described.date or today())
        described = described.model_copy(update={"house_way": house_way})
    with _errors_of(file):
        settled = SettlementOut.of(described.played(get, today()))
    say(settled.model_dump_json(ensure_ascii=True) if as_json else _text(settled, described.decimals))


def _text(settled: SettlementOut, decimals: int) -> str:
    holds = {"house": "the House banks", "player": "player-bank", "co-bank": "co-bank"}[settled.bank.method.value]
    bankers = " and ".join(settled.bank.players)
    head = f"{settled.rulebook} ({settled.rulebook_version}): {holds}{f' of {bankers}' if bankers else ''}"
    lines = [
        f"{head}; paid counter-clockwise from the chung ({settled.order_rule})",
        *_money(settled, decimals),
        *(f"note: {note}" for note in settled.notes),
    ]
    if settled.literal is not None:
        lines += [
            "literal_reading_differs: read to the letter (ruling 15), the book gives another result:",
            *(f"  {line}" for line in _money(settled.literal, decimals)),
        ]
    return "\n".join(lines)


def _money(reading: ReadingOut, decimals: int) -> list[str]:
    """Wagers, bank and accounts."""
    lines = []
    for wager in reading.wagers:
        lines.append(
            f"box {wager.box}  {wager.player:12} {_amount(wager.stake, decimals):>10}  {_called(wager):4}  "
            f"{_ended(wager, decimals)}  ({wager.rule})"
        )
        lines += [f"         {reason}" for reason in wager.reasons]
    bank = reading.bank
    side = {"side wagers taken": bank.side_taken, "paid": bank.side_paid}
    facts = {
        "losing wagers taken": bank.taken,
        "winnings paid": bank.paid,
        "left in the losing wager area": bank.remainder,
        "shortfall": bank.shortfall,
        "the House's half": bank.house_share,
        "banker's commission": bank.commission,
        "handed to the banker": bank.handed,
        "banker's wager returned": bank.returned,
    }
    parts = [f"{what} {_amount(amount, decimals)}" for what, amount in facts.items() if amount]
    lines.append(f"bank: {'; '.join([*parts, f'net {_amount(bank.net, decimals)}'])}")
    if any(side.values()):
        lines.append("; ".join(f"{what} {_amount(amount, decimals)}" for what, amount in side.items()))
    lines += [
        f"  {account:30} {_amount(amount, decimals):>12}" for account, amount in reading.balances.items() if amount
    ]
    return lines


def _called(wager: WagerOut) -> str:
    from engine.settlement.wagers import MAIN

    return wager.call if wager.bet == MAIN else f"{wager.bet} {wager.call}"


def _ended(wager: WagerOut, decimals: int) -> str:
    facts = {
        "won": wager.winnings,
        "commission": wager.commission,
        "paid": wager.paid,
        "lost": wager.collected,
        "returned": wager.returned,
    }
    return ", ".join(f"{what} {_amount(amount, decimals)}" for what, amount in facts.items() if amount)


def _amount(amount: int, decimals: int) -> str:
    """Format an amount in smallest units, without floats."""
    units, rest = divmod(abs(amount), 10**decimals)
    point = f".{rest:0{decimals}}" if decimals else ""
    return f"{'-' if amount < 0 else ''}{units:,}{point}"


def check_tournament(
    file: Annotated[
        Path, typer.Argument(help="The Terms and Conditions, in TOML; docs/tournaments.md explains the format.")
    ],
    *,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """List the gaps in a tournament's Terms and Conditions, each with its rule.

    Exit status 1 if anything is missing.
    """
    from service.rounds.judge.settlement_io import load
    from service.rounds.judge.tournament_io import TermsCheckOut, TermsIn

    with _errors_of(file):
        checked = TermsCheckOut.of(load(file, TermsIn), on)
    say(checked.model_dump_json(ensure_ascii=True) if as_json else _terms_text(checked))
    if not checked.complete:
        raise typer.Exit(1)


def _terms_text(checked: TermsCheckOut) -> str:
    head = f"{checked.name}: {checked.asked} rules of {checked.rulebook} asked"
    if checked.complete:
        return f"{head}; the Terms and Conditions answer all of them"
    lines = [f"{one.rule:16} {one.fault.value}: {one.words} ({one.cite})" for one in checked.findings]
    return "\n".join([f"{head}; {len(lines)} found:", *lines])


def replay_tournament(
    file: Annotated[
        Path, typer.Argument(help="The tournament as it was played, in TOML; docs/tournaments.md explains the format.")
    ],
    *,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Replay a tournament: chips hand by hand, eliminations, places and prizes.

    Exit status 1 if the rules do not allow something that was played.
    """
    from service.rounds.judge.tournament_io import PlayOut, load_play

    with _errors_of(file):
        replayed = PlayOut.of(*load_play(file), on)
    say(replayed.model_dump_json(ensure_ascii=True) if as_json else _play_text(replayed))
    if replayed.refused:
        raise typer.Exit(1)


def _play_text(replayed: PlayOut) -> str:
    lines = [f"{replayed.name} ({replayed.rulebook})"]
    for table in replayed.tables:
        lines += _table_lines(table)
    if replayed.places:
        lines.append("places")
    lines += [f"  {one.rank:>4}  {', '.join(one.players)}: {one.chips}" for one in replayed.places]
    lines += [f"  {player} wins {prize}" for player, prize in replayed.prizes.items()]
    lines += [f"  {line.words} ({line.rule})" for line in replayed.lines]
    if replayed.refused:
        lines.append(f"REFUSED  {replayed.refused}")
    return "\n".join(lines)


def _table_lines(table: PlayedTableOut) -> list[str]:
    players = list(table.chips[0])
    wide = [max(len(player), *(len(str(after[player])) for after in table.chips)) for player in players]
    rows = [("hand", players), *((str(hand), [str(one[p]) for p in players]) for hand, one in enumerate(table.chips))]
    lines = [f"{table.stage}, table {table.number}: {table.played} of {table.hands} hands"]
    for head, cells in rows:
        row = "  ".join(cell.rjust(width) for cell, width in zip(cells, wide, strict=True))
        lines.append(f"  {head:>4}  {row}")
    return lines + [f"  {line.words} ({line.rule})" for line in table.lines]
