"""The draw of a day: a number for every member that nobody can know or steer, the lowest of each stratum taken.

Before the day the record holds the SHA-256 of a seed; the seed itself is told when the day is over. A member's number
is keyed with the seed and taken over the hash of the entry that closed its round: whoever makes the seed cannot know
the entries to come, and whoever sits at the table cannot know the seed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.audit.population import Member, Stratum


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

    @property
    def probability(self) -> float:
        """With which it was drawn."""
        return self.taken / self.of


def commitment(seed: bytes) -> str:
    """What is recorded of a seed before the day, hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def number_of(seed: bytes, member: Member) -> str:
    """The pseudo-random number of a member, 64 hexadecimal digits."""
    return hmac.new(seed, f"{member.entry}/{member.place}".encode(), hashlib.sha256).hexdigest()


def shares(quota: int, sizes: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """How many are drawn of each stratum: equal shares, so that a rare one is drawn more often.

    A stratum smaller than its share is drawn whole and leaves the rest to the others; what cannot be divided goes to
    those named first.

    Raises:
        ValueError: the quota is less than the strata, so that one of them could not be drawn at all.
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
    """Draw so many members of some strata, without replacement, in the order in which they are to be asked.

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
