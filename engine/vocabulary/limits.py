"""Limits on the table's sign, and what a book lays down about altering them while people play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


@dataclass(frozen=True, slots=True)
class Limits:
    """What the sign says. Money is in the smallest unit; None where it names no such limit."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class LimitRules:
    """How limits are altered.

    Attributes:
        raised: a minimum is raised only once a sign has said so for twenty minutes.
        by: whose decision it is; None where the book names nobody.
        kept: the rule by which it may be raised without a sign, whoever plays keeping the minimum he began under
            until he leaves or a sign has said so; None where there is no such rule.
        newcomers: the rule that the new minimum holds for whoever comes then.
    """

    raised: Cite
    by: Fact[str] | None = None
    kept: Cite | None = None
    newcomers: Cite | None = None
