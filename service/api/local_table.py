"""One table of the service that has a camera here: all that belongs to it alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.api.conditional import Newest
from service.rounds.served import RoundOut

if TYPE_CHECKING:
    from service.record.ledger import Ledger
    from service.record.results import NewestHands
    from service.rounds.judge.rules_in_force import TableRules
    from service.rounds.review import ReviewIn
    from service.system.settings import Config
    from service.system.table_settings import LocalTableConfig
    from service.table.audit.answering import Answering
    from service.table.live_state import LiveState
    from service.table.monitor.calibrating import Calibrating
    from service.table.monitor.camera_watch import CameraWatch
    from service.table.monitor.set_watch import SetWatch
    from service.table.setup.set_up import SetUp
    from service.table.standing_alarms import Alarms
    from service.table.worker import Worker
    from vision.reading import PictureReader


@dataclass(frozen=True, slots=True)
class LocalTable:
    """A table that is read here. It shares the record, and what it notifies of, with the others.

    Attributes:
        config: the service's settings, with this table as the only one.
        rules: by which its rounds are judged.
        live: what is known of it now.
        reader: reads a single picture of it.
        ledger: its rounds in the record.
        worker: reads it, in a thread of its own, from a capture process of its own.
        current: the answer made of its current round.
    """

    config: Config
    rules: TableRules
    live: LiveState
    reader: PictureReader
    ledger: Ledger
    worker: Worker
    alarms: Alarms
    answering: Answering
    calibrating: Calibrating
    setting_up: SetUp
    newest_hands: NewestHands
    tiles: SetWatch | None = None
    camera: CameraWatch | None = None
    current: Newest = field(default_factory=Newest)

    @property
    def settings(self) -> LocalTableConfig:
        """Its own settings."""
        return self.config.table

    @property
    def name(self) -> str:
        """By which programs know it."""
        return self.settings.name

    def decide(self, round_id: str, asked: ReviewIn, key: str | None, by: str) -> RoundOut:
        """Record a person's decision about a round; raises as `Ledger.review`."""
        decided = self.ledger.review(round_id, asked, key, by)
        self.live.record_if_newer(decided)
        return RoundOut.from_report(decided, self.rules.of_round(decided))

    @property
    def at(self) -> str:
        """Where its pages are."""
        return f"/tables/{self.name}"


def settings_of(config: Config, table: LocalTableConfig) -> Config:
    """The settings of a service as one of its local tables sees them: with itself as the only table."""
    told: dict[str, object] = {"tables": (table,)}
    if len(config.local) > 1:
        # What a table learns from its own tiles is kept apart from that of the others.
        told["learning"] = config.learning.model_copy(update={"folder": config.crops_folder / table.name})
    return config.model_copy(update=told)
