"""The Star 2024: altering limits (10.6)."""

from __future__ import annotations

from engine.vocabulary.facts import Fact
from engine.vocabulary.limits import LimitRules
from engine.vocabulary.sources import STAR_2024

LIMITS = LimitRules(
    raised=STAR_2024.at("10.6"),
    by=Fact("casino supervisor", STAR_2024.at("10.6")),
    kept=STAR_2024.at("10.6.1"),
    newcomers=STAR_2024.at("10.6.4"),
)
