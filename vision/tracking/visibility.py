"""What the camera could see of the table over time, and whether it is still where it was calibrated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

UNFIT: Final = frozenset({"too_dark", "too_bright", "blurred", "covered", "obstructed", "defocused", "frozen"})
"""Findings about a picture in which unseen objects may still be present."""
UNTRUSTED: Final = UNFIT | {"dim", "bright", "glare", "drifted", "marker_moved", "drift_unknown", "tile_set"}
"""Findings about a picture that neither verifies anything nor doubts previously verified objects."""
_KNOCKED_S: Final = 1.0
"""Debounce time for a knock, in seconds: tiles straightened at one moment look like one."""


@dataclass(slots=True)
class Visibility:
    """Tracks the reliability of a table's pictures.

    Attributes:
        fit: whether the latest picture shows everything.
        trusted: whether it counts against previously verified objects.
        trusted_since_s: time of the first trusted picture after others.
        occluded_until_s: end of the last occlusion long enough for a hand to have been opened meanwhile.
        sighted_s: when the table was visible again after it.
    """

    fit: bool = True
    trusted: bool = True
    trusted_since_s: float = -math.inf
    occluded_until_s: float = -math.inf
    sighted_s: float = -math.inf
    _seen_s: float = -math.inf
    _unfit_since_s: float | None = None
    _knocked_since_s: float | None = None

    def update(self, t_s: float, codes: Collection[str], unseen_s: float, *, knocked: bool) -> None:
        """Process the next picture.

        Args:
            t_s: when it was taken.
            codes: findings about it.
            unseen_s: how long hands may be out of sight without having been touched.
            knocked: whether its tiles look as if the camera had been knocked.
        """
        before_s, self._seen_s = self._seen_s, t_s
        self.fit = UNFIT.isdisjoint(codes)
        trusted = UNTRUSTED.isdisjoint(codes)
        if trusted and not self.trusted:
            self.trusted_since_s = t_s
        self.trusted = trusted
        if not knocked:
            self._knocked_since_s = None
        elif self._knocked_since_s is None:
            self._knocked_since_s = t_s
        if self.fit:
            if self._unfit_since_s is not None and t_s - self._unfit_since_s > unseen_s:
                # However few pictures cover that time.
                self.occluded_until_s = before_s
            if self._unfit_since_s is not None and self.occluded_until_s >= self._unfit_since_s:
                self.sighted_s = t_s
            self._unfit_since_s = None
            return
        if self._unfit_since_s is None:
            self._unfit_since_s = t_s
        if t_s - self._unfit_since_s > unseen_s:
            self.occluded_until_s = t_s

    def knocked(self, t_s: float) -> bool:
        """Whether the camera seems knocked, and nothing has contradicted it for long enough."""
        return self._knocked_since_s is not None and t_s - self._knocked_since_s >= _KNOCKED_S
