"""Roles and what each may do: the one table of permissions."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Permission(StrEnum):
    """What a route may need."""

    WATCH = "watch"
    """See the table: its state, current round, live view, news, and the page."""
    ASK = "ask"
    """Have a House Way or a described round worked out; nothing is kept."""
    METRICS = "metrics"
    """See the figures of the whole service."""
    READ = "read"
    """Have a picture read."""
    RESULTS = "results"
    """See recorded rounds with all their revisions."""
    EVIDENCE = "evidence"
    """See pictures kept as evidence."""
    ENTRIES = "entries"
    """Read every entry of the record with its signature, as the floor service does."""
    SETTLE = "settle"
    """Settle a recorded round, and say what no camera knows: who banks, who deals."""
    REVIEW = "review"
    """Confirm or correct a recorded round."""
    AUDIT = "audit"
    """Say what lies on pictures drawn at random, before the reading is shown."""
    ACKNOWLEDGE = "acknowledge"
    """Say that one has seen an alarm, which silences it for everybody."""
    HEALTH = "health"
    """See what the service runs on and how that is."""
    CALIBRATE = "calibrate"
    """See and change the calibration of the camera."""
    TILES = "tiles"
    """Have the set at the display checked, or enrolled."""
    CHANGES = "changes"
    """See who changed what."""
    ACCOUNTS = "accounts"
    """Administer accounts and keys."""
    OWN_ACCOUNT = "own_account"
    """Change one's own password and end one's own sessions."""


class UserRole(StrEnum):
    """What an account or a key is there for."""

    VIEWER = "viewer"
    INTEGRATOR = "integrator"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"
    FLOOR = "floor"
    ADMIN = "admin"


_SEES: Final = frozenset({Permission.WATCH, Permission.ASK, Permission.METRICS, Permission.OWN_ACCOUNT})
_LOOKS_BACK: Final = _SEES | {Permission.RESULTS, Permission.EVIDENCE}

MAY: Final[dict[UserRole, frozenset[Permission]]] = {
    UserRole.VIEWER: _SEES,
    UserRole.INTEGRATOR: _LOOKS_BACK | {Permission.READ, Permission.SETTLE},
    UserRole.SUPERVISOR: _LOOKS_BACK
    | {
        Permission.READ,
        Permission.SETTLE,
        Permission.REVIEW,
        Permission.AUDIT,
        Permission.ACKNOWLEDGE,
        Permission.HEALTH,
        Permission.TILES,
    },
    UserRole.TECHNICIAN: _LOOKS_BACK | {Permission.READ, Permission.HEALTH, Permission.CALIBRATE, Permission.TILES},
    UserRole.AUDITOR: _LOOKS_BACK | {Permission.AUDIT, Permission.CHANGES, Permission.HEALTH},
    UserRole.FLOOR: _LOOKS_BACK | {Permission.ENTRIES, Permission.HEALTH, Permission.REVIEW, Permission.ACKNOWLEDGE},
    UserRole.ADMIN: frozenset(Permission),
}
"""What each role may do; `docs/accounts.md` has the same table."""
OF_ALL_PITS: Final = frozenset({Permission.METRICS, Permission.CHANGES, Permission.ACCOUNTS, Permission.ENTRIES})
"""What is of a whole floor, and so not for an account or key that is bounded to pits."""
