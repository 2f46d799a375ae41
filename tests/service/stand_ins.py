"""Stand-ins for the parts that the service puts together."""

import atexit
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from calibration.files.calibration_file import TableCalibration
from calibration.table.places import Place
from engine.books.registry import BOOKS
from engine.game.box_order import BoxOrder
from engine.game.tiles import Tile
from engine.house_way import HouseWay
from service.access import credentials
from service.access.credentials import csrf_token
from service.access.roles import UserRole
from service.record.changes import Attribution
from service.rounds.judge.rules_in_force import RulesInForce, TableRules
from service.rounds.judge.verdicts import judge_reading, judge_round
from service.rounds.readings import reading_of
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from service.rounds.served import PictureOut
from service.system.service_settings import LimitsConfig, RecordConfig, ServerConfig
from service.system.settings import Config
from service.system.table_settings import LocalTableConfig, RoundsConfig, SourceConfig
from service.table.sent_pictures import SentPictureReader
from service.table.setup.set_up import SettingsPlace
from service.table.worker import Instruments
from service.web.app import create_app
from service.words.codes import ServiceCode
from vision.capture import BadFrame, Frame, FrameResult
from vision.capture.faults import CaptureCode
from vision.capture.images import Image
from vision.findings import Finding
from vision.reading import DieReading, HandReading, PictureReader, Polygon, Reading, Status, TileReading

_FOLDERS = tempfile.mkdtemp(prefix="houseway-tests-")
atexit.register(shutil.rmtree, _FOLDERS, ignore_errors=True)

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = START.date()
SQUARE: Polygon = ((10.0, 10.0), (60.0, 10.0), (60.0, 30.0), (10.0, 30.0))

# Crown 7.4.2: with a nine, an eight and a seven beside the Teen, the High Nine is set.
RIGHT = ("6-3 5-3", "6-6 6-1")
WRONG = ("6-1 5-3", "6-6 6-3")


def picture(width: int = 640, height: int = 360) -> Image:
    return np.full((height, width, 3), (60, 90, 30), np.uint8)


def as_recorded(*reasons: str) -> tuple[Finding, ...]:
    return tuple(Finding.of(ServiceCode.NOT_REACHED, why=reason) for reason in reasons)


def hand(place: str, low: str, high: str, status: Status = "verified", reasons: tuple[str, ...] = ()) -> HandReading:
    first, second = (Tile.parse(face) for face in low.split())
    third, fourth = (Tile.parse(face) for face in high.split())
    return HandReading(Place.parse(place), (first, second), (third, fourth), status, as_recorded(*reasons))


MIDDLES = {"house": (0.0, -240.0), "discard": (600.0, -280.0), None: (0.0, 0.0)}
LAID = ((-52.0, 0.0, 90.0), (-26.0, 0.0, 90.0), (25.0, 13.0, 0.0), (25.0, -13.0, 0.0))
"""Where the tiles of a hand lie about the middle of its place, and how they are turned: two upright, two across."""


def tile(face: str | None, place: str | None = "house", lies: tuple[float, float, float] = LAID[0]) -> TileReading:
    """A tile, face down if it has no face."""
    box = int(place.removeprefix("box")) if place is not None and place.startswith("box") else 0
    x, y = MIDDLES.get(place, ((box - 4.5) * -230.0, 260.0))
    dx, dy, angle = lies
    return TileReading(
        face=None if face is None else Tile.parse(face),
        face_up=face is not None,
        polygon=SQUARE,
        confidence=0.9998,
        runner_up=None,
        status="verified",
        place=None if place is None else Place.parse(place),
        center_mm=(x + dx, y + dy),
        angle_deg=angle,
    )


def die(value: int | None, role: str = "box", status: Status = "verified") -> DieReading:
    """A red box die or a white cut die."""
    colour = "red" if role == "box" else "white"
    return DieReading(value, "box" if role == "box" else "cut", colour, False, SQUARE, 0.999, status)  # noqa: FBT003


def _laid(hand: HandReading) -> list[TileReading]:
    """The tiles of a hand; laid anew, no hand lies where it lay before to the millimetre."""
    off = 9.0 * (sum(sum(each.halves) for each in hand.low) % 3)
    faces = (*hand.low, *hand.high)
    return [
        replace(tile(str(face), str(hand.place), (x + off, y, turn)), status=hand.status, doubts=hand.doubts)
        for face, (x, y, turn) in zip(faces, LAID, strict=True)
    ]


def _beside(number: int) -> Polygon:
    """The outline of the so-manieth die of a row."""
    x = 100.0 + 60.0 * number
    return ((x, 10.0), (x + 30, 10.0), (x + 30, 40.0), (x, 40.0))


