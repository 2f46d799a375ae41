"""The page of one recorded round, of a local or a remote table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from anyio import from_thread

from calibration.table.places import BOX_PLACES, HOUSE
from service.access.roles import Permission
from service.api.claims import of_round
from service.api.problems import ProblemError
from service.api.routes.evidence import find_picture
from service.record.ledger import UnknownRoundError
from service.record.projections.round_search import next_waiting
from service.record.results import report_of
from service.record.store.database_reader import record_of_log
from service.record.store.entries import RecordUnavailableError
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.outcomes import acceptors, subjects
from service.rounds.reports import DICE
from service.rounds.review import doubtful_parts
from service.system.limited_process import ProcessBusyError, WorkStoppedError
from service.table.clips import film
from service.web.incident import incident_of, incident_sheet
from service.web.mistake_costs import cost_of_round
from service.web.replay import SECONDS, replay_of
from service.web.review_forms import DICE_AT_MOST
from service.web.review_questions import questions
from service.web.round_views import moments, picture_of
from service.web.templating import TablePage
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from fastapi.responses import HTMLResponse, Response

    from service.access.access import Caller
    from service.api.claims import Claim
    from service.api.routes.settlement import MistakeCost
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.rounds.judge.rules_in_force import RulesOf
    from service.rounds.reports import RoundReport
    from service.web.review_questions import Question
    from service.web.round_views import Moment
    from service.web.templating import Page
    from service.words.wording import Sayable


MISTAKE: Final = "mistake"
"""Names the place of a hand that was set wrongly, whichever that is."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The table of another service, with the names that templates use for a table with a camera here."""

    name: str
    title: str
    rulebook: str
    variant: str | None
    house_way: str


@dataclass(frozen=True, slots=True)
class Decided:
    """A part of a round that a person decided a moment ago, and the URL path of the table's pages."""

    at: str
    played: RoundReport
    part: str


