"""The house's own markers are found in other light and turned otherwise, and nothing else is taken for one."""

from dataclasses import replace

import numpy as np
import pytest

from datasets.scenes.scene import Prop
from tests.amount import amount
from tests.vision.markers.drawn_markers import (
    BLACK,
    RED,
    WHITE,
    Drawn,
    box,
    chips,
    learnt,
    learnt_all,
    learnt_of,
    marker,
)
from vision.findings import Code
from vision.markers.learning import NotAMarkerError, Pointed, learn_marker
from vision.markers.marker_kinds import Meaning
from vision.markers.own_markers import OwnMarkers

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    return Drawn.of(4)


@pytest.fixture(scope="module")
def own() -> OwnMarkers:
    return learnt_all(4)


def found(own: OwnMarkers, drawn: Drawn, image: np.ndarray) -> list[tuple[str, str, str]]:
    seen = drawn.finder(own).find(image, drawn.calibration)
    return sorted((str(Meaning(each.kind, each.value)), str(each.place), each.status) for each in seen)


def test_the_size_is_learnt_with_the_face(own: OwnMarkers) -> None:
    assert [each.diameter_mm for each in own.markers] == pytest.approx([52, 44, 44], abs=3)


@pytest.mark.parametrize("seed", [4, 11, 17][: amount(1, 3)])
@pytest.mark.parametrize(
    ("angle", "light", "tint"), [(0.0, 1.0, (1, 1, 1)), (2.1, 0.6, (1.15, 1, 0.9)), (4.4, 1.3, (0.9, 1, 1.1))]
)
def test_markers_are_found_turned_and_in_other_light(
    seed: int, angle: float, light: float, tint: tuple[float, float, float]
) -> None:
    drawn = Drawn.of(seed)
    own = learnt_all(seed)
    props = [
        marker("chung", drawn.spot(5), angle),
        marker("off_button", drawn.spot(7), angle + 1),
        marker("plus_minus+4", (0.0, 0.0), angle + 2),
    ]
    seen = found(own, drawn, drawn.picture(*props, light=light, tint=tint))
    assert [each[:2] for each in seen] == [("chung", "box5"), ("off_button", "box7"), ("plus_minus+4", "None")]
    assert [each[2] for each in seen].count("verified") >= 2, (
        "one may be doubted where the light is too much or too little"
    )


@pytest.mark.parametrize("colour", [WHITE, BLACK, RED])
@pytest.mark.parametrize("seed", range(amount(2, 4)))
def test_chips_of_a_markers_colour_are_no_marker(
    seed: int, colour: tuple[float, float, float], drawn: Drawn, own: OwnMarkers
) -> None:
    stacks = [chips(drawn.spot(n), colour, count=1 + n % 3, seed=10 * seed + n) for n in range(1, 9)]
    seen = found(own, drawn, drawn.picture(*stacks))
    assert not [each for each in seen if each[2] == "verified"]
    assert not [each for each in seen if each[0] != "plus_minus+4"], "only a button as small as a chip comes near one"


def test_a_chung_beside_chips_is_found_and_they_are_not(drawn: Drawn, own: OwnMarkers) -> None:
    x, y = drawn.spot(6)
    props = [marker("chung", (x, y), 1.0), chips((x + 50, y), WHITE), chips((x - 48, y), WHITE, seed=9)]
    assert found(own, drawn, drawn.picture(*props)) == [("chung", "box6", "verified")]


@pytest.mark.parametrize("angle", [0.0, 1.6, 3.0])
def test_a_half_covered_marker_is_never_verified(angle: float, drawn: Drawn, own: OwnMarkers) -> None:
    x, y = drawn.spot(3)
    slip = Prop("card", x + 40, y, 0.0, (80.0, 90.0), 8.0, 0.5, WHITE, 3)
    seen = found(own, drawn, drawn.picture(marker("chung", (x, y), angle), slip))
    assert not [each for each in seen if each[2] == "verified"]


@pytest.mark.parametrize("text", ["DEALER", "VIP", "-4", "5"])
def test_another_houses_marker_is_not_taken_for_its_own(text: str, drawn: Drawn, own: OwnMarkers) -> None:
    other = replace(marker("chung", drawn.spot(3)), text=text)
    seen = found(own, drawn, drawn.picture(other))
    assert not [each for each in seen if each[2] == "verified"]


LOOKALIKES = {
    "chung": ("RACK", "BACK", "BARK", "TANK", "RANK", "BAND", "BANE", "HANK"),
    "off_button": ("OPP", "OAF", "ODD", "OFT", "ON", "OUT", "OF", "OFF."),
    "plus_minus+4": ("-4", "+1", "+9", "+A", "4", "+6", "+2", "+44"),
}


@pytest.mark.parametrize("name", LOOKALIKES)
@pytest.mark.parametrize("seed", [3, 7][: amount(1, 2)])
def test_another_word_of_the_same_make_is_never_verified(name: str, seed: int, drawn: Drawn) -> None:
    """In the letters, colour and size of the house's own marker, turned anyhow, in other light."""
    own = learnt_of(drawn, marker(name, drawn.spot(2), seed=seed))
    rng = np.random.default_rng(seed)
    for light in (0.6, 1.2):
        laid = [
            replace(marker(name, drawn.spot(number), rng.uniform(0, 6.28), seed), text=text)
            for number, text in enumerate(LOOKALIKES[name], 1)
        ]
        seen = drawn.finder(own).find(drawn.picture(*laid, light=light), drawn.calibration)
        assert not [each for each in seen if each.status == "verified"]
    own_ones = [marker(name, drawn.spot(number), rng.uniform(0, 6.28), seed) for number in range(1, 9)]
    seen = drawn.finder(own).find(drawn.picture(*own_ones, light=0.8), drawn.calibration)
    assert [each.status for each in seen].count("verified") >= 7, [each.doubts for each in seen]


