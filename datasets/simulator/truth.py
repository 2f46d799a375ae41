"""Ground truth of simulated rounds: values that become one JSON line per round, explained in docs/simulator.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibration.table.places import Place, PlaceKind
from datasets.simulator.staging.procedure import rule_broken
from engine.house_way.rules import HouseWay, Moment
from engine.vocabulary.irregularities import code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets.simulator.staging.course import Course
    from datasets.simulator.timeline import Disturbance
    from engine.game.setting import Setting
    from engine.game.tiles import Tile
    from engine.vocabulary.facts import Whose

VERSION = 2
"""Of the truth's written form."""
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Happening:
    """An event at the table, complete at `t_s`: the last tile at rest, the cover off.

    Attributes:
        kind: the engine's kind of event, or one of docs/simulator.md.
        data: further data; places by name.
        event: the engine's event in its written form; None where the book knows none, or forbids it now.
    """

    t_s: float
    kind: str
    data: Mapping[str, object] = field(default_factory=dict)
    event: Mapping[str, object] | None = None

    @property
    def place(self) -> Place:
        """The place of the hand that it concerns; KeyError if it concerns none."""
        return Place.parse(str(self.data["place"]))

    def to_json(self) -> dict[str, object]:
        return {"t_s": round(self.t_s, 3), "kind": self.kind, **self.data, "event": self.event}


@dataclass(frozen=True, slots=True)
class TrueLay:
    """How a hand lies open from `t_s` on, when the last of its tiles came to rest: as laid, and the setting by rank."""

    t_s: float
    low: tuple[Tile, Tile]
    high: tuple[Tile, Tile]
    setting: Setting

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The four tiles, low hand first."""
        return *self.low, *self.high

    def to_json(self) -> dict[str, object]:
        return {"t_s": round(self.t_s, 3), "low": list(map(str, self.low)), "high": list(map(str, self.high))}


@dataclass(slots=True)
class HandTruth:
    """One hand of a round.

    Attributes:
        tiles: numbers of its tiles, 0 to 31.
        set_by: ``dealer`` (it is to lie the House Way) or ``player``.
        away_s: when its tiles started to be put away; None if they never were.
        visible: when it lay open, at rest and at least 90 % of each tile was to be seen.
    """

    place: Place
    box: int
    tiles: tuple[int, ...]
    set_by: str
    whose: Whose
    lays: list[TrueLay] = field(default_factory=list)
    away_s: float | None = None
    visible: list[Span] = field(default_factory=list)

    def to_json(self, way: HouseWay, moments: Mapping[Moment, float], faces: Sequence[str]) -> dict[str, object]:
        """As JSON, with what the House Way says of each lay and the remedy from each moment on."""
        return {
            "place": str(self.place),
            "box": self.box,
            "tiles": list(self.tiles),
            "faces": [faces[n] for n in self.tiles],
            "set_by": self.set_by,
            "lays": [{**lay.to_json(), "house_way": self._judged(lay, way, moments)} for lay in self.lays],
            "away_s": None if self.away_s is None else round(self.away_s, 3),
            "visible": [[round(start, 3), round(end, 3)] for start, end in self.visible],
        }

    def _judged(self, lay: TrueLay, way: HouseWay, moments: Mapping[Moment, float]) -> dict[str, object] | None:
        if self.set_by != "dealer":
            return None
        verdict = way.judge(lay.setting.deal, lay.setting, whose=self.whose)
        right = verdict.decision.setting
        remedies = [
            {
                "from_s": round(start, 3),
                "moment": moment.name.lower(),
                "remedy": [
                    {"duty": one.duty.value, "effect": code(one.effect), "rule": one.cite}
                    for one in way.remedies(self.whose, moment).options
                ],
            }
            for moment, start in moments.items()
        ]
        return {
            "verdict": "correct" if verdict.correct else "wrong",
            "expected": {"low": list(map(str, right.low.tiles)), "high": list(map(str, right.high.tiles))},
            "rule": str(verdict.decision.rule.cite),
            "remedies": [] if verdict.correct else remedies,
        }


@dataclass(slots=True)
class RoundTruth:
    """One round, from the shuffle to the last tile put away.

    Attributes:
        number: counted from 0 in its session.
        faces: what the 32 tiles bear in this round.
        dealt_s: when each box got its tiles.
        hands: by place, in the order in which they first lay open.
        mistakes: deliberate mistakes, with times.
        exceptions: lawful exceptions, with times.
    """

    number: int
    start_s: float
    course: Course
    faces: tuple[str, ...]
    end_s: float = 0.0
    dealt_s: dict[int, float] = field(default_factory=dict)
    hands: dict[Place, HandTruth] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    mistakes: list[Happening] = field(default_factory=list)
    exceptions: list[Happening] = field(default_factory=list)
    disturbances: list[Disturbance] = field(default_factory=list)

    @property
    def bank_hand(self) -> HandTruth:
        """The bank's hand, once it lay open: before the float, or at the banker's box where a book leaves it there."""
        return next(hand for hand in self.hands.values() if hand.box == self.course.bank_box)

    def went_wrong(self, kind: str, start_s: float, end_s: float, **data: object) -> None:
        """Write down a mistake: what the book forbids, or has no event for, happens all the same."""
        rule = rule_broken(kind, self.course)
        cited = {} if rule is None else {"rule": str(rule)}
        self.mistakes.append(Happening(start_s, kind, {**data, "end_s": round(end_s, 3), **cited}))

    def excepted(self, kind: str, start_s: float, end_s: float, **data: object) -> None:
        """Write down a lawful exception."""
        self.exceptions.append(Happening(start_s, kind, {**data, "end_s": round(end_s, 3)}))

    @property
    def exposed(self) -> list[HandTruth]:
        """The hands that lay open, in that order."""
        return sorted((hand for hand in self.hands.values() if hand.lays), key=lambda hand: hand.lays[0].t_s)

    def moments(self) -> dict[Moment, float]:
        """From when on each moment of a remedy holds."""
        bank = self.bank_hand
        players = [hand.lays[0].t_s for hand in self.exposed if hand is not bank]
        away = bank.away_s
        found = {Moment.NO_HAND_EXPOSED: self.start_s}
        if players:
            found[Moment.FIRST_HAND_EXPOSED] = min(players)
        if away is not None:
            found[Moment.BANK_PUT_AWAY] = away
        return found

    def to_json(self, way: HouseWay) -> dict[str, object]:
        course, dealt, moments = self.course, self.course.dealt, self.moments()
        foreign = any(each.kind == "foreign-tile" for each in self.mistakes)
        outcomes = {Place(PlaceKind.BOX, box): outcome for box, outcome in course.outcomes.items()}
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
            "bank": {"method": course.method.value, "box": course.bank_box},
            "button": dealt.button,
            "boxes": list(course.played),
            "asked": sorted(course.asked),
            "exposed": [str(hand.place) for hand in self.exposed],
            "hands": {str(place): hand.to_json(way, moments, self.faces) for place, hand in self.hands.items()},
            "outcomes": {} if foreign else {str(place): outcome.value for place, outcome in outcomes.items()},
            "events": [each.to_json() for each in self.happenings],
            "mistakes": [each.to_json() for each in self.mistakes],
            "exceptions": [each.to_json() for each in self.exceptions],
            "disturbances": [
                {"kind": each.kind, "start_s": round(each.start, 3), "end_s": round(each.end, 3), **each.data}
                for each in self.disturbances
            ],
        }
