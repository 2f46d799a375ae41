"""What was done about a finding of a round, or about a hand set against the House Way.

A hand that is seen to be corrected in time, or not to be by the moment that its rule names, is recorded automatically;
everything else is reported by a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.house_way.rules import Moment
from engine.vocabulary.remedy import Duty, Effect, as_title
from service.rounds.judge.remedies import remedies_of
from service.rounds.judge.verdicts import remedies_of_hand, status_of
from service.rounds.reports import FindingReport, HandReport, Outcome, OutcomeReport, RoundReport
from service.rounds.review import ReviewError
from service.rounds.round_history import hand_at, wrong_in, wrong_since
from service.words.wording import BookText, Quote, sentence, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from engine.vocabulary.remedy import Remedy
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.rounds.review import ReviewIn
    from service.words.wording import Sayable

OUTCOMES: Final[dict[Outcome, str]] = {
    "corrected": sentence("Corrected"),
    "too_late": sentence("Too late to correct"),
    "accepted": sentence("Accepted"),
    "called": sentence("Surveillance or a supervisor called"),
}
"""Each outcome, in words."""
CALLED: Final[dict[str, str]] = {
    "surveillance": sentence("Surveillance called"),
    "supervisor": sentence("Supervisor called"),
}
"""The same by who was called."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A part of a revision that outcomes may be recorded of: a hand that lies wrongly, or a finding.

    Attributes:
        part: name of it in a report: the place, or such as ``finding1``.
        hand: None for a finding.
        finding: None for a hand.
    """

    part: str
    hand: HandReport | None = None
    finding: FindingReport | None = None


def subjects(played: RoundReport) -> tuple[Subject, ...]:
    """What in a revision may have an outcome: hands against the House Way, and what the rulebook deals with."""
    hands = (Subject(hand.place, hand=hand) for hand in played.hands if hand.is_set_wrongly)
    findings = (
        Subject(f"finding{number}", finding=found)
        for number, found in enumerate(played.findings, start=1)
        if found.rule is not None or found.irregularities
    )
    return (*hands, *findings)


def acceptors(subject: Subject, played: RoundReport, rules: RulesInForce) -> tuple[str, ...]:
    """The titles that the rulebook lets accept it at this stage of the round, the lowest first; none if it lets none.

    They are those of a lawful exception that needs permission, and of remedies that leave the decision to a title.
    """
    book = rules.book
    if book is None:
        return ()
    if subject.finding is not None:
        options: Iterable[Remedy] = (each for of in remedies_of(subject.finding, book) for each in of.options)
        permitted = [each.by for each in subject.finding.unless if each.by]
    else:
        found = None if subject.hand is None else remedies_of_hand(subject.hand, rules.house_way, played.reached)
        options, permitted = () if found is None else found.options, []
    ranks = book.play.ranks
    titles = {title for option in options if _leaves_it(option) for title in option.by.titles(ranks)}
    for by in permitted:
        least = as_title(ranks, by)
        level = next((number for number, line in enumerate(ranks) if least in line), len(ranks))
        titles.update(title for line in ranks[level:] for title in line)
    return tuple(title for line in ranks for title in line if title in titles)


def _leaves_it(option: Remedy) -> bool:
    """Whether somebody with a title may let results stand."""
    stands = option.effect is Effect.AS_DECIDED or (option.effect is Effect.RESULTS_STAND and option.duty is Duty.MAY)
    return stands and option.by.title is not None


def reported(
    known: RoundReport, seen: RoundReport, requested: ReviewIn, at: datetime, rules: RulesInForce
) -> RoundReport:
    """The round with an outcome that a person reports.

    Args:
        known: its newest revision.
        seen: the revision that the person looked at.
        requested: the report.
        at: the present, UTC.
        rules: by which the round was judged.

    Raises:
        ReviewError: that revision lacks the part, or the rulebook gives this title no such power.
    """
    said = requested.outcome
    subject = next((each for each in subjects(seen) if said is not None and each.part == said.part), None)
    if said is None or subject is None:
        part = "" if said is None else said.part
        raise ReviewError(
            words(
                "%(part)s: revision %(revision)s has no such finding, and no such hand set against the House Way.",
                part=Quote(part),
                revision=seen.revision,
            )
        )
    title = None
    if said.title is not None:
        allowed = acceptors(subject, seen, rules)
        title = as_title([allowed], said.title)
        if title is None and allowed:
            who = Quote(", ".join(allowed))
            raise ReviewError(words("The rulebook lets these accept it: %(titles)s.", titles=who))
        if title is None:
            raise ReviewError(words("The rulebook lets nobody accept it."))
    outcome = OutcomeReport(
        outcome=said.outcome,
        place=None if subject.hand is None else subject.hand.place,
        finding=None if subject.finding is None else subject.finding.alone,
        seen_in=seen.revision,
        revision=known.revision + 1,
        at=at,
        source="http",
        by=requested.by,
        title=title,
        called=said.called,
        reason=requested.reason,
    )
    concluded = known.model_copy(
        update={"revision": outcome.revision, "changed_at": at, "outcomes": (*known.outcomes, outcome)}
    )
    return concluded.model_copy(update={"status": status_of(concluded)})


def may_be_corrected(now: RoundReport, before: RoundReport) -> bool:
    """Whether a hand lies the House Way now that did not surely do so in the revision before."""
    return any(
        (was := hand_at(before, hand.place)) is not None and _verdict(was) != "correct" for hand in _read_right(now)
    )


def seen_corrected(now: RoundReport, earlier: Sequence[RoundReport], rules: RulesInForce) -> tuple[OutcomeReport, ...]:
    """The hands that the camera sees to be corrected in a new revision.

    Such a hand was read wrongly set when it was judged last, with the same four tiles, and the rulebook surely lets it
    be corrected at the stage that the round has reached now.

    Args:
        now: the new revision.
        earlier: those before it, oldest first.
        rules: by which the round is judged.
    """
    return tuple(_seen_corrected(now, earlier, rules))


def _seen_corrected(now: RoundReport, earlier: Sequence[RoundReport], rules: RulesInForce) -> Iterator[OutcomeReport]:
    for hand in _read_right(now):
        judged = ((report, hand_at(report, hand.place)) for report in reversed(earlier))
        last = next(((report, was) for report, was in judged if was and _verdict(was) in {"wrong", "correct"}), None)
        if last is None or _verdict(last[1]) != "wrong" or _tiles(last[1]) != _tiles(hand) or now.reached is None:
            continue
        found = remedies_of_hand(last[1], rules.house_way, now.reached)
        if found and any(each.effect is Effect.AS_SET_NOW and found.surely_open(each) for each in found.options):
            yield OutcomeReport(
                outcome="corrected",
                place=hand.place,
                seen_in=last[0].revision,
                revision=now.revision,
                at=now.changed_at,
                source="camera",
            )


def seen_too_late(now: RoundReport, rules: RulesInForce) -> tuple[OutcomeReport, ...]:
    """The hands that still lie wrongly in a new revision when their rule no longer lets them be corrected.

    Only hands of which nothing else is recorded; where the end of the round was not seen, nothing is concluded from it.
    """
    if now.seen_to_reach is None or now.not_seen:
        return ()
    return tuple(
        OutcomeReport(
            outcome="too_late",
            place=hand.place,
            seen_in=now.revision,
            revision=now.revision,
            at=now.changed_at,
            source="camera",
        )
        for hand in now.hands
        if hand.is_set_wrongly
        and hand.review is None
        and outcome_now(now, hand) is None
        and _correctable(hand, rules, Moment.NO_HAND_EXPOSED)
        and not _correctable(hand, rules, now.seen_to_reach)
    )


def _correctable(hand: HandReport, rules: RulesInForce, moment: Moment) -> bool:
    """Whether the rulebook may let a wrong hand be set right at this moment."""
    found = remedies_of_hand(hand, rules.house_way, moment)
    return found is not None and any(each.effect is Effect.AS_SET_NOW for each in found.options)


@dataclass(frozen=True, slots=True)
class LaidHand:
    """A judged hand as it lay for some time.

    Attributes:
        hand: as it lay.
        first: the revision in which it lay so.
        played: the last one.
        over: whether it lies otherwise in the newest revision.
        outcome: what was done about it; None if nothing was recorded.
        stages: the revisions in which it lay so while the round went on, the first of each stage that matters for what
            may be done.
    """

    hand: HandReport
    first: RoundReport
    played: RoundReport
    over: bool
    outcome: OutcomeReport | None = None
    stages: tuple[RoundReport, ...] = ()

    @property
    def since(self) -> datetime:
        """Since when it lay so, UTC."""
        return self.first.changed_at

    @property
    def then(self) -> RoundReport:
        """The revision whose stage of the round decides what may be done: the newest, or the first if it is over."""
        return self.first if self.over else self.played


def wrong_hands(revisions: Sequence[RoundReport]) -> tuple[LaidHand, ...]:
    """Each way in which a hand of a round lay against the House Way, by place, the oldest first.

    Args:
        revisions: of one round, oldest first. A person's decision about a hand applies to all of them.
    """
    places = dict.fromkeys(hand.place for report in revisions for hand in report.judged)
    return tuple(each for place in places for each in wrong_hands_at(revisions, place))


def wrong_hands_at(revisions: Sequence[RoundReport], place: str) -> Iterator[LaidHand]:
    """The same of one place."""
    last_of: dict[int, int] = {}
    for index in wrong_in(revisions, place):
        last_of[wrong_since(revisions, place, index)] = index
    for first, last in last_of.items():
        played = revisions[last]
        if (hand := hand_at(played, place)) is not None:
            lasted = range(revisions[first].revision, played.revision + 1)
            done = (each for each in reversed(revisions[-1].outcomes) if each.place == place)
            outcome = next((each for each in done if each.seen_in in lasted), None)
            stages = tuple({each.reached: each for each in reversed(revisions[first : last + 1])}.values())
            over = played is not revisions[-1]
            yield LaidHand(hand, revisions[first], played, over=over, outcome=outcome, stages=stages[::-1])


def outcome_now(played: RoundReport, hand: HandReport) -> OutcomeReport | None:
    """The last outcome about a hand of a revision; None if it lies wrongly again since it was seen to be corrected."""
    last = next((each for each in reversed(played.outcomes) if each.place == hand.place), None)
    again = last is not None and last.source == "camera" and last.outcome == "corrected" and hand.is_set_wrongly
    return None if again else last


def outcome_of_finding(played: RoundReport, found: FindingReport) -> OutcomeReport | None:
    """The last outcome about a finding; None if nothing was recorded."""
    return next((each for each in reversed(played.outcomes) if each.finding == found.alone), None)


def reported_in(played: RoundReport) -> tuple[OutcomeReport, ...]:
    """The outcomes that a revision is the first to have."""
    return tuple(each for each in played.outcomes if each.revision == played.revision)


def outcome_words(outcome: OutcomeReport) -> Sayable:
    """Say what was done."""
    if outcome.title is not None:
        return words("Accepted by %(title)s", title=BookText(outcome.title))
    return words(OUTCOMES[outcome.outcome] if outcome.called is None else CALLED[outcome.called])


def _read_right(now: RoundReport) -> Collection[HandReport]:
    """The hands that are read, not decided, to lie the House Way."""
    return [hand for hand in now.hands if hand.review is None and _verdict(hand) == "correct"]


def _verdict(hand: HandReport) -> str:
    return "" if hand.house_way is None else hand.house_way.verdict


def _tiles(hand: HandReport) -> list[str]:
    return sorted((*hand.low, *hand.high))
