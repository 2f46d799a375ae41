"""Scores what is made of readings over time on simulated rounds: ``python -m datasets.evaluation.score_rounds``.

Each round's truth is known from the simulator (docs/simulator.md). What is reported:

- silent errors: hands called verified that do not lie so, with the upper bound of their rate (Clopper-Pearson, 95 %);
- coverage: of the hands that lay open in sight for long enough, those called verified. While the camera is knocked,
  covered, out of focus or blinded nothing may be verified, so that time does not count as in sight;
- each dealer's mistake: found or not, and for hands set wrongly with the right rule and the remedy of that moment; of
  those not found how many lie in a hand in doubt, which is left to a person; one that could not be seen for long enough
  counts apart, with whether the round said that there was something to look at, and so does one that could not be
  read: a tile of its hand deceived the reader for as long as the hand lay so (``Faults.deceived``);
- false alarms in clean rounds; how long after its last tile came to rest a hand was verified.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.stats import beta

from datasets.simulator.course import HOUSE
from datasets.simulator.moments import Renderer
from datasets.simulator.readings import BLURRED_PX, BRIGHT_GAIN, DARK_GAIN, Faults, ReadingSource, calibration_of
from datasets.simulator.script import Options, script
from engine.errors import EngineError
from engine.game.hands import Hand as Pair
from engine.game.setting import Deal, Setting
from vision.reader import Reader
from vision.tracking import TableWatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from calibration.files.calibration_file import TableCalibration
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Disturbance
    from datasets.simulator.truth import HandTruth, Happening, RoundTruth, Span
    from datasets.simulator.truth import Lay as TrueLay
    from engine.house_way.rules import HouseWay, Moment
    from vision.reading import Reading
    from vision.tracking import Hand, Lay, Seen

LONG_ENOUGH_S: Final = 1.2
"""A hand that lies whole and in sight for shorter is not asked for."""
GLIMPSE_S: Final = 0.6
"""Nor is a tile that came up and was seen for shorter, or what was done so shortly before the camera saw nothing: three
pictures at the usual rate."""
_SLACK_S: Final = 1.2
"""How late a moment may be noticed."""
_LAYOUT_EVERY_S: Final = 1.0
"""How often the printed layout is held against the calibration."""
FINDINGS: Final = {
    "tiles-swapped": {"hand_changed", "hand_reset"},
    "exposed-before-bank": {"exposed_before_bank"},
    "exposed-out-of-turn": {"exposed_out_of_turn"},
    "tile-shown": {"tile_exposed"},
    "foreign-tile": {"duplicate_face"},
}
"""How each mistake shows that is not a hand set wrongly."""
_TOO_EARLY: Final = {"exposed-before-bank", "exposed-out-of-turn"}


@dataclass(slots=True)
class Score:
    """What was counted.

    Attributes:
        count: everything that is a number.
        late_s: of each hand verified, how long after its last tile came to rest.
        notes: what went wrong, to be looked into.
    """

    count: Counter[str] = field(default_factory=Counter)
    late_s: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Count what was counted elsewhere, too."""
        self.count += other.count
        self.late_s += other.late_s
        self.notes += other.notes


@dataclass(slots=True)
class Watched:
    """One round as it was watched.

    Attributes:
        last: what was known when it was over.
        lays: every lay that was ever told as verified, by place.
        moments: when which moment was told.
        codes: of the findings that were told.
        deceived: when a tile, by its number, deceived the reader.
    """

    last: Seen
    lays: dict[str, list[Lay]] = field(default_factory=dict)
    moments: list[tuple[float, Moment | None]] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)
    deceived: list[tuple[float, int]] = field(default_factory=list)

    @property
    def doubted(self) -> set[str]:
        """Places whose hand is in doubt in the end."""
        return {hand.place for hand in self.last.hands if hand.now is not None and hand.now.status != "verified"}

    @property
    def referred(self) -> bool:
        """Whether something of the round is left to a person."""
        return bool(self.codes or self.doubted)

    def moment(self, t_s: float) -> Moment | None:
        """What was told at a time."""
        return next((moment for since, moment in reversed(self.moments) if since <= t_s), None)


