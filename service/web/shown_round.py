"""One round of a table on the floor's page, with the forms to decide it for whoever has taken it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from service.access.roles import Permission
from service.floor.claims import of_round
from service.judge.low_hand import low_hand_of
from service.judge.rules_in_force import rules_of
from service.record.ledger import UnknownRoundError
from service.record.results import report_of
from service.record.store.database_reader import record_of_log
from service.rounds.review import doubtful_parts
from service.web.incident import incident_of, incident_sheet
from service.web.round_page import round_page
from service.web.routes.downloads import attached
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.responses import HTMLResponse, Response

    from service.access.access import Caller
    from service.floor.claims import Claim
    from service.rounds.reports import RoundReport
    from service.web.hub_page import FloorPage
    from service.words.wording import Sayable


@dataclass(frozen=True, slots=True)
class ShownTable:
    """What the page of a round tells of its table; the same names as in a table's own settings.

    Attributes:
        name: on the floor.
        title: for people.
        rulebook: what it was played under.
        house_way: by which the round was judged.
    """

    name: str
    title: str
    rulebook: str
    house_way: str


class ShownRound:
    """One round as a person sees it."""

    def __init__(self, page: FloorPage, caller: Caller, table: str, round_id: str) -> None:
        self._page, self._caller = page, caller
        self.held = page.sight.held_table(table)
        self.at = f"/tables/{table}/rounds/{round_id}"
        self._record = record_of_log(page.parts.hub.reader.database, self.held.id)
        self._round_id = round_id
        self.entries = tuple((entry, report_of(entry)) for entry in self._record.of_rounds((round_id,)))
        if not self.entries:
            raise UnknownRoundError(words("No round %(round)s is in the record.", round=repr(round_id)))

    @property
    def newest(self) -> RoundReport:
        """The round as it stands."""
        return self.entries[-1][1]

    def behind(self, played: RoundReport, part: str, told: dict[str, str] | None = None) -> str:
        """Where the next doubt of the round is decided, and the queue if there is none."""
        said = told or {}
        doubtful = doubtful_parts(played)
        left = [each for each in doubtful if each != part]
        if part in doubtful:  # skipped: what comes before it was decided, or skipped too
            left = list(doubtful[doubtful.index(part) + 1 :])
        if left:
            return f"{self.at}?{urlencode({'place': left[0]} | said)}#decide"
        return f"/reviews?{urlencode({'decided': f'{self.held.name}:{self._round_id}'})}" if told else "/reviews"

    def answer(
        self,
        place: str = "",
        *,
        status: int = 200,
        refused: Sayable | None = None,
        sent: dict[str, str] | None = None,
        decided: str = "",
        whole: bool = False,
    ) -> HTMLResponse:
        """The page, with forms for whoever has taken the round; that they look at it is a sign of life."""
        page, caller = self._page, self._caller
        may_review = caller.may(Permission.REVIEW)
        claim = self._claim() if may_review else None
        mine = claim is not None and claim.by == caller.name
        if mine:
            page.parts.hub.desk.take(self.held.id, of_round(self._round_id), caller.name)
        config = page.sight.table_of(self.held.name)
        first = self._record.entry(1)
        told_round, _, told_part = decided.partition(":")
        return page.answer(
            "floor/round.html",
            status=status,
            here=f"/tables/{self.held.name}",
            table=ShownTable(config.name, config.title, self.newest.rulebook, self.newest.house_way),
            low_lies=low_lies_of(self.newest),
            may={each.value: caller.may(each) for each in Permission} | {"review": mine},
            may_take=may_review and not mine,
            claim=claim,
            refused=refused,
            decided=(self.newest, told_part) if told_part and told_round == self._round_id else None,
            recorded=decided == "true",
            sent=sent or {},
            whole=whole,
            **round_page(self.entries, str(first.data["record"]) if first else "", lambda _: True, place),
        )

    def incident(self, picture: Callable[[str], bytes | None]) -> Response:
        """The incident sheet; in other languages than English it quotes what only the table's own House Way can say."""
        first = self._record.entry(1)
        record = "" if first is None else str(first.data["record"])
        incident = incident_of(self._record, record, picture, self._round_id)
        title = self._page.sight.table_of(self.held.name).title
        sheet = incident_sheet(incident, self._page, title, rules_of, low_lies_of(self.newest))
        return attached(sheet, f"{self.held.name}-round-{incident.played.number}.pdf")

    def _claim(self) -> Claim | None:
        key = (self.held.id, of_round(self._round_id))
        return self._page.parts.hub.desk.claims.held([key]).get(key)


def low_lies_of(played: RoundReport) -> str:
    """How a low hand lies by the rulebook of a round."""
    return low_hand_of(None, rules_of(played).book).value
