"""``houseway webhook``: list undelivered events, and send them again."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, opened_settings, record_of, refuse, say
from service.cli.options import AsJson, RequiredSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.api.notify.notices import NoticeReader
    from service.record.outbox import DeadLetter, Outbox
    from service.system.settings import Config
    from service.system.subscriber_settings import WebhookConfig

Name = Annotated[str, typer.Argument(help="The webhook's name in the settings.")]


def list_undelivered(*, config: RequiredSettings, as_json: AsJson = False) -> None:
    """List the events that each webhook has not accepted."""
    from service.record.outbox import stopped_webhooks

    with _queues(config) as queues:
        letters = {name: queues.letters(name) for name in queues.names}
        stopped = stopped_webhooks(queues.outbox)
    if as_json:
        listed = {
            name: [{"id": each.id, "at": each.at, "attempts": each.attempts, "error": each.error} for each in dead]
            for name, dead in letters.items()
        }
        say(json.dumps(listed))
        return
    for name, those in letters.items():
        say(f"{name}: {_undelivered(len(those))}")
        if name in stopped:
            say(f"  stopped on {stopped[name][:10]}: it answered 410 (gone); `webhook resend --reason` restarts it")
        for each in those:
            say(f"  {each.id}  {each.at}  tried {each.attempts} times: {each.error}")


def resend(
    name: Name,
    *,
    config: RequiredSettings,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="EVENT",
            help="Instead, take this event off the list; the record keeps it. May be repeated.",
        ),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", help="Also restart the webhook, which was stopped, for this reason; it is recorded."),
    ] = None,
) -> None:
    """Send undelivered events again; restart a stopped webhook.

    An event keeps its id, arrives after later ones, and is taken off the list when it is accepted. A webhook that
    answered 410 (gone) is stopped until it is restarted with --reason; it resumes where it stopped, so nothing is lost.
    Exit status 1 if an event was not accepted.
    """
    import asyncio

    with _queues(config) as queues:
        if drop:
            listed = {letter.id for letter in queues.letters(queues.webhook(name).name)}
            if unknown := [event for event in drop if event not in listed]:
                refuse(f"{name}: there is no undelivered event {unknown[0]!r}; `houseway webhook list` lists them")
            for event in drop:
                queues.forget(name, event)
            return
        if reason is not None:
            _restart(queues, queues.webhook(name).name, reason)
        left = asyncio.run(_send(queues, name))
    if left:
        raise typer.Exit(1)


def _restart(queues: _Queues, name: str, reason: str) -> None:
    from service.record.outbox import NotStoppedError, resume_webhook

    with record_of(queues.settings) as record:
        try:
            resume_webhook(record, name, attribution(reason))
        except NotStoppedError as error:
            refuse(str(error))
    say(f"webhook {name} is restarted")


async def _send(queues: _Queues, name: str) -> int:
    """Send each undelivered event again; returns how many were not accepted."""
    from service.api.notify.delivery import NotTakenError
    from service.api.notify.notices import NOTICE_KINDS
    from service.api.notify.webhooks import WebhookChannel

    channel = WebhookChannel(queues.webhook(name))
    left = 0
    try:
        for letter in queues.letters(name):
            seq, part = letter.position
            following = queues.notices.after((seq, part - 1), frozenset(NOTICE_KINDS)).notices
            notice = next(each for each in following if each.id == letter.id)
            try:
                await channel.send(notice)
            except NotTakenError as error:
                left += 1
                say(f"{letter.id}: {error}", err=True)
            else:
                queues.forget(name, letter.id)
                say(f"{letter.id}: accepted")
    finally:
        await channel.close()
    return left


def _undelivered(count: int) -> str:
    return "all events delivered" if not count else f"{count} undelivered event{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class _Queues:
    """The webhooks of a service, their notices and undelivered events."""

    settings: Config
    notices: NoticeReader
    outbox: Outbox

    @property
    def names(self) -> list[str]:
        return [webhook.name for webhook in self.settings.webhooks]

    def webhook(self, name: str) -> WebhookConfig:
        found = next((webhook for webhook in self.settings.webhooks if webhook.name == name), None)
        if found is None:
            refuse(f"the settings name no webhook {name!r}; known: {', '.join(self.names) or 'none'}")
        return found

    def letters(self, name: str) -> tuple[DeadLetter, ...]:
        from service.record.outbox import webhook_subscriber

        return self.outbox.dead(webhook_subscriber(name))

    def forget(self, name: str, event: str) -> None:
        from service.record.outbox import webhook_subscriber

        self.outbox.remove_dead(webhook_subscriber(name), event)


@contextmanager
def _queues(path: Path) -> Iterator[_Queues]:
    from service.api.notify.notices import NoticeReader
    from service.record.outbox import Outbox
    from service.record.store.database import open_database
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import DATABASE, RecordSettings

    with opened_settings(path) as config:
        settings = RecordSettings.of(config)
        if settings.url is None and not (settings.folder / DATABASE).exists():
            refuse(f"{settings.folder}: there is no record yet")
        with DatabaseReader(open_database(settings.database_url)) as reader:
            yield _Queues(config, NoticeReader(reader), Outbox(reader.database))
