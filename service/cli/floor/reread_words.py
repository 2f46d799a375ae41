"""Runs of reading again, and what came of them, as a person reads them in a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from service.words.findings import words_of

if TYPE_CHECKING:
    from service.floor.reread.results import Counted, RoundResult
    from service.floor.reread.runs import Run


def progress(run: Run) -> str:
    """How far a run has come."""
    done, aside = run.states.get("done", 0), run.states.get("aside", 0)
    parts = [f"{done} of {run.rounds} done"]
    parts += [f"{run.outcomes[name]} {words}" for name, words in _OUTCOMES.items() if run.outcomes.get(name)]
    parts += [f"{aside} failed"] if aside else []
    return ", ".join((*parts, *(["stopped"] if run.stopped_at else [])))


_OUTCOMES = {"otherwise": "decided differently", "could_not": "could not be re-read"}


def run_in_words(run: Run, counted: Counted) -> str:
    """A run, and what came of it in figures."""
    told = run.told
    lines = [
        f"run {run.id}, started {run.begun_at:%Y-%m-%dT%H:%M:%SZ} by {run.by}: {run.reason}",
        f"  re-read: {told.depth}; " + ", ".join(f"{name} {version}" for name, version in told.versions.items()),
        f"  {progress(run)}",
    ]
    lines += [f"  {rounds:>6} rounds with a different {what} (by {by})" for what, by, rounds in counted.differing]
    lines += [f"  {rounds:>6} rounds with something unread: {code}" for code, rounds in counted.unread]
    return "\n".join(lines)


def round_in_words(result: RoundResult) -> str:
    """A round of a run."""
    opened = "" if result.opened_at is None else f"{result.opened_at:%Y-%m-%dT%H:%M:%SZ}, "
    lines = [f"{result.table} round {result.number} ({opened}{result.round}): {result.outcome}"]
    again = result.again
    if again is None:
        return "\n".join((*lines, *(f"    {each}" for each in result.failures)))
    for each in again.differences:
        where = "" if each.place is None else f" {each.place}"
        said = "" if each.decided is None else f" (a person said: {_short(each.decided)})"
        lines.append(f"    {each.what}{where}: recorded {_short(each.recorded)}, now {_short(each.now)}{said}")
    unread = map(words_of, again.unread)
    lines.extend(f"    not re-read: {why}" for why in unread)
    return "\n".join(lines)


def _short(value: object) -> str:
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value)
