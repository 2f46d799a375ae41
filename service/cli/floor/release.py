"""``houseway floor release``: releases added to a floor and given out to rings of tables."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, plain_errors, say
from service.cli.floor.common import FloorSettings, floor_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.floor.fleet.giving import Giving
    from service.record.store.record import Record

Name = Annotated[str, typer.Argument(help="Name of the release.")]
Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")]


def add_release(
    folder: Annotated[Path, typer.Argument(help="The release's folder, from houseway release sign.")],
    config: FloorSettings,
) -> None:
    """Add a signed release to the floor. It is not offered to tables yet."""
    with _giving(config) as (giving, _):
        manifest = giving.shelf.add(folder)
    say(f"{manifest.name}, number {manifest.number}, is here; houseway floor release give {manifest.name} --ring TABLE")


def list_releases(config: FloorSettings) -> None:
    """List the floor's releases and the progress of each."""
    with _giving(config) as (giving, _):
        given = giving.now()
    if not given.shelved:
        say("the floor has no releases yet")
    for shelved in reversed(given.shelved):
        manifest, how = shelved.manifest, given.of(shelved.signed.digest)
        say(f"{manifest.name}  number {manifest.number}, by {manifest.made_by}: {manifest.reason}")
        if how is None:
            say("  not rolled out")
            continue
        for ring in how.rings:
            stages = ", ".join(f"{count} {stage}" for stage, count in ring.stages.items())
            say(f"  {ring.name}: {stages}{' (started)' if ring.open else ''}")
        if how.stopped_by is not None:
            say(f"  stopped by {how.stopped_by}")
        for table in how.bad:
            say(f"  halted: {table}: {how.outcomes[table].reason}")


def give_release(
    name: Name,
    ring: Annotated[
        list[str],
        typer.Option("--ring", help="A table, a pit or all. May be repeated: rings start one after the other."),
    ],
    config: FloorSettings,
    *,
    reason: Reason,
) -> None:
    """Roll out a release to rings of tables.

    The floor offers it. Each table fetches it, verifies its signature, checks it, and restarts with it when no round is
    under way. The next ring starts when every table of the rings before has passed its trial.
    """
    with _giving(config) as (giving, record):
        giving.give(record, name, ring, attribution(reason))
    say(f"{name} is offered to {ring[0]}" + "".join(f", then to {each}" for each in ring[1:]))


def stop_release(name: Name, config: FloorSettings, *, reason: Reason) -> None:
    """Stop offering a release. Tables that use it keep it."""
    with _giving(config) as (giving, record):
        giving.stop(record, name, attribution(reason))
    say(f"{name} is no longer offered")


def go_on_with_release(name: Name, config: FloorSettings, *, reason: Reason) -> None:
    """Continue a halted release: its tables are accepted as they are now."""
    with _giving(config) as (giving, record):
        tables = giving.go_on(record, name, attribution(reason))
    say(f"{name} continues; accepted as they are: {', '.join(tables) or 'none'}")


@contextmanager
def _giving(config: Path) -> Iterator[tuple[Giving, Record]]:
    from service.floor.fleet.giving import Giving
    from service.record.store.record import Record
    from service.release.manifest import ReleaseError

    with (
        plain_errors(ReleaseError, OSError, program="houseway floor release"),
        floor_store(config) as (settings, reader),
        Record(settings.record_settings, claim=False) as record,
    ):
        yield Giving(settings, record, reader.database), record
