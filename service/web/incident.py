"""The incident sheet of a round as PDF: what lay, the rule, the remedy, who did what, and the proof.

WeasyPrint prints it: fonts are embedded, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Final

from fastapi.responses import Response
from markupsafe import Markup, escape
from PIL import ImageFile

from service.api.problems import ProblemError
from service.record.ledger import UnknownRoundError
from service.record.results import report_of
from service.record.store.entries import RESULTS
from service.rounds.outcomes import LaidHand, outcome_words, reported_in, wrong_hands
from service.words.wording import Quote, sentence, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pydyf
    from weasyprint import Document
    from weasyprint.urls import URLFetcherResponse

    from service.api.routes.settlement import MistakeCost
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.rounds.judge.rules_in_force import RulesOf
    from service.rounds.reports import EvidenceReport, RoundReport
    from service.web.templating import Page
    from service.words.wording import Sayable


_STATUSES: Final[Mapping[str, str]] = {
    "verified": sentence("read clearly"),
    "confirmed": sentence("confirmed"),
    "needs_review": sentence("needs review"),
}


@dataclass(frozen=True, slots=True)
class Act:
    """One line of who did what, when and why; ``by`` is empty if it is not known."""

    at: datetime
    what: Sayable
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pictured:
    """SHA-256 of the pictures of a hand, or of the ``dice``, that are still kept: a close-up, then the whole table."""

    place: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Incident:
    """The newest revision of a round, with its history.

    Attributes:
        played: its newest revision.
        wrong: the hands that lay against the House Way at some time, each as it lay then.
        pictured: pictures of what went wrong or was in doubt; of the House hand if nothing did.
        pictures: JPEG files of these, by SHA-256.
        entries: everything recorded of the round, oldest first.
        record: id of the record.
        public_key: that its entries are signed for, hexadecimal.
        made_at: when this was gathered, UTC.
    """

    played: RoundReport
    wrong: tuple[LaidHand, ...]
    pictured: tuple[Pictured, ...]
    pictures: dict[str, bytes]
    entries: tuple[Entry, ...]
    record: str
    public_key: str
    made_at: datetime

    @property
    def evidence(self) -> tuple[EvidenceReport, ...]:
        """Every picture that a revision names, once."""
        named = (one for entry in self.entries if entry.kind in RESULTS for one in report_of(entry).evidence)
        return tuple({one.sha256: one for one in named}.values())

    @property
    def judged(self) -> tuple[LaidHand, ...]:
        """The hands to explain: those that were wrong, else all judged."""
        as_now = (LaidHand(hand, self.played, self.played, over=False) for hand in self.played.judged)
        return self.wrong or tuple(as_now)

    @property
    def versions(self) -> str:
        """Names and versions of what read and judged the round."""
        return "; ".join(f"{name} {version}" for name, version in sorted(self.played.versions.items()))

    @property
    def entry_of(self) -> dict[int, int]:
        """Number of the entry of each revision."""
        return {report_of(entry).revision: entry.seq for entry in self.entries if entry.kind in RESULTS}

    @property
    def acts(self) -> tuple[Act, ...]:
        """Who did what, oldest first."""
        return tuple(map(_act, self.entries))


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
    wrong = wrong_hands(revisions)
    pictures: dict[str, bytes] = {}
    pictured = tuple(
        Pictured(place, tuple(_kept(picture, _pictures_of(revisions, place), pictures)))
        for place in _places(revisions[-1], wrong)
    )
    return Incident(
        played=revisions[-1],
        wrong=wrong,
        pictured=pictured,
        pictures=pictures,
        entries=entries,
        record=record_id,
        public_key="" if first is None else str(first.data["public_key"]),
        made_at=datetime.now(UTC),
    )


def incident_sheet(
    incident: Incident, page: Page, title: str, rules_of: RulesOf, low_lies: str, cost: MistakeCost | None
) -> Response:
    """The sheet as a PDF file, in the language of a page.

    Args:
        incident: what the record holds.
        page: on which it is asked for.
        title: of the table.
        rules_of: finds those that a revision of the round was judged by.
        low_lies: how a low hand lies at the table, `vertical` or `horizontal`.
        cost: of a House hand set wrongly; None if it is not known.

    Raises:
        ProblemError: packages are missing that print PDF files.
    """

    def html(missing: str) -> str:
        return page.render(
            "incident.html",
            incident=incident,
            entry_of=incident.entry_of,
            played=incident.played,
            title=title,
            rules_of=rules_of,
            low_lies=low_lies,
            cost=cost,
            missing=missing,
        )

    printed = print_pdf(html(""), incident.pictures)
    if printed.missing:
        missing = ", ".join(f"U+{ord(character):04X}" for character in printed.missing)
        printed = print_pdf(html(missing), incident.pictures)
    return Response(printed.pdf, media_type="application/pdf")


def _act(entry: Entry) -> Act:
    at = datetime.fromisoformat(entry.at)
    if entry.kind == "acknowledgement":
        answered = words("alarm acknowledged: %(alarm)s", alarm=Quote(str(entry.data["message"])))
        return Act(at, answered, str(entry.data["by"]), "")
    if entry.kind == "settlement":
        return Act(at, words("wagers settled"), str(entry.data["by"]), "")
    report = report_of(entry)
    fields = {"revision": report.revision, "status": words(_STATUSES[report.status])}
    outcome = next(iter(reported_in(report)), None)
    if outcome is not None:
        what = words("revision %(revision)s: %(outcome)s", outcome=outcome_words(outcome), revision=report.revision)
        return Act(at, what, outcome.by or "Houseway", outcome.reason)
    if entry.kind == "round":
        return Act(at, words("revision %(revision)s: %(status)s", **fields), "Houseway", "")
    reviews = [hand.review for hand in report.hands] + [gone.review for gone in report.absent] + [report.dice_review]
    newest = max((each for each in reviews if each is not None), key=lambda each: each.at, default=None)
    decided = words("revision %(revision)s, decided by a person: %(status)s", **fields)
    return Act(at, decided, "" if newest is None else newest.by, "" if newest is None else newest.reason)


def _places(played: RoundReport, wrong: tuple[LaidHand, ...]) -> tuple[str, ...]:
    """What a person must see: what was wrong, then what is in doubt, else the hand that was judged."""
    places = [*(each.hand.place for each in wrong), *played.places_in_doubt]
    return tuple(dict.fromkeys(places)) or tuple(hand.place for hand in played.judged[:1])


def _pictures_of(revisions: list[RoundReport], place: str) -> tuple[tuple[str, ...], ...]:
    """SHA-256 of the close-up, and of the whole table with and without drawings.

    They are of the revision in which the place lay wrong, else of the last that has some.
    """
    having = [report for report in revisions if any(one.place == place for one in report.evidence)]
    wrongly = [report for report in having for hand in report.judged if hand.place == place and hand.is_set_wrongly]
    chosen = next(iter(wrongly or having[-1:]), None)
    by_role = {} if chosen is None else {one.role: one.sha256 for one in chosen.evidence if one.place == place}
    return tuple(
        tuple(by_role[role] for role in roles if role in by_role)
        for roles in (("exchange", "close_up"), ("annotated", "frame"))
    )


def _kept(
    picture: Callable[[str], bytes | None], wanted: tuple[tuple[str, ...], ...], pictures: dict[str, bytes]
) -> Iterator[str]:
    """The first that is kept of each of several choices; its file is put among the pictures."""
    for choices in wanted:
        for sha256 in choices:
            data = pictures.get(sha256) or picture(sha256)
            if data is not None:
                pictures[sha256] = data
                yield sha256
                break


LIBRARIES: Final = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""Debian packages with the libraries that lay out text."""
_FONTS: Final = (("noto_cjk_sans_otc", "."), ("fontpkg_noto_sans_thai", "files"))
"""Packages with fonts for scripts that a computer often has no font for, and their folders."""
_FONTS_CONF: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>{folders}</fontconfig>
"""
_FONTCONFIG: Final = "FONTCONFIG_FILE"
_ONE_AT_A_TIME: Final = Lock()  # Pango's font map is not made for several threads


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF file, and the characters in it that no installed font has: boxes stand in their place."""

    pdf: bytes
    missing: str


