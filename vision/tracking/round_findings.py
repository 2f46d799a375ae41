"""The findings of one round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enum import StrEnum

    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.findings import Finding


@dataclass(slots=True)
class RoundFindings:
    """What a person should know of a round, in the order in which it was first seen."""

    _found: dict[tuple[StrEnum, Place | Tile | None], Finding] = field(default_factory=dict)

    def add(self, finding: Finding, about: Place | Tile | None = None) -> None:
        """Take a finding, once for each thing that it is about."""
        self._found.setdefault((finding.code, about), finding)

    def replace(self, finding: Finding) -> None:
        """Take a finding about the round in place of the one with its code."""
        self._found[finding.code, None] = finding

    def all(self) -> tuple[Finding, ...]:
        """All of them."""
        return tuple(self._found.values())
