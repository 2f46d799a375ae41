"""Score the tracking of simulated rounds: ``python -m datasets.evaluation.score_rounds``.

Each round's truth is known from the simulator (docs/simulator.md); ``datasets.evaluation.round_scores`` says what is
counted. Bounds of rates are one-sided at 95 % (Clopper and Pearson).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from datasets.evaluation.rates import upper_bound
from datasets.evaluation.round_scores import RoundScore, score
from datasets.evaluation.watching import watch, watch_pictures
from datasets.simulator.readings import ErrorRates
from datasets.simulator.script import Options, script
from datasets.simulator.staging.mistakes import HAND_MISTAKES
from engine.vocabulary.play import Lie

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(total: RoundScore, seconds: float) -> str:
    """Format the figures for people."""
    count, late = total.count, np.array(total.late_s or [np.nan])
    hands, wrong = count["hands told as verified"], count["silent errors"]

    def share(part: str, whole: str) -> str:
        return f"{count[part]:>7} of {count[whole]:<7} {100 * count[part] / max(count[whole], 1):8.3f} %"

    def left(kind: str) -> str:
        hands = count["left to a person " + kind]
        return f", {hands} left to a person" if hands else ""

    throws, wrong_throws = count["throws verified"], count["silent errors of throws"]
    low, high, higher = (float(np.quantile(late, share)) for share in (0.5, 0.95, 0.99))
    lines = [
        f"rounds                     {count['rounds']:>7} ({count['rounds clean']} clean), {seconds:.0f} s",
        f"not reported exactly once   {count['rounds not reported exactly once']:>7}",
        f"silent errors, hands       {wrong:>7} of {hands:<7} at most {upper_bound(wrong, hands):.2e} (95 %)",
        f"silent errors, throws      {wrong_throws:>7} of {throws:<7} at most {upper_bound(wrong_throws, throws):.2e}",
        f"hands covered              {share('hands covered', 'hands asked for')}",
        f"  in clean rounds          {share('hands covered, clean', 'hands asked for, clean')}",
        f"throws verified            {share('throws verified', 'throws')}",
        f"  cut die not told apart   {share('throws of untold parts', 'throws')}",
        f"cocked dice found          {share('cocked dice found', 'rounds with a cocked die')}",
        f"false alarms               {share('false alarms in clean rounds', 'rounds clean')}",
        f"asked for wrongly          {count['rounds with the wrong hands asked for']:>7}",
        f"at rest to verified        median {low:.2f} s, 95 % {high:.2f} s, 99 % {higher:.2f} s",
        f"moments wrong              {share('moments told wrongly', 'moments asked')}",
        f"moments not known          {share('moments not known', 'moments asked')}",
    ]
    kinds = sorted(name.removeprefix("mistake ") for name in count if name.startswith("mistake "))
    lines += [f"  {kind:<25}{share('found ' + kind, 'mistake ' + kind)}{left(kind)}" for kind in kinds]
    for why in ("not to be seen", "not to be read"):
        lines.append(f"  {why:<25}{share(f'referred, {why}', f'mistakes {why}')} referred")
    return "\n".join(lines)


def _session(
    options: Options, rate: float, sure_wrong: float, missed: float, until_s: float, seed: int, *, pictures: bool
) -> RoundScore:
    """Score one session; an empty score if it is too late to start."""
    into = RoundScore()
    if time.monotonic() <= until_s:
        made = script(seed, options)
        faults = ErrorRates(sure_wrong=sure_wrong)
        rounds = watch_pictures(made, rate) if pictures else watch(made, faults, rate, seed, missed)
        score(made, rounds, into, rate)
    return into


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10, help="how many sessions")
    parser.add_argument("--rounds", type=int, default=10, help="rounds in each")
    parser.add_argument("--seed", type=int, default=1, help="of the first session; the others follow")
    parser.add_argument("--rulebook", default="crown-6.1")
    parser.add_argument("--house-way", help="where the rulebook prints none")
    parser.add_argument("--layout", help="a table of datasets.simulator.layouts, such as eight-from-left")
    parser.add_argument("--low-hand", choices=[each.value for each in Lie], help="how low hands lie; by the book")
    parser.add_argument("--rate", type=float, default=5.0, help="readings a second")
    parser.add_argument(
        "--missed", type=float, default=0.0, help="share of pictures that a busy computer does not read, below 0.6"
    )
    parser.add_argument("--mistake-rate", type=float, default=0.0)
    parser.add_argument("--mistakes", default="+".join(HAND_MISTAKES), help="kinds of docs/simulator.md, joined by +")
    parser.add_argument("--player-bank-rate", type=float, default=0.0, help="share of rounds that a player banks")
    parser.add_argument("--disturbance-rate", type=float, default=0.0)
    parser.add_argument("--sure-wrong", type=float, default=0.0, help="share of deceptions called verified")
    parser.add_argument(
        "--pictures", action="store_true", help="render each picture and have the models read it, which takes minutes"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="start no session after that")
    parser.add_argument("--jobs", type=int, default=1, help="how many sessions at a time, each on a core of its own")
    parser.add_argument("--json", type=Path, help="write the counts and notes here, after each session")
    given = parser.parse_args(arguments)
    if given.jobs < 1:
        parser.error(f"--jobs {given.jobs}: at least 1")
    if not 0.0 <= given.missed < 0.6 or (given.missed and given.pictures):
        parser.error(f"--missed {given.missed}: from 0 to below 0.6, and not with --pictures")
    options = Options(
        rulebook=given.rulebook,
        layout=given.layout,
        low_hand=None if given.low_hand is None else Lie(given.low_hand),
        house_way=given.house_way,
        rounds=given.rounds,
        mistakes=tuple(filter(None, given.mistakes.split("+"))),
        mistake_rate=given.mistake_rate,
        player_bank_rate=given.player_bank_rate,
        disturbance_rate=given.disturbance_rate,
    )
    total, start = RoundScore(), time.monotonic()
    seeds = range(given.seed, given.seed + given.sessions)
    one = partial(
        _session,
        options,
        given.rate,
        given.sure_wrong,
        given.missed,
        start + 60 * given.minutes,
        pictures=given.pictures,
    )
    # A forked child would inherit the libraries' threads in an unknown state; a spawned one starts afresh.
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(one, seeds) if given.jobs > 1 else map(one, seeds):
            total.add(part)
            if given.json is not None:
                found = {"count": dict(total.count), "late_s": total.late_s, "notes": total.notes}
                given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(total, time.monotonic() - start) + "\n")
    sys.stdout.writelines(f"  {note}\n" for note in total.notes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
