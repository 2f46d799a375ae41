"""Whether a reading says what a person saw."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from engine.game.tiles import Tile
from service.rounds.readings import die_of, hand_of
from service.table.audit.audit_log import Roll, SeenHand, SeenThrow
from tests.service.stand_ins import die, hand

READ = hand("house", "6-3 5-3", "6-6 6-1")
THROW = (die(3), die(5), die(1), die(2, "cut"))


def seen(faces: str, *, split: bool) -> SeenHand:
    tiles = tuple(map(Tile.parse, faces.split()))
    return SeenHand(cast("tuple[Tile, Tile, Tile, Tile]", tiles), split)


@pytest.mark.parametrize(
    ("faces", "split", "agrees"),
    [
        ("6-3 5-3 6-6 6-1", True, True),
        ("5-3 6-3 6-1 6-6", True, True),
        ("6-6 6-1 6-3 5-3", True, False),
        ("6-6 6-3 5-3 6-1", True, False),
        ("6-6 6-3 5-3 6-1", False, True),
        ("6-6 6-3 5-4 6-1", False, False),
        ("6-6 6-3 5-3 6-6", False, False),
    ],
)
def test_a_hand_is_held_against_its_reading(*, faces: str, split: bool, agrees: bool) -> None:
    assert seen(faces, split=split).agrees(hand_of(READ)) is agrees


@pytest.mark.parametrize(
    ("rolls", "agrees"),
    [
        (((1, "box"), (3, "box"), (5, "box"), (2, "cut")), True),
        (((2, "box"), (3, "box"), (5, "box"), (1, "cut")), False),
        (((2, None), (3, None), (5, None), (1, None)), True),
        (((1, "box"), (3, "box"), (5, "box")), False),
        (((1, None), (3, "box"), (5, "box")), False),
        (((1, None), (3, "box"), (5, "box"), (6, "cut")), False),
        ((), False),
    ],
)
def test_a_throw_is_held_against_its_reading(*, rolls: tuple[Roll, ...], agrees: bool) -> None:
    assert SeenThrow(rolls).agrees(tuple(map(die_of, THROW))) is agrees


def test_a_book_without_roles_is_held_against_values() -> None:
    plain = tuple(replace(each, role=None) for each in THROW)
    assert SeenThrow(((2, "box"), (3, "box"), (5, "box"), (1, "cut"))).agrees(tuple(map(die_of, plain)))
