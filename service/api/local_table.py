"""A local table: a table whose camera this service reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.api.conditional import Newest
from service.rounds.served import RoundOut

if TYPE_CHECKING:
    from service.record.ledger import Ledger
    from service.record.results import NewestHands
    from service.rounds.bank import ReportedBank
    from service.rounds.judge.rules_in_force import TableRules
    from service.rounds.review import ReviewIn
    from service.system.settings import Config
    from service.system.table_settings import LocalTableConfig
    from service.table.audit.auditor import Answering
    from service.table.live_state import LiveState
    from service.table.monitor.calibrating import Calibrating
    from service.table.monitor.camera_watch import CameraWatch
    from service.table.monitor.dice_watch import DiceWatch
    from service.table.monitor.set_watch import SetWatch
    from service.table.setup.set_up import SetUp
    from service.table.standing_alarms import Alarms
    from service.table.worker import Worker
    from vision.reading import PictureReader


@dataclass(frozen=True, slots=True)
class LocalTable:
    """The components of a local table; all tables share the record and its notifiers.

    Attributes:
        config: the service's settings, with this table as the only one.
        rules: the rules that its rounds are judged by.
        live: its current state.
        reader: reads a single picture.
        ledger: its rounds in the record.
        worker: reads its pictures in a thread, from a capture process.
        current: caches the JSON of its current round.
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
    dice: DiceWatch | None = None
    camera: CameraWatch | None = None
    current: Newest = field(default_factory=Newest)

    @property
    def settings(self) -> LocalTableConfig:
        """The table's settings."""
        return self.config.table

    @property
    def name(self) -> str:
        """The table's name in this service."""
        return self.settings.name

    def report_bank(self, reported: ReportedBank) -> None:
        """Record a person's report about the bank, and follow it; raises like `Ledger.report_bank`."""
        self.ledger.report_bank(reported)
        self.live.report_bank(reported)

    def decide(self, round_id: str, asked: ReviewIn, key: str | None, by: str) -> RoundOut:
        """Record a review of a round; raises like `Ledger.review`."""
        decided = self.ledger.review(round_id, asked, key, by)
        self.live.publish_decision(decided)
        return RoundOut.from_report(decided, self.rules.of_round(decided))

    @property
    def at(self) -> str:
        """The path of its pages."""
        return f"/tables/{self.name}"
