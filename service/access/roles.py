"""Roles and their permissions."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Permission(StrEnum):
    """A permission that a route may require."""

    WATCH = "watch"
    """See the table: its state, current round, live view, events, and the page."""
    ASK = "ask"
    """Evaluate a House Way or a described round; nothing is stored."""
    METRICS = "metrics"
    """See the metrics of the service."""
    READ = "read"
    """Send a picture to be read."""
    RESULTS = "results"
    """See recorded rounds with all their revisions."""
    EVIDENCE = "evidence"
    """See pictures of evidence."""
    ENTRIES = "entries"
    """Read every entry of the record with its signature, like a hub."""
    SETTLE = "settle"
    """Settle a recorded round, and enter what no camera sees: banker and dealer."""
    REVIEW = "review"
    """Confirm or correct a recorded round."""
    AUDIT = "audit"
    """Answer questions about randomly drawn pictures, before the reading is shown."""
    ACKNOWLEDGE = "acknowledge"
    """Acknowledge an alarm, which silences it for everybody."""
    HEALTH = "health"
    """See the state of the service and its machine."""
    CALIBRATE = "calibrate"
    """See and change the calibration of the camera."""
    TILES = "tiles"
    """Check or enrol the displayed set."""
    CHANGES = "changes"
    """See all changes and their authors."""
    ACCOUNTS = "accounts"
    """Administer accounts and keys."""
    OWN_ACCOUNT = "own_account"
    """Change one's own password and end one's own sessions."""


class UserRole(StrEnum):
    """The role of an account or a key."""

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
"""Permissions by role; `docs/accounts.md` has the same table."""
OF_ALL_PITS: Final = frozenset({Permission.METRICS, Permission.CHANGES, Permission.ACCOUNTS, Permission.ENTRIES})
"""Permissions for an entire floor, which accounts and keys limited to pits do not have."""
