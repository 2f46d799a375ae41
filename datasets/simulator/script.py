"""Generate a session from a seed: rounds by a rulebook at one table, as a timeline with ground truth."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import DealerSide, Pose
from calibration.table.places import DICE, DISCARD, DISPLAY, FLOAT, HOUSE, Place, PlaceKind
from calibration.table.sizes import TABLE_MM
from calibration.table.zones import USUAL_SIZE_MM, Layout, Zone, box_zones
from datasets.scenes import sampling as sample
from datasets.scenes import whole_table as table
from datasets.scenes.table_plan import float_and_chips
from datasets.simulator.layouts import SimulatorError, chung_spot, fitting, lay_out, pattern, usual
from datasets.simulator.sight import visible_tiles
from datasets.simulator.staging import course as play
from datasets.simulator.staging.acting import act_round
from datasets.simulator.staging.animation import Animator
from datasets.simulator.staging.disturbances import DISTURBANCES, disturb
from datasets.simulator.staging.exceptions import EXCEPTIONS, is_open_to
from datasets.simulator.staging.mistakes import HAND_MISTAKES, MISTAKES, plan_mistake
from datasets.simulator.staging.procedure import OF_DELIVERY, OF_MARKERS, departed
from datasets.simulator.staging.routines import roll, shake, show_dice
from datasets.simulator.timeline import MarkerKeyframes
from engine.books.house_ways import way_under
from engine.books.registry import rulebook
from engine.game.setting import Deal
from engine.game.tiles import Tile
from engine.round import Session, Table
from engine.settlement.wagers import BONUS, MAIN, Offered, TableTerms
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import CameraModel, Prop, Scene
    from datasets.scenes.table_plan import Placement, TablePlan
    from datasets.scenes.whole_table import TableSetup
    from datasets.simulator.timeline import Instant, Timeline
    from datasets.simulator.truth import RoundTruth
    from engine.house_way.rules import HouseWay
    from engine.vocabulary.play import Lie

SIGHT_S: Final = 0.2
"""Interval at which the visibility of hands is checked."""
SEEN_AT_LEAST: Final = 0.9
NO_MISTAKE: Final = "none"
"""Used instead of a mistake if they are specified round by round."""
_BONUS: Final = "bonus-a"
"""The paytable of the Bonus at a table with side wagers."""
_HANDLED_S: Final = 1.0
"""Time after the delivery before anybody handles dealt tiles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Simulation options; every rate is a share of the rounds.

    Attributes:
        variant: the variant of the rulebook that is played, such as ``crown-pai-gow``; None for Pai Gow itself.
        layout: a name of ``layouts.PATTERNS``; None for the book's usual one.
        house_way: id of the House Way where the book prints none.
        low_hand: how low hands are laid; None for the book's way.
        mistakes: kinds of ``staging.mistakes.MISTAKES``; without a choice those about one hand.
        in_turn: the mistake or lawful exception of each round from the first, ``none`` for none; replaces random
            choice.
        disturbances: kinds of ``staging.disturbances.DISTURBANCES``.
        cocked_rate: how often a die leans at first.
        players: fewest and most boxes with wagers.
        player_bank_rate: how often a player holds the bank, where the book and the round let one.
        pace: how long everything takes; 1 is a brisk dealer.
        side_wagers: whether the table takes Bonus wagers, where the book knows them.
        any_look: any tile set, felt, light and camera the training has seen, not a decent table in good light.
    """

    rulebook: str = "crown-6.1"
    variant: str | None = None
    layout: str | None = None
    house_way: str | None = None
    rounds: int = 1
    size: tuple[int, int] = (2304, 1296)
    mistakes: tuple[str, ...] = tuple(HAND_MISTAKES)
    mistake_rate: float = 0.0
    in_turn: tuple[str, ...] = ()
    disturbances: tuple[str, ...] = tuple(DISTURBANCES)
    disturbance_rate: float = 0.0
    cocked_rate: float = 0.05
    players: tuple[int, int] = (2, 6)
    pace: float = 1.0
    any_look: bool = False
    low_hand: Lie | None = None
    player_bank_rate: float = 0.0
    side_wagers: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be simulated."""
        for given, known, what in (
            (self.mistakes, MISTAKES, "mistake"),
            (self.in_turn, (*MISTAKES, *EXCEPTIONS, NO_MISTAKE), "mistake"),
            (self.disturbances, DISTURBANCES, "disturbance"),
        ):
            if strange := [name for name in given if name not in known]:
                raise SimulatorError(f"no {what} is called {strange[0]!r}; known: {', '.join(known)}")
        for what in ("mistake_rate", "disturbance_rate", "cocked_rate", "player_bank_rate"):
            if not 0 <= (rate := getattr(self, what)) <= 1:
                raise SimulatorError(f"{what} is a share from 0 to 1, not {rate}")
        if self.rounds < 1 or min(self.size) < 64 or not 0.3 <= self.pace <= 20:
            raise SimulatorError("at least one round, pictures of at least 64 pixels, and a pace of 0.3 to 20")
        if not 1 <= self.players[0] <= self.players[1]:
            raise SimulatorError(f"fewest and most boxes with wagers, not {self.players}")