def watch(made: Script, faults: Faults, rate: float, seed: int) -> list[tuple[float, Watched]]:
    """Watch a session: each round with the time at which its first hand was told."""
    source = ReadingSource(made, rate, faults, seed, tuple(map(_mixing, made.rounds)))
    return _follow(made, source.calibration, ((timed.t_s, timed.reading, timed.deceived_by) for timed in source))


def watch_pictures(made: Script, rate: float) -> list[tuple[float, Watched]]:
    """The same from rendered pictures, read by the models as a live table's are."""
    calibration = calibration_of(made)
    return _follow(made, calibration, _read(made, calibration, rate))


@cache
def _models() -> Reader:
    return Reader.load(threads=1)


def _read(made: Script, calibration: TableCalibration, rate: float) -> Iterator[tuple[float, Reading, frozenset[int]]]:
    renderer, reader = Renderer(made), _models().steady()
    sparse = tuple(map(_mixing, made.rounds))
    for sequence in range(int(made.end_s * rate) + 1):
        t_s = sequence / rate
        if sequence % round(rate) == 0 or not any(start <= t_s < end for start, end in sparse):
            yield t_s, reader.read(renderer.draw(made.at(t_s)).image, calibration=calibration), frozenset()


def _follow(
    made: Script, calibration: TableCalibration, readings: Iterable[tuple[float, Reading, frozenset[int]]]
) -> list[tuple[float, Watched]]:
    table = TableWatch(calibration.angle_of)
    out: list[tuple[float, Watched]] = []
    now: Watched | None = None
    begun_s = 0.0
    deceived: list[tuple[float, int]] = []
    for t_s, reading, deceived_by in readings:
        seen = table.see(reading, t_s)
        deceived += [(t_s, n) for n in sorted(deceived_by)]
        if table.knocked and _stands(made, t_s):
            table.stands()
        if not any(hand.lays for hand in seen.hands):
            continue
        if now is None:
            now, begun_s = Watched(seen, deceived=deceived), t_s
        now.last = seen
        now.codes |= {finding.code for finding in seen.findings}
        if not now.moments or now.moments[-1][1] is not seen.moment:
            now.moments.append((t_s, seen.moment))
        for hand in seen.hands:
            _keep(now.lays.setdefault(hand.place, []), hand)
        if seen.over:
            out.append((begun_s, now))
            now, deceived = None, []
    return [*out, (begun_s, now)] if now is not None else out


def _stands(made: Script, t_s: float) -> bool:
    """Whether the camera has hung for long enough where it was calibrated, so that a look at the layout says so."""
    return not any(
        each.kind == "camera-nudged" and each.start <= t_s <= each.end + _LAYOUT_EVERY_S
        for truth in made.rounds
        for each in truth.disturbances
    )


def _mixing(truth: RoundTruth) -> tuple[float, float]:
    """When the tiles are mixed and stacked; it is read once a second only, to score more rounds in the time."""
    return truth.start_s, next(each.t_s for each in truth.happenings if each.kind == "stacked")


def _keep(told: list[Lay], hand: Hand) -> None:
    last = hand.lays[-1] if hand.lays else None
    if last is not None and last.hand.status == "verified" and (not told or told[-1].pairs != last.pairs):
        told.append(last)


def score(made: Script, rounds: Sequence[tuple[float, Watched]], into: Score) -> None:
    """Hold the rounds that were watched against the truth."""
    for truth in made.rounds:
        mine = [watched for begun_s, watched in rounds if truth.start_s <= begun_s < truth.end_s]
        kind = "clean" if not truth.mistakes and not truth.disturbances else "other"
        into.count["rounds"] += 1
        into.count[f"rounds {kind}"] += 1
        if len(mine) != 1:
            into.count["rounds told otherwise than once"] += 1
            into.notes.append(f"seed {made.seed} round {truth.number}: told {len(mine)} times")
        for watched in mine:
            _score_round(made, truth, watched, kind, into)
        if not mine:
            into.count["hands asked for"] += sum(_long_enough(hand, truth) for hand in truth.hands.values())


