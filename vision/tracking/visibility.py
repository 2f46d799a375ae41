"""What the camera could see of the table over time, and whether it still stands where it was calibrated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

UNFIT: Final = frozenset({"too_dark", "too_bright", "blurred", "covered", "obstructed", "defocused", "frozen"})
"""Findings about a picture in which what is not seen may be there all the same."""
UNTRUSTED: Final = UNFIT | {"dim", "bright", "glare", "drifted", "marker_moved", "drift_unknown", "tile_set"}
"""Findings about a picture by which nothing is verified, nor anything put in doubt that was verified before."""
_KNOCKED_S: Final = 1.0
"""Debounces a knock, in seconds: tiles straightened at one moment look like one."""


@dataclass(slots=True)
class Visibility:
    """Follows how far the pictures of a table may be relied on.

    Attributes:
        fit: whether the latest picture shows all that lies there.
        trusted: whether it may be held against what was verified before.
        trusted_since_s: when the first trusted picture after others was taken.
        occluded_until_s: until when nothing could be seen, for long enough that a hand may have been opened meanwhile.
        sighted_s: when the table was seen again after such a time.
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
        """Take the next picture.

        Args:
            t_s: when it was taken.
            codes: findings about it.
            unseen_s: for how long hands may be out of sight with nothing done to them.
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
                # However few pictures there were of that time.
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