@pytest.mark.parametrize("seed", [5, 7][: amount(1, 2)])
def test_one_letter_of_a_bold_print_is_never_overlooked(seed: int, drawn: Drawn) -> None:
    """Of letters whose strokes are as wide as what is between them, G and O differ by a notch."""

    def lying(text: str, angle: float) -> list[Prop]:
        off = (marker("off_button", drawn.spot(number), angle + number, seed) for number in range(1, 9))
        return [replace(each, text=text) for each in off]

    own = learnt_of(drawn, lying("OUT", 0.0)[1])
    for text, verified in (("GUT", 0), ("OUT", 8)):
        seen = drawn.finder(own).find(drawn.picture(*lying(text, 1.0), light=0.8), drawn.calibration)
        assert [each.status for each in seen].count("verified") == verified, text


def test_a_print_too_small_for_the_camera_is_never_verified(drawn: Drawn) -> None:
    small = replace(marker("chung", drawn.spot(2)), text="BANKERS CHUNG")
    own = learnt_of(drawn, small)
    (seen,) = drawn.finder(own).find(drawn.picture(small), drawn.calibration)
    assert [each.code for each in seen.doubts] == [Code.MARKER_PRINT_NOT_LEGIBLE]


def test_a_marker_of_another_colour_is_none(drawn: Drawn, own: OwnMarkers) -> None:
    red = replace(marker("chung", drawn.spot(5)), colour=RED)
    assert found(own, drawn, drawn.picture(red)) == []


def test_a_marker_between_two_boxes_lies_at_neither(drawn: Drawn, own: OwnMarkers) -> None:
    (x3, y3), (x4, y4) = drawn.spot(3), drawn.spot(4)
    between = marker("chung", ((x3 + x4) / 2, (y3 + y4) / 2))
    assert found(own, drawn, drawn.picture(between)) == [("chung", "None", "verified")]


def test_what_moved_is_looked_for_again_and_the_rest_is_kept(drawn: Drawn, own: OwnMarkers) -> None:
    finder = drawn.finder(own)
    off = marker("off_button", drawn.spot(7))
    for number in (2, 5, 5, 8):
        seen = finder.find(drawn.picture(marker("chung", drawn.spot(number), number), off), drawn.calibration)
        assert {(str(each.kind), each.place) for each in seen} == {("chung", box(number)), ("off_button", box(7))}
    assert finder.find(drawn.picture(off), drawn.calibration)[0].place == box(7)
    assert finder.find(drawn.picture(), drawn.calibration) == ()


def test_values_of_the_button_are_distinguished(drawn: Drawn) -> None:
    own = learnt(drawn, "plus_minus+4", "off_button")
    minus = replace(marker("plus_minus+4", drawn.spot(2)), text="-4")
    other = learn_marker(drawn.picture(minus), drawn.calibration, Pointed.parse("plus_minus-4=box2"))
    both = OwnMarkers((*own.markers, other))
    for text in ("+4", "-4"):
        for angle in (0.3, 3.3):
            shown = replace(marker("plus_minus+4", drawn.spot(5), angle), text=text)
            seen = drawn.finder(both).find(drawn.picture(shown), drawn.calibration)
            assert [each.value for each in seen if each.status == "verified"] in ([], [int(text)])
            assert seen


@pytest.mark.parametrize(
    ("props", "why"),
    [([], "no round marker"), (["chips"], "several round things"), (["plain"], "no print")],
)
def test_what_cannot_be_learnt_is_refused(props: list[str], why: str, drawn: Drawn) -> None:
    x, y = drawn.spot(4)
    things = {
        "chips": [marker("chung", (x - 30, y)), marker("chung", (x + 40, y))],
        "plain": [replace(marker("chung", (x, y)), text=" ")],
    }
    laid = [each for name in props for each in things[name]]
    with pytest.raises(NotAMarkerError, match=why):
        learn_marker(drawn.picture(*laid), drawn.calibration, Pointed.parse("chung=box4"))


def test_a_marker_can_be_pointed_out_by_a_rectangle(drawn: Drawn) -> None:
    at = drawn.spot(6)
    image = drawn.picture(marker("chung", at))
    x, y = drawn.calibration.project(np.array([(*at, 7.0)]))[0]
    pointed = Pointed.parse(f"chung={x - 30:.0f},{y - 30:.0f},{x + 30:.0f},{y + 30:.0f}")
    assert learn_marker(image, drawn.calibration, pointed).diameter_mm == pytest.approx(52, abs=3)


@pytest.mark.parametrize("text", ["bank=box1", "plus_minus=box1", "chung-4=box1", "chung=5,5,1,1", "chung=1,a,2,3"])
def test_a_wrong_description_of_a_marker_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"marker|rectangle|value"):
        Pointed.parse(text)


@pytest.mark.parametrize("value", range(1, 5))
def test_buttons_adjust_by_one_to_four(value: int) -> None:
    """nz-1998 3.3(d); star-2024 2.5.3; star-classic 2.4.2."""
    for each in (value, -value):
        assert Meaning.parse(f"plus_minus{each:+d}").value == each
    with pytest.raises(ValueError, match="marker"):
        Meaning.parse(f"plus_minus{value + 4:+d}")
