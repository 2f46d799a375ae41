"""What is true of simulated rounds: values that become one JSON line a round. docs/simulator.md explains each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.house_way.rules import Moment
from engine.vocabulary.irregularities import code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets.simulator.staging.course import Course
    from datasets.simulator.timeline import Disturbance
    from engine.game.setting import Setting
    from engine.game.tiles import Tile
    from engine.house_way.rules import HouseWay
    from engine.vocabulary.facts import Whose

VERSION = 2
"""Of the truth's written form."""
Span = tuple[float, float]


def places_json(spans: Sequence[Span]) -> list[list[float]]:
    """Spans of time as JSON, to the millisecond."""
    return [[round(start, 3), round(end, 3)] for start, end in spans]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened at the table.

    Attributes:
        t_s: when it was complete: the last tile at rest, the cover off.
        kind: the engine's kind of event, or one of docs/simulator.md.
        data: where, what.
        event: the engine's event in its written form; None where the book knows none, or forbids it now.
    """

    t_s: float
    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    event: Mapping[str, object] | None = None

    def to_json(self) -> dict[str, object]:
        """As JSON."""
        return {"t_s": round(self.t_s, 3), "kind": self.kind, **self.data, "event": self.event}


@dataclass(frozen=True, slots=True)
class TrueLay:
    """How a hand lies open, from one moment on.

    Attributes:
        t_s: when the last of its tiles came to rest.
        low, high: the pairs as laid (vertical, horizontal).
        setting: the setting that it is by rank.
    """

    t_s: float
    low: tuple[Tile, Tile]
    high: tuple[Tile, Tile]
    setting: Setting

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The four tiles, low hand first."""
        return *self.low, *self.high

    def to_json(self) -> dict[str, object]:
        """As JSON."""
        return {"t_s": round(self.t_s, 3), "low": list(map(str, self.low)), "high": list(map(str, self.high))}


@dataclass(slots=True)
class HandTruth:
    """One hand of a round.

    Attributes:
        place: where it lies open.
        box: to which it was dealt.
        tiles: numbers of its tiles, 0 to 31.
        set_by: ``dealer`` (it is to lie the House Way) or ``player``.
        whose: whose hand it is, for the remedy.
        lays: how it lay open, one after the other.
        away_s: when its tiles began to be put away; None if they never were.
        visible: when it lay open, at rest and at least 90 % of each tile was to be seen.
    """

    place: str
    box: int
    tiles: tuple[int, ...]
    set_by: str
    whose: Whose
    lays: list[TrueLay] = field(default_factory=list)
    away_s: float | None = None
    visible: list[Span] = field(default_factory=list)

    def to_json(self, way: HouseWay, moments: Mapping[Moment, float], faces: Sequence[str]) -> dict[str, object]:
        """As JSON, with what the House Way says of each lay and the remedy from each moment on."""
        lays: list[dict[str, object]] = []
        for lay in self.lays:
            judged: dict[str, object] | None = None
            if self.set_by == "dealer":
                verdict = way.judge(lay.setting.deal, lay.setting, whose=self.whose)
                right = verdict.decision.setting
                judged = {
                    "verdict": "correct" if verdict.correct else "wrong",
                    "expected": {"low": list(map(str, right.low.tiles)), "high": list(map(str, right.high.tiles))},
                    "rule": str(verdict.decision.rule.cite),
                    "remedies": []
                    if verdict.correct
                    else [
                        {
                            "from_s": round(start, 3),
                            "moment": moment.name.lower(),
                            "remedy": [
                                {"duty": one.duty.value, "effect": code(one.effect), "rule": one.cite}
                                for one in way.remedies(self.whose, moment).options
                            ],
                        }
                        for moment, start in moments.items()
                    ],
                }
            lays.append({**lay.to_json(), "house_way": judged})
        return {
            "place": self.place,
            "box": self.box,
            "tiles": list(self.tiles),
            "faces": [faces[n] for n in self.tiles],
            "set_by": self.set_by,
            "lays": lays,
            "away_s": None if self.away_s is None else round(self.away_s, 3),
            "visible": places_json(self.visible),
        }


@dataclass(slots=True)
class RoundTruth:
    """One round.

    Attributes:
        number: counted from 0 in its session.
        start_s, end_s: from the shuffle to the last tile put away.
        course: as the rulebook has it go.
        faces: what the 32 tiles bear in this round.
        hands: by place, in the order in which they first lay open.
        happenings: in order of time.
        mistakes: what was done wrong on purpose, and when.
        disturbances: what befell the camera meanwhile.
    """

    number: int
    start_s: float
    course: Course
    faces: tuple[str, ...]
    end_s: float = 0.0
    hands: dict[str, HandTruth] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    mistakes: list[Happening] = field(default_factory=list)
    disturbances: list[Disturbance] = field(default_factory=list)

    @property
    def exposed(self) -> list[HandTruth]:
        """The hands that lay open, in that order."""
        return sorted((hand for hand in self.hands.values() if hand.lays), key=lambda hand: hand.lays[0].t_s)

    def moments(self) -> dict[Moment, float]:
        """From when on each moment of a remedy holds."""
        players = [hand.lays[0].t_s for hand in self.exposed if hand.place != "house"]
        away = self.hands["house"].away_s
        found = {Moment.NO_HAND_EXPOSED: self.start_s}
        if players:
            found[Moment.FIRST_HAND_EXPOSED] = min(players)
        if away is not None:
            found[Moment.BANK_PUT_AWAY] = away
        return found

    def to_json(self, way: HouseWay) -> dict[str, object]:
        """As JSON."""
        course = self.course
        dealt = course.dealt
        moments = self.moments()
        return {
            "version": VERSION,
            "round": self.number,
            "start_s": round(self.start_s, 3),
            "end_s": round(self.end_s, 3),
            "rulebook": course.session.setup.book.id,
            "house_way": way.rulebook,
            "clean": not self.mistakes and not self.disturbances,
            "throws": [
                {"box": list(each.box_dice), "cut": each.cut_die, "cocked": each.cocked is not None}
                for each in dealt.throws
            ],
            "first_box": dealt.first_box,
            "cut": dealt.cut,
            "order": list(dealt.order),
            "bank_box": course.bank_box,
            "boxes": list(course.played),
            "asked": sorted(course.asked),
            "exposed": [hand.place for hand in self.exposed],
            "hands": {name: hand.to_json(way, moments, self.faces) for name, hand in self.hands.items()},
            "outcomes": {}
            if any(each.kind == "foreign-tile" for each in self.mistakes)
            else {f"box{box}": outcome.value for box, outcome in course.outcomes.items()},
            "events": [each.to_json() for each in self.happenings],
            "mistakes": [each.to_json() for each in self.mistakes],
            "disturbances": [
                {"kind": each.kind, "start_s": round(each.start, 3), "end_s": round(each.end, 3), **each.data}
                for each in self.disturbances
            ],
        }