def _score_round(made: Script, truth: RoundTruth, watched: Watched, kind: str, into: Score) -> None:
    where = f"seed {made.seed} round {truth.number}"
    strange = {
        place
        for each in truth.mistakes
        if each.kind == "foreign-tile"
        for place in _holders(truth, str(each.data["face"]))
    }
    for place in sorted({*truth.hands, *watched.lays}):
        hand, told = truth.hands.get(place), watched.lays.get(place, [])
        last = watched.last.hand(place)
        # Of a face that lies there more often than the set holds it, no tile may be verified.
        asked = hand is not None and _long_enough(hand, truth) and place not in strange
        _score_hand(f"{where} {place}", hand, told, last, kind if asked else "", into)
    _score_dice(where, truth, watched, into)
    if watched.last.asked != {
        f"box{box}" for box in truth.course.asked - truth.course.session.setup.table.house_way_boxes
    }:
        into.count["rounds with the wrong hands asked for"] += 1
        into.notes.append(f"{where}: asked {sorted(watched.last.asked)}, truth {sorted(truth.course.asked)}")
    cocked = any(throw.cocked is not None for throw in truth.course.dealt.throws)
    into.count["rounds with a cocked die"] += cocked
    into.count["cocked dice found"] += cocked and "cocked_die" in watched.codes
    if cocked and "cocked_die" not in watched.codes:
        into.notes.append(f"{where}: a cocked die not found")
    due = {"cocked_die"} if cocked else set()
    if not _stands(made, truth.start_s):
        due.add("camera_moved")  # as the round before left it, until the next look at the layout
    alarms = (watched.codes - due) | _judged_wrong_without_reason(made.way, truth, watched)
    if kind == "clean" and alarms:
        into.count["false alarms in clean rounds"] += 1
        into.notes.append(f"{where}: false alarm {sorted(alarms)}")
    for mistake in truth.mistakes:
        found = (
            bool(FINDINGS[mistake.kind] & watched.codes)
            if mistake.kind in FINDINGS
            else _set_wrong_found(made.way, truth, watched, str(mistake.data["place"]), into, where)
        )
        if not found and (why := _beyond(made.way, truth, mistake, watched.deceived)):
            into.count[f"mistakes {why}"] += 1
            into.count[f"referred, {why}"] += watched.referred
            if why == "not to be read":
                into.notes.append(f"{where}: {mistake.kind} {dict(mistake.data)} {why}; told {sorted(watched.codes)}")
            continue
        into.count[f"mistake {mistake.kind}"] += 1
        into.count[f"found {mistake.kind}"] += found
        if not found:
            left = _left_to_a_person(truth, watched, mistake)
            into.count[f"left to a person {mistake.kind}"] += left
            how = "left to a person" if left else f"told {sorted(watched.codes)}"
            into.notes.append(f"{where}: {mistake.kind} {dict(mistake.data)} not found; {how}")


def _score_hand(
    where: str, hand: HandTruth | None, told: Sequence[Lay], last: Hand | None, kind: str, into: Score
) -> None:
    """Score what was told of one place; of a hand of no kind it is not asked that it be told."""
    into.count["hands told as verified"] += len(told)
    for lay in told:
        right = hand is not None and any(
            _pairs(true.low, true.high) == lay.pairs and true.t_s <= lay.told_s for true in hand.lays
        )
        if not right:
            into.count["silent errors"] += 1
            into.notes.append(f"{where}: SILENT {lay.pairs} at {lay.told_s:.1f} s")
    if hand is None or not hand.lays:
        return
    final = hand.lays[-1]
    sure = last is not None and last.now is not None and last.now.status == "verified"
    if kind:
        into.count["hands asked for"] += 1
        into.count[f"hands asked for, {kind}"] += 1
        into.count["hands covered"] += sure
        into.count[f"hands covered, {kind}"] += sure
        if not sure:
            doubts = () if last is None or last.now is None else last.now.doubts
            into.notes.append(f"{where}: not verified: {', '.join(map(str, doubts)) or 'never whole'}")
        if sure and last is not None and last.lays[-1].pairs != _pairs(final.low, final.high):
            into.count["silent errors"] += 1
            into.notes.append(f"{where}: SILENT, not as it lay last: {last.lays[-1].pairs}")
    for true in hand.lays:
        due = _pairs(true.low, true.high)
        first = next((lay for lay in told if lay.pairs == due and lay.told_s >= true.t_s), None)
        if first is not None and kind == "clean":
            into.late_s.append(first.told_s - true.t_s)


