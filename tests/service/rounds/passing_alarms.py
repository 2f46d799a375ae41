"""Count alarms for review that end by themselves in simulated rounds without a mistake.

``python -m tests.service.rounds.passing_alarms --rounds 500 --seed 1``

Sessions are those of ``datasets.evaluation.simulated_rounds`` with their lawful exceptions, and without mistakes.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from datasets.evaluation.simulated_rounds import Session
from datasets.simulator.script import NO_MISTAKE, script
from datasets.simulator.staging.mistakes import MISTAKES
from service.record.projections.causes import is_to_review, places_to_review
from service.rounds.reports import DICE, RoundReport
from service.words.doubts import DoubtReport
from tests.service.rounds.followed import every_revision


@dataclass(frozen=True, slots=True)
class Passing:
    """A doubt about a place that a later picture removed.

    Attributes:
        lasted_s: for how long it stood, seconds.
        codes: of the doubts.
        raised: the revision that raised it, and the one that ended it.
    """

    round_id: str
    place: str
    lasted_s: float
    codes: tuple[str, ...]
    raised: tuple[RoundReport, RoundReport]

    def __str__(self) -> str:
        revisions = "-".join(str(each.changed_at.time())[:10] for each in self.raised)
        return f"{self.round_id} {self.place}: {', '.join(self.codes)}, {self.lasted_s:.1f} s ({revisions})"


def clean(seed: int) -> Session:
    """The session of a seed without its mistakes."""
    session = Session.of(seed)
    turns = tuple(NO_MISTAKE if each in MISTAKES else each for each in session.options.in_turn)
    return replace(session, options=replace(session.options, in_turn=turns))


def rounds_of(session: Session) -> list[list[RoundReport]]:
    """The revisions of each round of a session, oldest first."""
    rounds: dict[str, list[RoundReport]] = {}
    for report in every_revision(script(session.seed, session.options), session.rate):
        rounds.setdefault(report.id, []).append(report)
    return list(rounds.values())


def passing(revisions: Sequence[RoundReport]) -> Iterator[Passing]:
    """The alarms of a round that end by themselves: raised by one revision, and by a later one no more."""
    raised: RoundReport | None = None
    for report in revisions:
        if is_to_review(report):
            raised = raised or report
        elif raised is not None:
            for place in places_to_review(raised):
                codes = tuple(sorted({doubt.code for doubt in _doubts(raised, place)}))
                lasted_s = (report.changed_at - raised.changed_at).total_seconds()
                yield Passing(report.id, place, lasted_s, codes, (raised, report))
            raised = None


def _doubts(report: RoundReport, place: str) -> list[DoubtReport]:
    of_dice = [die.doubts for die in report.dice if place == DICE and die.status == "uncertain"]
    of_hands = [hand.doubts for hand in report.hands if hand.place == place]
    return [doubt for doubts in (*of_dice, *of_hands) for doubt in doubts]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and print each such alarm and the numbers; 1 if there was any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60, help="the least number of rounds")
    parser.add_argument("--seed", type=int, default=1, help="of the first session; the others follow")
    given = parser.parse_args(arguments)
    seed, rounds, waiting, found, start = given.seed, 0, 0, 0, time.monotonic()
    while rounds < given.rounds:
        session = clean(seed)
        for revisions in rounds_of(session):
            rounds += 1
            waiting += revisions[-1].status == "needs_review"
            for each in passing(revisions):
                found += 1
                sys.stdout.write(f"{each} ({session})\n")
        sys.stdout.flush()
        seed += 1
    seconds = time.monotonic() - start
    sys.stdout.write(f"rounds {rounds}, waiting for a person {waiting}, alarms that ended {found}, {seconds:.0f} s\n")
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
