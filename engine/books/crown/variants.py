"""Crown Melbourne 6.1: Crown Pai Gow (14), which has a single box die."""

from __future__ import annotations

from engine.books.crown.dice import CROWN_PAI_GOW
from engine.vocabulary.facts import Fact
from engine.vocabulary.sources import CROWN
from engine.vocabulary.variants import Variant

VARIANTS = {
    "crown-pai-gow": Variant(
        name="crown-pai-gow",
        dice=CROWN_PAI_GOW,
        thrown=Fact((2, 3), CROWN.at("14.3.1")),
        otherwise=CROWN.at("14.1"),
        dealt=Fact(4, CROWN.at("14.4.1")),
        taken_back=CROWN.at("14.4.2"),
        may_add=Fact("Bonanza Pai Gow", CROWN.at("13.1")),
    )
}
