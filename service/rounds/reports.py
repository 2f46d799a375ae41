"""Readings and rounds as values: the one shape that the tracker hands over, the record keeps, API and pages read.

Faces are written ``6-5``, larger half first; coordinates are pixels of the picture as displayed. A verdict is given on
verified hands only: a hand with any doubt is handed to a person, with the reasons, and nothing is worked out from
tiles that were guessed.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from calibration.table.places import Place, PlaceKind
from engine.game.box_order import BoxOrder
from engine.game.setting import Setting
from engine.game.tiles import Tile
from engine.house_way.rules import Moment
from engine.observed import ObservedRound
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport, Param, params_of
from vision.findings import Code, Finding

FacePair = tuple[str, str]
Corner = tuple[float, float]
Quad = tuple[Corner, Corner, Corner, Corner]
Status = Literal["verified", "uncertain"]
RoundMoment = Literal["no-hand-exposed", "bank-not-put-away", "first-hand-exposed", "bank-put-away"]
Source = Literal["camera", "http"]
"""Where something is known from: seen by the camera, or reported by a person or a program."""
DICE: Final = "dice"
"""The throw, among the places of a round that something is about."""
RoundVerdict = Literal["correct", "wrong", "needs_review", "none"]
"""On the House hand; ``none`` where it was not seen."""
Outcome = Literal["corrected", "too_late", "accepted", "called"]
SettledStatus = Literal["verified", "confirmed", "uncertain"]
"""``confirmed`` is a person's word where the reading left a doubt."""


MOMENTS: Final[dict[Moment, RoundMoment]] = {
    Moment.NO_HAND_EXPOSED: "no-hand-exposed",
    Moment.BANK_NOT_PUT_AWAY: "bank-not-put-away",
    Moment.FIRST_HAND_EXPOSED: "first-hand-exposed",
    Moment.BANK_PUT_AWAY: "bank-put-away",
}


_NOT_SEEN: Final = frozenset({Code.ROUND_NOT_SEEN, Code.ROUND_END_NOT_SEEN})
MOMENT_OF: Final = {word: moment for moment, word in MOMENTS.items()}


