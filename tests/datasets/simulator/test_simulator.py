"""The table simulator: rounds that the books allow, truth that the pictures and readings bear out."""

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.files.calibration_file import load_calibration
from calibration.table import places
from calibration.table.places import Place, PlaceKind
from datasets.labels.label_folders import read_folder
from datasets.labels.labels import TileLabel
from datasets.rendering.renderer import render
from datasets.simulate import app
from datasets.simulator.film import SimulatedSource, open_simulator, parse_spec, write_film
from datasets.simulator.layouts import PATTERNS, SimulatorError, fitting
from datasets.simulator.moments import Renderer
from datasets.simulator.readings import PERFECT, ErrorRates, ReadingSource
from datasets.simulator.script import Options, Script, script
from datasets.simulator.sight import visible_tiles
from datasets.simulator.staging.disturbances import DISTURBANCES
from datasets.simulator.staging.mistakes import MISTAKES
from datasets.simulator.staging.procedure import OF_MARKERS
from datasets.simulator.truth import RoundTruth
from engine.books.registry import BOOKS
from engine.game.tiles import FULL_SET
from engine.round import Session
from engine.vocabulary.play import Lie
from vision.health.picture_health import health, reference
from vision.reading import Reading

pytestmark = pytest.mark.exhaustive

SMALL = (640, 360)
TABLES = [(book, layout) for book in BOOKS for layout in fitting(BOOKS[book])]


@cache
def made(seed: int = 3, **options: object) -> Script:
    return script(seed, Options(size=SMALL, **options))  # type: ignore[arg-type]


def truth_json(session: Script) -> str:
    return json.dumps([truth.to_json(session.way) for truth in session.rounds])


def with_mistake(kind: str) -> tuple[Script, RoundTruth]:
    # Only there are lost hands put away at once while the House banks.
    book = "nz-1998" if kind in {"lost-hand-left", "stand-off-left", "won-hand-taken"} else "star-2024"
    # Markers move where players may bank.
    banking = 0.1 if kind in OF_MARKERS else 0.0
    for seed in range(12):
        session = made(seed, rulebook=book, mistakes=(kind,), mistake_rate=1.0, player_bank_rate=banking)
        if session.rounds[0].mistakes:
            return session, session.rounds[0]
    raise AssertionError(f"no round among twelve has room for {kind}")


# Rounds


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_what_happens_is_a_round_of_the_book(book: str, layout: str) -> None:
    session = made(8, rulebook=book, layout=layout)
    rounds = session.rounds[-1].course.session
    assert rounds.current.state.over
    assert Session.from_dict(rounds.to_dict()).to_dict() == rounds.to_dict()
    shown = [each.event for each in session.rounds[0].happenings]
    assert Counter(map(str, shown)) == Counter(
        str({k: v for k, v in event.items() if k != "number"})
        for event in rounds.to_dict()["rounds"][0]  # type: ignore[index]
    )


def test_every_layout_is_played_under_some_book() -> None:
    assert {layout for _, layout in TABLES} == set(PATTERNS)


def test_the_same_seed_gives_the_same_session() -> None:
    one, two = (script(5, Options(size=SMALL, mistake_rate=0.5, disturbance_rate=0.5)) for _ in range(2))
    assert truth_json(one) == truth_json(two)
    assert one.at(20.0).tiles == two.at(20.0).tiles
    assert truth_json(one) != truth_json(made(6))


def test_mistakes_come_in_turn() -> None:
    session = made(3, rounds=3, in_turn=("house-set-wrong", "none"))
    assert [[each.kind for each in truth.mistakes] for truth in session.rounds] == [["house-set-wrong"], [], []]


def test_all_32_tiles_are_there_and_none_jumps() -> None:
    session = made()
    before = None
    for t in np.arange(0, session.end_s, 0.05):
        tiles = session.at(float(t)).tiles
        assert Counter(tile.face for tile in tiles) == Counter(map(str, FULL_SET))
        spots = np.array([(tile.x_mm, tile.y_mm, tile.z_mm) for tile in tiles])
        if before is not None:
            assert np.abs(spots - before).max() < 0.05 * 6000  # mm a second
        before = spots