def reading(
    *hands: HandReading,
    dice: tuple[DieReading, ...] = (),
    findings: tuple[Finding, ...] = (),
    tiles: tuple[TileReading, ...] | None = None,
    calibrated: bool = True,
) -> Reading:
    """A reading of some hands, with their tiles unless others are given."""
    laid = tuple(each for laid in hands for each in _laid(laid))
    return Reading(
        image="stand-in.jpg",
        size=(640, 360),
        calibrated=calibrated,
        single_frame=True,
        tiles=laid if tiles is None else tiles,
        dice=tuple(replace(each, polygon=_beside(number)) for number, each in enumerate(dice)),
        hands=hands,
        findings=findings,
        versions={"detector": "sha256:00"},
        elapsed_ms={"detect": 40.0, "total": 61.234},
    )


HOUSE_RIGHT = reading(
    hand("house", *RIGHT), hand("box2", "1-1 4-3", "4-4 5-5"), dice=(die(3), die(5), die(1), die(2, "cut"))
)
HOUSE_WRONG = reading(hand("house", *WRONG))
EMPTY = reading(tiles=tuple(tile(None, "discard", (26.0 * n, 0.0, 90.0)) for n in range(4)))
"""The hands are put away: their tiles lie among the discards."""


def noisy(said: Reading, number: int) -> Reading:
    """The same in another picture: no two pictures are alike to the last digit."""
    return replace(
        said,
        tiles=tuple(replace(each, confidence=each.confidence - 1e-7 * (number % 97)) for each in said.tiles),
        dice=tuple(replace(each, confidence=each.confidence - 1e-7 * (number % 97)) for each in said.dice),
    )


def report_round(
    played: RoundReport,
    *,
    table: str,
    rules: TableRules,
    versions: dict[str, str],
    box_order: BoxOrder | None = None,
    number: int = 1,
    revision: int = 1,
) -> RoundReport:
    """A round of the tracker, judged and named as the pipeline does it."""
    named: dict[str, object] = {"table": table, "versions": versions, "number": number, "revision": revision}
    named["box_order"] = None if box_order is None else box_order.numbers
    return judge_round(played.model_copy(update=named), rules.at(played.opened_at))


def report_reading(read: Reading, house_way: HouseWay) -> PictureOut:
    """A reading judged by a House Way, with English sentences."""
    rules = rules_by(house_way)
    return PictureOut.from_report(judge_reading(reading_of(read), rules), rules)


def rules_by(house_way: HouseWay) -> RulesInForce:
    """A House Way with its rulebook as first issued."""
    return RulesInForce(BOOKS.get(house_way.played_under), house_way)


def opened(said: Reading, round_id: str = "r1") -> RoundReport:
    """The round that this opens, after six pictures: enough to report doubts as well."""
    tracker, played = RoundTracker(lambda: round_id, 1, 1), None
    for number in range(6):
        played = tracker.update(noisy(said, number), START - timedelta(seconds=0.38 * (5 - number))) or played
    assert played is not None
    return played.model_copy(update={"opened_at": START, "changed_at": START})


def revisions(round_id: str, at: datetime, *readings: Reading) -> Iterator[RoundReport]:
    """A round that starts at a moment, read again every second; without hands it is over."""
    played = None
    for number, said in enumerate(readings):
        now = at + timedelta(seconds=number)
        if said.hands:
            played = opened(said, round_id).model_copy(update={"opened_at": at, "changed_at": now})
        else:
            assert played is not None
            played = played.model_copy(update={"state": "closed", "changed_at": now, "closed_at": now})
        yield played


@dataclass(slots=True)
class FakeReader:
    """Says the same of every picture, or the next thing each time and the last one for ever.

    Attributes:
        says: readings, or exceptions to raise.
        pictures: sizes of the pictures seen, (height, width).
        empties: what it was given as the empty table with each of them.
    """

    says: list[Reading | Exception] = field(default_factory=lambda: [HOUSE_RIGHT])
    pictures: list[tuple[int, int]] = field(default_factory=list)
    empties: list[Image | None] = field(default_factory=list)

    def enrolled(self, _enrolment: object) -> Self:
        return self

    def throwing(self, _own: object) -> Self:
        return self

    def steady(self) -> Self:
        """It looks at everything anyway."""
        return self

    def read(
        self,
        image: Image,
        *,
        calibration: TableCalibration | None = None,  # noqa: ARG002
        empty: Image | None = None,
        hands: bool = True,
        name: str = "",
        t_s: float | None = None,  # noqa: ARG002
    ) -> Reading:
        self.pictures.append((image.shape[0], image.shape[1]))
        self.empties.append(empty)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        read = replace(noisy(said, len(self.pictures)), image=name, size=(image.shape[1], image.shape[0]))
        return read if hands else replace(read, hands=())


