"""A table watched: each reading, with its time, changes what is known of the round."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE, Place
from engine.house_way.rules import Moment
from vision.findings import Code, Finding
from vision.hands import hands_by_nearness
from vision.tracking.agreement import agreement
from vision.tracking.lays import (
    MOVED_SINCE,
    Hand,
    Lay,
    Whole,
    doubted_hand,
    heard,
    holds,
    over_time,
    swapped,
    whole_hands,
)
from vision.tracking.moved import Moved
from vision.tracking.phases import Phase, Step, phase_of, plays
from vision.tracking.requests import Requests
from vision.tracking.terms import Terms
from vision.tracking.throws import Dice, Throw, follow_dice
from vision.tracking.together import NOT_TOGETHER, Decoded, decode_together
from vision.tracking.tracks import SOLID_MM, Spot, Track, Tracks, apart_mm, follow, spots_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from engine.game.tiles import Tile
    from vision.findings import Param
    from vision.reading import HandReading, Reading

UNFIT: Final = frozenset({"too_dark", "too_bright", "blurred", "covered", "obstructed", "defocused", "frozen"})
"""Findings about a picture in which what is not seen may be there all the same."""
DOUBTED: Final = UNFIT | {"dim", "bright", "glare", "drifted", "marker_moved", "drift_unknown", "tile_set"}
"""Findings about a picture by which nothing is verified, nor anything put in doubt that was verified before."""
_OPENED: Final = 3
"""A hand lies open once so many of its tiles do; a single one may have come up by mistake."""
_SHOWN_LOOKS: Final = 3
_MOVED_S: Final = 1.0
"""For so long the four tiles of a hand may lie open otherwise than they did before it is doubted; put away so, it is
doubted if two pictures showed them."""
_SIGNS: Final = 2
"""So many tiles must be seen elsewhere, or turned down, before a hand out of sight counts as put away."""
_HAND: Final = 4
_ON_THE_WAY_S: Final = 3.0
"""So long before a hand was last seen another may have been whose tiles are put away only now."""
_BACKLOG_S: Final = 0.5
_HIDDEN_S: Final = 1.5
"""From here on nobody can say whether a House hand out of sight is covered or put away, or a player's was opened."""
_SEEN_AGAIN_S: Final = 1.0
"""So long after nothing could be seen hands opened meanwhile are noticed."""
_KNOCKED_S: Final = 1.0
"""So long all tiles must seem to have moved at once before it is told; nothing is verified from the first picture on.
Tiles that players straighten at one moment may look so, until the printed layout says that the camera stands."""
_CONTRADICTED_LOOKS: Final = 3
"""In so many pictures in a row a contradiction must stand before what was verified is doubted; nothing new is verified
from the first on."""
_DEALT: Final = frozenset({Phase.DELIVERY, Phase.SETTING})
_AWAY: Final = frozenset({Phase.MATCHED, Phase.PUT_AWAY})


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the round after a reading.

    Attributes:
        hands: of each place that showed a hand, in the order in which they were opened.
        asked: places whose tiles were turned across, so that the dealer sets them the House Way.
        throw: the dice as they came to rest since the round before; None if none were seen.
        steps: the phases of the round, in the order in which they began.
        findings: what a person should know of the round, in the order in which it was seen.
        over: whether the round is over; the next reading begins another.
        moment: how far the round has come, for what may be done about a hand set wrongly (ruling 33); None while nobody
            can say whether the House's hand is covered or put away, or whether a player's was opened unseen.
    """

    hands: tuple[Hand, ...] = ()
    asked: frozenset[Place] = frozenset()
    throw: Throw | None = None
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    over: bool = False
    moment: Moment | None = Moment.NO_HAND_EXPOSED

    def hand(self, place: Place) -> Hand | None:
        """What is known of a place."""
        return next((hand for hand in self.hands if hand.place == place), None)


def _straight(_: Place) -> float:
    return 0.0


@dataclass(slots=True)
class TableWatch:
    """Follows one table, reading by reading.

    Attributes:
        angle_deg: direction of a place, 0 where the dealer sees it straight.
        terms: what is asked of time.
        seen: what is known of the round.
    """

    angle_deg: Callable[[Place], float] = _straight
    terms: Terms = field(default_factory=Terms)
    seen: Seen = field(default_factory=Seen)
    _t_s: float = -math.inf
    _last: Reading | None = None
    _tracks: Tracks = field(default_factory=Tracks)
    _dice: Dice = field(default_factory=Dice)
    _hands: dict[Place, Hand] = field(default_factory=dict)
    _open_s: dict[Place, float] = field(default_factory=dict)
    _closed_s: dict[Place, float] = field(default_factory=dict)
    _requests: Requests = field(init=False)
    _shown: dict[tuple[int, Place], tuple[Tile | None, Spot]] = field(default_factory=dict)
    _moved: Moved = field(default_factory=Moved)
    _steps: list[Step] = field(default_factory=list)
    _findings: dict[tuple[Code, str], Finding] = field(default_factory=dict)
    _clear: int = 0
    _clear_since_s: float = 0.0
    _was_clear: bool = False
    _candidate: tuple[Phase, int] | None = None
    _sequence: int = 0
    _contradicted: dict[Tile, int] = field(default_factory=dict)
    _too_often: set[Tile] = field(default_factory=set)
    _trusted: bool = True
    _trusted_since_s: float = -math.inf
    _blind_since_s: float | None = None
    _blind_until_s: float = -math.inf
    _sighted_s: float = -math.inf
    _knocked_since_s: float | None = None
    _unordered: list[Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Nothing was asked for yet."""
        self._requests = Requests(self.angle_deg)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tiles followed now."""
        return self._tracks.tiles

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
            self._tracks = Tracks(next_number=self._tracks.next_number, t_s=self._tracks.t_s)

    @property
    def lying(self) -> tuple[Track, ...]:
        """The tiles that lie still in the last picture."""
        return tuple(each for each in self.tracks if each.seen_s == self._t_s and each.lies(self._t_s, self.terms))

    @property
    def phase(self) -> Phase | None:
        """The phase of the table as a whole; None if none was seen yet."""
        return next((step.phase for step in reversed(self._steps) if step.place is None), None)

    def see(self, reading: Reading, t_s: float) -> Seen:
        """Take the next reading.

        Args:
            reading: what a picture says.
            t_s: when it was taken, in seconds that only go forward. A reading that is not later than the one before,
                or is of the same picture again, is none: a camera that hangs shows nothing.
        """
        if self.seen.over:
            self._begin()
        if t_s <= self._t_s or (self._last is not None and _same_picture(reading, self._last)):
            return self.seen
        self._t_s, self._last = t_s, reading
        self._tracks = follow(self._tracks, spots_of(reading), t_s, self.terms)
        dealt = any(step.phase in _DEALT for step in self._steps) or bool(self._hands)
        codes = {finding.code for finding in reading.findings}
        fit = not codes & UNFIT
        self._note_blind(fit=fit)
        self._trust(trusted=not codes & DOUBTED)
        self._dice = follow_dice(self._dice, reading.dice, t_s, self.terms, dealt=dealt or self._keeps_throw)
        self._note_knock()
        if self._dice.throw is not None and any(die.cocked for die in self._dice.throw.dice):
            self._tell("", Code.COCKED_DIE)
        self._expose()
        whole = self._decode(calibrated=reading.calibrated)
        self._hear(whole)
        self._doubt_the_moved(whole)
        self._put_away(fit=fit)
        self._segment()
        self._count_clear(reading, fit=fit)
        over = self._is_over(calibrated=reading.calibrated)
        ordered = sorted(self._hands.values(), key=lambda hand: (hand.exposed_s is None, hand.sequence, hand.place))
        self.seen = Seen(
            tuple(hand for hand in ordered if hand.exposed_s is not None or hand.lays),
            frozenset(self._requests.places),
            self._dice.throw,
            tuple(self._steps),
            tuple(self._findings.values()),
            over=over,
            moment=self._moment(),
        )
        return self.seen

    def _note_knock(self) -> None:
        """Tell of a knocked camera once nothing has contradicted it for long enough."""
        if not self.knocked:
            self._knocked_since_s = None
            return
        if self._knocked_since_s is None:
            self._knocked_since_s = self._t_s
        if self._t_s - self._knocked_since_s >= _KNOCKED_S:
            self._tell("", Code.CAMERA_MOVED)

    def _trust(self, *, trusted: bool) -> None:
        """Note whether what the picture shows may be held against what was verified before."""
        if trusted and not self._trusted:
            self._trusted_since_s = self._t_s
        self._trusted = trusted

    def _note_blind(self, *, fit: bool) -> None:
        """Note until when nothing could be seen for so long that a hand may have been opened meanwhile."""
        if fit:
            if self._blind_since_s is not None and self._blind_until_s > self._blind_since_s:
                self._sighted_s = self._t_s
            self._blind_since_s = None
        elif self._blind_since_s is None:
            self._blind_since_s = self._t_s
        if self._blind_since_s is not None and self._t_s - self._blind_since_s > self.terms.unseen_s:
            self._blind_until_s = self._t_s

    @property
    def _keeps_throw(self) -> bool:
        """Whether no other throw can take the place of the last, because it was verified and cannot be now."""
        return not self._trusted and self._dice.throw is not None and self._dice.throw.verified

    def remember(self, hands: Iterable[HandReading]) -> None:
        """Take over hands of this round that were seen before this watch began."""
        for hand in hands:
            if hand.place not in self._hands:
                lay = Lay(hand, self._t_s, self._t_s, self._sequence, frozenset())
                self._hands[hand.place] = Hand(hand.place, self._t_s, self._sequence, (lay,), self._t_s)
                self._open_s[hand.place] = self._t_s

    def _moment(self) -> Moment | None:
        """How far the round has come."""
        house = self._hands.get(HOUSE)
        if house is not None and house.away:
            return Moment.BANK_PUT_AWAY
        if not any(hand.exposed_s is not None for place, hand in self._hands.items() if place != HOUSE):
            unseen = self._t_s - self._blind_until_s <= _SEEN_AGAIN_S or (house is not None and self._hidden(house))
            return None if unseen else Moment.NO_HAND_EXPOSED
        if self._t_s - self._open_s.get(HOUSE, self._t_s) > _HIDDEN_S:
            return None
        return Moment.FIRST_HAND_EXPOSED

    def _hidden(self, house: Hand) -> bool:
        """Whether a closed hand was lost from sight since the House's was opened: it may lie open under a sleeve."""
        if house.exposed_s is None:
            return False
        closed = (since for since in self._closed_s.values() if since > house.exposed_s - _HIDDEN_S)
        return any(self._t_s - since > _HIDDEN_S for since in closed)

    def _begin(self) -> None:
        """Begin another round; the tiles and dice lie where they lie."""
        self._hands.clear()
        self._open_s.clear()
        self._closed_s.clear()
        self._unordered.clear()
        self._requests.clear()
        self._shown.clear()
        self._too_often.clear()
        self._moved.clear()
        self._steps.clear()
        self._findings.clear()
        self._clear = 0
        self._was_clear = False
        self._candidate = None
        # The next round has its own throw.
        self._dice = self._dice.next_round()
        self.seen = Seen()

    def _at_places(self) -> dict[Place, list[Track]]:
        """The tiles in sight, or out of it for a moment, by the place at which they lie."""
        found: dict[Place, list[Track]] = defaultdict(list)
        for track in self._tracks.tiles:
            place = track.tile.place
            if place is not None and plays(place) and self._t_s - track.seen_s <= self.terms.unseen_s:
                found[place].append(track)
        return found

    def _expose(self) -> None:
        """See which hands are opened, which are to be set by the dealer, and which tiles came up by mistake."""
        # Hands that one picture shows open for the first time were opened in the order in which they may be.
        for place, tracks in sorted(self._at_places().items()):
            known = self._hands.get(place, Hand(place))
            still = [track for track in tracks if track.lies(self._t_s, self.terms)]
            open_ = [track for track in still if track.tile.face_up]
            if any(track.tile.face_up and track.seen_s == self._t_s for track in tracks):
                self._open_s[place] = self._t_s
            if known.exposed_s is None and len(open_) >= _OPENED:
                self._opened(place, known, min(track.since_s for track in open_))
            if known.exposed_s is not None or place == HOUSE:
                continue
            for track in tracks:
                self._note_shown(place, track)
            down = [track for track in still if not track.tile.face_up]
            if down:
                self._closed_s[place] = max(track.seen_s for track in down)
            self._requests.look(place, down, alone=len(down) == len(tracks))

    def _note_shown(self, place: Place, track: Track) -> None:
        """See whether a tile of a closed hand came up, and was turned down again beyond doubt."""
        # What fingers leave of an open tile may pass for a back, in a single picture even for a sure one.
        if track.looks < _SHOWN_LOOKS:
            return
        if track.tile.face_up:
            # What is never named may be a bare back that was taken for a face, for a minute even.
            if any(sample.face is not None for sample in track.samples):
                self._shown[track.number, place] = agreement(track.samples).face, track.spot
        elif track.tile.status == "verified":
            for (number, where), (face, spot) in list(self._shown.items()):
                if where == place and (number == track.number or apart_mm(spot, track.spot) < SOLID_MM):
                    del self._shown[number, where]
                    named = {"face": str(face)} if face else {}
                    self._tell(str(place), Code.TILE_EXPOSED, place=str(place), **named)

    def _opened(self, place: Place, known: Hand, since_s: float) -> None:
        """A hand lies open for the first time in this round."""
        if place != HOUSE:
            if place.box is not None and self._unopened(HOUSE):
                self._tell(str(place), Code.EXPOSED_BEFORE_BANK, place=str(place))
            if waiting := self._closed_before(place):
                self._tell(str(place), Code.EXPOSED_OUT_OF_TURN, place=str(place), waiting=tuple(map(str, waiting)))
        if since_s == self._sighted_s:
            self._unordered.append(place)
            if len(self._unordered) > 1:
                unordered = Finding.of(Code.ORDER_UNSEEN, places=tuple(map(str, self._unordered)))
                self._findings[Code.ORDER_UNSEEN, ""] = unordered
        self._sequence += 1
        self._hands[place] = replace(known, exposed_s=since_s, sequence=self._sequence)
        self._steps.append(Step(Phase.HOUSE_EXPOSED if place == HOUSE else Phase.PLAYER_EXPOSED, since_s, place))

    def _closed_before(self, place: Place) -> list[Place]:
        """Boxes whose turn it is before this one's and whose tiles lie closed."""
        if place.box is None:
            return []
        return sorted(
            other
            for other, tracks in self._at_places().items()
            if other.box is not None
            and other < place
            and self._unopened(other)
            and any(not track.tile.face_up and track.lies(self._t_s, self.terms) for track in tracks)
        )

    def _decode(self, *, calibrated: bool) -> dict[Place, Whole]:
        """The hands that lie whole, all tiles of the round considered."""
        lying = [track for track in self._tracks.tiles if self._t_s - track.seen_s <= self.terms.unseen_s]
        played = [track for track in lying if plays(track.tile.place) or not calibrated]
        # One that is out of sight may lie elsewhere already, so it says nothing about the others.
        open_ = [
            track
            for track in played
            if track.tile.face_up and track.seen_s == self._t_s and track.lies(self._t_s, self.terms)
        ]
        held = {track.tile.place for track in played if track.tile.face_up}
        gone = [
            face
            for place, hand in self._hands.items()
            if place not in held and hand.lays
            for face in hand.lays[-1].held
        ]
        if not open_:
            return {}
        decoded = decode_together(open_, gone, self.terms, self._too_often)
        contradicted = decoded.contradicted if self._trusted else ()
        self._contradicted = {face: self._contradicted.get(face, 0) + 1 for face in contradicted}
        self._too_often |= {face for face, times in self._contradicted.items() if times >= _CONTRADICTED_LOOKS}
        for face in sorted(self._too_often, key=str):
            for place, hand in self._hands.items():
                if holds(hand, face):
                    self._hands[place] = doubted_hand(hand, NOT_TOGETHER)
            self._tell(str(face), Code.DUPLICATE_FACE, face=str(face))
        if not calibrated:
            return self._by_nearness(open_, decoded)
        among = set(map(id, open_))
        others = [track for track in played if id(track) not in among]
        return whole_hands(open_, others, decoded, self.angle_deg, self.terms, knocked=self.knocked)

    def _by_nearness(self, open_: list[Track], decoded: Decoded) -> dict[Place, Whole]:
        """The same where no places are known; such hands are never verified."""
        hands, _ = hands_by_nearness([over_time(track, decoded, self.terms) for track in open_], set())
        since_s, looks = max(track.since_s for track in open_), min(track.looks for track in open_)
        epoch = frozenset(track.epoch for track in open_)
        return {hand.place: Whole(hand, since_s, looks, epoch) for hand in hands}

    def _hear(self, whole: dict[Place, Whole]) -> None:
        """Take what lies whole into what is known of the round."""
        for place, lying in whole.items():
            known = self._hands.get(place, Hand(place))
            sure = lying.hand.status == "verified" or (known.now is not None and known.now.status == "verified")
            if not self._trusted and sure:
                continue  # such a picture takes nothing back, nor completes what those before it left open
            # What seems to have lain there for long may have been looked at in vain until now.
            looked_s = self._t_s - max(lying.since_s, self._trusted_since_s if known.lays else lying.since_s)
            now = heard(known, lying, self._t_s, self._sequence + 1, ripe=looked_s >= self.terms.doubtful_s)
            if len(now.lays) > len(known.lays):
                self._sequence += 1
                if now.exposed_s is None:
                    now = replace(now, exposed_s=lying.since_s, sequence=self._sequence)
                if not known.lays and place == HOUSE:
                    self._steps.append(Step(Phase.HOUSE_SET, lying.since_s, HOUSE))
                if known.lays:
                    self._laid_anew(known, now)
            if known.away and not now.away:
                self._see_again(known, lying)
            self._hands[place] = now
        for place, hand in self._hands.items():
            if hand.present and place not in whole and self._t_s - hand.seen_s > self.terms.unseen_s:
                self._hands[place] = replace(hand, present=False)

    def _doubt_the_moved(self, whole: dict[Place, Whole]) -> None:
        """Doubt a hand whose four tiles have lain open otherwise for a while, and could not be told anew."""
        if not self._trusted or self.knocked:
            return
        open_: dict[Place | None, set[tuple[int, int]]] = defaultdict(set)
        for track in self.lying:
            if track.tile.face_up:
                open_[track.tile.place].add(track.epoch)
        for place, hand in self._hands.items():
            if hand.lays:
                self._moved.look(place, hand.lays[-1], whole.get(place), open_[place], self._t_s)
                if self._moved.lasted_s(place) >= _MOVED_S:
                    self._hands[place] = doubted_hand(hand, MOVED_SINCE)

    def _see_again(self, known: Hand, lying: Whole) -> None:
        """Take back that a hand was put away, and tell so unless it was only covered, or still being set."""
        place = known.place
        if all(map(lying.was_only_covered, known.lays[-1:])):
            self._steps = [step for step in self._steps if step.place != place or step.phase not in _AWAY]
        else:
            self._tell(str(place), Code.SEEN_AGAIN, place=str(place))

    def _laid_anew(self, before: Hand, now: Hand) -> None:
        place, last = now.place, before.lays[-1]
        if now.lays[-1].faces != last.faces and last.hand.status == "verified":
            self._tell(str(place), Code.TILES_CHANGED, place=str(place))
        elif swapped(last.pairs, now.lays[-1].pairs):
            self._tell_swapped(place)

    def _tell_swapped(self, place: Place) -> None:
        if place in self._requests.places:
            self._tell(str(place), Code.HAND_RESET, place=str(place))
        elif place != HOUSE:
            self._tell(str(place), Code.HAND_CHANGED, place=str(place))

    def _put_away(self, *, fit: bool) -> None:
        """See which open hands were put away: out of sight, and signs of where their tiles went."""
        at_places = self._at_places()
        open_now = {
            place: sum(track.tile.face_up and track.seen_s == self._t_s for track in tracks)
            for place, tracks in at_places.items()
        }
        for place, hand in self._hands.items():
            last_s = self._open_s.get(place)
            if hand.away or hand.exposed_s is None or last_s is None or self._t_s - last_s <= self.terms.unseen_s:
                continue
            turned = sum(
                not track.tile.face_up and track.since_s >= hand.exposed_s for track in at_places.get(place, ())
            )
            elsewhere = sum(
                not plays(track.tile.place)
                and track.since_s >= last_s - _BACKLOG_S
                and track.seen_s == self._t_s  # what is being carried was seen at many places
                for track in self._tracks.tiles
            )
            waited = fit and self._t_s - last_s >= self.terms.gone_s
            if turned >= _SIGNS or elsewhere - _HAND * self._on_the_way(place, last_s, open_now) >= _SIGNS or waited:
                self._hands[place] = replace(hand, away=True, present=False)
                if hand.lays and self._moved.lasted_s(place) > 0:
                    self._hands[place] = doubted_hand(self._hands[place], MOVED_SINCE)
                    if place in self._moved.swapped:
                        self._tell_swapped(place)
                if place != HOUSE:
                    self._steps.append(Step(Phase.MATCHED, last_s, place))
                self._steps.append(Step(Phase.PUT_AWAY, last_s, place))

    def _on_the_way(self, place: Place, last_s: float, open_now: Mapping[Place, int]) -> int:
        """How many other hands' tiles may be those seen elsewhere since a hand was last in sight.

        Once nothing lies open any more, all were put away; unless closed hands are out of sight as well, which nobody
        puts away unopened.

        Args:
            place: of the hand.
            last_s: when it was last in sight.
            open_now: how many tiles lie open in this picture, by place.
        """
        if not any(open_now.values()) and not self._closed_since(last_s - _BACKLOG_S):
            return 0
        return sum(
            other != place
            and hand.exposed_s is not None
            and self._open_s.get(other, -math.inf) > last_s - _ON_THE_WAY_S
            and open_now.get(other, 0) < _HAND
            for other, hand in self._hands.items()
        )

    def _closed_since(self, since_s: float) -> bool:
        """Whether a hand that was not opened yet was in sight since."""
        return any(last_s >= since_s and self._unopened(place) for place, last_s in self._closed_s.items())

    def _unopened(self, place: Place) -> bool:
        """Whether the hand at a place was not opened yet in this round."""
        return self._hands.get(place, Hand(place)).exposed_s is None

    def _segment(self) -> None:
        """See which phase the table as a whole is in; two pictures must say the same."""
        tiles = [track for track in self._tracks.tiles if track.seen_s == self._t_s]
        whole_table = [step.phase for step in self._steps if step.place is None]
        last = whole_table[-1] if whole_table else None
        found = phase_of(tiles, self._hands, self._dice.throw, self._t_s, self.terms, last)
        if found is None or found is last:
            self._candidate = None
            return
        times = self._candidate[1] + 1 if self._candidate is not None and self._candidate[0] is found else 1
        self._candidate = (found, times)
        if times >= 2:
            if found in (Phase.DISPLAY, Phase.SHUFFLE) and not self._hands:
                # What came before a shuffle belongs to no round: the display, or tiles brought in.
                self._steps = [step for step in self._steps if step.phase is Phase.DISPLAY]
                self._requests.clear()
            self._steps.append(Step(found, self._t_s))

    @property
    def cleared(self) -> bool:
        """Whether nothing lay in play for as long as ends a round."""
        return self._clear >= self.terms.clear_pictures and self._t_s - self._clear_since_s >= self.terms.clear_s

    def _count_clear(self, reading: Reading, *, fit: bool) -> None:
        """Count the pictures in a row in which nothing lies in play."""
        in_play = [tile for tile in reading.tiles if plays(tile.place) or not reading.calibrated]
        if any(tile.face_up for tile in in_play):
            self._was_clear = False
        if in_play or not fit:
            self._clear = 0
            return
        self._clear += 1
        if self._clear == 1:
            self._clear_since_s = self._t_s
        self._was_clear = self._was_clear or self.cleared

    def _is_over(self, *, calibrated: bool) -> bool:
        """Whether the round is over: its hands are put away and nothing is in play, or tiles are mixed again."""
        if not any(hand.lays for hand in self._hands.values()):
            return False
        if self._steps and self._steps[-1].place is None and self._steps[-1].phase in (Phase.SHUFFLE, Phase.DISPLAY):
            return True
        exposed = [hand for hand in self._hands.values() if hand.exposed_s is not None]
        # Closed tiles on a table that was clear are the next round's: where those that lay open went need not be seen.
        return self._was_clear and (not calibrated or all(hand.away for hand in exposed))

    def _tell(self, about: str, code: Code, **params: Param) -> None:
        """Take a finding into the round, once."""
        self._findings.setdefault((code, about), Finding.of(code, **params))


def _same_picture(one: Reading, other: Reading) -> bool:
    """Whether two readings are of the same picture: no two pictures of a camera are alike to the last digit."""
    return bool(one.tiles or one.dice) and one.tiles == other.tiles and one.dice == other.dice
