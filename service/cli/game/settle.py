"""``houseway settle``: a round described in a file, settled to the cent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import AsJson, HouseWayUnder, plain_errors, say

if TYPE_CHECKING:
    from service.judge.settlement_io import ReadingOut, SettlementOut, WagerOut


def settle(
    file: Annotated[Path, typer.Argument(help="The round, in TOML or JSON; docs/settlement.md explains the format.")],
    *,
    house_way: HouseWayUnder = None,
    as_json: AsJson = False,
) -> None:
    """Settle a round that a file describes, to the cent.

    Says for each wager whether it won or lost and under which rule; what is paid, returned and collected; and the
    result of the bank.
    """
    from engine.books.house_ways import get
    from service.judge.described_file import DescribedFileError, load
    from service.judge.settlement_io import RoundIn, SettlementOut

    with plain_errors(DescribedFileError):
        described = load(file, RoundIn)
        if house_way is not None:
            described = described.model_copy(update={"house_way": house_way})
        settled = SettlementOut.of(described.played(get))
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
    """Whole units and smallest units, without a float on the way."""
    units, rest = divmod(abs(amount), 10**decimals)
    point = f".{rest:0{decimals}}" if decimals else ""
    return f"{'-' if amount < 0 else ''}{units:,}{point}"
