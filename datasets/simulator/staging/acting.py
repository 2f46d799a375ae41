"""Act out a round: each event becomes motions, and their ground truth is recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.scenes.sampling import offset, pick
from datasets.simulator.staging import routines
from datasets.simulator.staging.animation import DOWN, UP, Animator
from datasets.simulator.staging.delivery import Delivery, dealt_poses
from datasets.simulator.timeline import TilePose
from datasets.simulator.truth import HandTruth, Happening, RoundTruth, TrueLay
from engine.game.hands import Hand
from engine.game.setting import Setting
from engine.game.tiles import Tile
from engine.round import events
from engine.round.event import DEALER
from engine.round.serialization import write_event
from engine.vocabulary.facts import Bank, Whose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.simulator.staging.course import Course
    from datasets.simulator.staging.mistakes import Planned
    from engine.round.event import Event


def act_round(
    animator: Animator, number: int, course: Course, order: Sequence[int], faces: Sequence[str], planned: Planned
) -> RoundTruth:
    """Show one round and return its truth.

    `order` says which tile stands where in the stacks, `faces` what each tile bears if it is the set's own.
    """
    shown = list(faces)
    if planned.foreign is not None:
        shown[planned.foreign[0]] = planned.foreign[1]
    truth = RoundTruth(number, animator.now, course, tuple(shown))
    actor = _Actor(animator, order, faces, planned, truth)
    for event in course.session.current.events:
        actor.show(event)
    if planned.kind == "bonus-only":
        truth.excepted("bonus-only", truth.start_s, animator.now)
    animator.away = 0
    animator.now += animator.s(0.8)
    truth.end_s = animator.now
    truth.happenings.sort(key=lambda each: each.t_s)
    return truth


class _Actor:
    def __init__(
        self, animator: Animator, order: Sequence[int], faces: Sequence[str], planned: Planned, truth: RoundTruth
    ) -> None:
        self.animator = animator
        self.course = truth.course
        self.order = order
        self._faces = faces
        self._planned = planned
        self.truth = truth
        dealt = truth.course.dealt
        self.throws = iter(dealt.throws)
        groups = zip(dealt.delivered, dealt.groups, strict=False)
        self._tiles = {box: [order[n] for n in group] for box, group in groups}
        self.standing = [order[n] for n in dealt.standing]
        self.delivery = Delivery(animator, planned, truth, self._tiles, faces)
        self._moved = self._adjusted = False
        # Boxes whose lost hand was not put away; when the bank's tiles were put away too early.
        self._left: list[int] = []
        # Boxes whose won hand was taken away too early; a box whose tiles were not taken back.
        self._taken: set[int] = set()
        self._not_retrieved: int | None = None
        self._unused: tuple[int, float] | None = None
        self._dice_shown_s = self._delivered_s = animator.now
        self._bank_away_s: float | None = None
        self._open: set[int] = set()
        self._set_so: dict[int, dict[int, TilePose]] = {}
        # When players started to set their own hands, all at the same time, and when the last is done.
        self._since = self._until = animator.now

    def show(self, event: Event) -> None:
        animator = self.animator
        if not isinstance(event, events.HandSet) or event.by == DEALER:
            animator.now = max(animator.now, self._until)
        act = _ACTS.get(type(event))
        if act is None:
            animator.now += animator.s(0.15)
        else:
            act(self, event)
        if isinstance(event, events.BankExposed):
            lay = self.truth.bank_hand.lays[-1]
            event = replace(event, low=lay.low, high=lay.high)
        hidden = self._planned.foreign and isinstance(event, events.HandExposed) and event.box == self._planned.box
        data: dict[str, object] = {}
        if isinstance(event, _OF_THE_BANK):
            data = {"place": str(self._place(self.course.bank_box))}
        elif (box := getattr(event, "box", None)) is not None:
            data = {"place": str(self._place(box))}
        self._happened(event.kind, data, None if hidden else write_event(event))
        if isinstance(event, events.DiceShown):
            self._dice_shown_s = animator.now
        if isinstance(event, events.TilesDelivered):
            self._delivered_s = animator.now
            self.delivery.put_right()
            self._shake_again()

    def _shake_again(self) -> None:
        asked = self.course.session.setup.dice.shaken_again is not None
        if self._planned.kind in {"dice-not-shaken-again", "dice-shaken-twice"}:
            asked = not asked
        if asked:
            since = self.animator.now
            routines.shake(self.animator, replace(self.course.dealt.throws[-1], cocked=None))
            if self._planned.kind == "dice-shaken-twice":
                self._allowed("dice-shaken-twice", since)

    def _place(self, box: int) -> Place:
        """Position of a box's tiles: the bank's are before the float once moved there."""
        return HOUSE if self._moved and box == self.course.bank_box else self.delivery.place_of(box)

    def _happened(self, kind: str, data: dict[str, object], event: dict[str, object] | None = None) -> None:
        self.truth.happenings.append(Happening(self.animator.now, kind, data, event))

    def _went_wrong(self, kind: str | None, start: float, **data: object) -> None:
        self.truth.went_wrong(str(kind), start, self.animator.now, **data)

    def _allowed(self, kind: str, start: float, **data: object) -> None:
        self.truth.excepted(kind, start, self.animator.now, **data)

    def stack(self) -> None:
        """Stack the tiles; after one came up they are mixed and stacked again."""
        animator = self.animator
        routines.stack(animator, self.standing)
        if self._planned.kind != "laja":
            return
        tile, since = self.standing[-1], animator.now
        back = animator.pose(tile)
        animator.go(tile, animator.now, 0.3, replace(back, roll=UP))
        animator.now += 0.3 + animator.s(1.2)
        animator.go(tile, animator.now, 0.3, back)
        animator.now += 0.3
        routines.shuffle(animator, self.truth.faces)
        routines.stack(animator, self.standing)
        self._allowed("laja", since, tile=tile)

    def retrieve(self, boxes: Sequence[int]) -> None:
        """Take back the tiles of boxes without wagers, and those that were not dealt."""
        for box in boxes:
            if self._planned.kind == "empty-box-left" and box == self._planned.box:
                self._not_retrieved = box
                continue
            self.animator.put_away(self._tiles[box])
        if self._planned.kind == "unused-tile-open" and boxes:
            self._show_unused(self._tiles[boxes[-1]][-1])
        dealt = {n for tiles in self._tiles.values() for n in tiles}
        rest = [n for n in self.order if n not in dealt]
        for k in range(0, len(rest), 4):
            self.animator.put_away(rest[k : k + 4])

    def _show_unused(self, tile: int) -> None:
        """Turn up the tile that was taken back last."""
        animator = self.animator
        animator.go(tile, animator.now, 0.3, replace(animator.pose(tile), roll=UP))
        animator.now += 0.3
        since = animator.now
        animator.now += animator.s(1.5)
        self._unused = tile, since

    def move_bank(self) -> None:
        """Bring the bank's tiles before the float; a player-banker has set them by then."""
        box = self.course.bank_box
        tiles = self._tiles[box]
        self._moved = True
        if box in self._set_so:
            laid = self._set_so[box] = self._lay(box)
            tiles, poses = list(laid), [replace(pose, roll=DOWN, hand=None) for pose in laid.values()]
        else:
            poses = dealt_poses(self.animator, [self._faces[n] for n in tiles], HOUSE)
        self.animator.carry(tiles, poses, self.animator.s(0.6))

    def ask(self, box: int) -> None:
        """A player turns the tiles, so that they face across: the dealer is to set them."""
        animator, tiles, place = self.animator, self._tiles[box], self._place(box)
        px, py, _ = animator.plan.places[place]
        poses = []
        for pose in map(animator.pose, tiles):
            x, y = offset(px, py, np.pi / 2, pose.x - px, pose.y - py)
            poses.append(replace(pose, x=x, y=y, angle=pose.angle + np.pi / 2))
        animator.carry(tiles, poses, animator.s(0.5), who=place)

    def _lay(self, box: int) -> dict[int, TilePose]:
        """Where a hand's tiles lie at first: as it should be set, or not."""
        setting = (box == self._planned.box and self._planned.laid) or self.course.settings[box]
        return self.animator.lay(self._place(box), setting, self._tiles[box], self._faces)

    def set_hand(self, event: events.HandSet) -> None:
        """Set a hand: the dealer, or a player while the others set theirs."""
        animator = self.animator
        if event.by == DEALER:
            self.set(event.box, by_dealer=True)
            return
        if self._planned.kind == "hand-left-as-dealt" and event.box == self._planned.box:
            return
        if self._until <= self._since:
            self._since = animator.now
        animator.now = self._since + animator.rng.uniform(0.2, 1.8) * animator.pace
        since = animator.now
        self.set(event.box, by_dealer=False)
        if self._planned.kind == "hand-set-twice" and event.box == self._planned.box:
            animator.now += animator.s(0.6)
            self.set(event.box, by_dealer=False)
            self._allowed("hand-set-twice", since, place=str(self._place(event.box)))
        self._until = max(self._until, animator.now)

    def set(self, box: int, *, by_dealer: bool) -> None:
        """Look at four tiles and set them, face down."""
        animator, tiles, place = self.animator, self._tiles[box], self._place(box)
        laid = self._set_so[box] = self._lay(box)
        poses = [replace(pose, roll=DOWN, hand=None) for pose in laid.values()]
        x, y, _ = animator.plan.places[place]
        who = animator.dealers(x) if by_dealer else place
        start = animator.now + animator.s(0.3)
        seconds = animator.s(1.2)
        animator.reach(who, (start, x, y), (start + seconds, x + animator.off(8), y + animator.off(8)))
        for n in tiles:
            here = animator.pose(n)
            pose = replace(here, x=x + animator.off(18), y=y + animator.off(14), angle=here.angle + animator.off(0.3))
            animator.go(n, start, seconds, pose)
        animator.now = start + seconds
        animator.carry(list(laid), poses, animator.s(0.7), who=who)

    def _truth_of(self, box: int) -> HandTruth:
        place = self._place(box)
        if place not in self.truth.hands:
            bank = box == self.course.bank_box
            own = self.course.method is Bank.PLAYER if bank else box not in self.course.asked
            by = "player" if own else "dealer"
            whose = _BANKS_HAND[self.course.method] if bank else Whose.PLAYER
            self.truth.hands[place] = HandTruth(place, box, tuple(self._tiles[box]), by, whose)
        return self.truth.hands[place]

    def expose_bank(self) -> None:
        """Open the bank's hand."""
        if self._planned.kind in {"exposed-before-bank", "opened-alone"}:
            self._expose_early()
        self._expose(self.course.bank_box)
        since, box = self._truth_of(self.course.bank_box).lays[-1].t_s, self._planned.box
        if box is not None and self._planned.kind in _WHILE_BANK_OPENS:
            data: dict[str, object] = {"place": str(self._place(box)), "boxes": [box]}
            if self._planned.kind in _AS_DEALT:
                # As dealt they are known only from pictures of the delivery: later they may have been set.
                data |= {"tiles": [self._tiles[box]], "shown_s": [self.truth.dealt_s[box], self._delivered_s]}
            if self._planned.kind == "dice-not-shaken-again":
                half_s = sorted(self.truth.dealt_s.values())[len(self.truth.dealt_s) // 2]
                data["seen_s"] = round(half_s - self._dice_shown_s, 3)
            self._went_wrong(self._planned.kind, since, **data)
        if self._unused is not None:
            tile, since = self._unused
            self._went_wrong("unused-tile-open", since, tile=tile)

    def expose_hand(self, box: int) -> None:
        """Open a player's hand, unless it lies open already."""
        if self._planned.kind == "exposed-out-of-turn" and box != self._planned.box:
            self._expose_early()
        if self._planned.kind == "bank-away-early" and box == self._planned.box:
            self._bank_away_s = self.animator.now
            self._put_away(self.course.bank_box)
            self._happened("bank-put-away", {"place": str(self._place(self.course.bank_box))})
        if box not in self._open:
            self._expose(box)
        if self._planned.kind == "bonus-only":
            # It is compared with the paytable, not with the House's hand.
            self.animator.now += self.animator.s(1.8)
        if self._planned.kind == "house-set-wrong-corrected-late" and box == self.course.played[0]:
            self._put_right()

    def _expose_early(self) -> None:
        box = self._planned.box
        if box is not None and box not in self._open:
            self._expose(box)
            place = self._place(box)
            self._happened("hand-exposed", {"place": str(place)})
            kind, since = self._planned.kind, self._truth_of(box).lays[-1].t_s
            if kind == "opened-alone":
                self._allowed(kind, since, place=str(place))
            else:
                self._went_wrong(kind, since, place=str(place))

    def _expose(self, box: int) -> None:
        """Open a hand; where it was not set before, set it at the same time."""
        animator, place, tiles = self.animator, self._place(box), self._tiles[box]
        px, py, turn = animator.plan.places[place]
        who = animator.dealers(px)
        if box in self._set_so:
            laid = self._set_so[box]
            animator.turn(laid, who)
        else:
            row = {}
            for k, n in enumerate(sorted(tiles, key=lambda n: -animator.pose(n).z)):
                off = (k - 1.5) * 27.5
                x, y = px + off * float(np.cos(turn)), py + off * float(np.sin(turn))
                row[n] = TilePose(x, y, 0.0, animator.upright() + turn, UP, place)
            animator.turn(row, who)
            animator.now += animator.s(0.8)
            laid = self._lay(box)
            animator.carry(list(laid), list(laid.values()), animator.s(0.7))
        self._open.add(box)
        self._laid_open(box, laid)
        mistake = self._planned
        if box == mistake.box and mistake.laid is not None and mistake.right is not None:
            since = animator.now
            if mistake.kind in _PUT_RIGHT:
                self._put_right()
            wrong, right = str(mistake.laid), str(mistake.right)
            self._went_wrong(mistake.kind, since, place=str(place), laid=wrong, right=right)
        animator.now += animator.s(0.5)

    def _put_right(self) -> None:
        """Lay a hand that lies open wrongly as it should be set."""
        animator, box, right = self.animator, self._planned.box, self._planned.right
        if box is None or right is None:
            return
        animator.now += animator.s(1.2)
        laid = animator.lay(self._place(box), right, self._tiles[box], self._faces)
        animator.carry(list(laid), list(laid.values()), animator.s(0.8))
        self._laid_open(box, laid)
        self._happened("corrected", {"place": str(self._place(box))})

    def _laid_open(self, box: int, laid: dict[int, TilePose]) -> None:
        """Record the current layout of a hand, by its visible faces."""
        faces = self.truth.faces
        (a, b), (c, d) = (
            [Tile.parse(faces[n]) for n, pose in laid.items() if pose.hand == name] for name in ("low", "high")
        )
        self._add_lay(box, (a, b), (c, d))
        if self._planned.foreign is not None and box == self._planned.box:
            face = self._planned.foreign[1]
            self._went_wrong("foreign-tile", self.animator.now, place=str(self._place(box)), face=face)

    def _add_lay(self, box: int, low: tuple[Tile, Tile], high: tuple[Tile, Tile]) -> None:
        setting = Setting.of(Hand.of(low), Hand.of(high))
        self._truth_of(box).lays.append(TrueLay(self.animator.now, low, high, setting))

    def match(self, box: int) -> None:
        """Match a hand with the bank's."""
        self.animator.now += self.animator.s(1.8)
        if self._planned.kind == "tiles-swapped" and box == self._planned.box:
            self._swap(box)
        if self._planned.kind == "won-hand-taken" and box == self._planned.box:
            since = self.animator.now
            self._put_away(box)
            self._taken.add(box)
            self.animator.now += self.animator.s(0.6)
            self._went_wrong("won-hand-taken", since, place=str(self._place(box)), boxes=[box])
        while self._left:
            left = self._left.pop()
            since, place = self._truth_of(box).lays[-1].t_s, self._place(left)
            data = {"place": str(place), "boxes": [left], "next": str(self._place(box))}
            self._went_wrong(self._planned.kind, since, **data)
            self._put_away(left)
            self._happened("tiles-put-away", {"place": str(place)})

    def _swap(self, box: int) -> None:
        animator, faces, lay = self.animator, self.truth.faces, self._truth_of(box).lays[-1]
        (one, kept), (other, stays) = lay.low, lay.high
        a, b = (
            next(n for n in self._tiles[box] if faces[n] == str(face) and animator.pose(n).hand == hand)
            for face, hand in ((one, "low"), (other, "high"))
        )
        pose_a, pose_b = animator.pose(a), animator.pose(b)
        since = animator.now
        animator.carry([a], [pose_b], animator.s(0.5))
        animator.carry([b], [pose_a], animator.s(0.5))
        self._add_lay(box, (other, kept), (one, stays))
        animator.now += animator.s(1.5)
        place = self._place(box)
        self._happened("tiles-swapped", {"place": str(place)})
        self._went_wrong("tiles-swapped", since, place=str(place), faces=[str(one), str(other)])

    def put_away(self, box: int) -> None:
        """Put a hand away, unless it is deferred."""
        left = self._planned.kind in {"lost-hand-left", "stand-off-left"} and box == self._planned.box
        if left or box in self._taken:
            self._left += [box] if left else []
            self.animator.now += self.animator.s(0.15)
        else:
            self._put_away(box)

    def put_bank_away(self) -> None:
        """Put the bank's hand away, unless it is gone, and the button that lay at its box."""
        box, early_s = self.course.bank_box, self._bank_away_s
        if early_s is None:
            self._put_away(box)
        else:
            later = [hand for hand in self.truth.exposed if hand.lays[0].t_s > early_s]
            places, boxes = [str(hand.place) for hand in later], [hand.box for hand in later]
            place, last_s = str(self._place(box)), later[-1].lays[0].t_s
            self.truth.went_wrong("bank-away-early", early_s, last_s, place=place, boxes=boxes, unopened=places)
        if self._not_retrieved is not None:
            self.animator.put_away(self._tiles[self._not_retrieved])
        routines.take_button(self.animator)

    def _put_away(self, box: int) -> None:
        self._truth_of(box).away_s = self.animator.now
        self.animator.put_away(self._tiles[box])

    def lay_chung(self) -> None:
        """Lay the House's chung where it belongs, or at another box."""
        elsewhere = self._planned.box if self._planned.kind == "chung-elsewhere" else None
        routines.move_chung(self.animator, elsewhere or self.course.bank_box, Bank.HOUSE)

    def shake(self, event: events.DiceShaken) -> None:
        """Shake the cup: the dealer, or the banker."""
        if self._planned.kind == "button-under-house-bank" and self._planned.box is not None and not self._adjusted:
            self._adjusted = True
            values = sorted(self.course.session.setup.dice.buttons.value.values)
            routines.place_button(self.animator, self._planned.box, pick(self.animator.rng, values))
        banker = None if event.by == DEALER else Place(PlaceKind.BOX, self.course.bank_box)
        routines.shake(self.animator, next(self.throws), banker)


_BANKS_HAND: Final = {
    Bank.HOUSE: Whose.HOUSE,
    Bank.CO_BANK: Whose.CO_BANK,
    Bank.PLAYER: Whose.PLAYER_BANKER,
}
_WHILE_BANK_OPENS: Final = frozenset(
    {"hand-left-as-dealt", "empty-box-left", "dice-not-shaken-again", "chung-elsewhere", "button-under-house-bank"}
)
"""Mistakes that are still to be seen while the bank's hand is opened."""
_PUT_RIGHT: Final = frozenset({"house-set-wrong-corrected", "asked-hand-set-wrong-corrected"})
"""Wrongly set hands that are put right before anything else happens."""
_AS_DEALT: Final = frozenset({"hand-left-as-dealt", "empty-box-left"})
"""Mistakes that show by tiles that lie as they were dealt."""
_OF_THE_BANK: Final = events.BankExposed | events.BankSet | events.BankPutAway | events.BankMoved
_ACTS: Final[dict[type[Event], Callable[[_Actor, Any], None]]] = {
    events.HouseBanks: lambda actor, _: actor.lay_chung(),
    events.BankAccepted: lambda actor, event: routines.move_chung(actor.animator, event.box, event.method),
    events.ButtonPlaced: lambda actor, event: routines.place_button(actor.animator, actor.course.bank_box, event.value),
    events.TilesChecked: lambda actor, _: routines.check(actor.animator),
    events.Shuffled: lambda actor, _: routines.shuffle(actor.animator, actor.truth.faces),
    events.Stacked: lambda actor, _: actor.stack(),
    events.DiceShaken: lambda actor, event: actor.shake(event),
    events.DiceShown: lambda actor, _: routines.show_dice(actor.animator),
    events.TilesDelivered: lambda actor, _: actor.delivery.deliver(),
    events.EmptyRetrieved: lambda actor, event: actor.retrieve(event.boxes),
    events.BankMoved: lambda actor, _: actor.move_bank(),
    events.HouseWayRequested: lambda actor, event: actor.ask(event.box),
    events.HandSet: lambda actor, event: actor.set_hand(event),
    events.BankSet: lambda actor, event: actor.set(actor.course.bank_box, by_dealer=event.by == DEALER),
    events.BankExposed: lambda actor, _: actor.expose_bank(),
    events.HandExposed: lambda actor, event: actor.expose_hand(event.box),
    events.HandMatched: lambda actor, event: actor.match(event.box),
    events.Settled: lambda actor, _: routines.pay(actor.animator, actor.course.played),
    events.TilesPutAway: lambda actor, event: actor.put_away(event.box),
    events.BankPutAway: lambda actor, _: actor.put_bank_away(),
}
"""How each kind of event is shown; one that is only spoken takes a moment."""