class FrozenModel(BaseModel):
    """What every JSON shape of a round is: frozen, and without fields of other names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Doubted(FrozenModel):
    """Something that was read, with the doubts that keep it from being verified."""

    doubts: tuple[DoubtReport, ...] = ()


class SettingReport(FrozenModel):
    """Two pairs of faces."""

    low: FacePair
    high: FacePair

    @classmethod
    def of(cls, setting: Setting) -> Self:
        """Write a setting by its faces."""
        return cls(low=face_pair(setting.low.tiles), high=face_pair(setting.high.tiles))


class HouseWayReport(_Doubted):
    """Whether a hand is set the House Way.

    Attributes:
        verdict: ``correct``, ``wrong``, or ``needs_review`` where the reading leaves a doubt.
        expected: how the rulebook sets these four tiles; None if the hand needs review.
        choices: other settings that the dealer may choose instead; none unless the House Way leaves it to him.
        rule: citation of the rule that decides.
        doubts: why a person must look, if one must.
    """

    verdict: Literal["correct", "wrong", "needs_review"]
    expected: SettingReport | None
    choices: tuple[SettingReport, ...] = ()
    rule: str | None


class TileReport(_Doubted):
    """One tile; ``place``, ``center_mm`` and ``angle_deg`` only with a calibration.

    Attributes:
        face: its face; null face down or where it cannot be read.
        face_up: whether its face is up.
        runner_up: the face it might be instead; null where none comes near.
        status: ``verified`` or ``uncertain``.
    """

    face: str | None
    face_up: bool
    polygon: Quad
    confidence: float
    runner_up: str | None
    status: Status
    place: str | None = None
    center_mm: Corner | None = None
    angle_deg: float | None = None


class ReviewReport(FrozenModel):
    """What a person decided about a part of a round; it is recorded as theirs."""

    action: Literal["confirm", "correct"]
    by: str
    reason: str
    at: datetime


class HandReadReport(_Doubted):
    """A hand as it had been read before a person decided.

    Attributes:
        status: how sure it was: ``verified`` or ``uncertain``.
    """

    low: FacePair
    high: FacePair
    status: Status


class HandReviewReport(ReviewReport):
    """The decision about a hand; ``read`` is null where none had been read."""

    read: HandReadReport | None


class AbsentHandReport(FrozenModel):
    """A place where a hand was read and a person says that none lies.

    Attributes:
        review: who decided it, when and why.
    """

    place: str
    review: HandReviewReport


class DieReport(_Doubted):
    """One die; ``cocked`` if it seems not to lie flat, of a round if most pictures are sure and none shows it flat.

    Attributes:
        value: pips of its upper face; null where they cannot be read.
        role: box die or cut die; null where that is not known.
        colour: of the die.
        cocked: whether it seems not to lie flat in the cup.
    """

    value: int | None
    role: Literal["box", "cut"] | None
    colour: str
    cocked: bool
    polygon: Quad
    confidence: float
    status: SettledStatus


class MarkerReport(_Doubted):
    """One of the house's own markers: chung, off button or plus/minus button.

    Attributes:
        kind: ``chung``, ``chung_house``, ``chung_co_bank``, ``off_button`` or ``plus_minus``.
        value: of a plus/minus button, -4 to +4; null for any other marker.
        outline: points of the rim of its upper face in pixels.
        place: the box that it lies at; null where it lies at none, or on the border of two.
        diameter_mm: across its upper face, in millimetres.
        status: ``verified`` or ``uncertain``.
    """

    kind: Literal["chung", "chung_house", "chung_co_bank", "off_button", "plus_minus"]
    value: int | None
    center: Corner
    center_mm: Corner
    outline: tuple[Corner, ...]
    diameter_mm: float
    confidence: float
    status: Status
    place: str | None


class DiceReviewReport(ReviewReport):
    """The newest decision about dice.

    Attributes:
        read: the dice as they had been read before a person decided about any of them.
        parts: the dice that it is about, such as ``die2``.
    """

    read: tuple[DieReport, ...]
    parts: tuple[str, ...]


class HandReport(_Doubted):
    """Four tiles as they lie; ``house_way`` is null for a hand its player set himself.

    Attributes:
        house_way: whether it is set the House Way; null for a hand that a player set.
        review: what a person decided about it; null if nobody did.
    """

    place: str
    low: FacePair
    high: FacePair
    status: SettledStatus
    house_way: HouseWayReport | None = None
    review: HandReviewReport | None = None

    @property
    def is_set_wrongly(self) -> bool:
        """Whether it lies against the House Way."""
        return self.house_way is not None and self.house_way.verdict == "wrong"


class IrregularityReport(FrozenModel):
    """What a rulebook may call a finding, and the facts on which its remedies depend.

    Attributes:
        kind: code of an :class:`~engine.vocabulary.irregularities.Irregularity`.
        whose: code of whose hand it was; null where that is not known.
        reached: codes of the milestones that the round had reached.
        unknown: codes of those that it may have reached or not; it had not reached any other.
        bank: how the bank was held; null where that is not known.
        rulings: numbers of our rulings under which the rulebook's remedies are applied to the finding.
    """

    kind: str
    whose: str | None = None
    reached: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    bank: Literal["house", "player", "co-bank"] | None = None
    rulings: tuple[int, ...] = ()


class ExceptionReport(FrozenModel):
    """A lawful exception that no camera can rule out.

    Attributes:
        code: of an :class:`~engine.observed.departures.Allowance`.
        rule: citation of the rule that allows it.
        by: the title required to allow it, as the rulebook prints it; empty if no permission is needed.
    """

    code: str
    rule: str
    by: str = ""


class FindingReport(FrozenModel):
    """Something about the picture or the table that a person should know.

    Attributes:
        code: of a closed list.
        params: by name.
        rule: citation of the rule that it departs from.
        unless: lawful exceptions under which it does not depart from the rule; with any, a person decides whether one
            holds, and no alarm is raised.
        irregularities: what the rulebook may call it, none of them preferred; empty where no remedy is needed.
    """

    code: str
    params: dict[str, Param] = {}
    rule: str | None = None
    unless: tuple[ExceptionReport, ...] = ()
    irregularities: tuple[IrregularityReport, ...] = ()

    @property
    def alone(self) -> DoubtReport:
        """What was found, without rule and remedy."""
        return DoubtReport(code=self.code, params=self.params)

    @classmethod
    def of(cls, found: Finding) -> Self:
        """Write a finding down."""
        return cls(code=found.code, params=params_of(found))


class OutcomeReport(FrozenModel):
    """What was done about a finding, or about a hand set against the House Way.

    Attributes:
        outcome: ``corrected``; ``too_late`` to be corrected; ``accepted`` by a person whose title permits it; or
            ``called`` if surveillance or a supervisor was called.
        place: of the hand; null if it is about a finding.
        finding: the finding by its code and values; null if it is about a hand.
        seen_in: revision of the round in which the hand lay wrongly, or that has the finding.
        revision: revision that recorded the outcome; the sequence number of its entry is that of this result.
        at: when it was seen or reported, UTC.
        source: ``camera`` if the hand was seen to be corrected, ``http`` if a person reported it.
        by: who reported it; null for the camera.
        title: of the person who accepted it, as the rulebook prints it; null otherwise.
        called: who was called; null if nobody was.
        reason: note of the person who reported it; may be empty.
    """

    outcome: Outcome
    place: str | None = None
    finding: DoubtReport | None = None
    seen_in: int
    revision: int
    at: datetime
    source: Source
    by: str | None = None
    title: str | None = None
    called: Literal["surveillance", "supervisor"] | None = None
    reason: str = ""


class ThrowReport(_Doubted):
    """What the dice of a round decide, with whoever banks as far as that is known.

    Attributes:
        total: of the box dice; null if unknown.
        first_box: the box that gets the first tiles, by the number on the felt; null if unknown.
        cut: the cut that the cut die names; null without one.
        rule: citation of the rules.
        rulings: numbers of our rulings under which that rule is read.
        status: the least sure of the dice, ``uncertain`` too if the book has other dice.
        doubts: why it is not, or why the dice are to be shaken again.
    """

    total: int | None
    first_box: int | None
    cut: str | None
    rule: str | None
    rulings: tuple[int, ...] = ()
    status: SettledStatus


class BankerReport(FrozenModel):
    """Where the bank is.

    Attributes:
        box: the box of the chung, to which the bank's tiles are dealt; null where only how it is held is known.
        held: ``house``, ``player`` or ``co-bank``; null if not reported; a chung alone does not show it.
        source: ``camera`` if the chung was seen, ``http`` if a person reported it.
        by: who reported it.
    """

    box: int | None
    held: Literal["house", "player", "co-bank"] | None
    source: Source
    by: str | None = None


class OffBoxReport(FrozenModel):
    """A box out of play, and where that is known from."""

    box: int
    source: Source
    by: str | None = None


class AdjustmentReport(FrozenModel):
    """By how much the point of delivery is adjusted, and where that is known from.

    Attributes:
        value: of the plus/minus button, -4 to +4.
    """

    value: int
    source: Source
    by: str | None = None


class OtherCutReport(FrozenModel):
    """What a person reported about another cut than the cut die's.

    Attributes:
        accepted: whether somebody whom the rulebook allows to accept one did.
        by: who reported it.
    """

    accepted: bool
    by: str


class BankReport(_Doubted):
    """The bank of a round; null values are unknown, and nothing is concluded from them.

    Attributes:
        out_of_play: boxes that are known to be out of play; the others may be or may not.
        doubts: why something is not known that was seen or reported.
        banker: where the bank is and how it is held.
        adjustment: of the point of delivery.
        other_cut: whether another cut than the cut die's was accepted; null if nobody reported that.
    """

    banker: BankerReport | None = None
    out_of_play: tuple[OffBoxReport, ...] = ()
    adjustment: AdjustmentReport | None = None
    other_cut: OtherCutReport | None = None


class ClipReport(FrozenModel):
    """What a clip shows: the pictures of the seconds before an alarm."""

    started_at: datetime = Field(description="when its first picture was taken, UTC")
    ended_at: datetime = Field(description="when its last picture was taken, UTC: the one that raised the alarm")
    pictures: int = Field(description="how many pictures it holds, at most five a second")


class EvidenceReport(FrozenModel):
    """A picture or clip that shows what was seen; ``/v1/evidence/{sha256}`` has it."""

    sha256: str = Field(description="SHA-256 of its bytes, hexadecimal; its name")
    role: Literal["frame", "annotated", "close_up", "exchange", "clip"] = Field(
        description="`frame` as the camera gave it, `annotated` with the round drawn on it, `close_up` of the hand or "
        "throw, `exchange` the same with the tiles ringed that belong in the other hand, `clip` with the seconds "
        "before an alarm"
    )
    media_type: str = Field(
        description="`image/jpeg`; of a clip `application/zip`, with one JPEG for each picture, stored without "
        "compression and named NUMBER-YYYYMMDDTHHMMSSmmmZ.jpg by when it was taken"
    )
    bytes: int = Field(description="its size")
    place: str | None = Field(
        default=None,
        description="of the hand that it shows, `dice` for the throw; null for a clip and in earlier entries",
    )
    clip: ClipReport | None = Field(default=None, description="what a clip shows; null for a picture")


class ReadingReport(FrozenModel):
    """All that was read from one picture; ``markers`` is null where none are enrolled, so that nobody looked.

    Attributes:
        image: name of the picture.
        calibrated: whether it was read with a calibration of its camera.
        single_frame: whether one picture alone was read; a round rests on several.
        tiles: every tile that was found.
        elapsed_ms: milliseconds that each step took, and ``total``.
        markers: the house's own markers; null where none are enrolled.
    """

    image: str
    size: tuple[int, int]
    calibrated: bool
    single_frame: bool
    rulebook: str = ""
    house_way: str = ""
    tiles: tuple[TileReport, ...]
    dice: tuple[DieReport, ...]
    hands: tuple[HandReport, ...]
    findings: tuple[FindingReport, ...]
    versions: dict[str, str]
    elapsed_ms: dict[str, float]
    markers: tuple[MarkerReport, ...] | None = None


class KnownBankReport(FrozenModel):
    """The bank when a round was checked against the rulebook; null values were unknown.

    Attributes:
        box: where the chung lies.
        button: what the banker adds to the dice, 0 for nothing.
        method: how the bank is held.
        other_cut: whether another cut than the cut die's was accepted.
    """

    method: Literal["house", "player", "co-bank"] | None
    box: int | None
    button: int | None
    other_cut: bool | None = None


class ObservationReport(FrozenModel):
    """Something that was seen of a round.

    Attributes:
        number: its number in the round, from 1.
        at: when it was seen, UTC.
        kind: such as ``tiles-dealt``; docs/rounds.md lists them.
        facts: the observed facts, by name; usual values are omitted.
    """

    number: int
    at: datetime
    kind: str
    facts: dict[str, Any]


class RoundLogReport(FrozenModel):
    """What was seen of a round, from which its departures from the rulebook can be worked out again.

    Attributes:
        version: of this form.
        variant: the variant of the rulebook that was played; null for Pai Gow itself.
        boxes: how many boxes players have.
        box1_at_dealers_right: whether the felt numbers them from there; null where that is not known.
        side_wagers: whether the table may take side wagers, for which a lost hand may lie open.
        bank: what was known of the bank.
        seen: in the order in which it was seen.
    """

    version: int
    rulebook: str
    rulebook_version: str
    variant: str | None = None
    boxes: int
    box1_at_dealers_right: bool | None
    side_wagers: bool
    bank: KnownBankReport
    seen: tuple[ObservationReport, ...]

    @classmethod
    def of(cls, observed: ObservedRound, at: Sequence[datetime]) -> Self:
        """What was seen of a round, and when each observation was made, UTC."""
        written: dict[str, Any] = observed.to_dict()
        seen = tuple(
            ObservationReport(number=each.pop("number"), kind=each.pop("kind"), at=moment, facts=each)
            for each, moment in zip(written.pop("seen"), at, strict=True)
        )
        return cls(**written, seen=seen)

    @property
    def observed(self) -> ObservedRound:
        """The round as the engine checks it; RecordError if another version wrote it."""
        written = self.model_dump(exclude={"seen"})
        seen = [{"number": each.number, "kind": each.kind, **each.facts} for each in self.seen]
        return ObservedRound.from_dict({**written, "seen": seen})


class RoundReport(FrozenModel):
    """One round: the tracker hands it over, the judge fills it, the record keeps it, and API and pages read it.

    Attributes:
        id: names this round for ever.
        table: the table's name.
        number: counts the table's rounds since the start of its record.
        revision: counts what was learned about this round; a higher one supersedes a lower one.
        rulebook: the one whose remedies hold.
        house_way: the id of the House Way that hands were judged by; the rulebook's own, or the one named under it.
        state: ``open`` while tiles lie, ``closed`` once they have left.
        status: ``verified`` if every hand and die is, ``confirmed`` if a person cleared what was in doubt.
        agreeing_frames: pictures in a row in which each hand was read alike.
        exposed: the places whose hands were opened, in that order.
        asked: the places whose hands the dealer was asked to set; these are judged too.
        moment: how far the round has come, on which the remedy depends; null where that is not known.
        box_order: the boxes counter-clockwise, from the dealer's right to his left, as the table's layout has them;
            null where that is not known.
        throw: what the dice decide; null where none were seen, or the rulebook is not one with dice.
        evidence: the pictures that show each hand and the throw as recorded.
        dice_review: what a person decided about the dice.
        absent: hands that were read but, on a person's word, do not lie on the table.
        versions: of all that made this result: models, libraries, settings, calibration, rulebook.
        bank: who banks, and what is out of play; null if no marker is enrolled and nobody reported it.
        log: what was seen of it, in that order; null where no order of the boxes is known.
        dealer: the reported dealer, by name or staff number; null if nobody reported one.
        outcomes: what was done about its findings and its hands set against the House Way, oldest first; the last one
            about each counts.
        opened_at: when its first tiles were seen, UTC.
        changed_at: when this revision was made, UTC.
        closed_at: when its tiles had left, UTC; null while they lie.
    """

    id: str
    table: str = ""
    number: int = 0
    revision: int = 0
    state: Literal["open", "closed"] = "open"
    opened_at: datetime
    changed_at: datetime
    closed_at: datetime | None = None
    rulebook: str = ""
    house_way: str = ""
    status: Literal["verified", "confirmed", "needs_review"] = "needs_review"
    agreeing_frames: int
    hands: tuple[HandReport, ...] = ()
    dice: tuple[DieReport, ...] = ()
    findings: tuple[FindingReport, ...] = ()
    versions: dict[str, str] = {}
    exposed: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    moment: RoundMoment | None = None
    box_order: tuple[int, ...] | None = None
    throw: ThrowReport | None = None
    evidence: tuple[EvidenceReport, ...] = ()
    dice_review: DiceReviewReport | None = None
    absent: tuple[AbsentHandReport, ...] = ()
    bank: BankReport | None = None
    log: RoundLogReport | None = None
    dealer: str | None = None
    outcomes: tuple[OutcomeReport, ...] = ()

    @property
    def reached(self) -> Moment | None:
        """How far the round has come; None where that is not known. Once it is over, no hand can be corrected."""
        return Moment.BANK_PUT_AWAY if self.state == "closed" else self.seen_to_reach

    @property
    def variant(self) -> str | None:
        """The variant of the rulebook that was played; None for Pai Gow itself."""
        return self.versions.get("variant")

    @property
    def seen_to_reach(self) -> Moment | None:
        """How far the round was seen to come; None where that was not seen."""
        return None if self.moment is None else MOMENT_OF[self.moment]

    @property
    def order(self) -> BoxOrder | None:
        """Where the boxes lie at the table; None where that is not known."""
        numbers = self.box_order
        return BoxOrder(max(numbers), numbers == tuple(sorted(numbers))) if numbers else None

    @property
    def judged(self) -> tuple[HandReport, ...]:
        """The hands that are judged by the House Way."""
        return tuple(hand for hand in self.hands if hand.house_way is not None)

    def interrupted(self) -> Self:
        """The round with the finding that its end was not seen."""
        finding = FindingReport.of(Finding(ServiceCode.INTERRUPTED))
        return self.model_copy(update={"findings": (*self.findings, finding)})

    @property
    def houses(self) -> tuple[HandReport, ...]:
        """The House hand; without a calibration, which says whose hands they are, every judged hand."""
        return tuple(hand for hand in self.judged if Place.parse(hand.place).kind is not PlaceKind.BOX)

    @property
    def house(self) -> HandReport | None:
        """The first of them."""
        return next(iter(self.houses), None)

    @property
    def departures(self) -> tuple[FindingReport, ...]:
        """What was found that the rulebook surely forbids."""
        return tuple(found for found in self.findings if found.rule is not None and not found.unless)

    @property
    def not_seen(self) -> tuple[FindingReport, ...]:
        """That the round, or its end, was not seen."""
        return tuple(found for found in self.findings if found.code in _NOT_SEEN)

    @property
    def left_unseen(self) -> tuple[FindingReport, ...]:
        """The same, as long as nobody has said what was done about it."""
        concluded = [each.finding for each in self.outcomes]
        return tuple(found for found in self.not_seen if found.alone not in concluded)

    @property
    def throw_in_doubt(self) -> bool:
        """Whether a die is in doubt."""
        return any(die.status == "uncertain" for die in self.dice)

    @property
    def places_in_doubt(self) -> tuple[str, ...]:
        """The places of the hands in doubt, then ``DICE`` if the throw is."""
        hands = tuple(hand.place for hand in self.hands if hand.status == "uncertain")
        return (*hands, DICE) if self.throw_in_doubt else hands


def face_pair(tiles: tuple[Tile, Tile]) -> FacePair:
    return (str(tiles[0]), str(tiles[1]))


def parse_pair(faces: FacePair) -> tuple[Tile, Tile]:
    """Two tiles from their faces; EngineError if one is invalid."""
    return (Tile.parse(faces[0]), Tile.parse(faces[1]))


def verdict_of(played: RoundReport) -> RoundVerdict:
    """The verdict on a round's House hand; the most severe one of the hands if it is not known whose they are."""
    given = {hand.house_way.verdict for hand in played.houses if hand.house_way is not None}
    order: tuple[RoundVerdict, ...] = ("wrong", "needs_review", "correct")
    return next((verdict for verdict in order if verdict in given), "none")


def moved(pair: FacePair, other: FacePair) -> tuple[bool, bool]:
    """Which of two tiles lie in the other hand of another setting of the same four.

    >>> moved(("6-1", "5-3"), ("6-3", "5-3"))
    (True, False)
    """
    stay = Counter(other)
    found = []
    for face in pair:
        found.append(stay[face] <= 0)
        stay[face] -= 1
    return found[0], found[1]
