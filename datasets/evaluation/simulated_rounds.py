"""Play rounds by every rulebook, and count false alarms and missed mistakes.

``python -m datasets.evaluation.simulated_rounds --rounds 3000 --seed 7``

Sessions of six rounds go through the books in turn: at every table that a book is played on, with the House and players
in the bank, read from 0.5 to 5 times a second. Two rounds of a session have a mistake, three a lawful exception, and
one neither, as far as the round has room for them. All of a session follows from its seed; ``--only SEED`` plays it
alone. The counts and notes of each session are added to ``--out``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.evaluation.round_scores import RoundScore, score
from datasets.evaluation.watching import watch
from datasets.simulator.layouts import fitting
from datasets.simulator.readings import ErrorRates
from datasets.simulator.script import NO_MISTAKE, Options, script
from datasets.simulator.staging.exceptions import EXCEPTIONS
from datasets.simulator.staging.mistakes import MISTAKES
from engine.books.registry import BOOKS
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import SetWhen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from datasets.scenes.sampling import Rng
    from engine.books.book import Rulebook

RATES: Final = (0.5, 1.0, 2.0, 5.0)
"""Pictures a second."""
_ROUNDS: Final = 6
_CLEAN: Final = 4
_EXCEPTIONS: Final = 3
"""Rounds of a session, those of them without a mistake, and of these those with a lawful exception."""
_HOUSE_WAY_OF: Final = {"uk-poster": "crown-6.1"}
"""The House Way of a book that prints none."""
_PLAYERS_BANK: Final = 0.4
_SIDE_WAGERS: Final = 0.3
_VARIANTS: Final = 0.3
"""Shares of the rounds that a player banks, of the tables that take side wagers, and of the others where a variant of
the book is played: at one with side wagers a third die may lie out of sight.
"""
_SILENT: Final = ("silent errors", "silent errors of throws")
_FAULTS: Final = ("false alarms in clean rounds", *_SILENT, "rounds not reported exactly once")


@dataclass(frozen=True, slots=True)
class Session:
    """A simulated session, and how often it is read."""

    seed: int
    options: Options
    rate: float

    @classmethod
    def of(cls, seed: int) -> Session:
        """The session of a seed."""
        rng = np.random.default_rng((seed, 41))
        book = sorted(BOOKS)[seed % len(BOOKS)]
        side_wagers = bool(rng.random() < _SIDE_WAGERS)
        mistakes = _of_book(rng, BOOKS[book], MISTAKES, _ROUNDS - _CLEAN)
        exceptions = _of_book(rng, BOOKS[book], EXCEPTIONS, _EXCEPTIONS, side_wagers=side_wagers)
        turns = [*mistakes, *exceptions, *(NO_MISTAKE for _ in range(_CLEAN - _EXCEPTIONS))]
        options = Options(
            rulebook=book,
            layout=str(rng.choice(fitting(BOOKS[book]))),
            house_way=_HOUSE_WAY_OF.get(book),
            rounds=_ROUNDS,
            in_turn=tuple(turns[n] for n in rng.permutation(_ROUNDS)),
            player_bank_rate=_PLAYERS_BANK,
            players=(1, 6),
            side_wagers=side_wagers,
        )
        rate = float(rng.choice(RATES))
        # A stream of its own: a seed keeps its session where no variant is played.
        variants = () if side_wagers else tuple(BOOKS[book].variants)
        chance = np.random.default_rng((seed, 51))
        if variants and chance.random() < _VARIANTS:
            options = replace(options, variant=str(chance.choice(variants)))
        return cls(seed, options, rate)

    def played(self, faults: ErrorRates) -> RoundScore:
        """Play, watch and score the session."""
        into, made = RoundScore(), script(self.seed, self.options)
        score(made, watch(made, faults, self.rate, self.seed), into, self.rate)
        return into

    def __str__(self) -> str:
        """What a failure is found again by."""
        played = self.options.variant or self.options.rulebook
        return f"seed {self.seed}: {played}, {self.options.layout}, {self.rate:g} pictures a second"


def _of_book(rng: Rng, book: Rulebook, kinds: Iterable[str], count: int, *, side_wagers: bool = False) -> list[str]:
    """Choose kinds of mistakes or exceptions for which a book has room."""
    play, dice, cuts = book.play, book.dice_of(None), book.cuts
    asks = play.request is not None
    before_bank = asks and play.request is not None and play.request.value is SetWhen.BEFORE_BANK
    rooms: dict[str, object] = {
        "other-cut": cuts.by_die is not None and cuts.accepted(Bank.HOUSE) is not None,
        "opened-alone": play.alone,
        "dealt-together": play.collective,
        "bonus-only": side_wagers and book.side_wagers is not None,
        "laja": play.laja,
        "dice-shaken-twice": dice.shaken_again is None,
        "dice-not-shaken-again": dice.shaken_again,
        "asked-hand-set-wrong": asks,
        "asked-hand-set-wrong-corrected": asks,
        "exposed-out-of-turn": play.expose,
        "cut-against-die": cuts.by_die,
        "lost-hand-left": play.at_once,
        "stand-off-left": play.stood_off,
        "won-hand-taken": play.paid_last,
        "hand-left-as-dealt": before_bank,
        "empty-box-left": before_bank,
        "unused-tile-open": play.retrieve,
        "button-under-house-bank": dice.buttons.value.values,
    }
    open_ = [kind for kind in kinds if rooms.get(kind, True)]
    return [str(kind) for kind in rng.choice(open_, count, replace=count > len(open_))]


def table(total: RoundScore, seconds: float) -> str:
    """Format the figures for people."""
    of = total.count
    lines = [
        f"rounds {of['rounds']}, clean {of['rounds clean']}, {seconds:.0f} s",
        f"with a lawful exception {of['rounds with an exception']}",
        *(f"  {name:<32}{of[name]:>6}" for name in sorted(of) if name.startswith("exception ")),
        *(f"{name:<34}{of[name]:>6}" for name in _FAULTS),
    ]
    lines += [f"  {name:<32}{of[name]:>6}" for name in sorted(of) if name.startswith("false alarm ")]
    kinds = sorted(name.removeprefix("mistake ") for name in of if name.startswith("mistake "))
    lines.append(f"{'mistakes':<28}{'visible':>8}{'found':>8}{'to a person':>13}{'':>4}")
    rows = [(kind, of[f"mistake {kind}"], of[f"found {kind}"], of[f"left to a person {kind}"]) for kind in kinds]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows), sum(row[3] for row in rows)))
    lines += [
        f"  {kind:<26}{seen:>8}{found:>8}{left:>13}{100 * found / max(seen, 1):>9.2f} %"
        for kind, seen, found, left in rows
    ]
    for why in ("not to be seen", "not to be read"):
        lines.append(f"  {why:<26}{of[f'mistakes {why}']:>8}")
    return "\n".join(lines)


def _play(until_s: float, seed: int) -> RoundScore:
    """Play a session unless it is too late to start."""
    return Session.of(seed).played(ErrorRates()) if time.monotonic() <= until_s else RoundScore()


def _parts(given: argparse.Namespace, until_s: float) -> Iterator[tuple[int, RoundScore]]:
    seeds = range(given.seed, given.seed + -(-given.rounds // _CLEAN)) if given.only is None else [given.only]
    one = partial(_play, until_s)
    if given.jobs == 1:
        yield from ((seed, one(seed)) for seed in seeds)
        return
    # A forked child would inherit the libraries' threads in an unknown state; a spawned one starts afresh.
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        yield from zip(seeds, pool.map(one, seeds), strict=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, score and print a table; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=120, help="how many rounds without a mistake")
    parser.add_argument("--seed", type=int, default=1, help="of the first session; the others follow")
    parser.add_argument("--only", type=int, help="the seed of the only session to play")
    parser.add_argument("--minutes", type=float, default=600.0, help="start no session after that")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=1, help="how many sessions at a time")
    parser.add_argument("--out", type=Path, help="add a line of JSON a session to this file")
    given = parser.parse_args(arguments)
    total, start = RoundScore(), time.monotonic()
    for seed, part in _parts(given, start + 60 * given.minutes):
        total.add(part)
        session = Session.of(seed)
        sys.stdout.writelines(f"{note} ({session})\n" for note in part.faults)
        sys.stdout.flush()
        if given.out is not None:
            with given.out.open("a", encoding="utf-8") as file:
                line = {"seed": seed, "session": str(session), "count": dict(part.count), "notes": part.notes}
                file.write(json.dumps(line) + "\n")
    sys.stdout.write(table(total, time.monotonic() - start) + "\n")
    return int(any(total.count[fault] for fault in _FAULTS))


if __name__ == "__main__":
    raise SystemExit(main())
