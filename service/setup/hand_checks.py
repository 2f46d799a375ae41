"""How far a first hand is, check by check, until it is verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from service.setup.steps import first_hand
from service.words.findings import words_of
from service.words.wording import words

if TYPE_CHECKING:
    from calibration.table.places import Place
    from service.monitor.calibrating import Calibrating
    from service.rounds.reports import HandReport
    from service.table.live_state import LiveState, TableState
    from service.words.wording import Sayable
    from vision.reading import TileReading

CheckName: TypeAlias = Literal["checks", "tiles", "faces", "hand", "verified"]
Outcome: TypeAlias = Literal["passed", "waiting", "failed"]
_HAND: Final = 4


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One thing that must hold.

    Attributes:
        name: of the monitors together, four tiles at one box, their faces, both hands, and that pictures agree.
        outcome: ``waiting`` while nobody did anything wrong yet.
        told: why not, in words.
        count: of tiles seen, where that is what it is about.
    """

    name: CheckName
    outcome: Outcome
    told: tuple[Sayable, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class FirstHand:
    """The first hand as it is now.

    Attributes:
        place: where tiles lie; None if none do at any box.
        checks: in their order.
        faces: of the verified hand, low and then high; empty until it is verified.
    """

    place: Place | None
    checks: tuple[HandCheck, ...]
    faces: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether a hand was verified."""
        return bool(self.faces)


def look_at_hand(live: LiveState, calibrating: Calibrating) -> FirstHand:
    """What the newest picture shows of a first hand, and what the round has of it."""
    state = live.state
    done = first_hand(live, calibrating)
    hand = next((one for one in done.hands if one.status == "verified"), None) if done is not None else None
    place, tiles = _busiest(state)
    up = [tile for tile in tiles if tile.face_up]
    doubted = [words_of(found) for tile in tiles for found in tile.doubts]
    read = next(
        (one for one in (state.current.hands if state.current else ()) if place and one.place == str(place)), None
    )
    checks = [
        _monitors(live),
        HandCheck(
            "tiles", "passed" if len(tiles) == _HAND else "failed" if len(tiles) > _HAND else "waiting", (), len(tiles)
        ),
        HandCheck(
            "faces",
            "waiting" if len(up) < _HAND else "failed" if doubted else "passed",
            tuple(dict.fromkeys(doubted)),
            len(up),
        ),
        HandCheck("hand", "passed" if hand or read else "waiting"),
        _agreed(hand, read),
    ]
    return FirstHand(place, tuple(checks), () if hand is None else (*hand.low, *hand.high))


def _agreed(verified: HandReport | None, read: HandReport | None) -> HandCheck:
    """Whether enough pictures agree: of a hand that counts, or of what is read at the place."""
    if verified is not None:
        return HandCheck("verified", "passed")
    if read is None:
        return HandCheck("verified", "waiting")
    if read.status == "verified":
        before = words(
            "This round began before the last change of the calibration, so it does not count: take the tiles away, "
            "wait until the round has ended, and lay them again."
        )
        return HandCheck("verified", "failed", (before,))
    return HandCheck("verified", "failed", tuple(map(words_of, read.doubts)))


def _monitors(live: LiveState) -> HandCheck:
    """All that every verified result needs beside a good picture."""
    wrong = tuple(words_of(found) for check in live.health() if not check.ok for found in check.findings)
    return HandCheck("checks", "failed" if wrong else "passed", wrong)


def _busiest(state: TableState) -> tuple[Place | None, list[TileReading]]:
    """The place for a hand at which most tiles lie, and these."""
    tiles = () if state.reading is None else state.reading.tiles
    at: dict[Place, list[TileReading]] = {}
    for tile in tiles:
        if tile.place is not None and tile.place.has_hand:
            at.setdefault(tile.place, []).append(tile)
    if not at:
        return None, []
    place = max(at, key=lambda one: len(at[one]))
    return place, at[place]
