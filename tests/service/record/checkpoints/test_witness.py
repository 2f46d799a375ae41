"""A witness signs as long as each checkpoint extends the one before, over kills and restarts; a table asks it."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
import uvicorn
from starlette.testclient import TestClient

from service.record.checkpoints.checkpoint_store import newest_note, newest_witnessed, note_at
from service.record.checkpoints.note import read_note
from service.record.checkpoints.witness_book import (
    Submission,
    SubmissionError,
    WitnessBook,
    WitnessError,
    WitnessRefusal,
    witness_app,
)
from service.record.checkpoints.witness_client import RefusedError, WitnessClient
from service.record.store.record import Record
from service.record.store.record_settings import PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey, Signer
from service.system.service_settings import RecordConfig, WitnessConfig
from service.table.live_state import LiveState
from tests.service.api.notify.test_epochs import serving
from tests.service.api.test_http import play
from tests.service.record.checkpoints.test_checkpoints import forge
from tests.service.record.store.test_record import draft
from tests.service.stand_ins import config, wait_until


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    made = Record(RecordSettings(tmp_path / "state"))
    for number in range(4):
        made.append(draft(number, round_id=f"r{number}"))
    yield made
    made.close()


@pytest.fixture
def book(tmp_path: Path, record: Record) -> WitnessBook:
    made = WitnessBook.make(tmp_path / "witness", "surveillance.example/w1")
    made.trust("test", PublicKey.load(record.settings.folder / PUBLIC_KEY))
    return made


@contextmanager
def listening(book: WitnessBook) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(witness_app(book), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def sent(record: Record, old: int, new: int) -> Submission:
    note = note_at(record, record.entry(new))
    assert note is not None
    return Submission(old, record.after(old, limit=new - old) if old else (), note)


def test_each_checkpoint_must_extend_the_one_before(record: Record, book: WitnessBook) -> None:
    def add(old: int, new: int) -> str:
        return book.add(Submission.of_text(sent(record, old, new).text))

    line = add(0, 3)
    note = read_note(sent(record, 0, 3).note.cosigned(line).text)
    assert book.key.holds(note, note.cosignatures[0])
    add(3, 5)
    add(5, 5)
    for old, new, status in ((0, 4, 409), (3, 4, 409), (4, 5, 409)):
        with pytest.raises(WitnessRefusal) as refused:
            add(old, new)
        assert (refused.value.status, refused.value.size) == (status, 5)
    known = WitnessBook.open(book.folder).record(record.id)
    assert known is not None
    assert known.seq == 5


def test_what_does_not_extend_is_refused(record: Record, book: WitnessBook, tmp_path: Path) -> None:
    book.add(sent(record, 0, 3))
    record.append(draft(9, round_id="r9"))
    good = sent(record, 3, 6)
    signer = Signer.load(record.settings.folder / "record.key")
    forged_entry = replace(good.entries[1], body='{"a":1}').sealed()
    of_another = Signer.make(tmp_path / "other.key").sign(record.id, 6, good.entries[-1].hash, good.entries[-1].at)
    for changed, status in (
        (replace(good, entries=good.entries[:-1]), 422),
        (replace(good, entries=(good.entries[0], forged_entry, *good.entries[2:])), 422),
        (replace(good, entries=good.entries[1:]), 422),
        (replace(good, note=replace(good.note, checkpoint=of_another)), 403),
        (replace(good, old=7), 400),
    ):
        with pytest.raises(WitnessRefusal) as refused:
            book.add(changed)
        assert refused.value.status == status
    # An owner of the key signs another entry 3, although the first is known already.
    third = record.entry(3)
    assert third is not None
    other = replace(third, body='{"b":2}').sealed()
    again = replace(
        good, old=3, entries=(), note=replace(good.note, checkpoint=signer.sign(record.id, 3, other.hash, other.at))
    )
    with pytest.raises(WitnessRefusal) as refused:
        book.add(again)
    assert refused.value.status == 422
    book.add(good)


def test_a_stranger_is_refused(book: WitnessBook, tmp_path: Path) -> None:
    other = Record(RecordSettings(tmp_path / "other"))
    with pytest.raises(WitnessRefusal) as refused:
        book.add(sent(other, 0, 1))
    other.close()
    assert refused.value.status == 403


def test_only_one_program_signs_from_a_folder(book: WitnessBook) -> None:
    lock = book.claim()
    with pytest.raises(WitnessError, match="another witness"):
        book.claim()
    lock.release()


@pytest.mark.parametrize("text", ["", "old -1\n\n", "old 01\n\nx", "old 0\n{}\n\nx", "new 3\n\nx", "old 1\n\n\n"])
def test_what_is_no_submission_is_refused(book: WitnessBook, text: str) -> None:
    with pytest.raises(SubmissionError):
        Submission.of_text(text)
    with TestClient(witness_app(book)) as client:
        assert client.post("/add-checkpoint", content=text).status_code == 400
        assert client.get("/checkpoint/none").status_code == 404


def asking(record: Record, book: WitnessBook, url: str, found: list[str]) -> WitnessClient:
    settings = WitnessConfig.model_validate({"url": url, "key": book.key.text})
    return WitnessClient(settings, record, LiveState(3, 1e9), lambda whence, _: found.append(whence), 0.05)


async def _ask(asking: WitnessClient) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        await asking.ask(client)


def signed_through(record: Record) -> int:
    note = newest_witnessed(record)
    return 0 if note is None else note.checkpoint.seq


def test_a_table_asks_and_keeps_what_was_signed(record: Record, book: WitnessBook) -> None:
    with listening(book) as url:
        asked = asking(record, book, url, [])
        asyncio.run(_ask(asked))
        for number in range(700):  # more than is sent at once
            record.append(draft(number, round_id=f"s{number}"))
        asyncio.run(_ask(asked))
        head = record.head()
        assert head is not None
        note = newest_witnessed(record)
        assert note is not None
        assert note.checkpoint.seq == head.seq
        assert note == replace(newest_note(record) or note, cosignatures=note.cosignatures)
        # Both forget how far they had come: they find together again.
        book.forget(record.id)
        asyncio.run(_ask(asking(record, book, url, [])))


@pytest.mark.parametrize(("keep", "then"), [(3, 0), (3, 1), (3, 9)])
def test_a_record_rolled_back_with_its_key_is_refused(
    record: Record, book: WitnessBook, tmp_path: Path, keep: int, then: int
) -> None:
    with listening(book) as url:
        asyncio.run(_ask(asking(record, book, url, [])))
        forged = tmp_path / "forged"
        forged.mkdir()
        shutil.copy(record.settings.folder / "record.key", forged)
        forge(record.settings.folder, forged, keep=keep, then=then)
        rolled_back = Record(RecordSettings(forged))
        with pytest.raises(RefusedError, match="entry") as refused:
            asyncio.run(_ask(asking(rolled_back, book, url, [])))
        rolled_back.close()
        assert refused.value.known is not None
        assert refused.value.known.checkpoint.seq == 5


def test_a_service_is_told_by_its_witness_that_it_was_rolled_back(tmp_path: Path) -> None:
    settings = config().model_copy(
        update={"record": RecordConfig(folder=tmp_path / "record", min_free_mb=0, checkpoints_every_s=0.05)}
    )
    book = WitnessBook.make(tmp_path / "witness", "surveillance.example/w1")
    with listening(book) as url:
        witness = WitnessConfig.model_validate({"url": url, "key": book.key.text})
        settings = settings.model_copy(update={"witnesses": (witness,)})
        with serving(settings) as (app, client):
            book.trust("test", PublicKey.load(tmp_path / "record" / PUBLIC_KEY))
            play(app)
            head = app.state.parts.record.head()
            wait_until(lambda: signed_through(app.state.parts.record) == head.seq)
            answer = client.get("/v1/record/checkpoint", params={"witnessed": True})
            assert read_note(answer.text).cosignatures[0].name == book.name
        (tmp_path / "record" / "record.db").rename(tmp_path / "newest.db")
        (tmp_path / "newest").mkdir()
        (tmp_path / "newest.db").rename(tmp_path / "newest" / "record.db")
        shutil.copy(tmp_path / "record" / "record.key", tmp_path / "newest")
        forge(tmp_path / "newest", tmp_path / "record", keep=2, then=0)
        (tmp_path / "record.mark").unlink()
        with serving(settings) as (app, client):

            def checks() -> dict[str, bool]:
                return {each["name"]: each["ok"] for each in client.get("/v1/tables/test").json()["local"]["checks"]}

            wait_until(lambda: checks().get(f"witness {book.name}") is False and checks().get("history") is False)
            (epoch,) = app.state.parts.record.last(("epoch",))
            assert epoch.data["known_from"] == [f"witness {book.name}"]
