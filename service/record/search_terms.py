"""What rounds may be looked for by: each term says whether a round fits, and what it looks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal, Protocol

from calibration.table.places import Place, PlaceKind
from service.words.wording import Quote, sentence, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from zoneinfo import ZoneInfo

    from engine.game.tiles import Tile
    from service.rounds.reports import RoundReport
    from service.words.wording import Sayable

RoundVerdict = Literal["correct", "wrong", "needs_review", "none"]
RoundStatus = Literal["verified", "confirmed", "needs_review"]

VERDICTS: Final[Mapping[RoundVerdict, str]] = {
    "correct": sentence("Correct"),
    "wrong": sentence("Wrong"),
    "none": sentence("Not seen"),
}
"""What people call a verdict; a hand that needs review is in a round that does."""
STATUSES: Final[Mapping[RoundStatus, str]] = {
    "verified": sentence("verified"),
    "confirmed": sentence("confirmed"),
    "needs_review": sentence("Needs review"),
}


class Term(Protocol):
    """One thing that is looked for."""

    @property
    def said(self) -> Sayable:
        """What is looked for, in words."""

    def fits(self, played: RoundReport) -> bool:
        """Whether a round has it."""


@dataclass(frozen=True, slots=True)
class OfNumber:
    """The round of a number."""

    number: int

    @property
    def said(self) -> Sayable:
        """As the page calls a round."""
        return words("Round %(number)s", number=self.number)

    def fits(self, played: RoundReport) -> bool:
        """Whether it is this round."""
        return played.number == self.number


@dataclass(frozen=True, slots=True)
class WithTile:
    """Rounds in which one of these faces lay in a hand.

    Attributes:
        faces: any of them will do.
        name: of the tile, if it was asked for by its name.
    """

    faces: tuple[Tile, ...]
    name: str = ""

    @property
    def said(self) -> Sayable:
        """The faces, after their name."""
        shown = " / ".join(map(str, self.faces))
        return words("tile %(faces)s", faces=Quote(f"{self.name} ({shown})" if self.name else shown))

    def fits(self, played: RoundReport) -> bool:
        """Whether it lay in any hand."""
        sought = set(map(str, self.faces))
        return any(not sought.isdisjoint((*hand.low, *hand.high)) for hand in played.hands)


@dataclass(frozen=True, slots=True)
class EitherOf:
    """What can be understood in two ways: any round that fits one of them."""

    one: Term
    other: Term

    @property
    def said(self) -> Sayable:
        """Both."""
        return words("%(one)s or %(other)s", one=self.one.said, other=self.other.said)

    def fits(self, played: RoundReport) -> bool:
        """Whether it fits either."""
        return self.one.fits(played) or self.other.fits(played)


@dataclass(frozen=True, slots=True)
class AtPlace:
    """Rounds in which a hand lay at a box, or the House hand."""

    place: Place

    @property
    def said(self) -> Sayable:
        """As the page calls it."""
        box = self.place.kind is PlaceKind.BOX
        return words("Box %(number)s", number=self.place.number) if box else words("House")

    def fits(self, played: RoundReport) -> bool:
        """Whether one lay there."""
        return any(Place.parse(hand.place) == self.place for hand in played.hands)


@dataclass(frozen=True, slots=True)
class OnDay:
    """Rounds that began on a day of the calendar, in a time zone."""

    day: date
    zone: ZoneInfo

    @property
    def said(self) -> Sayable:
        """The day in a form that no country reads otherwise."""
        return words("on %(day)s", day=self.day.isoformat())

    def fits(self, played: RoundReport) -> bool:
        """Whether it began then."""
        return played.opened_at.astimezone(self.zone).date() == self.day

    @property
    def after(self) -> date:
        """The day behind it."""
        return self.day + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class OfVerdict:
    """Rounds with a verdict on the House hand."""

    verdict: RoundVerdict

    @property
    def said(self) -> Sayable:
        """As the page calls it."""
        return words("House hand: %(verdict)s", verdict=words(VERDICTS[self.verdict]))

    def fits(self, played: RoundReport) -> bool:
        """Whether that is its verdict now."""
        return verdict_of(played) == self.verdict


@dataclass(frozen=True, slots=True)
class OfStatus:
    """Rounds of a status."""

    status: RoundStatus

    @property
    def said(self) -> Sayable:
        """As the page calls it."""
        return words(STATUSES[self.status])

    def fits(self, played: RoundReport) -> bool:
        """Whether that is its status now."""
        return played.status == self.status


@dataclass(frozen=True, slots=True)
class WithText:
    """Rounds in which a text is found: their id, places, tiles, rules, reasons, findings, and who decided and why.

    Attributes:
        text: in any case.
    """

    text: str

    @property
    def said(self) -> Sayable:
        """The text itself."""
        return words("the text “%(text)s”", text=self.text)

    def fits(self, played: RoundReport) -> bool:
        """Whether it is found."""
        return self.text.casefold() in _text(played)


def verdict_of(played: RoundReport) -> RoundVerdict:
    """The verdict on a round's House hand; the worst one where several hands are judged."""
    given = {hand.house_way.verdict for hand in played.hands if hand.house_way is not None}
    order: tuple[RoundVerdict, ...] = ("wrong", "needs_review", "correct")
    return next((verdict for verdict in order if verdict in given), "none")


def _text(played: RoundReport) -> str:
    said = [played.id, *(str(words_of(found.alone)) for found in played.findings)]
    said += [found.rule or "" for found in played.findings]
    for hand in played.hands:
        said += [hand.place, *hand.low, *hand.high, *english(hand.doubts)]
        if hand.house_way is not None:
            said.append(hand.house_way.rule or "")
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    said += [f"{review.by} {review.reason}" for review in reviews if review is not None]
    return "\n".join(said).casefold()
