"""A release undone: the one before is used from the next start on, and the record is told so then."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from service.codes import ReleaseCode
from service.release.kept import KeptError, KeptReleases, ToRecord
from service.rounds.doubts import DoubtReport
from service.words.findings import words_of
from vision.findings import Finding

if TYPE_CHECKING:
    from pathlib import Path

    from service.release.figures import Figures
    from service.release.kept import Held, Kept

MOST_STARTS: Final = 3
"""A release with which the service began so often in a row without staying up is undone."""
THE_TABLE: Final = "the table itself"


def entry_of(
    act: str,
    release: Held,
    *,
    by: str,
    reason: str,
    finding: Finding | None = None,
    before: Held | None = None,
    figures: dict[str, Figures] | None = None,
) -> ToRecord:
    """What the record is to say of a release: ``applied``, ``held``, ``not compared``, ``returned`` or ``refused``.

    Args:
        act: which of them.
        release: the release.
        by: on whose word.
        reason: why.
        finding: the same as a code.
        before: the release that was, or again is, in use beside it.
        figures: how the table read ``before`` and ``after``.
    """
    body: dict[str, Any] = {
        "act": act,
        "release": release.name,
        "number": release.number,
        "digest": release.digest,
        "by": by,
        "reason": reason,
        "finding": None if finding is None else DoubtReport.of(finding).model_dump(mode="json", exclude={"about"}),
        "before": None if before is None else before.name,
        "figures": {name: each.model_dump() for name, each in (figures or {}).items()},
        "decided_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    identity = uuid.uuid4().hex
    return ToRecord(id=identity, body={**body, "id": identity})


def undone(kept: Kept, finding: Finding, figures: dict[str, Figures] | None = None) -> Kept:
    """What is kept once the release in use is undone; it is not taken again."""
    release = kept.current
    if release is None:
        return kept
    entry = entry_of(
        "returned",
        release,
        by=THE_TABLE,
        reason=str(words_of(finding)),
        finding=finding,
        before=kept.before,
        figures=figures,
    )
    now = kept.changed(current=kept.before, before=None, undoable=False, trial=None, ready=None)
    return now.without(release.digest).noted(entry)


def undo_unusable(folder: Path, why: str) -> bool:
    """Undo a release that the service does not start with; returns whether there was one. OSError."""
    releases = KeptReleases(folder)
    try:
        kept = releases.read()
    except KeptError:
        return False
    if kept.current is None:
        return False
    releases.put(undone(kept, Finding.of(ReleaseCode.NOT_USABLE_NOW, why=why)))
    return True


def count_start(folder: Path) -> bool:
    """Note that the service begins with a release on trial; returns whether that was undone instead. OSError."""
    releases = KeptReleases(folder)
    try:
        kept = releases.read()
    except KeptError:
        return False
    if kept.trial is None:
        return False
    if kept.trial.starts >= MOST_STARTS:
        releases.put(undone(kept, Finding.of(ReleaseCode.NOT_STARTED, starts=kept.trial.starts)))
        return True
    starts = kept.trial.model_copy(update={"starts": kept.trial.starts + 1})
    releases.put(kept.changed(trial=starts))
    return False