class RoundPage:
    """One round as a person sees it.

    Attributes:
        table: name of its table.
        log: number of the log that it is recorded in.
        at: URL path of its page.
        entries: its revisions, oldest first.

    Raises:
        ProblemError: the caller sees no such table.
        UnknownRoundError: the table has no such round.
    """

    def __init__(self, page: Page, caller: Caller, table: str, round_id: str) -> None:
        parts, self._caller = page.parts, caller
        self._config = page.scope.table_of(table)
        self._local = parts.tables.get(table)
        self._record: DatabaseReader = parts.record
        self.log, self._page = page.scope.log_of_round(table, round_id), page
        self._rules_of: RulesOf = rules_of
        if self._local is None:
            self._record = record_of_log(parts.projector.database, self.log)
        else:
            self._page = TablePage(page.request, parts, self._local)
            self._rules_of = self._local.rules.of_round
        self.table, self.id, self.at = table, round_id, f"/tables/{table}/rounds/{round_id}"
        self.entries = tuple((entry, report_of(entry)) for entry in self._record.of_rounds((round_id,)))

    @property
    def newest(self) -> RoundReport:
        """The newest revision."""
        return self.entries[-1][1]

    def after(self, played: RoundReport, part: str, query: dict[str, str] | None = None) -> str:
        """Where the next doubt is decided: of this round, then of the next that waits at any table, or the queue."""
        query = query or {}
        doubtful = doubtful_parts(played)
        left = [each for each in doubtful if each != part]
        if part in doubtful:  # skipped: the parts before it were decided or skipped
            left = list(doubtful[doubtful.index(part) + 1 :])
        if left:
            return _deciding(self.at, left[0], query)
        tables = [each.name for each in self._page.scope.tables]
        for found in next_waiting(self._page.parts.projector, self.table, played.id, tables):
            parts = doubtful_parts(found.played)
            if parts and self._may_have(self._claim(found.log, found.played.id)):
                return _deciding(f"/tables/{found.table}/rounds/{found.played.id}", parts[0], query)
        return f"/reviews?{urlencode(query)}" if query else "/reviews"

    def answer(
        self,
        place: str = "",
        *,
        status: int = 200,
        refused: Sayable | None = None,
        sent: dict[str, str] | None = None,
        decided: str = "",
        whole: bool = False,
        shared: tuple[str, datetime] | None = None,
    ) -> HTMLResponse:
        """The page, with forms unless another person has taken the round; opening it prolongs one's own claim."""
        page, caller, parts = self._page, self._caller, self._page.parts
        may_review = caller.may(Permission.REVIEW)
        claim = self._claim(self.log, self.id) if may_review else None
        mine = claim is not None and claim.by == caller.name
        if mine:
            with suppress(RecordUnavailableError):  # nothing can be decided now, but the round can be read
                parts.desk.take(self.log, of_round(self.id), caller.name)
        context: dict[str, object] = {"cost": self._cost()}
        shown = round_page(self.entries, self._record_id, lambda sha256: parts.is_kept(self.table, sha256), place)
        if may_review:
            context["concluding"] = self._concluding(shown["moment"])
        if self._local is None:
            context["table"] = ShownTable(
                self.table, self._config.title, self.newest.rulebook, self.newest.variant, self.newest.house_way
            )
        return page.answer(
            "round.html",
            status=status,
            path=self.at,
            here=f"/tables/{self.table}",
            review_at=f"/reviews?table={self.table}",
            title=None if parts.only else self._config.title,
            low_lies=parts.low_lies(self.table, self.newest),
            may_decide=may_review and self._may_have(claim),
            may_take=may_review and claim is None and parts.following is not None,
            claim=claim,
            mine=mine,
            refused=refused,
            decided=decided_before(page, caller, decided),
            recorded=decided == "true",
            sent=sent or {},
            whole=whole,
            shared=None if shared is None else shared[0],
            shared_until=None if shared is None else shared[1],
            **context,
            **shown,
        )

    def _concluding(self, moment: Moment | None) -> dict[str, tuple[str, ...]]:
        """The titles that may accept the hand shown and each finding, by part."""
        of = [(each, self.newest) for each in subjects(self.newest) if each.finding is not None]
        if moment is not None:
            of += [(each, moment.report) for each in subjects(moment.report) if each.part == moment.place]
        return {each.part: acceptors(each, report, self._rules_of(report)) for each, report in of}

    def incident(self) -> Response:
        """The incident sheet; TableAwayError if a picture is only at a table that cannot be reached.

        In other languages than English it quotes what only the own House Way of another service's table can say.
        """
        incident = incident_of(self._record, self._record_id, self._picture, self.id)
        low_lies = self._page.parts.low_lies(self.table, incident.played)
        return incident_sheet(incident, self._page, self._config.title, self._rules_of, low_lies, self._cost())

    def _cost(self) -> MistakeCost | None:
        """What a wrong House hand cost by the wagers recorded last; None if not certain, and for a remote table."""
        if self._local is None:
            return None
        return cost_of_round([report for _, report in self.entries], self._record, self._local)

    def film(self) -> bytes:
        """Make the replay as one film; ProblemError without pictures, or if others wait; TableAwayError."""
        parts = self._page.parts
        revisions = [report for _, report in self.entries]
        kept = {one.sha256 for each in revisions for one in each.evidence if parts.is_kept(self.table, one.sha256)}
        found = replay_of(revisions, kept)
        if found is None:
            raise ProblemError("unknown_picture", words("There is no picture of this round."))
        moments = dict(found.pictures) | dict.fromkeys(found.clips, self.newest.opened_at)
        types = {one.sha256: one.media_type for each in revisions for one in each.evidence}
        pictures = [(at, self._picture(name), types[name]) for name, at in moments.items()]
        try:
            had = [(at, data, media_type) for at, data, media_type in pictures if data is not None]
            made = parts.films.submit(film, had, SECONDS, parts.config.page.zone).result()
        except (ProcessBusyError, WorkStoppedError):
            busy = words("The film could not be made, because the computer is busy. Try again in a minute.")
            raise ProblemError("busy", busy, headers={"Retry-After": "30"}) from None
        if made is None:
            raise ProblemError("unknown_picture", words("There is no picture of this round."))
        return made

    def _picture(self, sha256: str) -> bytes | None:
        parts = self._page.parts
        if self._local is not None:
            return parts.record.evidence.get(sha256)
        found = from_thread.run(find_picture, parts, self._page.scope, sha256)
        return None if found is None else found.data

    @property
    def _record_id(self) -> str:
        if self._local is not None:
            return self._page.parts.record.id
        first = self._record.entry(1)
        return "" if first is None else str(first.data["record"])

    def _claim(self, log: int, round_id: str) -> Claim | None:
        key = (log, of_round(round_id))
        return self._page.parts.desk.claims.held([key]).get(key)

    def _may_have(self, claim: Claim | None) -> bool:
        return claim is None or claim.by == self._caller.name


