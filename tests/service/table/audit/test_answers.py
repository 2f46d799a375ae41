"""Answers of people: compared with the reading, asked in order, kept, and decided when they differ."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from engine.game.tiles import Tile
from service.record.integrity.export import export_record
from service.record.integrity.verify import verify_database
from service.rounds.readings import die_of, hand_of
from service.table.audit.audit_log import (
    AuditOutcome,
    AuditVerdict,
    Roll,
    Seen,
    SeenHand,
    SeenOther,
    SeenThrow,
    decode_seen,
    encode_seen,
)
from service.table.audit.auditor import NotNextError
from service.table.audit.sampling import HANDS
from tests.service.stand_ins import START, die, hand, new_folder
from tests.service.table.audit.tables import DAY, DICE_SEEN, AuditedTable, falsehood, truth

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


@pytest.fixture
def table() -> Iterator[AuditedTable]:
    made = AuditedTable()
    made.day(0, 5)
    yield made
    made.record.close()


def test_what_was_drawn_is_asked_in_its_order(table: AuditedTable) -> None:
    items = table.log.history().items
    assert len(items) == 6 + 3
    asked = []
    while table.answering.question() is not None:
        asked.append(table.asked.index)
        assert table.answer().outcome is AuditOutcome.RIGHT
    assert asked == list(range(9))
    assert {item.answer.by for item in table.log.history().items if item.answer} == {"ann"}
    assert table.answering.question() is None


def test_a_day_is_finished_before_the_next_one(table: AuditedTable) -> None:
    table.day(1, 3)
    table.answer(count=9)
    assert table.asked.day == "2026-01-02"


def test_nothing_is_skipped_and_nothing_answered_twice(table: AuditedTable) -> None:
    first, second = table.log.history().items[:2]
    with pytest.raises(NotNextError, match="not open yet"):
        table.answering.answer(second.draw, second.index, truth(second), "ann")
    table.answer()
    with pytest.raises(NotNextError, match="already answered"):
        table.answering.answer(first.draw, first.index, falsehood(first), "bob")
    given = table.log.history().items[0].answer
    assert given is not None
    assert (given.by, given.agrees) == ("ann", True)


def test_each_answer_holds_the_hash_of_the_one_before(table: AuditedTable) -> None:
    table.answer(count=3)
    answers = [entry for entry in table.log.entries() if entry.subject == "answer"]
    assert [entry.data["behind"] for entry in answers] == ["", answers[0].hash, answers[1].hash]


@pytest.mark.parametrize("verdict", AuditVerdict)
def test_a_difference_waits_for_one_verdict(table: AuditedTable, verdict: AuditVerdict) -> None:
    differing = table.differ()
    assert differing.answer is not None
    assert (differing.outcome, table.answering.question()) == (AuditOutcome.UNDECIDED, None)
    with pytest.raises(NotNextError):
        table.answering.decide(differing.answer.seq + 1, verdict, "bob")
    decided = table.answering.decide(differing.answer.seq, verdict, "bob")
    assert decided.outcome.value == verdict.value
    assert decided.answer is not None
    assert (decided.answer.by, decided.answer.decided_by) == ("ann", "bob")
    assert decided.answer.seen == falsehood(differing)
    with pytest.raises(NotNextError):
        table.answering.decide(differing.answer.seq, AuditVerdict.ANSWER_WRONG, "bob")
    assert table.asked.index == 1


def test_what_cannot_be_seen_needs_no_verdict(table: AuditedTable) -> None:
    item = table.asked
    assert table.answering.answer(item.draw, item.index, None, "ann").outcome is AuditOutcome.UNSEEN
    assert table.asked.index == 1


def test_nothing_lying_there_is_an_answer(table: AuditedTable) -> None:
    item = table.asked
    assert table.answering.answer(item.draw, item.index, SeenOther(), "ann").outcome is AuditOutcome.UNDECIDED


def test_a_hand_and_a_throw_never_agree(table: AuditedTable) -> None:
    item = table.asked
    assert item.drawn.member.stratum in HANDS
    assert table.answering.answer(item.draw, item.index, DICE_SEEN, "ann").outcome is AuditOutcome.UNDECIDED


def test_the_pictures_shown_have_nothing_drawn_on_them(table: AuditedTable) -> None:
    for item in table.log.history().items:
        closed = table.record.entry(item.round)
        assert closed is not None
        roles = {each["sha256"]: each["role"] for each in closed.data["evidence"] if each["place"] == item.place}
        assert {role: roles[sha256] for role, sha256 in item.pictures.items()} == {
            "frame": "frame",
            "close_up": "close_up",
        }


def test_the_pictures_drawn_are_kept_while_others_may_go() -> None:
    """The draw names them again, after the export that released the others."""
    table = AuditedTable(hands=4, throws=0)
    table.auditor.step(START)
    for _ in range(10):
        table.play()
    export_record(table.record, table.record.evidence, new_folder() / "export", mark_in=table.record)
    table.auditor.step(START + DAY)
    kept = {sha256 for item in table.log.history().items for sha256 in item.pictures.values()}
    assert len(kept) == 8
    table.record.settings = replace(table.record.settings, keep_days=0)
    table.record.tidy()
    left = {path.name for path in table.record.evidence.folder.rglob("*") if path.is_file()}
    assert left == kept
    proof = verify_database(table.record, table.record.evidence.folder)
    assert (proof.holds, proof.removed > 0) == (True, True)
    table.record.close()


def test_a_picture_that_is_gone_is_not_named() -> None:
    table = AuditedTable(hands=4, throws=0)
    table.auditor.step(START)
    for _ in range(3):
        table.play()
    for path in table.record.evidence.folder.rglob("*"):
        if path.is_file():
            path.unlink()
    table.auditor.step(START + DAY)
    assert [dict(item.pictures) for item in table.log.history().items] == [{}] * 4
    table.record.close()


@pytest.mark.parametrize("seen", [DICE_SEEN, SeenThrow(((4, None),)), SeenOther(), None])
def test_an_answer_is_read_back_as_it_was_written(seen: Seen | None) -> None:
    assert decode_seen(encode_seen(seen)) == seen


def test_a_hand_is_read_back_as_it_was_written(table: AuditedTable) -> None:
    hand = truth(table.asked)
    assert isinstance(hand, SeenHand)
    assert decode_seen(encode_seen(hand)) == hand


def test_what_says_nothing_is_no_answer() -> None:
    with pytest.raises(ValueError, match="not the answer of a person"):
        decode_seen({"else": 1})
