"""No sentence is recorded: what entries hold are codes and values, from which sentences are made when they are read."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from service.api.notify.notifier import HealthRecorder
from service.record.health import Check
from service.rounds.review import ReviewIn
from service.words.codes import ServiceCode
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, FakeReader, app_of, config, die, hand, reading
from vision.findings import Code, Finding

MAY_HOLD_SPACES = frozenset({"by", "reason", "title", "versions", "rule"})
"""Whom and why, as persons wrote it; titles; versions; citations."""


def texts(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner, path)
    elif isinstance(value, str):
        yield path, value


def test_no_sentence_is_recorded() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    parts = app.state.parts
    unsure = replace(hand("house", *RIGHT, "uncertain"), doubts=(Finding(Code.PAIRS_RANK_ALIKE),))
    moved = Finding.of(Code.HAND_CHANGED, place="box2")
    doubtful = reading(unsure, dice=(die(3), die(3, status="uncertain")), findings=(moved,))
    for number, played in enumerate((HOUSE_RIGHT, HOUSE_WRONG, doubtful)):
        play(app, played, f"r{number}")
    said = ReviewIn.model_validate({"action": "confirm", "by": "B. Pit", "reason": "Looked at it", "revision": 1})
    parts.only.live.publish_decision(parts.only.ledger.review("r2", said, None, "B. Pit"))
    parts.only.live.check(Check.of("source", ServiceCode.SELF_TEST_FAILED, ok=False, faults=(moved,)))
    recorder = HealthRecorder(parts.record, parts.only.live, "test", look_every_s=0.01)
    with suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(recorder.run(), 0.5))
    standing = parts.only.alarms.standing().open
    parts.only.alarms.acknowledge([each.id for each in standing], "A. Supervisor", reason="On my way")
    entries = list(parts.record.after(0))
    assert {"round", "review", "alarm", "acknowledgement"} <= {entry.kind for entry in entries}
    sentences = [
        (entry.kind, path, text)
        for entry in entries
        for path, text in texts(entry.data)
        if " " in text and not MAY_HOLD_SPACES & set(path)
    ]
    assert not sentences
