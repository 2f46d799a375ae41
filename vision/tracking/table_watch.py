"""Tracking a table: each reading, with its time, updates the state of the round."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.house_way.rules import Moment
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.tracking.clearing import Clearing
from vision.tracking.confirmation_terms import Terms
from vision.tracking.lays.hand_history import HandHistory, Lay
from vision.tracking.lays.left_behind import LeftBehind, left_behind_finding
from vision.tracking.marker_watch import MarkersSeen, MarkerWatch
from vision.tracking.progress import moment_of
from vision.tracking.round_watch import RoundWatch
from vision.tracking.table_scene import TableScene
from vision.tracking.throws import TableDice, Throw, follow_dice, lie_as_thrown, shows_throw
from vision.tracking.tracks.follow import follow
from vision.tracking.tracks.tile_tracks import Track, Tracks, spots_of
from vision.tracking.unseen_rounds import UnseenRounds
from vision.tracking.visibility import Visibility

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration.table.places import Place
    from vision.reading import HandReading, Reading
    from vision.tracking.observed.delivery import TimedObservation
    from vision.tracking.phases import Phase, PhaseStep


@dataclass(frozen=True, slots=True)
class Seen:
    """State of the round after a reading.

    Attributes:
        hands: the opened hands, in opening order.
        asked: places whose tiles were turned across, so that the dealer sets them the House Way.
        throw: the dice as they came to rest since the previous round; None if none were seen.
        steps: the phases of the round, in the order in which they started.
        findings: findings for a person, in order of appearance.
        over: whether the round is over; the next reading starts another.
        moment: progress of the round, for the remedies for a wrongly set hand (ruling 33); None while it is unknown
            whether the House's hand is covered or put away.
        lay_findings: faults of the current layouts at places, each tile decoded from all its pictures.
        markers: current meaning of chung and buttons; None if none are enrolled.
        observed: observations of the round with their times, for the rulebook.
        unseen_s: from when to when a round, or the rest of this one, passed without being followed; None if none did.
    """

    hands: tuple[HandHistory, ...] = ()
    asked: frozenset[Place] = frozenset()
    throw: Throw | None = None
    steps: tuple[PhaseStep, ...] = ()
    findings: tuple[Finding, ...] = ()
    over: bool = False
    moment: Moment | None = Moment.NO_HAND_EXPOSED
    lay_findings: tuple[Finding, ...] = ()
    markers: MarkersSeen | None = None
    observed: tuple[TimedObservation, ...] = ()
    unseen_s: tuple[float, float] | None = None

    def hand(self, place: Place) -> HandHistory | None:
        return next((hand for hand in self.hands if hand.place == place), None)


@dataclass(slots=True)
class TableWatch:
    """Tracks one table, reading by reading.

    Attributes:
        conventions: table conventions.
        terms: the thresholds.
        seen: state of the round.
    """

    conventions: Conventions = field(default_factory=Conventions)
    terms: Terms = field(default_factory=Terms)
    seen: Seen = field(default_factory=Seen)
    _reading: Reading | None = None
    _tracks: Tracks = field(default_factory=Tracks)
    _dice: TableDice = field(default_factory=TableDice)
    _visibility: Visibility = field(default_factory=Visibility)
    _clearing: Clearing = field(default_factory=Clearing)
    _left: LeftBehind = field(default_factory=LeftBehind)
    _unseen: UnseenRounds = field(default_factory=UnseenRounds)
    _markers: MarkerWatch = field(init=False)
    _round: RoundWatch = field(init=False)

    def __post_init__(self) -> None:
        """Start the first round."""
        self._round = RoundWatch(self.conventions)
        self._markers = MarkerWatch(self.terms)

    @property
    def tracks(self) -> tuple[Track, ...]:
        return self._tracks.tiles

    @property
    def lying(self) -> tuple[Track, ...]:
        """The still tiles in the latest picture."""
        t_s = self._tracks.t_s
        return tuple(each for each in self.tracks if each.seen_s == t_s and each.at_rest(t_s, self.terms))

    @property
    def phase(self) -> Phase | None:
        """The phase of the table as a whole; None if none was seen yet."""
        return self._round.phases.of_table

    @property
    def cleared(self) -> bool:
        """Whether nothing was in play long enough to end a round."""
        return self._clearing.clear

    @property
    def knocked(self) -> bool:
        """Whether the camera or the table seems to have been knocked; nothing is verified until that is settled."""
        return self._tracks.knock is not None

    def confirm_in_place(self) -> None:
        """Accept that the camera is where it was calibrated, according to the printed layout or the markers.

        A knock is detected from the tiles, and cleared if they are back in place. If they were put away meanwhile, only
        a fixed object can show it.
        """
        if self.knocked:
            self._tracks = self._tracks.forgotten()

    def remember(self, hands: Iterable[HandReading]) -> None:
        """Take over hands of this round that were seen before tracking started."""
        t_s = self._tracks.t_s
        for hand in hands:
            self._round.remember(Lay(hand, t_s, frozenset(), decided_s=t_s))

    def see(self, reading: Reading, t_s: float) -> Seen:
        """Process the next reading.

        Args:
            reading: of a picture; its hands are ignored, since they are assembled over time.
            t_s: capture time, in monotonic seconds. A reading that is not later than the previous one, or of the same
                picture, is ignored: a frozen camera shows nothing.
        """
        if self.seen.over:
            self._next_round()
        if t_s <= self._tracks.t_s or (self._reading is not None and _same_picture(reading, self._reading)):
            return self.seen
        self._reading = reading
        left = self._left.of(reading)
        reading = self.without_left_behind(reading)
        self._tracks = follow(self._tracks, spots_of(reading), t_s, self.terms)
        codes = {finding.code for finding in reading.findings}
        self._visibility.update(t_s, codes, self.terms.unseen_s, knocked=self.knocked)
        scene = TableScene.of(self._tracks, self.terms, calibrated=reading.calibrated)
        dice_lie = shows_throw(reading.dice, self._dice.throw)
        same = self._unseen.update(scene, fit=self._visibility.fit, dice_lie=dice_lie)
        if not same and self._holds_something:
            if same is not None:
                self.seen = replace(self.seen, over=True, unseen_s=(self._started_s, t_s))
            return self.seen
        self._see_dice(reading, t_s)
        dealt = self._round.phases.dealt or self._unseen.dealt_s is not None
        self._left.update(scene, left, fit=self._visibility.fit, dealt=dealt)
        lay_findings = self._round.update(scene, self._visibility, thrown=self._dice.throw is not None)
        if self._round.restarted:
            self._dice = self._dice.next_round()
        if self._visibility.trusted and self._visibility.fit and shows_throw(reading.dice, self._dice.old, surely=True):
            self._round.log.old_dice(t_s)
        self._round.log.throw(self._dice.throw, t_s, still=lie_as_thrown(self._dice, t_s))
        self._clearing.update(reading, t_s, self.terms, fit=self._visibility.fit)
        hands, places, phases = self._round.hands, self._round.places, self._round.phases
        boxes = () if self.conventions.order is None else self.conventions.order.numbers
        over = self._clearing.is_over(hands, mixing=phases.mixing, calibrated=reading.calibrated)
        ended = self._unseen.mixed or self._clearing.clear
        passed = ended and self._unseen.passed and not self._round.recorded
        unseen = passed or (over and self._round.lost_hand(self._unseen))
        self.seen = Seen(
            hands.in_order(),
            self._round.requested,
            self._dice.throw,
            tuple(phases.steps),
            self._round.all_findings,
            over=over or passed,
            moment=moment_of(t_s, hands, places, self._visibility),
            lay_findings=(*lay_findings, *map(left_behind_finding, left)),
            markers=self._markers.update(
                reading.markers, t_s, trusted=self._visibility.fit and self._visibility.trusted and not self.knocked
            ),
            observed=self._round.log.observations(phases.steps, boxes, hands),
            unseen_s=(self._started_s, t_s) if unseen else None,
        )
        return self.seen

    @property
    def _holds_something(self) -> bool:
        """Whether anything of a round was seen that would be judged together with the tiles that lie there now."""
        return self._dice.throw is not None or self._round.phases.dealt or bool(self._round.hands.by_place)

    @property
    def _started_s(self) -> float:
        """When something of this round was first seen."""
        throw = self._dice.throw
        opened = (hand.exposed_s for hand in self._round.hands)
        known = (self._unseen.started_s, None if throw is None else throw.since_s, *opened)
        return min((each for each in known if each is not None), default=self._tracks.t_s)

    @property
    def dice_lie(self) -> bool:
        """Whether the latest picture shows the dice of the last throw where they came to rest."""
        return lie_as_thrown(self._dice, self._tracks.t_s)

    def without_left_behind(self, reading: Reading) -> Reading:
        """A reading without objects that stay at a place across rounds, printed or forgotten."""
        left = self._left.of(reading)
        return replace(reading, tiles=tuple(tile for tile in reading.tiles if tile not in left)) if left else reading

    def _see_dice(self, reading: Reading, t_s: float) -> None:
        """Track the dice, and report a knocked camera and a leaning die."""
        dealt = self._round.phases.dealt or bool(self._round.hands.by_place)
        # A verified throw is not replaced by one that cannot be verified now.
        kept = not self._visibility.trusted and self._dice.throw is not None and self._dice.throw.verified
        self._dice = follow_dice(
            self._dice, reading.dice, t_s, self.terms, dealt=dealt or kept, fewest=self.conventions.fewest_dice
        )
        if self._visibility.knocked(t_s):
            self._round.findings.add(Finding(Code.CAMERA_MOVED))
        if self._dice.throw is not None and any(die.cocked for die in self._dice.throw.dice):
            self._round.findings.add(Finding(Code.COCKED_DIE))

    def _next_round(self) -> None:
        """Start another round with its own throw; tracked tiles and dice are kept."""
        self._round = RoundWatch(self.conventions, self._round.contradictions.next_round())
        self._clearing = Clearing()
        self._unseen = self._unseen.next_round()
        self._dice = self._dice.next_round()
        self.seen = Seen()


def _same_picture(one: Reading, other: Reading) -> bool:
    """Whether two readings are of the same picture: two pictures of a camera never match to the last digit."""
    if one.repeated:
        return True
    if not (all(tile.fresh for tile in one.tiles) and all(die.fresh for die in one.dice)):
        return False  # Objects not read again match for that reason only.
    same = one.tiles == other.tiles and one.dice == other.dice and one.markers == other.markers
    return bool(one.tiles or one.dice) and same
