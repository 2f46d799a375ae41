"""What may be audited, and the day's random draw from it.

The population is every hand and throw that was verified when its round closed, each in one stratum. The reading counts
as it was before any person decided: an error that a supervisor has corrected is still an error.

Before the day the record holds the SHA-256 of a seed; the seed is published when the day is over. The pseudo-random
number of a member is an HMAC, keyed with the seed, of the hash of the entry that closed its round: the owner of the
seed cannot know the entries to come, and nobody at the table can know the seed. The lowest numbers of each stratum are
drawn.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from calibration.table.places import Place, PlaceKind
from engine.game.hands import Hand, Name
from service.record.store.entries import canonical_json
from service.rounds.reports import DICE, parse_pair
from service.rounds.review import as_read
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from service.rounds.reports import HandReport, RoundReport


class Stratum(StrEnum):
    """Kinds of verified hands and throws, known before anybody answers; the first that applies counts."""

    HAND_BESIDE_DOUBT = "hand_beside_doubt"
    """A hand of a round with another doubt or finding: bad light, crowded tiles, a fault."""
    HAND_WITH_PAIR = "hand_with_pair"
    HAND_JUDGED = "hand_judged"
    """A hand that the House Way is applied to."""
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
        place: of the hand; ``dice`` for the throw.
        version: short hash of the models and the code that read it.
    """

    entry: str
    place: str
    stratum: Stratum
    version: str


def members(report: RoundReport, entry: str) -> Iterator[Member]:
    """Yield what was verified in a closed round, whose closing entry has this hash; nothing for an open round."""
    if report.state != "closed":
        return
    played, version = as_read(report), reader_version(report.versions)
    for hand in played.hands:
        if hand.status == "verified":
            yield Member(entry, hand.place, _of_hand(hand, played), version)
    if played.dice and all(die.status == "verified" for die in played.dice):
        yield Member(entry, DICE, _of_throw(played), version)


def reader_version(versions: dict[str, str]) -> str:
    """Return the short hash of the models and the code that read a round: twelve hexadecimal digits."""
    readers = {name: version for name, version in versions.items() if name in (*NETWORKS, "code", "enrolment")}
    return hashlib.sha256(canonical_json(readers).encode()).hexdigest()[:12]


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


@dataclass(frozen=True, slots=True)
class Drawn:
    """A member that was drawn.

    Attributes:
        number: its pseudo-random number, 64 hexadecimal digits.
        of: members of its stratum that day.
        taken: how many of them were drawn; each was drawn with probability ``taken / of``.
    """

    member: Member
    number: str
    of: int
    taken: int


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of a seed, recorded before the day; hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def number_of(seed: bytes, member: Member) -> str:
    """Return the pseudo-random number of a member, 64 hexadecimal digits."""
    return hmac.new(seed, f"{member.entry}/{member.place}".encode(), hashlib.sha256).hexdigest()


def shares(quota: int, sizes: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """Return how many members to draw of each stratum: equal shares, so that rare strata are sampled more densely.

    A stratum smaller than its share is drawn entirely and leaves the rest to the others; an indivisible remainder goes
    to the strata named first.

    Raises:
        ValueError: the quota is smaller than the number of strata.
    """
    left = {stratum: size for stratum, size in sizes.items() if size}
    if quota < len(left):
        raise ValueError(f"a quota of {quota} leaves some of {len(left)} strata without a draw")
    taken = dict.fromkeys(sizes, 0)
    while quota and left:
        share = max(quota // len(left), 1)
        for stratum in tuple(left)[:quota]:
            more = min(share, left[stratum])
            taken[stratum] += more
            quota -= more
            left[stratum] -= more
            if not left[stratum]:
                del left[stratum]
    return taken


def draw(seed: bytes, population: Iterable[Member], strata: Sequence[Stratum], quota: int) -> tuple[Drawn, ...]:
    """Draw ``quota`` members of ``strata`` without replacement, in the order of the questions.

    Raises:
        ValueError: as :func:`shares`.
    """
    numbered: dict[Stratum, list[tuple[str, Member]]] = defaultdict(list)
    for member in population:
        numbered[member.stratum].append((number_of(seed, member), member))
    taken = shares(quota, {stratum: len(numbered[stratum]) for stratum in strata})
    found = (
        Drawn(member, number, len(numbered[stratum]), taken[stratum])
        for stratum in strata
        for number, member in sorted(numbered[stratum], key=lambda pair: pair[0])[: taken[stratum]]
    )
    return tuple(sorted(found, key=lambda one: one.number))
