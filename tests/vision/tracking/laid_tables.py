"""Tables of tiles and dice laid out for a watch, and a clock that each picture moves on."""

from dataclasses import replace

from calibration.table.places import Place
from engine.game.tiles import Tile
from service.words.codes import ServiceCode
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.reading import DieReading, Polygon, Reading, TileReading
from vision.tracking import Seen, TableWatch, Terms

LAID = ((-52.0, 0.0, 90.0), (-26.0, 0.0, 90.0), (25.0, 13.0, 0.0), (25.0, -13.0, 0.0))

MIDDLES = {"house": (0.0, -240.0), "box2": (600.0, 260.0), "box3": (300.0, 260.0), "discard": (-600.0, -280.0)}

HOUSE = "6-3 5-3 6-6 6-1"

BOX2 = "1-1 4-3 4-4 5-5"

NOWHERE: Polygon = ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0))

STEP_S = 0.2


def tile(face: str | None, place: str | None, x: float, y: float, turn: float, *, sure: bool = True) -> TileReading:
    return TileReading(
        face=None if face is None else Tile.parse(face),
        face_up=face is not None,
        polygon=NOWHERE,
        confidence=0.999 if sure else 0.6,
        runner_up=None,
        status="verified" if sure else "uncertain",
        doubts=() if sure else (Finding(Code.NOT_A_TILE),),
        center_mm=(x, y),
        angle_deg=turn,
        place=None if place is None else Place.parse(place),
    )


def hand(place: str, faces: str, *, sure: bool = True, off: float = 0.0) -> list[TileReading]:
    x, y = MIDDLES[place]
    return [
        tile(face, place, x + dx + off, y + dy, turn, sure=sure)
        for face, (dx, dy, turn) in zip(faces.split(), LAID, strict=True)
    ]


def discards(count: int, off: float = 0.0) -> list[TileReading]:
    x, y = MIDDLES["discard"]
    return [tile(None, "discard", x + 26.0 * n + off, y, 90.0) for n in range(count)]


def backs(place: str, turn: float = 90.0) -> list[TileReading]:
    x, y = MIDDLES[place]
    across = turn == 0.0
    return [tile(None, place, x + (0 if across else 26.0 * n), y + (26.0 * n if across else 0), turn) for n in range(2)]


def reading(tiles: list[TileReading], dice: list[DieReading] | None = None, wrong: str | None = None) -> Reading:
    findings = () if wrong is None else (Finding(Code(wrong) if wrong in set(Code) else ServiceCode(wrong)),)
    return Reading("", (2304, 1296), True, True, tuple(tiles), tuple(dice or ()), (), findings, {}, {})  # noqa: FBT003


class Table:
    """A watch, and a clock that each picture moves on."""

    def __init__(
        self, terms: Terms | None = None, conventions: Conventions | None = None, step_s: float = STEP_S
    ) -> None:
        self.watch = TableWatch(conventions or Conventions(), terms or Terms())
        self.step_s = step_s
        self.t_s = 0.0
        self.pictures = 0

    def lie(self, tiles: list[TileReading], seconds: float) -> Seen:
        """Nothing moves for long: a picture each second is as good as more."""
        usual_s, self.step_s = self.step_s, 1.0
        seen = self.see(tiles, round(seconds))
        self.step_s = usual_s
        return seen

    def see(
        self,
        tiles: list[TileReading],
        times: int = 1,
        dice: list[DieReading] | None = None,
        wrong: str | None = None,
    ) -> Seen:
        for _ in range(times):
            self.t_s += self.step_s
            self.pictures += 1
            noise = 1e-7 * (self.pictures % 1000)
            seen = self.watch.see(
                reading(
                    [replace(each, confidence=each.confidence - noise) for each in tiles],
                    [replace(each, confidence=each.confidence - noise) for each in dice or ()],
                    wrong,
                ),
                self.t_s,
            )
        return seen


def status(seen: Seen, place: str = "house") -> str | None:
    known = seen.hand(Place.parse(place))
    return None if known is None or known.now is None else known.now.status


def die(value: int, x: float, role: str = "box", *, cocked: bool = False) -> DieReading:
    outline: Polygon = ((x, 0.0), (x + 30, 0.0), (x + 30, 30.0), (x, 30.0))
    doubts = (Finding(Code.DIE_LEANS),) if cocked else ()
    colour = "red" if role == "box" else "white"
    return DieReading(
        value,
        "box" if role == "box" else "cut",
        colour,
        cocked,
        outline,
        0.99,
        "uncertain" if cocked else "verified",
        doubts,
        surely_cocked=cocked,
    )


THROWN = [die(3, 0), die(5, 60), die(1, 120), die(2, 180, "cut")]
