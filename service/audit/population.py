"""What may be drawn: every hand and throw that was verified when its round closed, each in one stratum.

The reading counts as it was before any person decided: an error that a supervisor has corrected is still an error.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from calibration.table.places import Place, PlaceKind
from engine.game.hands import Hand, Name
from service.record.store.chain import canonical_json
from service.rounds.reports import DICE, parse_pair
from service.rounds.review import as_read
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.rounds.reports import HandReport, RoundReport


class Stratum(StrEnum):
    """Kinds of verified hands and throws, known before anybody is asked; the first that fits is taken."""

    HAND_BESIDE_DOUBT = "hand_beside_doubt"
    """A hand of a round in which something else was in doubt or found: bad light, crowded tiles, a fault."""
    HAND_WITH_PAIR = "hand_with_pair"
    HAND_JUDGED = "hand_judged"
    """A hand that the House Way is asked of."""
    HAND_OTHER = "hand_other"
    THROW_BESIDE_DOUBT = "throw_beside_doubt"
    THROW_ALIKE = "throw_alike"
    """All box dice show the same value."""
    THROW_OTHER = "throw_other"


HANDS: Final = tuple(stratum for stratum in Stratum if stratum.startswith("hand_"))
THROWS: Final = tuple(stratum for stratum in Stratum if stratum.startswith("throw_"))


@dataclass(frozen=True, slots=True)
class Member:
    """A verified hand or throw.

    Attributes:
        entry: hash of the record's entry that closed its round.
        place: of the hand, ``dice`` for the throw.
        version: short hash of the models and the code that read it.
    """

    entry: str
    place: str
    stratum: Stratum
    version: str


def members(report: RoundReport, entry: str) -> Iterator[Member]:
    """All that was verified in a round as its closing entry, of this hash, has it; nothing of a round still open."""
    if report.state != "closed":
        return
    played, version = as_read(report), version_of(report.versions)
    for hand in played.hands:
        if hand.status == "verified":
            yield Member(entry, hand.place, _of_hand(hand, played), version)
    if played.dice and all(die.status == "verified" for die in played.dice):
        yield Member(entry, DICE, _of_throw(played), version)


def version_of(versions: dict[str, str]) -> str:
    """Names what read a round: its models and code, twelve hexadecimal digits."""
    told = {name: said for name, said in versions.items() if name in (*NETWORKS, "code", "enrolment")}
    return hashlib.sha256(canonical_json(told).encode()).hexdigest()[:12]


def _of_hand(hand: HandReport, played: RoundReport) -> Stratum:
    statuses = {each.status for each in played.hands} | {die.status for die in played.dice}
    if statuses != {"verified"} or played.findings:
        return Stratum.HAND_BESIDE_DOUBT
    if Name.PAIR in (Hand(*parse_pair(pair)).name for pair in (hand.low, hand.high)):
        return Stratum.HAND_WITH_PAIR
    judged = Place.parse(hand.place).kind in (PlaceKind.HOUSE, PlaceKind.HAND) or hand.place in played.asked
    return Stratum.HAND_JUDGED if judged else Stratum.HAND_OTHER


def _of_throw(played: RoundReport) -> Stratum:
    if played.findings or any(hand.status != "verified" for hand in played.hands):
        return Stratum.THROW_BESIDE_DOUBT
    values = [die.value for die in played.dice if die.role != "cut"]
    return Stratum.THROW_ALIKE if len(values) > 1 and len(set(values)) == 1 else Stratum.THROW_OTHER
