"""Scoring tracked rounds against the simulator's ground truth (docs/simulator.md).

Mistakes that were not visible for long enough, or not readable because a tile deceived the reader, count separately.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.evaluation.ground_truth_visibility import FINDINGS, VisibleRound, holders, wrong_spans
from datasets.evaluation.watching import Watched, camera_in_place
from engine.errors import EngineError
from engine.game.hands import Hand as Pair
from engine.game.setting import Deal, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.simulator.script import Script
    from datasets.simulator.truth import HandTruth, Happening, RoundTruth
    from engine.house_way.rules import HouseWay
    from vision.tracking import HandHistory, Lay

_BY_DICE: Final = frozenset({"wrong-first-box", "cut-against-die"})
"""Mistakes that show only against a verified throw."""


_MAY_BE_ASKED: Final = {"other-cut": "cut_against_die", "bonus-only": "exposed_before_bank"}
"""What a person must confirm, because no camera sees whether a lawful exception applies."""


@dataclass(slots=True)
class RoundScore:
    """Counts over rounds, by name, and notes on errors.

    `faults` are the notes on what should never happen. `late_s` holds, for each verified hand, the time from its last
    tile's rest to verification.
    """

    count: Counter[str] = field(default_factory=Counter)
    late_s: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def fault(self, note: str) -> None:
        """Note an error, a false alarm or a missed mistake."""
        self.notes.append(note)
        self.faults.append(note)

    def add(self, other: RoundScore) -> None:
        self.count += other.count
        self.late_s += other.late_s
        self.notes += other.notes
        self.faults += other.faults


def score(made: Script, rounds: Sequence[tuple[float, Watched]], into: RoundScore, rate: float = 5.0) -> None:
    """Score the rounds of a session that was read at a rate of pictures a second."""
    for truth in made.rounds:
        mine = [watched for first_hand_s, watched in rounds if truth.start_s <= first_hand_s < truth.end_s]
        kind = "clean" if not truth.mistakes and not truth.disturbances else "other"
        into.count["rounds"] += 1
        into.count[f"rounds {kind}"] += 1
        into.count["rounds with an exception"] += kind == "clean" and bool(truth.exceptions)
        into.count.update(f"exception {each.kind}" for each in truth.exceptions)
        if len(mine) != 1:
            into.count["rounds not reported exactly once"] += 1
            into.fault(f"seed {made.seed} round {truth.number}: told {len(mine)} times")
        into.count["rounds told as not seen"] += sum(watched.last.unseen_s is not None for watched in mine)
        for watched in mine:
            _score_round(made, VisibleRound(made.way, truth, rate, watched.deceived), watched, kind, into)
        if not mine:
            visible = VisibleRound(made.way, truth, rate)
            into.count["hands asked for"] += sum(map(visible.hand, truth.hands.values()))


def _score_round(made: Script, visible: VisibleRound, watched: Watched, kind: str, into: RoundScore) -> None:
    truth = visible.truth
    where = f"seed {made.seed} round {truth.number}"
    # No tile of a face that occurs more often than the set contains it may be verified.
    surplus = {
        place
        for each in truth.mistakes
        if each.kind == "foreign-tile"
        for place in holders(truth, str(each.data["face"]))
    }
    for place in sorted({*truth.hands, *watched.lays}, key=str):
        hand, lays = truth.hands.get(place), watched.lays.get(place, [])
        due = hand is not None and visible.hand(hand) and place not in surplus
        _score_hand(f"{where} {place}", hand, lays, watched.last.hand(place), kind if due else "", into)
    _score_dice(where, truth, watched, into)
    asked = truth.course.asked - truth.course.session.setup.table.house_way_boxes
    if watched.last.asked != {Place(PlaceKind.BOX, box) for box in asked}:
        into.count["rounds with the wrong hands asked for"] += 1
        into.notes.append(f"{where}: asked {sorted(map(str, watched.last.asked))}, truth {sorted(truth.course.asked)}")
    cocked = any(throw.cocked is not None for throw in truth.course.dealt.throws)
    into.count["rounds with a cocked die"] += cocked
    into.count["cocked dice found"] += cocked and "cocked_die" in watched.codes
    if cocked and "cocked_die" not in watched.codes:
        into.notes.append(f"{where}: a cocked die not found")
    expected = {"cocked_die"} if cocked else set()
    if asked - {place.box for place in watched.last.asked}:
        into.count["requests reported as possible"] += "request_unsure" in watched.codes
        expected.add("request_unsure")
    if not camera_in_place(made, truth.start_s):
        expected.add("camera_moved")  # from the previous round, until the next layout check
    expected |= {_MAY_BE_ASKED[each.kind] for each in truth.exceptions if each.kind in _MAY_BE_ASKED} - watched.codes
    alarms = ((watched.codes | watched.asked) - expected) | _judged_wrong_without_reason(made.way, truth, watched)
    if kind == "clean" and alarms:
        into.count["false alarms in clean rounds"] += 1
        into.count.update(f"false alarm {each}" for each in alarms)
        into.fault(f"{where}: false alarm {sorted(alarms)}, exceptions {[each.kind for each in truth.exceptions]}")
    for mistake in truth.mistakes:
        _score_mistake(where, visible, watched, mistake, into)


def _score_mistake(where: str, visible: VisibleRound, watched: Watched, mistake: Happening, into: RoundScore) -> None:
    truth = visible.truth
    if mistake.kind in FINDINGS:
        found = _told(watched, mistake)
    else:
        found = _wrong_setting_found(visible, watched, mistake.place, into, where)
    unread = mistake.kind in _BY_DICE and (watched.last.throw is None or not watched.last.throw.verified)
    if not found and (why := "not to be read" if unread else visible.beyond(mistake)):
        into.count[f"mistakes {why}"] += 1
        into.count[f"referred, {why}"] += watched.referred
        if why == "not to be read":
            into.notes.append(f"{where}: {mistake.kind} {dict(mistake.data)} {why}; told {sorted(watched.codes)}")
        return
    into.count[f"mistake {mistake.kind}"] += 1
    into.count[f"found {mistake.kind}"] += found
    if not found:
        left = _left_to_a_person(truth, watched, mistake)
        into.count[f"left to a person {mistake.kind}"] += left
        how = "left to a person" if left else f"told {sorted(watched.codes | watched.asked)}"
        into.fault(f"{where}: {mistake.kind} {dict(mistake.data)} not found; {how}")


def _told(watched: Watched, mistake: Happening) -> bool:
    """Whether a mistake was reported, citing the rule that it breaks."""
    told = FINDINGS[mistake.kind] & (watched.codes | watched.asked)
    rule = mistake.data.get("rule")
    return bool(told) and (rule is None or any(rule in watched.rules.get(code, ()) for code in told))


def _score_hand(
    where: str, hand: HandTruth | None, lays: Sequence[Lay], last: HandHistory | None, kind: str, into: RoundScore
) -> None:
    """Score the verified layouts of one place; a hand without `kind` need not be verified."""
    into.count["hands told as verified"] += len(lays)
    for lay in lays:
        right = hand is not None and any(
            _pairs(true.low, true.high) == lay.pairs and true.t_s <= lay.decided_s for true in hand.lays
        )
        if not right:
            into.count["silent errors"] += 1
            into.fault(f"{where}: SILENT {lay.pairs} at {lay.decided_s:.1f} s")
    if hand is None or not hand.lays:
        return
    final = hand.lays[-1]
    verified = last is not None and last.now is not None and last.now.status == "verified"
    if kind:
        into.count["hands asked for"] += 1
        into.count[f"hands asked for, {kind}"] += 1
        into.count["hands covered"] += verified
        into.count[f"hands covered, {kind}"] += verified
        if not verified:
            doubts = () if last is None or last.now is None else last.now.doubts
            into.notes.append(f"{where}: not verified: {', '.join(map(str, doubts)) or 'never whole'}")
        if verified and last is not None and last.lays[-1].pairs != _pairs(final.low, final.high):
            into.count["silent errors"] += 1
            into.fault(f"{where}: SILENT, not as it lay last: {last.lays[-1].pairs}")
    for true in hand.lays:
        due = _pairs(true.low, true.high)
        first = next((lay for lay in lays if lay.pairs == due and lay.decided_s >= true.t_s), None)
        if first is not None and kind == "clean":
            into.late_s.append(first.decided_s - true.t_s)


def _pairs(low: Sequence[object], high: Sequence[object]) -> tuple[list[str], list[str]]:
    return sorted(map(str, low)), sorted(map(str, high))


def _left_to_a_person(truth: RoundTruth, watched: Watched, mistake: Happening) -> bool:
    """Whether an undetected mistake is in a doubtful hand, which a person must check."""
    if mistake.kind == "foreign-tile":
        places = holders(truth, str(mistake.data["face"]))
    else:
        places = [mistake.place] if "place" in mistake.data else []
    return not watched.doubted.isdisjoint(places)


def _score_dice(where: str, truth: RoundTruth, watched: Watched, into: RoundScore) -> None:
    throw, thrown = watched.last.throw, truth.course.dealt.throws[-1]
    into.count["throws"] += 1
    due = [("box", value) for value in thrown.box_dice]
    due += [] if thrown.cut_die is None else [("cut", thrown.cut_die)]
    # Fewer dice than the book requires are not a throw: the rules do not use them.
    if throw is None or not throw.verified or len(throw.dice) < len(due):
        doubted = [] if throw is None else [die for die in throw.dice if die.status != "verified"]
        why = "; ".join(f"{die.colour} {die.value}: {', '.join(map(str, die.doubts))}" for die in doubted)
        into.notes.append(f"{where}: throw in doubt, {why or 'not all dice in sight'}")
        return
    into.count["throws verified"] += 1
    seen = [(die.role, die.value) for die in throw.dice]
    if any(role is None for role, _ in seen):
        # The cut die is unknown, so nothing is decided by them; their values must be right. Of three dice none is the
        # cut die, and no roles are needed.
        into.count["throws of untold parts"] += thrown.cut_die is not None
        right = Counter(value for _, value in seen) == Counter(value for _, value in due)
    else:
        right = Counter(seen) == Counter(due)
    if not right:
        into.count["silent errors of throws"] += 1
        into.fault(f"{where}: SILENT throw {seen}, truth {thrown.box_dice} {thrown.cut_die}")


def _setting(lay: Lay) -> Setting | None:
    try:
        return Setting.of(Pair.of(lay.hand.low), Pair.of(lay.hand.high))
    except EngineError:
        return None


def _wrong_setting_found(visible: VisibleRound, watched: Watched, place: Place, into: RoundScore, where: str) -> bool:
    """Whether the hand was reported wrong, with the right rule and the remedy of that moment.

    A moment may be noticed as late as a hand is verified.
    """
    way, truth, slack_s = visible.way, visible.truth, visible.long_enough_s
    hand = truth.hands[place]
    if not (spans := wrong_spans(way, hand)):
        return False
    # Remedies are irrelevant once the hand was corrected.
    wrong, (_, until_s) = spans[0]
    lay = next((lay for lay in watched.lays.get(place, []) if lay.pairs == _pairs(wrong.low, wrong.high)), None)
    if lay is None or (setting := _setting(lay)) is None:
        return False
    setup = truth.course.session.setup
    if place != HOUSE and place not in watched.last.asked and place.box not in setup.table.house_way_boxes:
        return False
    moments = truth.moments()
    verdict = way.judge(Deal.of(setting.deal.tiles), setting, whose=hand.whose, moment=watched.moment(lay.decided_s))
    right = not verdict.correct and verdict.decision.rule.cite == way.decide(wrong.setting.deal).rule.cite
    for t_s in (lay.decided_s, *(since + slack_s for since in moments.values() if since > lay.decided_s)):
        if t_s >= min(until_s, truth.end_s):
            continue
        due = [moment for moment, since in moments.items() if since <= t_s][-1]
        near = any(abs(since - t_s) < slack_s / 2 for since in moments.values())
        noticed = watched.moment(t_s)
        into.count["moments asked"] += 1
        into.count["moments not known"] += noticed is None
        if noticed is not None and noticed is not due and not near:
            into.count["moments told wrongly"] += 1
            into.notes.append(f"{where} {place}: at {t_s:.1f} s {noticed}, truth {due}")
            right = right and way.remedies(hand.whose, noticed).options == way.remedies(hand.whose, due).options
    return right


def _judged_wrong_without_reason(way: HouseWay, truth: RoundTruth, watched: Watched) -> set[str]:
    out = set()
    for place, lays in watched.lays.items():
        hand = truth.hands.get(place)
        if hand is not None and hand.set_by == "dealer":
            settings = filter(None, map(_setting, lays))
            if any(not way.decide(setting.deal).allows(setting) for setting in settings):
                out.add(f"{place} judged wrong")
    return out
