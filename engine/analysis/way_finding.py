"""A finding about a House Way: what it is, which rules and which deals it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game.setting import Deal
    from engine.house_way.rules import Rule

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class WayFinding:
    """Something that the owner of a House Way should put right, or should know.

    Attributes:
        code: what it is, in one word or two, such as ``undecided``.
        fault: whether it must be put right.
    """

    code: str
    fault: bool
    words: str
    rules: tuple[Rule, ...] = ()
    deals: tuple[Deal, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def ways(self) -> int:
        """How many of the 35,960 deals are concerned."""
        return ways_of(self.deals)


def wrong(code: str, words: str, *rules: Rule) -> WayFinding:
    """A fault in what is declared."""
    return WayFinding(code, fault=True, words=words, rules=rules)


def note(code: str, words: str, *rules: Rule) -> WayFinding:
    """Something that the owner should know."""
    return WayFinding(code, fault=False, words=words, rules=rules)


def fault(code: str, words: str, deals: Iterable[Deal], examples: Iterable[str], *rules: Rule) -> WayFinding:
    """A fault on some deals; ``{deals}`` in its words stands for how many."""
    found = tuple(deals)
    counted = f"{ways_of(found):,} of {HANDS:,} deals"
    return WayFinding(
        code,
        fault=True,
        words=words.replace("{deals}", counted),
        rules=rules,
        deals=found,
        examples=tuple(islice(examples, _EXAMPLES)),
    )


def ways_of(deals: Iterable[Deal]) -> int:
    """How many of the 35,960 deals these deals by face stand for."""
    return sum(deal.ways for deal in deals)
