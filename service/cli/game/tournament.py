"""``houseway tournament``: the Terms and Conditions of a tournament, checked, and its play, replayed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import AsJson, plain_errors, say

if TYPE_CHECKING:
    from service.judge.tournament_io import PlayedTableOut, PlayOut, TermsCheckOut


def check(
    file: Annotated[
        Path, typer.Argument(help="The Terms and Conditions, in TOML; docs/tournaments.md explains the format.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """List what the Terms and Conditions lack, each with its rule.

    Exit status 1 if anything is missing.
    """
    from service.judge.described_file import DescribedFileError, load
    from service.judge.tournament_io import TermsCheckOut, TermsIn

    with plain_errors(DescribedFileError):
        checked = TermsCheckOut.of(load(file, TermsIn))
    say(checked.model_dump_json(ensure_ascii=True) if as_json else _text(checked))
    if not checked.complete:
        raise typer.Exit(1)


def _text(checked: TermsCheckOut) -> str:
    head = f"{checked.name}: {checked.asked} rules of {checked.rulebook} asked"
    if checked.complete:
        return f"{head}; the Terms and Conditions answer all of them"
    lines = [f"{one.rule:16} {one.fault.value}: {one.words} ({one.cite})" for one in checked.findings]
    return "\n".join([f"{head}; {len(lines)} found:", *lines])


def play(
    file: Annotated[
        Path, typer.Argument(help="The tournament as it was played, in TOML; docs/tournaments.md explains the format.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Replay a tournament: chips hand by hand, who is out, places and prizes.

    Exit status 1 if something was played that the rules do not allow.
    """
    from service.judge.described_file import DescribedFileError
    from service.judge.tournament_io import PlayOut, load_play

    with plain_errors(DescribedFileError):
        replayed = PlayOut.of(*load_play(file))
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
