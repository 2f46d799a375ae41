"""The components of one application, which routes receive: there are no module globals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.record.ledger import table_of_round
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.served import RoundOut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.access.access import Access
    from service.api.desk import Desk
    from service.api.local_table import LocalTable
    from service.api.notify.notices import NoticeFeed
    from service.api.notify.web_push import PushSender
    from service.hub.fleet import Fleet
    from service.hub.hub import Hub
    from service.hub.live_overview import LiveOverview
    from service.record.checkpoints.history import RecordHistory
    from service.record.feed import Feed
    from service.record.projections.projector import Projector
    from service.record.projections.round_search import FoundRound
    from service.record.store.record import Record
    from service.record.waiting import News
    from service.rounds.judge.rules_in_force import RulesOf
    from service.rounds.reports import RoundReport
    from service.system.limited_process import AnswerCache, LimitedProcess
    from service.system.settings import Config
    from service.table.metrics import Metrics
    from service.table.sent_pictures import SentPictureReader


def cookie_of(config: Config) -> str:
    """Name of the session cookie: browsers share cookies among the ports of a machine, so each service has its own."""
    return f"houseway_{config.service.name}"


def step_cookie_of(cookie: str) -> str:
    """Name of the cookie of a sign-in that still lacks the second factor."""
    return f"{cookie}_step"


def browser_cookie_of(cookie: str, account: str = "") -> str:
    """Name of the cookie that marks a browser known to an account; without an account, the prefix of all such names."""
    return f"{cookie}_browser_{account}"


def telephone_cookie_of(cookie: str) -> str:
    """Name of the cookie that says which telephone of its account this browser is."""
    return f"{cookie}_telephone"


@dataclass(frozen=True, slots=True)
class Parts:
    """The components of one running application.

    Attributes:
        record: this service's own log, of all local tables.
        tables: the local tables, by name.
        rules_of: finds the rules that a recorded round was judged by.
        projector: derives rounds and alarms from the logs.
        desk: records reviews and acknowledgements at local and remote tables.
        reads: reads uploaded pictures.
        counting: computes the exact figures of House Ways.
        films: makes films of rounds.
        overview: the states of all tables.
        following: follows remote tables; None if there are none.
        fleet: the equipment of all tables.
        push: notifies telephones.
    """

    config: Config
    record: Record
    access: Access
    metrics: Metrics
    news: News
    tables: Mapping[str, LocalTable]
    rules_of: RulesOf
    projector: Projector
    desk: Desk
    feed: Feed
    notices: NoticeFeed
    history: RecordHistory
    reads: SentPictureReader
    counting: AnswerCache
    films: LimitedProcess
    overview: LiveOverview
    following: Hub | None
    fleet: Fleet
    push: PushSender

    @property
    def hub(self) -> Hub:
        """The hub; only for routes of services with remote tables."""
        assert self.following is not None  # noqa: S101  see service.web.app
        return self.following

    @property
    def only(self) -> LocalTable | None:
        """The local table, if the service has no other table, local or remote."""
        return next(iter(self.tables.values())) if len(self.config.tables) == len(self.tables) == 1 else None

    @property
    def title(self) -> str:
        """The service's name for people."""
        return self.config.service.title

    @property
    def cookie(self) -> str:
        """Name of the session cookie."""
        return cookie_of(self.config)

    @property
    def start_page(self) -> str:
        """The page to open first: set-up while a table has no camera."""
        return next((f"{table.at}/setup" for table in self.tables.values() if not table.setting_up.chosen), "/")

    @property
    def handles(self) -> int:
        """File handles needed for remote tables."""
        return 0 if self.following is None else self.following.handles

    def table_of(self, round_id: str) -> str:
        """Name of the local table of a recorded round; UnknownRoundError, RecordUnavailableError."""
        # A single table has all rounds, including those recorded under an earlier name.
        return table_of_round(self.record, round_id) if self.single is None else self.single.name

    def served(self, found: FoundRound) -> RoundOut:
        """A round in English, under its table's name in this service."""
        local = self.tables.get(found.table)
        served = RoundOut.from_report(found.played, None if local is None else local.rules.of_round(found.played))
        return served.model_copy(update={"table": found.table})

    def low_lies(self, table: str, played: RoundReport) -> str:
        """Orientation of low hands in a round, from the settings of a local table or else from the rulebook."""
        local = self.tables.get(table)
        if local is None:
            return rules_of(played).low_hand(None).value
        return local.rules.of_round(played).low_hand(local.settings.low_hand).value

    def is_kept(self, table: str, sha256: str) -> bool:
        """Whether a picture still exists; pictures of remote tables are assumed to."""
        return table not in self.tables or self.record.evidence.path(sha256).exists()

    @property
    def single(self) -> LocalTable | None:
        """The local table, if there is exactly one."""
        return next(iter(self.tables.values())) if len(self.tables) == 1 else None

    def stop_waiting(self) -> None:
        """Answer all long polls and event streams."""
        self.news.close()
        self.overview.news.close()
        if self.following is not None:
            self.following.stop_waiting()

    def close(self) -> None:
        """Stop background work."""
        for table in self.tables.values():
            table.setting_up.close()
        self.reads.close()
        self.counting.close()
        self.films.close()
        if self.following is not None:
            self.following.close()