@dataclass(slots=True)
class FakeSource:
    """A source of plain pictures.

    Attributes:
        seen: what it gives, in order; with ``live`` it then waits to be closed.
    """

    seen: list[FrameResult]
    live: bool = False
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def length(self) -> int | None:
        return len(self.seen)

    def __iter__(self) -> Iterator[FrameResult]:
        yield from self.seen
        if self.live:
            self.closed.wait()

    def close(self) -> None:
        self.closed.set()


def frames(count: int) -> list[FrameResult]:
    """So many plain pictures, one a second."""
    plain = picture()
    return [Frame(number, START + timedelta(seconds=number), f"{number}.jpg", plain) for number in range(count)]


def bad_frame(name: str = "camera 0") -> BadFrame:
    return BadFrame(0, "camera0", Finding.of(CaptureCode.NOT_OPENING, name=name))


def config(**server: object) -> Config:
    """Settings of a table called ``test`` that settles at the second picture."""
    return Config(
        tables=(
            LocalTableConfig(
                name="test",
                title="Test table",
                source=SourceConfig(path=Path("nowhere"), interval_s=0.0),
                rounds=RoundsConfig(settle_frames=2, clear_frames=2, keep=3),
            ),
        ),
        record=RecordConfig(folder=new_folder(), min_free_mb=0),
        server=ServerConfig.model_validate({"max_upload_mb": 1, "max_wait_s": 0.3, **server}),
        limits=LimitsConfig(requests_per_minute=0, strangers_per_minute=0, sign_ins_per_minute=0),
    )


def with_table(settings: Config, **keys: object) -> Config:
    """Settings with some keys of their only table replaced."""
    table = settings.table.model_copy(update=keys)
    service = settings.service.model_copy(update={"name": table.name, "title": table.title})
    return settings.model_copy(update={"tables": (table,), "service": service})


def app_of(
    settings: Config,
    *,
    reader: PictureReader,
    watch: bool = True,
    place: SettingsPlace | None = None,
    reads: SentPictureReader | None = None,
    **others: Any,  # noqa: ANN401  as Instruments has them
) -> FastAPI:
    """An application whose tables are all read with the same instruments."""
    with_these = Instruments(reader=reader, **others)
    return create_app(settings, lambda _: with_these, watch=watch, place=place, reads=reads)


_BECAUSE = Attribution("the tests", "to be tested")


def key_for(app: FastAPI, role: UserRole = UserRole.ADMIN) -> dict[str, str]:
    """The header of a new key of an application."""
    _, text = app.state.parts.access.accounts.add_key(f"test {uuid4().hex[:12]}", role, 1, _BECAUSE)
    return {"Authorization": f"Bearer {text}"}


def signed_in(app: FastAPI, role: UserRole = UserRole.ADMIN, **options: Any) -> TestClient:  # noqa: ANN401  as TestClient has it
    """A client on the machine itself that shows a key of a role with every request."""
    return TestClient(app, **{"base_url": "http://localhost", "headers": key_for(app, role), **options})


def session_for(app: FastAPI, role: UserRole = UserRole.SUPERVISOR, name: str = "ann") -> str:
    """The secret of a new session of a person, whose account is added if there is none yet."""
    access = app.state.parts.access
    if access.accounts.account(name) is None:
        # How slow hashes are is tested elsewhere.
        with patch.object(credentials, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)):
            access.accounts.add(name, role, "several plain words", _BECAUSE)
    found: str = access.sessions.start(name)
    return found


def person(app: FastAPI, role: UserRole = UserRole.SUPERVISOR, name: str = "ann") -> TestClient:
    """A browser on the machine itself in which somebody is signed in."""
    secret = session_for(app, role, name)
    headers = {"X-CSRF-Token": csrf_token(secret), "Accept": "text/html"}
    cookies = {app.state.parts.cookie: secret}
    return TestClient(app, base_url="http://localhost", headers=headers, cookies=cookies)


def new_folder() -> Path:
    """An empty folder that is gone when the tests are over."""
    return Path(tempfile.mkdtemp(dir=_FOLDERS))


def wait_until(holds: Callable[[], bool], timeout_s: float = 30.0) -> None:
    """Wait for another thread, long enough for a busy machine; fails after ``timeout_s`` of pauses, growing ones."""
    pause, pause_s = threading.Event(), 0.01
    while not holds():
        assert timeout_s > 0, "waited in vain"
        pause.wait(pause_s)
        timeout_s -= pause_s
        pause_s = min(0.1, 1.2 * pause_s)