def _faces(hand: HandTruth) -> Sequence[object]:
    return (*hand.lays[-1].low, *hand.lays[-1].high)


def _pairs(low: Sequence[object], high: Sequence[object]) -> tuple[list[str], list[str]]:
    return sorted(map(str, low)), sorted(map(str, high))


def _long_enough(hand: HandTruth, truth: RoundTruth, deceived: Sequence[tuple[float, int]] = ()) -> bool:
    """Whether the hand as it lay last was to be seen for long enough, without deceiving."""
    return bool(hand.lays) and _seen_s(hand, truth, hand.lays[-1].t_s, math.inf, deceived) >= LONG_ENOUGH_S


def _seen_s(
    hand: HandTruth, truth: RoundTruth, since_s: float, until_s: float, deceived: Sequence[tuple[float, int]] = ()
) -> float:
    """For how long without a break a hand lay in sight of a fit camera between two times, and deceived nobody."""
    spans = [(max(start, since_s), min(end, until_s)) for start, end in hand.visible]
    for blind in filter(_blinds, truth.disturbances):
        spans = [
            part
            for start, end in spans
            for part in ((start, min(end, blind.start)), (max(start, blind.end), end))
            if part[0] < part[1]
        ]
    deceptions = [t_s for t_s, n in deceived if n in hand.tiles]
    spans = [(start, end) for start, end in spans if not any(start <= t_s <= end for t_s in deceptions)]
    return max((end - start for start, end in spans), default=0.0)


def _blinds(each: Disturbance) -> bool:
    """Whether nothing may be verified while this lasts."""
    match each.kind:
        case "camera-nudged" | "lens-covered":
            return True
        case "defocused":
            return float(each.data["blur_px"]) > BLURRED_PX  # type: ignore[arg-type]
        case "lamp-change":
            strength = float(np.mean(np.array(each.data["gain"], np.float64)))
            return not DARK_GAIN <= strength <= BRIGHT_GAIN
    return False


def _beyond(way: HouseWay, truth: RoundTruth, mistake: Happening, deceived: Sequence[tuple[float, int]]) -> str:
    """Why a mistake was beyond a reader: not to be seen, or seen and not to be read; empty if it was not."""
    if not _to_be_seen(way, truth, mistake):
        return "not to be seen"
    return "" if _to_be_seen(way, truth, mistake, deceived) else "not to be read"


def _to_be_seen(
    way: HouseWay, truth: RoundTruth, mistake: Happening, deceived: Sequence[tuple[float, int]] = ()
) -> bool:
    """Whether a mistake could be seen: the hand as wrongly set, or before and after its tiles were swapped.

    A face too many is one only beside all others of its kind, and nobody sees the order of what opens under a sleeve.
    """
    if mistake.kind == "tile-shown" and float(str(mistake.data["seen_s"])) < GLIMPSE_S:
        return False
    if mistake.kind == "foreign-tile":
        face = str(mistake.data["face"])
        alike = [(t_s, n) for t_s, n in deceived if truth.faces[n] == face]
        return all(_long_enough(truth.hands[place], truth, alike) for place in _holders(truth, face))
    if mistake.kind in _TOO_EARLY and not _sighted_first(truth, mistake):
        return False
    if mistake.kind in FINDINGS and mistake.kind != "tiles-swapped":
        blind = (each for each in truth.disturbances if _blinds(each))
        return not any(each.start - GLIMPSE_S <= mistake.t_s <= each.end for each in blind)
    hand = truth.hands[str(mistake.data["place"])]
    spans = _spans(hand) if mistake.kind == "tiles-swapped" else _wrong_spans(way, hand)
    return all(_seen_s(hand, truth, *span, deceived) >= LONG_ENOUGH_S for _, span in spans)


