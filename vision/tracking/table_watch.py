"""A table watched: each reading, with its time, changes what is known of the round."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.house_way.rules import Moment
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.tracking.clearing import Clearing
from vision.tracking.confirmation_terms import Terms
from vision.tracking.lays.hand_history import HandHistory, Lay
from vision.tracking.lays.left_lying import LeftLying, told
from vision.tracking.marker_watch import MarkersSeen, MarkerWatch
from vision.tracking.progress import moment_of
from vision.tracking.round_watch import RoundWatch
from vision.tracking.table_scene import TableScene
from vision.tracking.throws import TableDice, Throw, follow_dice, lie_as_thrown
from vision.tracking.tracks.follow import follow
from vision.tracking.tracks.tile_tracks import Track, Tracks, spots_of
from vision.tracking.visibility import Visibility

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration.table.places import Place
    from vision.reading import HandReading, Reading
    from vision.tracking.observed.delivery import TimedObservation
    from vision.tracking.phases import Phase, PhaseStep


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the round after a reading.

    Attributes:
        hands: those that were opened, in the order in which they were.
        asked: places whose tiles were turned across, so that the dealer sets them the House Way.
        throw: the dice as they came to rest since the round before; None if none were seen.
        steps: the phases of the round, in the order in which they began.
        findings: what a person should know of the round, in the order in which it was seen.
        over: whether the round is over; the next reading begins another.
        moment: how far the round has come, for what may be done about a hand set wrongly (ruling 33); None while nobody
            can say whether the House's hand is covered or put away, or whether a player's was opened unseen.
        lay_findings: what is wrong with how tiles lie at places now, each tile as all its pictures say.
        markers: what chung and buttons say now; None where none are enrolled.
        observed: what was seen of the round, each with its time, for the rulebook.
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

    def hand(self, place: Place) -> HandHistory | None:
        """What is known of a place."""
        return next((hand for hand in self.hands if hand.place == place), None)


@dataclass(slots=True)
class TableWatch:
    """Follows one table, reading by reading.

    Attributes:
        conventions: those of the table.
        terms: the thresholds.
        seen: what is known of the round.
    """

    conventions: Conventions = field(default_factory=Conventions)
    terms: Terms = field(default_factory=Terms)
    seen: Seen = field(default_factory=Seen)
    _reading: Reading | None = None
    _tracks: Tracks = field(default_factory=Tracks)
    _dice: TableDice = field(default_factory=TableDice)
    _visibility: Visibility = field(default_factory=Visibility)
    _clearing: Clearing = field(default_factory=Clearing)
    _left: LeftLying = field(default_factory=LeftLying)
    _markers: MarkerWatch = field(init=False)
    _round: RoundWatch = field(init=False)

    def __post_init__(self) -> None:
        """Begin the first round."""
        self._round = RoundWatch(self.conventions)
        self._markers = MarkerWatch(self.terms)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tiles followed now."""
        return self._tracks.tiles

    @property
    def lying(self) -> tuple[Track, ...]:
        """The tiles that lie still in the latest picture."""
        t_s = self._tracks.t_s
        return tuple(each for each in self.tracks if each.seen_s == t_s and each.at_rest(t_s, self.terms))

    @property
    def phase(self) -> Phase | None:
        """The phase of the table as a whole; None if none was seen yet."""
        return self._round.phases.of_table

    @property
    def cleared(self) -> bool:
        """Whether nothing lay in play for as long as ends a round."""
        return self._clearing.clear

    @property
    def knocked(self) -> bool:
        """Whether the camera or the table seems to have been knocked; nothing is verified until that is settled."""
        return self._tracks.knock is not None

    def stands(self) -> None:
        """Take it that the camera stands where it was calibrated, as the printed layout or the markers say.

        A knock is noticed by the tiles, and forgotten by them if they are back where they were. Where they were put
        away meanwhile only something that never moves can tell.
        """
        if self.knocked:
            self._tracks = self._tracks.forgotten()

    def remember(self, hands: Iterable[HandReading]) -> None:
        """Take over hands of this round that were seen before this watch began."""
        t_s = self._tracks.t_s
        for hand in hands:
            self._round.remember(Lay(hand, t_s, frozenset(), decided_s=t_s))

    def see(self, reading: Reading, t_s: float) -> Seen:
        """Take the next reading.

        Args:
            reading: what a picture says; its hands are not used, they are put together over time.
            t_s: when it was taken, in seconds that only go forward. A reading that is not later than the one before,
                or is of the same picture again, is none: a camera that hangs shows nothing.
        """
        if self.seen.over:
            self._next_round()
        if t_s <= self._tracks.t_s or (self._reading is not None and _same_picture(reading, self._reading)):
            return self.seen
        self._reading = reading
        left = self._left.of(reading)
        reading = self.without_left(reading)
        self._tracks = follow(self._tracks, spots_of(reading), t_s, self.terms)
        codes = {finding.code for finding in reading.findings}
        self._visibility.update(t_s, codes, self.terms.unseen_s, knocked=self.knocked)
        self._see_dice(reading, t_s)
        scene = TableScene.of(self._tracks, self.terms, calibrated=reading.calibrated)
        self._left.update(scene, left, fit=self._visibility.fit)
        lay_findings = self._round.update(scene, self._visibility, thrown=self._dice.throw is not None)
        self._round.log.throw(self._dice.throw, t_s, still=lie_as_thrown(self._dice, t_s))
        self._clearing.update(reading, t_s, self.terms, fit=self._visibility.fit)
        hands, places, phases = self._round.hands, self._round.places, self._round.phases
        boxes = () if self.conventions.order is None else self.conventions.order.numbers
        self.seen = Seen(
            hands.in_order(),
            self._round.requested,
            self._dice.throw,
            tuple(phases.steps),
            self._round.findings.all(),
            over=self._clearing.is_over(hands, mixing=phases.mixing, calibrated=reading.calibrated),
            moment=moment_of(t_s, hands, places, self._visibility),
            lay_findings=(*lay_findings, *map(told, left)),
            markers=self._markers.update(
                reading.markers, t_s, trusted=self._visibility.fit and self._visibility.trusted and not self.knocked
            ),
            observed=self._round.log.observations(phases.steps, boxes, hands),
        )
        return self.seen

    def without_left(self, reading: Reading) -> Reading:
        """A reading without what stays at its place round after round, printed there or forgotten."""
        left = self._left.of(reading)
        return replace(reading, tiles=tuple(tile for tile in reading.tiles if tile not in left)) if left else reading

    def _see_dice(self, reading: Reading, t_s: float) -> None:
        """Follow the dice, and report a knocked camera and a die that leans."""
        dealt = self._round.phases.dealt or bool(self._round.hands.by_place)
        # What was verified is not replaced by what cannot be verified now.
        kept = not self._visibility.trusted and self._dice.throw is not None and self._dice.throw.verified
        self._dice = follow_dice(self._dice, reading.dice, t_s, self.terms, dealt=dealt or kept)
        if self._visibility.knocked(t_s):
            self._round.findings.add(Finding(Code.CAMERA_MOVED))
        if self._dice.throw is not None and any(die.cocked for die in self._dice.throw.dice):
            self._round.findings.add(Finding(Code.COCKED_DIE))

    def _next_round(self) -> None:
        """Begin another round, with its own throw; the tiles and dice lie where they lie."""
        self._round = RoundWatch(self.conventions, self._round.contradictions.next_round())
        self._clearing = Clearing()
        self._dice = self._dice.next_round()
        self.seen = Seen()


def _same_picture(one: Reading, other: Reading) -> bool:
    """Whether two readings are of the same picture: no two pictures of a camera are alike to the last digit."""
    if one.repeated:
        return True
    if not (all(tile.fresh for tile in one.tiles) and all(die.fresh for die in one.dice)):
        return False  # What was not read again is alike because it was not.
    same = one.tiles == other.tiles and one.dice == other.dice and one.markers == other.markers
    return bool(one.tiles or one.dice) and same
