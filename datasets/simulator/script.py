"""A seed becomes a scripted session: rounds by a rulebook at one table, as a time line, with the truth about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.scenes import sampling as sample
from datasets.scenes import whole_table as table
from datasets.scenes.table_plan import float_and_chips
from datasets.simulator.layouts import SimulatorError, fitting, lay_out, pattern, usual
from datasets.simulator.sight import visible_tiles
from datasets.simulator.staging import course as play
from datasets.simulator.staging.acting import act_round
from datasets.simulator.staging.animation import Animator
from datasets.simulator.staging.disturbances import DISTURBANCES, disturb
from datasets.simulator.staging.mistakes import MISTAKES, plan_mistake
from engine.books.house_ways import way_under
from engine.books.registry import rulebook
from engine.game.setting import Deal
from engine.game.tiles import Tile
from engine.round import Session, Table
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import Prop, Scene
    from datasets.scenes.whole_table import TableSetup
    from datasets.simulator.timeline import Instant, Timeline
    from datasets.simulator.truth import RoundTruth
    from engine.house_way.rules import HouseWay

SIGHT_S: Final = 0.2
"""How often it is looked whether a hand can be seen."""
SEEN_AT_LEAST: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is to be simulated.

    Attributes:
        rulebook: id of the book that is played by.
        layout: a name of ``layouts.PATTERNS``; None for the book's usual one.
        house_way: id of the House Way where the book prints none.
        rounds: how many.
        size: width and height of the pictures.
        mistakes: kinds of mistakes that dealers make, of ``staging.mistakes.MISTAKES``.
        mistake_rate: share of rounds with one of them.
        disturbances: kinds of disturbances, of ``staging.disturbances.DISTURBANCES``.
        disturbance_rate: share of rounds with one of them.
        cocked_rate: share of rounds in which a die leans at first.
        players: fewest and most boxes with wagers.
        pace: how long everything takes; 1 is a brisk dealer.
        any_look: any tile set, felt, light and camera the training has seen, not a decent table in good light.
    """

    rulebook: str = "crown-6.1"
    layout: str | None = None
    house_way: str | None = None
    rounds: int = 1
    size: tuple[int, int] = (2304, 1296)
    mistakes: tuple[str, ...] = tuple(MISTAKES)
    mistake_rate: float = 0.0
    disturbances: tuple[str, ...] = tuple(DISTURBANCES)
    disturbance_rate: float = 0.0
    cocked_rate: float = 0.05
    players: tuple[int, int] = (2, 6)
    pace: float = 1.0
    any_look: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be simulated.

        Raises:
            SimulatorError: the message says which option is wrong, and what it may be.
        """
        for given, known, what in (
            (self.mistakes, MISTAKES, "mistake"),
            (self.disturbances, DISTURBANCES, "disturbance"),
        ):
            if strange := [name for name in given if name not in known]:
                raise SimulatorError(f"no {what} is called {strange[0]!r}; known: {', '.join(known)}")
        for what, rate in (
            ("mistake_rate", self.mistake_rate),
            ("disturbance_rate", self.disturbance_rate),
            ("cocked_rate", self.cocked_rate),
        ):
            if not 0 <= rate <= 1:
                raise SimulatorError(f"{what} is a share from 0 to 1, not {rate}")
        if self.rounds < 1 or min(self.size) < 64 or not 0.3 <= self.pace <= 20:
            raise SimulatorError("at least one round, pictures of at least 64 pixels, and a pace of 0.3 to 20")
        if not 1 <= self.players[0] <= self.players[1]:
            raise SimulatorError(f"fewest and most boxes with wagers, not {self.players}")


@dataclass(frozen=True, eq=False, slots=True)
class Script:
    """A scripted session.

    Attributes:
        options: of the session.
        seed: where all chance came from.
        setup: the table.
        line: the time line.
        rounds: the truth, round by round.
        still: props that never move: float, chips, chung.
        way: the House Way that dealers set by.
    """

    options: Options
    seed: int
    setup: TableSetup
    line: Timeline
    rounds: tuple[RoundTruth, ...]
    still: tuple[Prop, ...]
    way: HouseWay

    @property
    def end_s(self) -> float:
        """When the last round is over."""
        return self.rounds[-1].end_s

    def at(self, t: float) -> Instant:
        """The table at a moment."""
        return self.line.at(t)

    def scene(self, now: Instant) -> Scene:
        """The same as a scene that ``datasets.rendering.renderer`` draws; light and lens are left out."""
        kind: table.TableKind = "display" if now.tiles[0].place == "display" else "hard" if now.hands else "round"
        scene = self.setup.scene(kind, now.tiles, now.dice, (*self.still, *now.props))
        return replace(scene, camera=now.view.camera)

    def calibration(self) -> dict[str, object]:
        """The calibration of the camera as it was hung, as ``calibration.files.calibration_file`` reads it."""
        bare = self.setup.bare
        return {
            "size": list(bare.camera.size),
            "camera": bare.camera.to_json(),
            "layout": bare.layout,
            "dealer_side": bare.dealer_side,
        }


def script(seed: int, options: Options | None = None) -> Script:
    """Write a session.

    The same seed and options give the same session, whatever else was written before; round by round, the chance that
    plays is apart from the chance that moves hands.

    Raises:
        SimulatorError: the layout does not fit the book.
        EngineError: the book or the House Way is not known, or prints none and none was named.
    """
    options = options or Options()
    book = rulebook(options.rulebook)
    named = options.house_way or (None if book.prints_house_way else "crown-6.1")
    way = way_under(book, named)
    layout = options.layout or usual(book)
    kind = pattern(layout)
    if layout not in fitting(book):
        raise SimulatorError(f"{book.id} is not played on {layout!r}; it is on: {', '.join(fitting(book))}")
    looks = np.random.default_rng((seed, 11))
    setup = (table.setup if options.any_look else table.sample_setup)(looks, options.size)
    plan = lay_out(looks, kind)
    setup = replace(setup, plan=plan).changed(layout=plan.to_json())
    box_die, cut_die = table.dice_styles(looks)
    dice = box_die, None if book.cuts.by_die is None else cut_die
    animator = Animator(np.random.default_rng((seed, 12)), setup, dice, options.pace)
    if options.any_look:
        animator.line.glares = sample.glares(looks, 700.0)
    animator.line.luck = tuple(float(v) for v in np.exp(looks.normal(0, 0.7, 32)))
    fewer = None if kind.boxes == book.play.boxes.value else kind.boxes
    session = Session.opened(book, Table(boxes=fewer, methods=frozenset({Bank.HOUSE}), house_way_boxes=kind.house_way))
    rounds = []
    for number in range(options.rounds):
        rng = np.random.default_rng((seed, 13, number))
        session, truth = _round(rng, animator, session, way, options, number)
        chance = np.random.default_rng((seed, 14, number))
        truth.disturbances += disturb(chance, animator, truth, options.disturbances, options.disturbance_rate)
        animator.line.disturbances += [each for each in truth.disturbances if each.kind != "sleeve"]
        rounds.append(truth)
    line = animator.finish()
    made = Script(options, seed, setup, line, tuple(rounds), _still(looks, setup), way)
    for truth in rounds:
        _see(made, truth)
        _see_shown(made, truth)
    return made


def _still(rng: Rng, setup: TableSetup) -> tuple[Prop, ...]:
    """The float, chips in the boxes and the chung."""
    x, y, _ = setup.plan.boxes["box1"]
    return *float_and_chips(rng, setup.plan), sample.prop(rng, "marker", x + 80, y - 10)


def _round(
    rng: Rng, animator: Animator, session: Session, way: HouseWay, options: Options, number: int
) -> tuple[Session, RoundTruth]:
    """Play a round and show it."""
    session = play.begin(session, shown=number == 0)
    dealt = play.deal(rng, session, cocked=bool(rng.random() < options.cocked_rate))
    bank = session.current.state.held.box
    boxes = [box for box in range(1, session.setup.boxes + 1) if box != bank]
    most = min(options.players[1], len(boxes))
    count = int(rng.integers(min(options.players[0], most), most + 1))
    played = sorted(int(box) for box in rng.choice(boxes, count, replace=False))
    order = [int(n) for n in rng.permutation(32)]
    faces = [track.faces[0][1] for track in animator.line.tracks]
    mistake = str(rng.choice(options.mistakes)) if options.mistakes and rng.random() < options.mistake_rate else None
    deals = {
        box: Deal.of(Tile.parse(faces[order[n]]) for n in group)
        for box, group in zip(dealt.order, dealt.groups, strict=False)
    }
    before = rng.bit_generator.state
    course = play.play(rng, session, dealt, deals, way, played)
    plan = plan_mistake(rng, mistake, course, way, deals, order, faces)
    if plan.laid is not None and plan.box is not None and mistake != "house-set-wrong-corrected":
        # The same chance again, but with this hand as it lies: outcomes follow from that.
        rng.bit_generator.state = before
        course = play.play(rng, session, dealt, deals, way, played, laid={plan.box: plan.laid})
    return course.session, act_round(animator, number, course, order, faces, plan)


def _looks_s(start_s: float, end_s: float) -> list[float]:
    """The times between two at which it is found out what can be seen."""
    return [float(t) for t in np.arange(np.ceil(start_s / SIGHT_S), np.floor(end_s / SIGHT_S) + 1) * SIGHT_S]


def _see(made: Script, truth: RoundTruth) -> None:
    """Find out when each open hand can be seen."""
    since: dict[str, float | None] = {name: None for name, hand in truth.hands.items() if hand.lays}
    if not since:
        return
    first = min(truth.hands[name].lays[0].t_s for name in since)
    for t in _looks_s(first, truth.end_s):
        now = made.at(t)
        seen = visible_tiles(now)
        for name, begun in since.items():
            hand = truth.hands[name]
            good = all(
                now.tiles[n].face_up
                and now.tiles[n].hand is not None
                and n not in now.moving
                and seen[n] >= SEEN_AT_LEAST
                for n in hand.tiles
            )
            if good and begun is None:
                since[name] = t
            elif not good and begun is not None:
                hand.visible.append((begun, t - SIGHT_S))
                since[name] = None
    for name, begun in since.items():
        if begun is not None:
            truth.hands[name].visible.append((begun, truth.end_s))


def _see_shown(made: Script, truth: RoundTruth) -> None:
    """Write down for how long at most a tile that came up by mistake was to be seen without a break."""
    for number, mistake in enumerate(truth.mistakes):
        if mistake.kind != "tile-shown":
            continue
        tile, end_s = int(str(mistake.data["tile"])), float(str(mistake.data["end_s"]))
        run = longest = 0
        for t in _looks_s(mistake.t_s, end_s):
            now = made.at(t)
            seen = now.tiles[tile].face_up and tile not in now.moving and visible_tiles(now)[tile] >= SEEN_AT_LEAST
            run = run + 1 if seen else 0
            longest = max(longest, run)
        truth.mistakes[number] = replace(mistake, data={**mistake.data, "seen_s": round(longest * SIGHT_S, 3)})