@dataclass(frozen=True, eq=False, slots=True)
class Script:
    """A scripted session: time line, truth of each round, props that never move, and the dealers' House Way and lay."""

    options: Options
    seed: int
    setup: TableSetup
    line: Timeline
    rounds: tuple[RoundTruth, ...]
    still: tuple[Prop, ...]
    way: HouseWay
    low_hand: Lie

    @property
    def end_s(self) -> float:
        """When the last round is over."""
        return self.rounds[-1].end_s

    def at(self, t: float) -> Instant:
        return self.line.at(t)

    def scene(self, now: Instant) -> Scene:
        """The same as a scene for ``datasets.rendering.renderer``, without light and lens."""
        kind: table.TableKind = "display" if now.tiles[0].place == DISPLAY else "hard" if now.hands else "round"
        scene = self.setup.scene(kind, now.tiles, now.dice, (*self.still, *now.props))
        return replace(scene, camera=now.view.camera)

    def calibration(self) -> dict[str, object]:
        """The calibration of the camera as it was hung, as ``calibration.files.calibration_file`` reads it."""
        return self.setup.bare.calibration()

    def table_calibration(self, camera: CameraModel | None = None) -> TableCalibration:
        """The same for the reader, or with a camera that hangs elsewhere."""
        camera, plan = camera or self.setup.bare.camera, self.setup.plan

        def spot(x: float, y: float, angle: float = 0.0) -> Placement:
            # Rounded as the calibration file is, so that both are one and the same.
            return round(x, 2), round(y, 2), round(float(np.degrees(angle)), 2)

        def zone(place: Place, x: float, y: float, angle: float) -> Zone:
            return Zone(place, (x, y), USUAL_SIZE_MM[place], angle)

        boxes = {place.box: spot(*at) for place, at in plan.places.items() if place.box is not None}
        x, y, w, h = (round(value, 2) for value in plan.float_rect)
        zones = (
            zone(HOUSE, *spot(*plan.places[HOUSE])),
            *box_zones(boxes),
            zone(DISCARD, *spot(*plan.discard_mm)),
            zone(DICE, *spot(*plan.dice_mm)),
        )
        side: DealerSide = "bottom of image" if self.setup.bare.dealer_side == "bottom of image" else "top of image"
        lens, pose = Lens(camera.k, camera.dist), Pose(camera.r, camera.t)
        layout = Layout(
            zones, TABLE_MM, Zone(FLOAT, (x, y), (w, h)), box1_at_dealers_right=self.setup.plan.box1_at_right
        )
        return TableCalibration(camera.size, lens, pose, layout, side)