def decided_before(page: Page, caller: Caller, decided: str) -> Decided | None:
    """What a person decided a moment ago, sent as ``TABLE:ROUND:PART``; None for the whole form."""
    table, _, rest = decided.partition(":")
    round_id, _, part = rest.partition(":")
    if not part:
        return None
    try:
        return Decided(f"/tables/{table}", RoundPage(page, caller, table, round_id).newest, part)
    except (ProblemError, UnknownRoundError):
        return None


def _deciding(at: str, part: str, query: dict[str, str]) -> str:
    return f"{at}?{urlencode({'place': part} | query)}#decide"


_PLACES = (HOUSE, *BOX_PLACES)


def round_page(
    entries: Sequence[tuple[Entry, RoundReport]], record: str, is_kept: Callable[[str], bool], place: str = ""
) -> dict[str, Any]:
    """All that the page of a round needs of the record.

    Args:
        entries: the revisions of the round, oldest first.
        record: id of the record.
        is_kept: whether a picture is still there.
        place: what to look at: a place, ``dice``, a die such as ``die2``, or ``mistake`` for a hand that was set
            wrongly, even if it was corrected; what is worst if it is empty.
    """
    revisions = tuple(report for _, report in entries)
    played = revisions[-1]
    laid = {hand.place for hand in played.hands}
    kept = {one.sha256 for each in revisions for one in each.evidence if is_kept(one.sha256)}
    found = moments(revisions, kept)
    shown, question = _shown(found, questions(played), place)
    return {
        "played": played,
        "moments": found,
        "moment": shown,
        "question": question,
        "picture": picture_of(revisions),
        "replay": replay_of(revisions, kept),
        "replay_seconds": SECONDS,
        "revisions": revisions,
        "entry_of": {report.revision: entry.seq for entry, report in entries},
        "recorded_as": {"record": record, "entry": entries[-1][0]},
        "free": tuple(str(place) for place in _PLACES if str(place) not in laid),
        "dice_rows": range(1, min(DICE_AT_MOST, len(played.dice) + 2) + 1),
        "kept": kept,
    }


def _shown(found: tuple[Moment, ...], asked: tuple[Question, ...], place: str) -> tuple[Moment | None, Question | None]:
    """What to look at: the place that was asked for, or what is worst; and what is in doubt there."""
    at = DICE if place.startswith("die") else place
    shown = next((each for each in found if each.place == at), found[0] if found else None)
    if place == MISTAKE:
        shown = next((each for each in found if each.kind in {"wrong", "set_right"}), shown)
    if shown is None:
        return None, None
    there = [each for each in asked if each.place == shown.place]
    if place.startswith("die"):
        return shown, next((each for each in there if each.part == place), None)
    return shown, there[0] if there else None