def test_stacked_tiles_go_where_the_cut_sends_them() -> None:
    session = made()
    truth = session.rounds[0]
    stacked = next(each.t_s for each in truth.happenings if each.kind == "stacked")
    tiles = session.at(stacked + 1e-3).tiles
    stacks = Counter(round(tile.x_mm / 26.6 + 4.5) for tile in tiles)
    assert set(stacks.values()) == {4}
    for box, group in zip(truth.course.dealt.order, truth.course.dealt.groups, strict=True):
        levels = sorted(group)
        lying = [tile for tile in tiles if round(tile.x_mm / 26.6 + 4.5) == levels[0] // 4 + 1]
        if box in truth.course.played and len({n // 4 for n in levels}) == 1:
            assert {tile.face for tile in lying} == {
                truth.faces[n] for n in truth.hands[Place(PlaceKind.BOX, box)].tiles
            }


# Truth against what a faultless reader says


def read_at(session: Script, t: float) -> Reading:
    return ReadingSource(session, faults=PERFECT).read(t)


@pytest.mark.parametrize("kind", [None, *MISTAKES])
def test_a_faultless_reader_sees_each_hand_as_the_truth_says(kind: str | None) -> None:
    session, truth = (made(), made().rounds[0]) if kind is None else with_mistake(kind)
    assert truth.exposed
    for hand in truth.exposed:
        assert hand.visible
        ends = [*(lay.t_s for lay in hand.lays[1:]), np.inf]
        for lay, end in zip(hand.lays, ends, strict=True):
            seen = [(a, b) for a, b in hand.visible if lay.t_s <= a < end]
            for start, stop in seen[:1] + seen[-1:]:
                reading = read_at(session, (start + stop) / 2)
                read = next(each for each in reading.hands if each.place == hand.place)
                assert Counter(read.low) == Counter(lay.low)
                assert Counter(read.high) == Counter(lay.high)
                assert read.status == "verified"


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_is_in_the_truth(kind: str) -> None:
    session, truth = with_mistake(kind)
    data = truth.to_json(session.way)
    assert [each.kind for each in truth.mistakes] == [kind]
    assert not data["clean"]
    house = data["hands"]["house"]["lays"]  # type: ignore[index]
    verdicts = [lay["house_way"]["verdict"] for lay in house]
    match kind:
        case "house-set-wrong":
            assert verdicts == ["wrong"]
            assert all(remedy["remedy"] for remedy in house[0]["house_way"]["remedies"])
        case "house-set-wrong-corrected" | "house-set-wrong-corrected-late":
            assert verdicts == ["wrong", "correct"]
        case "foreign-tile":
            assert any(truth.faces.count(str(tile)) > tile.copies for tile in FULL_SET)
        case "tiles-swapped":
            hand = truth.hands[truth.mistakes[0].place]
            assert len(hand.lays) == 2
            assert Counter(hand.lays[0].low) != Counter(hand.lays[1].low)
        case "exposed-before-bank":
            assert data["exposed"][0] != "house"  # type: ignore[index]
        case "exposed-out-of-turn":
            boxes = [int(place.removeprefix("box")) for place in data["exposed"][1:]]  # type: ignore[index]
            assert boxes != list(truth.course.played)
        case _:
            assert verdicts == ["correct"]


def test_a_clean_round_is_called_clean() -> None:
    session = made()
    data = session.rounds[0].to_json(session.way)
    assert data["clean"]
    assert data["exposed"] == ["house", *(f"box{box}" for box in session.rounds[0].course.played)]


def test_errors_of_readings_are_seeded() -> None:
    session = made()
    one, two, other = ([r.reading.tiles for r in ReadingSource(session, rate=0.5, seed=seed)] for seed in (4, 4, 5))
    assert one == two
    assert one != other


@pytest.mark.parametrize(
    ("faults", "silent"), [(ErrorRates(deceived=1.0), False), (ErrorRates(deceived=1.0, sure_wrong=1.0), True)]
)
def test_a_wrong_face_is_verified_only_on_request(faults: ErrorRates, silent: bool) -> None:  # noqa: FBT001
    session = made()
    hand = session.rounds[0].exposed[0]
    laid = {str(tile) for tile in (*hand.lays[0].low, *hand.lays[0].high)}
    reading = ReadingSource(session, faults=faults).read(float(np.mean(hand.visible[-1])))
    tiles = [tile for tile in reading.tiles if tile.place == places.HOUSE and tile.face is not None]
    assert {str(tile.face) for tile in tiles} != laid
    assert any(tile.status == "verified" and str(tile.face) not in laid for tile in tiles) is silent


def test_a_knocked_camera_puts_the_tiles_elsewhere() -> None:
    session = made(4, disturbances=("camera-nudged",), disturbance_rate=1.0)
    (nudge,) = session.rounds[0].disturbances
    t = nudge.end - 0.1
    there = np.array([(tile.x_mm, tile.y_mm) for tile in session.at(t).tiles])
    read = np.array([tile.center_mm for tile in read_at(session, t).tiles])
    off = np.linalg.norm(there[:, None] - read[None], axis=2).min(0)
    assert np.median(off) == pytest.approx(float(str(nudge.data["off_mm"])), abs=4.0)


# Pictures


def test_a_picture_does_not_depend_on_those_before_it() -> None:
    session = made()
    renderer = Renderer(session)
    hand = session.rounds[0].exposed[0]
    for t in np.arange(hand.lays[0].t_s - 2, hand.lays[0].t_s + 0.5, 0.25):
        walked = renderer.draw(session.at(float(t)))
    other = Renderer(session)
    fresh = other.draw(walked.now)
    assert np.array_equal(walked.owner, fresh.owner)
    assert not np.array_equal(walked.image, fresh.image)  # noise is each picture's own
    # The rim of a thick line is rounded a little otherwise where a window cuts it.
    one, two = (cv2.GaussianBlur(each.image, (0, 0), 2.0).astype(int) for each in (walked, fresh))
    assert np.abs(one - two).max() <= 8


def test_pictures_look_as_the_generator_draws_them() -> None:
    session = made()
    t = float(np.mean(session.rounds[0].exposed[0].visible[-1]))
    now = session.at(t)
    drawn = render(session.scene(now), np.random.default_rng(0), supersample=1.0)
    picture = Renderer(session).draw(now)
    assert np.abs(drawn.image.astype(int) - picture.image).mean() < 6
    ours = Renderer(session)
    labels = ours.labels(ours.draw(now), "x.jpg")
    theirs = [each for each in drawn.objects if isinstance(each, TileLabel)]
    assert [each.face for each in labels.tiles] == [each.face for each in theirs]
    for one, other in zip(labels.tiles, theirs, strict=True):
        assert np.allclose(one.polygon, other.polygon)
        assert one.visible == pytest.approx(other.visible, abs=0.05)


def test_geometry_and_pictures_agree_on_what_can_be_seen() -> None:
    session = made()
    renderer = Renderer(session)
    off = []
    for t in np.linspace(6, session.end_s - 1, 8):
        now = session.at(float(t))
        labels = renderer.labels(renderer.draw(now), "x.jpg")
        flat = [n for n, tile in enumerate(now.tiles) if tile.lean == (0.0, 0.0) and n not in now.moving]
        shares = visible_tiles(now)
        off += [shares[n] - labels.tiles[n].visible for n in flat]
    assert np.mean(np.abs(off)) < 0.05


@pytest.mark.parametrize("kind", sorted(set(DISTURBANCES) - {"sleeve"}))
def test_disturbances_show_in_the_picture(kind: str) -> None:
    session = made(4, disturbances=(kind,), disturbance_rate=1.0)
    (each,) = session.rounds[0].disturbances
    assert each.kind == kind
    renderer = Renderer(session)
    before = renderer.draw(session.at(each.start - 0.01)).image.astype(int)
    during = renderer.draw(session.at((each.start + each.end) / 2)).image.astype(int)
    assert np.abs(before - during).mean() > 2


@pytest.mark.parametrize(("seed", "obstructed"), [(2, True), (3, False)])
def test_a_covered_lens_shows_in_readings_as_in_pictures(seed: int, obstructed: bool) -> None:  # noqa: FBT001
    session = made(seed, disturbances=("lens-covered",), disturbance_rate=1.0)
    (each,) = session.rounds[0].disturbances
    assert not each.data["whole"]
    renderer, during = Renderer(session), (each.start + each.end) / 2
    before = renderer.draw(session.at(each.start - 0.01)).image
    seen = health(reference(before), renderer.draw(session.at(during)).image)
    assert ("obstructed" in {fault.finding.code for fault in seen.faults}) is obstructed
    reading = read_at(session, during)
    assert ("obstructed" in {finding.code for finding in reading.findings}) is obstructed
    assert any(tile.status == "verified" for tile in reading.tiles) is not obstructed


def test_the_cup_hides_the_dice_until_they_are_shown() -> None:
    session = made()
    shown = next(each for each in session.rounds[0].happenings if each.kind == "dice-shown")
    shaken = next(each for each in session.rounds[0].happenings if each.kind == "dice-shaken")
    renderer = Renderer(session)
    for t, seen in ((shaken.t_s - 0.3, False), (shown.t_s, True)):
        dice = renderer.labels(renderer.draw(session.at(t)), "x.jpg").dice
        assert all((die.visible > 0.9) is seen for die in dice)
    assert shown.event is not None
    assert [die.value for die in dice if die.role == "box"] == shown.event["box_dice"]


# Films


def test_a_film_on_disk_is_a_labelled_folder(tmp_path: Path) -> None:
    session = made()
    for _ in write_film(tmp_path, session, 0.1, "frames"):
        pass
    pictures = read_folder(tmp_path / "frames")
    assert len(pictures) == int(session.end_s * 0.1) + 1
    calibration = load_calibration(tmp_path / "calibration.json")
    ours = session.table_calibration()
    assert calibration.layout == ours.layout
    assert np.allclose(calibration.project(np.eye(3)), ours.project(np.eye(3)))
    (line,) = (tmp_path / "rounds.jsonl").read_text().splitlines()
    assert json.loads(line) == session.rounds[0].to_json(session.way)


def test_a_source_hands_out_frames_with_time_stamps() -> None:
    source = SimulatedSource(made(), fps=0.1)
    frames = list(source)
    assert [frame.sequence for frame in frames] == list(range(source.length))
    gaps = {(b.captured_at - a.captured_at).total_seconds() for a, b in pairwise(frames)}
    assert gaps == {10.0}
    assert frames[0].image.shape == (360, 640, 3)
    assert not source.live


def test_a_line_of_text_names_a_source() -> None:
    spec = parse_spec("simulator:seed=4,fps=5,size=640x360,rounds=2,rulebook=nz-1998,mistakes=tiles-swapped,live=no")
    assert (spec.seed, spec.fps, spec.live) == (4, 5.0, False)
    assert spec.options == Options(rounds=2, size=SMALL, rulebook="nz-1998", mistakes=("tiles-swapped",))
    assert open_simulator("simulator:size=640x360").live


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("camera:0", "expected simulator:"),
        ("simulator:speed=3", "no setting is called 'speed'"),
        ("simulator:seed=x", "seed cannot be 'x'"),
        ("simulator:mistakes=laughing", "no mistake is called 'laughing'"),
        ("simulator:in_turn=none+laughing", "no mistake is called 'laughing'"),
        ("simulator:layout=round", "no layout is called 'round'"),
        ("simulator:rulebook=nz-1998,layout=seven", "not played on 'seven'"),
        ("simulator:mistake_rate=2", "a share from 0 to 1"),
        ("simulator:fps=0,size=640x360", "fps is above 0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(text: str, message: str) -> None:
    with pytest.raises(SimulatorError, match=message):
        open_simulator(text)


def test_the_command_writes_the_truth_and_refuses_in_one_line(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["--out", str(tmp_path), "--form", "none", "--rounds", "2", "--rulebook", "uk-poster"])
    assert done.exit_code == 0, done.output
    assert len((tmp_path / "rounds.jsonl").read_text().splitlines()) == 2
    for wrong in (["--size", "wide"], ["--form", "gif"], ["--rulebook", "monopoly"], ["--mistakes", "none"]):
        refused = runner.invoke(app, ["--out", str(tmp_path), *wrong])
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(("book", "layout"), TABLES)
def test_hands_are_opened_counter_clockwise_on_the_table(book: str, layout: str) -> None:
    session = made(8, rulebook=book, layout=layout)
    boxes = [hand.place for hand in session.rounds[0].exposed if hand.place.box is not None]
    across = [session.setup.plan.places[place][0] for place in boxes]
    assert len(across) > 1
    assert across == sorted(across, reverse=True)  # from the dealer's right, x > 0, to his left
    assert session.table_calibration().layout.numbered_from_right is ("from-left" not in layout)


def test_a_low_hand_lies_as_it_is_asked_to() -> None:
    upright = {}
    for lies in Lie:
        session = made(8, low_hand=lies)
        house = session.rounds[0].exposed[0]
        tiles = session.at(house.lays[0].t_s + 0.05).tiles
        upright[lies] = {tiles[n].hand for n in house.tiles if abs(np.sin(tiles[n].angle)) > 0.7}
    assert upright == {Lie.VERTICAL: {"low"}, Lie.HORIZONTAL: {"high"}}
