"""What the record holds of a round, gathered for a sheet that leaves the house."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from service.record.ledger import UnknownRoundError
from service.record.results import report_of
from service.record.store.entries import RESULTS
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import EvidenceReport, HandReport, RoundReport


@dataclass(frozen=True, slots=True)
class Shown:
    """Pictures of one hand, or of the throw; None for one that was removed after it was exported.

    Attributes:
        place: of the hand, or ``dice``.
        annotated: the whole table with the round drawn on it, JPEG.
        close_up: JPEG.
    """

    place: str
    annotated: bytes | None
    close_up: bytes | None


@dataclass(frozen=True, slots=True)
class Incident:
    """A round as it stands in the record, with all that was done about it.

    Attributes:
        played: its newest revision.
        wrong: the hands that lay against the House Way at some time, each as it lay then; the first time of each lay.
        shown: pictures of what went wrong or was in doubt; of the House hand if nothing did.
        entries: everything recorded of the round, oldest first.
        record: id of the record.
        public_key: that its entries are signed for, hexadecimal.
        made_at: when this was gathered, UTC.
    """

    played: RoundReport
    wrong: tuple[tuple[HandReport, RoundReport], ...]
    shown: tuple[Shown, ...]
    entries: tuple[Entry, ...]
    record: str
    public_key: str
    made_at: datetime

    @property
    def evidence(self) -> tuple[EvidenceReport, ...]:
        """Every picture that a revision names, once."""
        named = (one for entry in self.entries if entry.kind in RESULTS for one in report_of(entry).evidence)
        return tuple({one.sha256: one for one in named}.values())


def incident_of(
    record: DatabaseReader, record_id: str, picture: Callable[[str], bytes | None], round_id: str
) -> Incident:
    """Gather what a record holds of a round.

    Args:
        record: where it is kept.
        record_id: its id.
        picture: gives a picture by its hash; None if it was removed.
        round_id: the round.

    Raises:
        UnknownRoundError: it holds nothing of it.
        RecordUnavailableError: it cannot be read.
    """
    entries = record.of_rounds((round_id,), (*RESULTS, "acknowledgement", "settlement"))
    revisions = [report_of(entry) for entry in entries if entry.kind in RESULTS]
    if not revisions:
        raise UnknownRoundError(words("No round %(round)s is in the record.", round=repr(round_id)))
    first = record.entry(1)
    wrong: dict[tuple[str, frozenset[str], frozenset[str]], tuple[HandReport, RoundReport]] = {}
    for report in revisions:
        for hand in report.judged:
            if hand.is_set_wrongly:
                wrong.setdefault((hand.place, frozenset(hand.low), frozenset(hand.high)), (hand, report))
    played = revisions[-1]
    return Incident(
        played=played,
        wrong=tuple(wrong.values()),
        shown=tuple(_shown(picture, revisions, place) for place in _places(played, tuple(wrong.values()))),
        entries=entries,
        record=record_id,
        public_key="" if first is None else str(first.data["public_key"]),
        made_at=datetime.now(UTC),
    )


def _places(played: RoundReport, wrong: tuple[tuple[HandReport, RoundReport], ...]) -> tuple[str, ...]:
    """What a person must see: what was wrong, then what is in doubt, else the hand that was judged."""
    places = [*(hand.place for hand, _ in wrong), *played.places_in_doubt]
    return tuple(dict.fromkeys(places)) or tuple(hand.place for hand in played.judged[:1])


def _shown(kept: Callable[[str], bytes | None], revisions: list[RoundReport], place: str) -> Shown:
    """The pictures of a place: of the revision in which it lay wrong, else of the last that has some."""
    having = [report for report in revisions if any(one.place == place for one in report.evidence)]
    wrongly = [report for report in having for hand in report.judged if hand.place == place and hand.is_set_wrongly]
    chosen = next(iter(wrongly or having[-1:]), None)
    by_role = {} if chosen is None else {one.role: one.sha256 for one in chosen.evidence if one.place == place}

    def picture(role: str) -> bytes | None:
        return None if role not in by_role else kept(by_role[role])

    return Shown(place, picture("annotated") or picture("frame"), picture("close_up"))
