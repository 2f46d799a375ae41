from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game.tiles import FULL_SET, Tile
from vision.tiles.set_decoding import CANNOT_TELL, COPIES, FACES, decode


def seen(*opinions: dict[str, float]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Log-probabilities of tiles, each given as its likely faces; the rest is spread over all classes."""
    rows = []
    for opinion in opinions:
        row = np.full(CANNOT_TELL + 1, (1 - sum(opinion.values())) / (CANNOT_TELL + 1 - len(opinion)))
        for face, share in opinion.items():
            row[CANNOT_TELL if face == "?" else FACES.index(Tile.parse(face))] = share
        rows.append(row)
    opinions_log: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.log(np.array(rows))
    return opinions_log


def test_a_full_set_seen_well_is_decoded_as_seen() -> None:
    named, findings = decode(seen(*({str(tile): 0.99} for tile in FULL_SET)))
    assert [each.face for each in named] == list(FULL_SET)
    assert findings == []
    assert not any(each.contradicted for each in named)
    assert min(each.margin for each in named) > 4


def test_a_weak_second_face_yields_without_a_finding() -> None:
    named, findings = decode(seen({"6-3": 0.95}, {"6-3": 0.4, "6-2": 0.38}))
    assert [str(each.face) for each in named] == ["6-3", "6-2"]
    assert findings == []
    assert np.exp(named[1].log_probability) == pytest.approx(0.38)


def test_two_claims_on_one_military_tile_contradict() -> None:
    named, findings = decode(seen({"6-3": 0.99}, {"6-3": 0.6, "6-2": 0.35}, {"5-5": 0.99}))
    assert [each.contradicted for each in named] == [True, True, False]
    assert [finding.code for finding in findings] == ["duplicate_face"]
    assert ("face", "6-3") in findings[0].params
    assert named[0].margin == 0


def test_a_sure_tile_keeps_its_face_in_a_contradiction() -> None:
    named, findings = decode(seen({"6-3": 0.999}, {"6-3": 0.999}))
    assert [str(each.face) for each in named] == ["6-3", "6-3"]
    assert all(each.contradicted for each in named)
    assert len(findings) == 1


@pytest.mark.parametrize("face", ["6-6", "5-1"])
def test_a_civil_face_may_lie_twice_but_not_three_times(face: str) -> None:
    assert decode(seen({face: 0.99}, {face: 0.99}))[1] == []
    assert len(decode(seen({face: 0.99}, {face: 0.99}, {face: 0.99}))[1]) == 1


def test_an_unknown_tile_has_no_face_and_takes_none() -> None:
    named, findings = decode(seen(*[{"?": 0.9}] * 40))
    assert {each.face for each in named} == {None}
    assert findings == []


def test_more_tiles_than_a_set_holds_are_all_decoded() -> None:
    named, findings = decode(seen(*[{"6-6": 0.99}] * 3, *[{str(tile): 0.99} for tile in FULL_SET]))
    assert len(named) == 35
    assert [finding.code for finding in findings] == ["duplicate_face"]
    assert ("count", 5) in findings[0].params


def test_the_runner_up_is_the_second_face() -> None:
    named, _ = decode(seen({"6-5": 0.7, "6-4": 0.2}))
    assert (str(named[0].face), str(named[0].runner_up)) == ("6-5", "6-4")


def test_no_tiles_give_no_names() -> None:
    assert decode(np.zeros((0, CANNOT_TELL + 1))) == ([], [])


def test_probabilities_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="22"):
        decode(np.zeros((3, 21)))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_decoding_is_optimal_and_its_margins_exact(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Four classes in play, so that tiles compete: two military faces, one civil face, "cannot tell".
    classes = [FACES.index(Tile.parse(face)) for face in ("6-3", "5-4", "6-6")] + [CANNOT_TELL]
    scores = np.full((count, CANNOT_TELL + 1), -40.0)
    scores[:, classes] = np.log(rng.dirichlet(np.ones(4), count))
    legal = [
        naming
        for naming in set(permutations(classes * count, count))
        if all(naming.count(face) <= COPIES[face] for face in classes[:3])
    ]
    value = {naming: sum(scores[row, face] for row, face in enumerate(naming)) for naming in legal}
    best = max(value, key=lambda naming: value[naming])
    named, _ = decode(scores)
    for row, each in enumerate(named):
        if each.contradicted:
            continue
        face = CANNOT_TELL if each.face is None else FACES.index(each.face)
        assert face == best[row]
        rival = max(score for naming, score in value.items() if naming[row] != face)
        assert each.margin == pytest.approx(value[best] - rival)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 45), st.integers(0, 2**32 - 1))
def test_the_set_is_never_exceeded_without_a_finding(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    named, findings = decode(np.log(rng.dirichlet(np.full(CANNOT_TELL + 1, 0.2), count)))
    faces = [each.face for each in named if each.face is not None and not each.contradicted]
    assert all(faces.count(face) <= face.copies for face in set(faces))
    assert bool(findings) == any(each.contradicted for each in named)


def test_what_is_not_of_the_set_contradicts_nothing() -> None:
    opinions = seen({"6-3": 0.99}, {"6-3": 0.99}, {"5-5": 0.99})
    named, findings = decode(opinions, np.array([True, False, True]))
    assert [str(each.face) for each in named] == ["6-3", "6-3", "5-5"]
    assert not any(each.contradicted for each in named)
    assert named[0].margin > 4
    assert findings == []
