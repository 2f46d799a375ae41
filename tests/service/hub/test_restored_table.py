"""A real table whose record is restored from a copy that has less than the hub."""

import socket
from pathlib import Path

import pytest

from service.hub.table_proofs import prove_tables
from service.record.checkpoints.epochs import epochs_of
from service.record.store.database_reader import DatabaseReader
from service.record.store.record_settings import RecordSettings
from tests.service.api.notify.test_epochs import copy_of, put_back
from tests.service.api.test_http import play
from tests.service.hub.hubs import ServedHub, hub_config, serving_hub
from tests.service.hub.remote_tables import serving_table, table_config
from tests.service.serving import Served
from tests.service.stand_ins import new_folder, wait_until


def rounds(served: Served, *names: str) -> None:
    for name in names:
        play(served.app, round_id=name)


def is_whole(hub: ServedHub, served: Served) -> bool:
    return bool(hub.parts.hub.writer.known["t0"].hash == served.app.state.parts.record.head().hash)


@pytest.mark.parametrize("how", ["noticed", "shown"])
def test_nothing_is_lost_and_what_is_gone_is_marked(hub_url: str, tmp_path: Path, how: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings = table_config("t0", new_folder() / "record", port)
    with serving_table(settings) as (served, told):
        rounds(served, "r1", "r2", "r3")
        copy_of(settings, tmp_path / "copy.db")
        config = hub_config(hub_url, {"t0": told})
        with serving_hub(config) as hub:
            rounds(served, "lost1", "lost2", "lost3")
            wait_until(lambda: is_whole(hub, served))
            before = [each.entry.line() for each in hub.parts.hub.reader.all_followed()]
            served.stop()
            put_back(settings, tmp_path / "copy.db")
            if how == "shown":  # so that the table does not know that it was restored
                RecordSettings.of(settings).mark_file.unlink()
            with serving_table(settings) as (again, _):
                if how == "shown":
                    rounds(again, "x1", "x2", "x3", "x4")
                wait_until(lambda: len(epochs_of(again.app.state.parts.record)) == 2)
                rounds(again, "new1", "new2")
                wait_until(lambda: is_whole(hub, again), 60)
                lines = [entry.line() for entry in again.app.state.parts.record.all_entries()]
                epoch = epochs_of(again.app.state.parts.record)[-1]
                reader = hub.parts.hub.reader
                held = list(reader.all_followed())
                assert [each.entry.line() for each in held if each.gone is None] == lines
                gone = [each for each in held if each.gone is not None]
                assert {each.gone for each in gone} == {epoch.name}
                assert [each.entry.line() for each in gone] == [line for line in before if line not in lines]
                assert [each.entry.line() for each in held][: len(before)] == before
                assert {"lost1", "lost2", "lost3"} <= {each.entry.round for each in gone}
                with DatabaseReader(reader.database) as own:
                    (proof,) = prove_tables(reader, own)
                assert (proof.faults, proof.gone, proof.last) == ((), len(gone), len(lines))