def print_pdf(html: str, pictures: Mapping[str, bytes]) -> Printed:
    """Print a page.

    Args:
        html: with its own style.
        pictures: JPEG files by the last part of their address in the page; no other address is allowed.

    Raises:
        ProblemError: the libraries that lay out text are not installed.
    """
    with _ONE_AT_A_TIME, _own_fonts():
        return _print(html, pictures)


@contextmanager
def _own_fonts() -> Iterator[None]:
    """Let fontconfig find the packaged fonts too while the block runs."""
    folders = "".join(f"<dir>{escape(files(package) / folder)}</dir>" for package, folder in _FONTS)
    with tempfile.NamedTemporaryFile("w", suffix=".conf", encoding="utf-8") as conf:
        conf.write(_FONTS_CONF.format(folders=folders))
        conf.flush()
        before = os.environ.get(_FONTCONFIG)
        os.environ[_FONTCONFIG] = conf.name
        try:
            yield
        finally:
            if before is None:
                del os.environ[_FONTCONFIG]
            else:
                os.environ[_FONTCONFIG] = before


def _print(html: str, pictures: Mapping[str, bytes]) -> Printed:
    # Not at import: a PDF is seldom wanted, and all that draws one takes memory from then on.
    try:
        from weasyprint import HTML  # noqa: PLC0415
        from weasyprint.urls import URLFetcher, URLFetcherResponse  # noqa: PLC0415
    except OSError as error:
        raise _not_installed(LIBRARIES) from error
    finally:
        # WeasyPrint lets Pillow accept damaged pictures in the whole process; pictures sent to us must stay refused.
        ImageFile.LOAD_TRUNCATED_IMAGES = False

    class Pictures(URLFetcher):  # type: ignore[misc]  # WeasyPrint has no types
        def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
            del headers
            data = pictures[url.rpartition("/")[2]]
            return URLFetcherResponse(url, body=data, headers={"Content-Type": "image/jpeg"})

    missing: set[int] = set()

    def note_missing(document: Document, _: pydyf.PDF) -> None:
        for font in document.fonts.values():
            missing.update(font.missing)

    page = HTML(string=html, base_url="http://houseway.invalid/", url_fetcher=Pictures(fail_on_errors=True))
    pdf: bytes = page.write_pdf(finisher=note_missing)
    return Printed(pdf, "".join(map(chr, sorted(missing))))


def _not_installed(packages: str) -> ProblemError:
    needed = words("PDF files need these Debian packages on this computer: %(packages)s", packages=Markup(packages))  # noqa: S704  constants of this file
    return ProblemError("cannot_print", needed)
