"""One round tracked picture by picture: its hands, phases and findings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from vision.findings import Code, Finding
from vision.tracking.lays.exposure import in_turn, opened_since, shown_open_s
from vision.tracking.lays.hand_history import MOVED_SINCE, HandHistory, Lay, RoundHands, observed, swapped
from vision.tracking.lays.laid_hands import LaidHands, laid_hands, open_at_rest
from vision.tracking.lays.place_watch import PlaceWatch
from vision.tracking.lays.put_away import put_away
from vision.tracking.lays.requests import Request
from vision.tracking.observed.observation_log import ObservationLog
from vision.tracking.phases import Phase, Phases
from vision.tracking.set_over_round import MORE_THAN_THE_SET, Contradictions, DecodedSet, decode_round

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import StrEnum

    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.hand_grouping import Conventions
    from vision.tracking.lays.hand_history import LaidHand
    from vision.tracking.table_scene import TableScene
    from vision.tracking.tracks.tile_tracks import Track
    from vision.tracking.unseen_rounds import UnseenRounds
    from vision.tracking.visibility import Visibility

_REARRANGED_S: Final = 1.0
"""Seconds for which the four tiles of a hand may be open in a different layout before it is doubted; if it is put away
so, two pictures suffice.
"""
_UNTOUCHED_MM: Final = 4.0
"""Maximum apparent displacement of each tile of an untouched hand; if it is laid again by hand, one of four is further
off.
"""


@dataclass(slots=True)
class RoundFindings:
    """Findings about a round for a person, in order of first appearance."""

    _found: dict[tuple[StrEnum, Place | Tile | None], Finding] = field(default_factory=dict)

    def add(self, finding: Finding, about: Place | Tile | None = None) -> None:
        """Add a finding, once for each object concerned."""
        self._found.setdefault((finding.code, about), finding)

    def replace(self, finding: Finding) -> None:
        """Replace the finding about the round with the same code."""
        self._found[finding.code, None] = finding

    def all(self) -> tuple[Finding, ...]:
        return tuple(self._found.values())


@dataclass(frozen=True, slots=True)
class _Pending:
    """A hand that is not recorded yet, since it may still be verified, and when it was last seen."""

    laid: LaidHand
    seen_s: float


@dataclass(slots=True)
class RoundWatch:
    """Tracks the hands of one round.

    Attributes:
        conventions: table conventions.
        contradictions: faces seen more often than the set contains them.
        hands: the hand at each place.
        places: observations at each place.
        phases: progress of the round.
        findings: findings for a person.
        log: observations for the rulebook.
        restarted: whether the latest picture showed the tiles being mixed again; everything before belongs to no round.
    """

    conventions: Conventions
    contradictions: Contradictions = field(default_factory=Contradictions)
    hands: RoundHands = field(default_factory=RoundHands)
    places: dict[Place, PlaceWatch] = field(default_factory=dict)
    phases: Phases = field(default_factory=Phases)
    findings: RoundFindings = field(default_factory=RoundFindings)
    log: ObservationLog = field(default_factory=ObservationLog)
    restarted: bool = False
    _pending: dict[Place, _Pending] = field(default_factory=dict)
    _unordered: list[Place] = field(default_factory=list)

    @property
    def recorded(self) -> bool:
        """Whether a hand of the round is known as it lay."""
        return any(hand.lays for hand in self.hands)

    def lost_hand(self, unseen: UnseenRounds) -> bool:
        """Whether a closed hand went out of sight while no picture showed the table, and was not seen again."""
        return any(
            each.closed_s is not None and not self.hands.opened(each.place) and unseen.hid(each.closed_s)
            for each in self.places.values()
            if not each.place.is_house
        )

    @property
    def requested(self) -> frozenset[Place]:
        """Places whose hands the dealer was asked to set."""
        return frozenset(each.place for each in self.places.values() if each.request.requested)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings, and hands now open of which it is not known whether the dealer was asked to set them."""
        unsure = [
            str(each.place)
            for each in self.places.values()
            if each.request.glimpsed
            and not (each.request.requested or self._dealer_always_sets(each.place))
            and self.hands.opened(each.place)
        ]
        found = self.findings.all()
        return (*found, Finding.of(Code.REQUEST_UNSURE, places=tuple(sorted(unsure)))) if unsure else found

    def remember(self, lay: Lay) -> None:
        """Take over a hand of this round that was seen before tracking started."""
        place = lay.hand.place
        if place not in self.hands.by_place:
            self.hands.open(HandHistory(place, lays=(lay,), seen_s=lay.decided_s), lay.decided_s)
            self._watch(place).open_s = lay.decided_s
            self.log.remember(place, lay.decided_s)

    def update(self, scene: TableScene, visibility: Visibility, *, thrown: bool) -> tuple[Finding, ...]:
        """Process the next picture.

        Args:
            scene: the table now.
            visibility: what the camera can see of it.
            thrown: whether dice came to rest in this round.

        Returns:
            Faults of the current layouts at places.
        """
        fit = visibility.trusted and visibility.fit and not scene.knocked
        if fit:
            self.log.see_as_dealt(scene, self.hands)
        self._see_places(scene, visibility)
        open_tiles = open_at_rest(scene)
        laid = laid_hands(scene, open_tiles, self._decode(scene, open_tiles, visibility), self.conventions)
        self._take(scene, laid, visibility)
        if visibility.trusted and not scene.knocked:
            self._doubt_rearranged(scene, laid)
        self._put_away(scene, visibility)
        hands, exposed = bool(self.hands.by_place), any(hand.exposed_s is not None for hand in self.hands)
        if fit and not exposed:
            self.log.see_unused(scene, self.phases.of_table)
        elif fit:
            last = self.hands.in_order()[-1].place
            self.log.see_closed(last, self._closed_beside(last, scene))
        self.log.delivery.update(scene, self.phases.of_table, trusted=fit)
        self.restarted = self.phases.update(scene, hands=hands, exposed=exposed, thrown=thrown)
        if self.restarted:
            self.log.restart()
            self.findings = RoundFindings()
            for each in self.places.values():
                each.request = Request()
        return laid.findings

    def _watch(self, place: Place) -> PlaceWatch:
        return self.places.setdefault(place, PlaceWatch(place))

    def _see_places(self, scene: TableScene, visibility: Visibility) -> None:
        """Detect opened hands, requests to the dealer, and tiles exposed by mistake."""
        for place in scene.at_places:
            self._watch(place)
        for each in self.places.values():
            each.see_open(scene)
        # Hands first seen open in the same picture were opened in the permitted order.
        for place in in_turn(scene.at_places, self.conventions.order):
            if self.hands.opened(place):
                continue
            self.places[place].see_face_down(scene)
            if (since_s := opened_since(place, scene)) is not None:
                self._open(place, since_s, scene, visibility)
            if not place.is_house:
                self._see_unopened(place, scene)

    def _see_unopened(self, place: Place, scene: TableScene) -> None:
        """Detect what was done with a player's closed tiles."""
        watch = self.places[place]
        known, set_seen_s = watch.request.requested, watch.request.set_seen_s
        for finding in watch.see_closed(scene, self.conventions.angle_deg(place)):
            self.findings.add(finding, place)
        if watch.request.requested and not known:
            self.log.ask(place, scene.t_s)
        if watch.request.set_seen_s is not None and set_seen_s is None:
            if self._dealer_always_sets(place):
                self.log.ask(place, scene.t_s)
            else:
                self.log.handle(place, scene.t_s)

    def _dealer_always_sets(self, place: Place) -> bool:
        return place.box in self.conventions.dealer_sets

    def _open(self, place: Place, since_s: float, scene: TableScene, visibility: Visibility) -> None:
        """A hand is open for the first time in this round."""
        self.log.open(place, shown_open_s(place, scene), scene, self.hands)
        if since_s == visibility.sighted_s:
            self._unordered.append(place)
            if len(self._unordered) > 1:
                self.findings.replace(Finding.of(Code.ORDER_UNSEEN, places=tuple(map(str, self._unordered))))
        self.hands.open(self.hands[place], since_s)
        self.phases.add(Phase.HOUSE_EXPOSED if place.is_house else Phase.PLAYER_EXPOSED, since_s, place)

    def _closed_beside(self, place: Place, scene: TableScene) -> list[Place]:
        """Places of which pictures showed closed tiles beside this open hand, before their own was opened."""
        shown_s = shown_open_s(place, scene)
        return [
            each.place
            for each in self.places.values()
            if each.closed_s is not None and each.closed_s >= shown_s and not self.hands.opened(each.place)
        ]

    def _decode(self, scene: TableScene, open_tiles: Sequence[Track], visibility: Visibility) -> DecodedSet:
        if not open_tiles:
            return DecodedSet({}, frozenset())
        held = {track.tile.place for track in scene.in_play() if track.tile.face_up}
        away = [
            face for hand in self.hands if hand.place not in held and hand.lays for face in hand.lays[-1].certain_faces
        ]
        decoded = decode_round(open_tiles, away, scene.terms, self.contradictions.confirmed)
        self.contradictions.update(decoded.contradicted if visibility.trusted else ())
        for face in sorted(self.contradictions.confirmed, key=str):
            for hand in self.hands:
                if hand.holds(face):
                    self.hands.doubt(hand.place, MORE_THAN_THE_SET)
            self.findings.add(Finding.of(Code.DUPLICATE_FACE, face=str(face)), face)
        return decoded

    def _take(self, scene: TableScene, laid: LaidHands, visibility: Visibility) -> None:
        """Record complete layouts."""
        for place, now in laid.hands.items():
            known = self.hands[place]
            if not visibility.trusted and (now.verified or known.verified):
                continue  # such a picture neither takes anything back nor completes earlier open questions
            # An apparently old layout may have been unrecognisable until now.
            since_s = max(now.since_s, visibility.trusted_since_s) if known.lays else now.since_s
            self._pending.pop(place, None)
            doubtful = _had_its_chances(scene, now, scene.t_s - since_s)
            if not (doubtful or now.verified or known.lays):
                self._pending[place] = _Pending(now, scene.t_s)
            self._lay(known, now, scene.t_s, doubtful=doubtful)
        for place, pending in tuple(self._pending.items()):
            gone = not scene.open_tiles(place) or scene.t_s - pending.seen_s > scene.terms.unseen_s
            if place not in laid.hands and gone:
                # It was put away before it could be verified, so its doubts are all that is known of it.
                del self._pending[place]
                if pending.seen_s - pending.laid.since_s >= scene.terms.doubtful_s:
                    self._lay(self.hands[place], pending.laid, pending.seen_s, doubtful=True)
        self.hands.hide(laid.hands, scene.t_s, scene.terms.unseen_s)

    def _lay(self, known: HandHistory, now: LaidHand, t_s: float, *, doubtful: bool) -> None:
        hand = observed(known, now, t_s, doubtful=doubtful)
        self.hands.put(hand)
        if len(hand.lays) > len(known.lays):
            self._laid_again(known, hand, now.since_s)
        if known.away and not hand.away:
            self._see_again(known, now)

    def _laid_again(self, known: HandHistory, hand: HandHistory, since_s: float) -> None:
        """Record that a hand's layout changed, or appeared."""
        if hand.exposed_s is None:
            self.hands.open(hand, since_s)
        if not known.lays:
            if hand.place.is_house:
                self.phases.add(Phase.HOUSE_SET, since_s, hand.place)
        elif hand.lays[-1].faces != known.lays[-1].faces and known.verified:
            self.findings.add(Finding.of(Code.TILES_CHANGED, place=str(hand.place)), hand.place)
        elif swapped(known.lays[-1].pairs, hand.lays[-1].pairs):
            self._report_swap(hand.place)

    def _report_swap(self, place: Place) -> None:
        """Report that tiles of a hand were swapped; the bank's may be set in several attempts."""
        if self._watch(place).request.requested or self._dealer_always_sets(place):
            self.findings.add(Finding.of(Code.HAND_RESET, place=str(place)), place)
        elif not place.is_house:
            self.findings.add(Finding.of(Code.HAND_CHANGED, place=str(place)), place)

    def _see_again(self, known: HandHistory, laid: LaidHand) -> None:
        """Revert that a hand was put away, and report it unless it was only covered, or still being set."""
        if not known.lays or laid.is_untouched(known.lays[-1], _UNTOUCHED_MM):
            self.phases.take_back_away(known.place)
            self.log.take_back_away(known.place)
        else:
            self.findings.add(Finding.of(Code.SEEN_AGAIN, place=str(known.place)), known.place)

    def _doubt_rearranged(self, scene: TableScene, laid: LaidHands) -> None:
        """Doubt a hand whose four open tiles have differed for a while, and could not be recorded again."""
        for hand in self.hands:
            if hand.lays:
                tracks = scene.at_places.get(hand.place, ())
                lying = {t.epoch for t in tracks if t.tile.face_up and scene.in_sight(t) and scene.at_rest(t)}
                rearrangement = self._watch(hand.place).rearrangement
                rearrangement.update(hand.lays[-1], laid.hands.get(hand.place), lying, scene.t_s)
                if rearrangement.lasted_s >= _REARRANGED_S:
                    self.hands.doubt(hand.place, MOVED_SINCE)

    def _closed_after(self, last_s: float, scene: TableScene) -> list[Place]:
        """Places whose tiles still lay closed long after a time: longer than an arm hides what was last seen then."""
        return [
            each.place
            for each in self.places.values()
            if each.closed_s is not None and each.closed_s - last_s > scene.terms.blind_s
        ]

    def _put_away(self, scene: TableScene, visibility: Visibility) -> None:
        """Record the open hands that were put away."""
        for place, last_s in put_away(scene, self.hands, self.places, fit=visibility.fit):
            self.hands.put(replace(self.hands[place], away=True, present=False))
            rearrangement = self.places[place].rearrangement
            if self.hands[place].lays and rearrangement.lasted_s > 0:
                self.hands.doubt(place, MOVED_SINCE)
                if rearrangement.swapped:
                    self._report_swap(place)
            if not place.is_house:
                self.phases.add(Phase.MATCHED, last_s, place)
            self.phases.add(Phase.PUT_AWAY, last_s, place)
            self.log.put_away(place, scene, self.hands, self._closed_after(last_s, scene))


def _had_its_chances(scene: TableScene, laid: LaidHand, still_s: float) -> bool:
    """Whether a hand had enough pictures, or enough time, to be verified where it lies."""
    pictures = min((track.pictures for track in scene.tiles if track.epoch in laid.epoch), default=0)
    terms = scene.terms
    enough = still_s >= terms.doubtful_s and pictures >= terms.doubtful_pictures
    return enough or still_s >= terms.doubtful_most_s