def script(seed: int, options: Options | None = None) -> Script:
    """Write a session; the same seed and options give the same one.

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
    low_hand = options.low_hand or book.play.low_hand.value
    animator = Animator(np.random.default_rng((seed, 12)), setup, dice, options.pace, low_hand)
    if options.any_look:
        animator.line.glares = sample.glares(looks, 700.0)
    animator.line.luck = tuple(float(v) for v in np.exp(looks.normal(0, 0.7, 32)))
    fewer = None if kind.boxes == book.play.boxes.value else kind.boxes
    side = {BONUS: Offered(_BONUS)} if options.side_wagers and book.side_wagers is not None else {}
    terms = TableTerms(box1_at_dealers_right=kind.from_right, side=side)
    methods = None if options.player_bank_rate else frozenset({Bank.HOUSE})
    of_table = Table(boxes=fewer, methods=methods, house_way_boxes=kind.house_way, variant=options.variant, terms=terms)
    session = Session.opened(book, of_table)
    house_box = session.setup.banking.house_box.value
    if options.player_bank_rate:
        chung = _chung(np.random.default_rng((seed, 16)), plan, house_box)
        animator.line.markers.append(MarkerKeyframes([(0.0, 0.0, chung)]))
    rounds = []
    for number in range(options.rounds):
        session, truth = _round(seed, animator, session, way, options, number)
        chance = np.random.default_rng((seed, 14, number))
        truth.disturbances += disturb(chance, animator, truth, options.disturbances, options.disturbance_rate)
        animator.line.disturbances += [each for each in truth.disturbances if each.kind != "sleeve"]
        rounds.append(truth)
    line = animator.finish()
    made = Script(options, seed, setup, line, tuple(rounds), _still(looks, setup, house_box, options), way, low_hand)
    for truth in rounds:
        _see(made, truth)
        _see_shown(made, truth)
    return made


def throws(seed: int, count: int, options: Options | None = None) -> tuple[Script, tuple[float, ...]]:
    """Write a session of throws alone, of a house's own dice beside the displayed set.

    They are shown under the cup and rolled into its base in turn. Of the options, rulebook, size, pace and look count.

    Returns:
        the session, which has no rounds, and when each throw is over.
    """
    options = options or Options()
    looks, rng = np.random.default_rng((seed, 17)), np.random.default_rng((seed, 18))
    setup = (table.setup if options.any_look else table.sample_setup)(looks, options.size)
    box_die, cut_die = table.own_dice(looks)[:2] if options.any_look else table.dice_styles(looks)
    book = rulebook(options.rulebook)
    animator = Animator(np.random.default_rng((seed, 19)), setup, (box_die, cut_die), options.pace)
    ends = []
    for number in range(count):
        *box, cut = (int(value) for value in rng.integers(1, 7, 4))
        thrown = play.ThrownDice(tuple(box), cut)
        if number % 2:
            roll(animator, thrown)
        else:
            shake(animator, thrown)
            show_dice(animator)
        ends.append(animator.now)
    still = tuple(float_and_chips(looks, setup.plan))
    way, low_hand = way_under(book, None), book.play.low_hand.value
    return Script(options, seed, setup, animator.finish(), (), still, way, low_hand), tuple(ends)


def _still(rng: Rng, setup: TableSetup, house_box: int, options: Options) -> tuple[Prop, ...]:
    props = tuple(float_and_chips(rng, setup.plan))
    # Where only the House banks, its chung never moves.
    return props if options.player_bank_rate else (*props, _chung(rng, setup.plan, house_box))


def _chung(rng: Rng, plan: TablePlan, box: int) -> Prop:
    own = Place(PlaceKind.BOX, box)
    look = sample.prop(rng, "marker", *chung_spot(plan, box))
    return replace(look, text="BANK", means="chung", place=str(own) if own in plan.boxes else "")


def _round(
    seed: int, animator: Animator, session: Session, way: HouseWay, options: Options, number: int
) -> tuple[Session, RoundTruth]:
    rng = np.random.default_rng((seed, 13, number))
    # Optional features use separate random streams, so that the others do not change.
    chance = np.random.default_rng((seed, 15, number))
    session = play.start_round(chance, session, shown=number == 0, player_bank_rate=options.player_bank_rate)
    dealt = play.deal(rng, session, cocked=bool(rng.random() < options.cocked_rate))
    bank = session.current.state.held.box
    boxes = [box for box in range(1, session.setup.boxes + 1) if box != bank]
    most = min(options.players[1], len(boxes))
    count = int(rng.integers(min(options.players[0], most), most + 1))
    played = sorted(int(box) for box in rng.choice(boxes, count, replace=False))
    order = [int(n) for n in rng.permutation(32)]
    faces = [track.faces[0][1] for track in animator.line.tracks]
    mistake = _mistake(rng, options, number)
    closed = mistake in EXCEPTIONS and not is_open_to(mistake, session.current.state)
    if closed or (mistake in OF_MARKERS and not options.player_bank_rate):
        mistake = None
    if mistake in OF_DELIVERY or mistake == "other-cut":
        changed = departed(chance, mistake, session, dealt)
        mistake, dealt = (None, dealt) if changed is None else (mistake, changed)
    if mistake == "opened-alone":
        played = played[:1]
    deals = {
        box: Deal.of(Tile.parse(faces[order[n]]) for n in group)
        for box, group in zip(dealt.delivered, dealt.groups, strict=False)
    }
    before = rng.bit_generator.state
    bet = BONUS if mistake == "bonus-only" else MAIN
    course = play.play(rng, session, dealt, deals, way, played, bet=bet)
    plan = plan_mistake(rng, mistake, course, way, deals, order, faces)
    if plan.laid is not None and plan.box is not None and "corrected" not in str(plan.kind):
        # The same chance again, but with this hand as it lies: outcomes follow from that.
        rng.bit_generator.state = before
        course = play.play(rng, session, dealt, deals, way, played, laid={plan.box: plan.laid}, bet=bet)
    return course.session, act_round(animator, number, course, order, faces, plan)


def _mistake(rng: Rng, options: Options, number: int) -> str | None:
    """The mistake of a round: as specified for it, or random."""
    if options.in_turn:
        named = options.in_turn[number] if number < len(options.in_turn) else NO_MISTAKE
        return None if named == NO_MISTAKE else named
    return str(rng.choice(options.mistakes)) if options.mistakes and rng.random() < options.mistake_rate else None


def _sight_times_s(start_s: float, end_s: float) -> list[float]:
    """The times between two at which it is found out what can be seen."""
    return [float(t) for t in np.arange(np.ceil(start_s / SIGHT_S), np.floor(end_s / SIGHT_S) + 1) * SIGHT_S]


def _see(made: Script, truth: RoundTruth) -> None:
    since: dict[Place, float] = {}
    exposed = truth.exposed
    for t in _sight_times_s(exposed[0].lays[0].t_s, truth.end_s) if exposed else ():
        now = made.at(t)
        seen = visible_tiles(now)
        for hand in exposed:
            good = all(now.tiles[n].hand is not None and _is_seen(now, n, seen) for n in hand.tiles)
            if good:
                since.setdefault(hand.place, t)
            elif hand.place in since:
                hand.visible.append((since.pop(hand.place), t - SIGHT_S))
    for place, start_s in since.items():
        truth.hands[place].visible.append((start_s, truth.end_s))


def _is_seen(now: Instant, tile: int, shares: NDArray[np.float64]) -> bool:
    """Whether a tile lies still, face up and visible."""
    return now.tiles[tile].face_up and tile not in now.moving and bool(shares[tile] >= SEEN_AT_LEAST)


def _see_shown(made: Script, truth: RoundTruth) -> None:
    """Write down for how long at most the tiles of a mistake were to be seen without a break.

    Of those that were dealt wrongly, the tiles of each box, as far as others do not lie on them.
    """
    for number, mistake in enumerate(truth.mistakes):
        if mistake.kind == "tile-shown":
            groups, until_s = [[int(str(mistake.data["tile"]))]], 0.0
        elif "tiles" in mistake.data:
            groups, until_s = json.loads(str(mistake.data["tiles"])), _HANDLED_S
        else:
            continue
        start_s, end_s = mistake.t_s, float(str(mistake.data["end_s"])) + until_s
        if "shown_s" in mistake.data:
            start_s, end_s = json.loads(str(mistake.data["shown_s"]))
        looks = _sight_times_s(start_s, end_s)
        up = mistake.kind == "tile-shown"
        longest = min(_longest([_shows(made.at(t), tiles, up=up) for t in looks]) for tiles in groups)
        truth.mistakes[number] = replace(mistake, data={**mistake.data, "seen_s": round(longest * SIGHT_S, 3)})


def _shows(now: Instant, tiles: Sequence[int], *, up: bool) -> bool:
    """Whether half of some tiles lie still and are visible, with this side up: dealt tiles lie upon each other."""
    shares = visible_tiles(now)
    seen = [n for n in tiles if now.tiles[n].face_up is up and n not in now.moving and shares[n] >= SEEN_AT_LEAST]
    return 2 * len(seen) >= len(tiles)


def _longest(looks: Sequence[bool]) -> int:
    """The longest run of looks that saw something."""
    run = longest = 0
    for seen in looks:
        run = run + 1 if seen else 0
        longest = max(longest, run)
    return longest
