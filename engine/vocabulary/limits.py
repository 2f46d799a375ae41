"""Displayed limits, and a book's rules on changing them during play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


@dataclass(frozen=True, slots=True)
class Limits:
    """The displayed limits. Money is in the smallest unit; None if there is no such limit."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class LimitRules:
    """Rules on changing limits.

    Attributes:
        raised: a minimum is raised only after a sign has announced it for twenty minutes.
        by: who decides; None if the book names nobody.
        kept: the rule by which it may be raised without a sign, current players keeping the minimum they started under
            until they leave or a sign has announced it; None if there is no such rule.
        newcomers: the rule that the new minimum applies to players who join later.
    """

    raised: Cite
    by: Fact[str] | None = None
    kept: Cite | None = None
    newcomers: Cite | None = None