def _spans(hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    """How a hand lay, and from when until when."""
    since_s = [lay.t_s for lay in hand.lays]
    return list(zip(hand.lays, pairwise([*since_s, math.inf]), strict=True))


def _wrong_spans(way: HouseWay, hand: HandTruth) -> list[tuple[TrueLay, Span]]:
    """The same of what is not set the House Way."""
    return [(lay, span) for lay, span in _spans(hand) if not way.decide(lay.setting.deal).allows(lay.setting)]


def _left_to_a_person(truth: RoundTruth, watched: Watched, mistake: Happening) -> bool:
    """Whether a mistake that was not told lies in a hand that is in doubt, which somebody must look at."""
    place = str(mistake.data["place"])
    places = _holders(truth, str(mistake.data["face"])) if mistake.kind == "foreign-tile" else [place]
    return not watched.doubted.isdisjoint(places)


def _holders(truth: RoundTruth, face: str) -> list[str]:
    """The places of the hands that a face lay in last."""
    return [place for place, hand in truth.hands.items() if hand.lays and face in map(str, _faces(hand))]


def _sighted_first(truth: RoundTruth, mistake: Happening) -> bool:
    """Whether a hand opened too early came out from under sleeves before one whose turn it was lay open."""
    early = truth.hands[str(mistake.data["place"])]
    sighted_s = min((start for start, _ in early.visible), default=math.inf)
    return any(
        hand.lays[0].t_s - sighted_s >= GLIMPSE_S
        for hand in truth.hands.values()
        if hand.lays and (hand.place == HOUSE or (mistake.kind == "exposed-out-of-turn" and hand.box < early.box))
    )


def _score_dice(where: str, truth: RoundTruth, watched: Watched, into: Score) -> None:
    throw, thrown = watched.last.throw, truth.course.dealt.throws[-1]
    into.count["throws"] += 1
    due = [
        *(("box", value) for value in thrown.box_dice),
        *([] if thrown.cut_die is None else [("cut", thrown.cut_die)]),
    ]
    # Fewer dice than the book has thrown are no throw: the rules decide nothing by them.
    if throw is None or not throw.verified or len(throw.dice) < len(due):
        doubted = [] if throw is None else [die for die in throw.dice if die.status != "verified"]
        why = "; ".join(f"{die.colour} {die.value}: {', '.join(map(str, die.doubts))}" for die in doubted)
        into.notes.append(f"{where}: throw in doubt, {why or 'not all dice in sight'}")
        return
    into.count["throws verified"] += 1
    seen = [(die.role, die.value) for die in throw.dice]
    if any(role is None for role, _ in seen):
        # Which of them is the cut die was not told, so nothing is decided by them; what they show must be right. Of
        # three dice none is the cut die, and none need be told.
        into.count["throws of untold parts"] += thrown.cut_die is not None
        right = Counter(value for _, value in seen) == Counter(value for _, value in due)
    else:
        right = Counter(seen) == Counter(due)
    if not right:
        into.count["silent errors of throws"] += 1
        into.notes.append(f"{where}: SILENT throw {seen}, truth {thrown.box_dice} {thrown.cut_die}")


def _setting(lay: Lay) -> Setting | None:
    try:
        return Setting.of(Pair.of(lay.hand.low), Pair.of(lay.hand.high))
    except EngineError:
        return None


def _set_wrong_found(way: HouseWay, truth: RoundTruth, watched: Watched, place: str, into: Score, where: str) -> bool:
    """Whether the hand was called wrong, with the right rule and the remedy of that moment."""
    hand = truth.hands[place]
    if not (spans := _wrong_spans(way, hand)):
        return False
    # What may be done about a hand is of no use once it was put right.
    wrong, (_, until_s) = spans[0]
    told = next((lay for lay in watched.lays.get(place, []) if lay.pairs == _pairs(wrong.low, wrong.high)), None)
    if told is None or (setting := _setting(told)) is None:
        return False
    if place != "house" and place not in watched.last.asked:
        return False
    moments = truth.moments()
    verdict = way.judge(Deal.of(setting.deal.tiles), setting, whose=hand.whose, moment=watched.moment(told.told_s))
    right = not verdict.correct and verdict.decision.rule.cite == way.decide(wrong.setting.deal).rule.cite
    for t_s in (told.told_s, *(since + _SLACK_S for since in moments.values() if since > told.told_s)):
        if t_s >= min(until_s, truth.end_s):
            continue
        due = [moment for moment, since in moments.items() if since <= t_s]
        near = any(abs(since - t_s) < _SLACK_S / 2 for since in moments.values())
        said = watched.moment(t_s)
        into.count["moments asked"] += 1
        into.count["moments not known"] += said is None
        if said is not None and said is not due[-1] and not near:
            into.count["moments told wrongly"] += 1
            into.notes.append(f"{where} {place}: at {t_s:.1f} s {said}, truth {due[-1]}")
            right = right and way.remedies(hand.whose, said).options == way.remedies(hand.whose, due[-1]).options
    return right


def _judged_wrong_without_reason(way: HouseWay, truth: RoundTruth, watched: Watched) -> set[str]:
    out = set()
    for place, lays in watched.lays.items():
        hand = truth.hands.get(place)
        if hand is None or hand.set_by != "dealer":
            continue
        for lay in lays:
            setting = _setting(lay)
            if setting is not None and not way.decide(setting.deal).allows(setting):
                out.add(f"{place} judged wrong")
    return out


def upper_bound(errors: int, trials: int) -> float:
    """The one-sided 95 % upper bound of a rate (Clopper and Pearson 1934)."""
    return 1.0 if errors >= trials else float(beta.ppf(0.95, errors + 1, trials - errors))


def table(total: Score, seconds: float) -> str:
    """The figures, for people."""
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
        f"told otherwise than once   {count['rounds told otherwise than once']:>7}",
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


def _session(options: Options, rate: float, sure_wrong: float, until_s: float, seed: int, *, pictures: bool) -> Score:
    """The score of one session; an empty one if it is too late to begin."""
    into = Score()
    if time.monotonic() <= until_s:
        made = script(seed, options)
        rounds = watch_pictures(made, rate) if pictures else watch(made, Faults(sure_wrong=sure_wrong), rate, seed)
        score(made, rounds, into)
    return into


def main(arguments: Sequence[str] | None = None) -> int:
    """Score, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10, help="how many sessions")
    parser.add_argument("--rounds", type=int, default=10, help="rounds in each")
    parser.add_argument("--seed", type=int, default=1, help="of the first session; the others follow")
    parser.add_argument("--rulebook", default="crown-6.1")
    parser.add_argument("--house-way", help="where the rulebook prints none")
    parser.add_argument("--layout")
    parser.add_argument("--rate", type=float, default=5.0, help="readings a second")
    parser.add_argument("--mistake-rate", type=float, default=0.0)
    parser.add_argument("--disturbance-rate", type=float, default=0.0)
    parser.add_argument("--sure-wrong", type=float, default=0.0, help="share of deceptions called verified")
    parser.add_argument(
        "--pictures", action="store_true", help="render each picture and have the models read it, which takes minutes"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no session after that")
    parser.add_argument("--jobs", type=int, default=1, help="how many sessions at a time, each on a core of its own")
    parser.add_argument("--json", type=Path, help="write the counts and notes here, after each session")
    asked = parser.parse_args(arguments)
    if asked.jobs < 1:
        parser.error(f"--jobs {asked.jobs}: at least 1")
    options = Options(
        rulebook=asked.rulebook,
        layout=asked.layout,
        house_way=asked.house_way,
        rounds=asked.rounds,
        mistake_rate=asked.mistake_rate,
        disturbance_rate=asked.disturbance_rate,
    )
    total, start = Score(), time.monotonic()
    seeds = range(asked.seed, asked.seed + asked.sessions)
    one = partial(_session, options, asked.rate, asked.sure_wrong, start + 60 * asked.minutes, pictures=asked.pictures)
    # A child that is forked has threads of its libraries' as they happened to be; one that is spawned begins anew.
    with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(one, seeds) if asked.jobs > 1 else map(one, seeds):
            total.add(part)
            if asked.json is not None:
                said = {"count": dict(total.count), "late_s": total.late_s, "notes": total.notes}
                asked.json.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(total, time.monotonic() - start) + "\n")
    sys.stdout.writelines(f"  {note}\n" for note in total.notes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
