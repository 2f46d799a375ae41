import json
from pathlib import Path

import pytest

from vision.tiles.faces import FACE_NAMES, Maker, Pip, halves, layouts, pips_of


def test_the_faces_are_the_21_of_the_set() -> None:
    assert len(set(FACE_NAMES)) == 21
    assert sum(sum(halves(face)) * (2 if index < 11 else 1) for index, face in enumerate(FACE_NAMES)) == 227


@pytest.mark.parametrize("face", FACE_NAMES)
def test_every_layout_has_the_counts_and_colours_of_its_face(face: str) -> None:
    large, small = halves(face)
    reds = 6 if face == "6-6" else sum(half for half in (large, small) if half in (1, 4))
    for pips in layouts(face):
        assert len(pips) == large + small
        assert sum(pip.red for pip in pips) == reds


@pytest.mark.parametrize("face", FACE_NAMES)
def test_no_two_pips_touch_and_none_leaves_the_tile(face: str) -> None:
    for pips in layouts(face):
        for index, pip in enumerate(pips):
            assert pip.diameter / 2 < pip.v < 1 - pip.diameter / 2
            assert pip.diameter / 5 < pip.u < 1 - pip.diameter / 5
            for other in pips[:index]:
                gap = (((pip.u - other.u) * 2.5) ** 2 + (pip.v - other.v) ** 2) ** 0.5
                assert gap > (pip.diameter + other.diameter) / 2


def test_one_layout_follows_the_photographs(shared: Path) -> None:
    measured = json.loads((shared / "faces.json").read_text())["faces"]
    assert set(measured) == set(FACE_NAMES)
    for face in FACE_NAMES:
        truth = [(pip["u"], pip["v"], pip["color"] == "red") for pip in measured[face]["pips"]]
        larger_end = [pip["u"] for pip in measured[face]["pips"] if pip["half"] == "a"]
        if sum(larger_end) / len(larger_end) > 0.5:
            truth = [(1 - u, 1 - v, red) for u, v, red in truth]
        assert min(_furthest(pips, truth) for pips in layouts(face)) < 0.01, face


def _furthest(pips: tuple[Pip, ...], truth: list[tuple[float, float, bool]]) -> float:
    """Largest distance of a pip from the nearest of its colour in the truth, in fractions of the face."""
    return max(
        min((max(abs(pip.u - u), abs(pip.v - v)) for u, v, red in truth if red == pip.red), default=1.0) for pip in pips
    )


def test_makers_differ_where_they_are_known_to() -> None:
    def first(face: str, **habit: str) -> Pip:
        return pips_of(face, Maker(**habit))[0]  # type: ignore[arg-type]

    assert first("6-6", teen="red-left").red
    assert not first("6-6", teen="white-left").red
    assert first("3-1", slash="/").v > 0.5 > first("3-1", slash="\\").v
    assert {pip.v for pip in pips_of("3-3", Maker())} != {
        pip.v for pip in pips_of("3-3", Maker(three_three="diagonals"))
    }
    assert max(pip.u for pip in pips_of("4-1", Maker(four="compact")) if pip.u < 0.8) < 0.3
    assert first("2-1", style="small").diameter < 0.25


def test_an_unknown_face_is_refused() -> None:
    with pytest.raises(KeyError):
        pips_of("7-1", Maker())
