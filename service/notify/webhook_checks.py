"""What the doctor says of webhooks: may each be sent to, and has one said that it wants nothing more."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from service.monitor.doctor.diagnosis import Diagnosis
from service.notify.outbox import Outbox
from service.notify.stopped import stopped_webhooks
from service.notify.webhook_addresses import AddressError, find
from service.record.store.database import DatabaseError, open_database
from service.record.store.entries import RecordUnavailableError
from service.record.store.record_settings import RecordSettings
from service.words.diagnoses import DiagnosisCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.config.settings import Config
    from service.config.subscriber_settings import WebhookConfig

_PATIENCE_S: Final = 10.0


def webhooks(config: Config) -> Iterator[Diagnosis]:
    """Look at every webhook without sending anything."""
    stopped = _stopped(config) if config.webhooks else {}
    for webhook in config.webhooks:
        yield _webhook(webhook, stopped)


def _webhook(webhook: WebhookConfig, stopped: Mapping[str, str]) -> Diagnosis:
    name, url = webhook.name, webhook.url.get_secret_value()
    if name in stopped:
        return Diagnosis.of(DiagnosisCode.WEBHOOK_STOPPED, name=name, day=stopped[name][:10])
    try:
        asyncio.run(asyncio.wait_for(find(url, webhook.networks), _PATIENCE_S))
    except AddressError as error:
        return Diagnosis.of(DiagnosisCode.WEBHOOK_REFUSED, name=name, why=error)
    except TimeoutError:
        why = f"its name was not found within {_PATIENCE_S:.0f} s"
        return Diagnosis.of(DiagnosisCode.WEBHOOK_REFUSED, name=name, why=why)
    return Diagnosis.of(DiagnosisCode.WEBHOOK_WELL, name=name, host=urlsplit(url).hostname)


def _stopped(config: Config) -> dict[str, str]:
    """Those that are stopped; none where the record cannot be read, of which its own check tells."""
    try:
        database = open_database(RecordSettings.of(config).database_url)
        if database.dialect.name == "sqlite" and not Path(database.url.database or "").exists():
            return {}
        try:
            return stopped_webhooks(Outbox(database))
        finally:
            database.dispose()
    except (DatabaseError, RecordUnavailableError):
        return {}
