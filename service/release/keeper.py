"""Looks after the releases of a running table: what the floor offers is fetched, checked, tried, and kept or undone."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode, ServiceCode
from service.learning.choice import own_tiles
from service.ops.background import in_background
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.signing import PublicKey
from service.release.check import check_release
from service.release.fetch import FloorClient
from service.release.kept import Held, Kept, KeptError, KeptReleases, Trial
from service.release.manifest import ReleaseError
from service.release.trial import Length, Since, due, ended, figures_before, over, worse
from service.release.undoing import THE_TABLE, entry_of, undone
from service.table.live_state import Check
from service.words.findings import words_of
from vision.findings import Finding
from vision.learning.errors import LearningError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.config.fleet_settings import FleetConfig
    from service.config.settings import Config
    from service.ops.metrics import Metrics
    from service.record.store.record import Record
    from service.release.figures import Figures
    from service.release.manifest import Manifest, SignedManifest
    from service.table.live_state import LiveState

_log = logging.getLogger(__name__)

NAME: Final = "release"
ASK_S: Final = 30.0
"""How often the floor is asked."""
LOOK_S: Final = 2.0
QUIET_S: Final = 10.0
"""So long no round must have been under way before the service begins anew."""
UP_S: Final = 60.0
"""A service that stayed up so long has started."""
_MAY_PASS: Final = frozenset({ReleaseCode.NOT_REACHED, ReleaseCode.FILE_DIFFERS, ReleaseCode.CHECK_ENDED})
"""What may be well when it is tried again."""


class ReleaseKeeper:
    """Looks after the releases of one table while its service runs.

    Args:
        config: the table's settings, as they are in use.
        fleet: the part of them about releases.
        record: the table's.
        live: its state, which tells when it is quiet.
        metrics: what it counts.
        begin_anew: begins the service again in this process; returns False if nobody would.
        looked_after: whether somebody starts the process again when it ends.

    Attributes:
        running: the release that the service runs with; None for the program's own.
    """

    def __init__(
        self,
        config: Config,
        fleet: FleetConfig,
        record: Record,
        live: LiveState,
        metrics: Metrics,
        begin_anew: Callable[[], bool],
        *,
        looked_after: bool,
    ) -> None:
        self.releases = KeptReleases(config.releases_folder)
        self.running: Held | None = None
        self.looked_after = looked_after
        self._config, self._fleet, self._key = config, fleet, PublicKey.of_hex(fleet.release_key)
        self._record, self._live, self._metrics, self._begin_anew = record, live, metrics, begin_anew
        self._length = Length(fleet.trial_hands, fleet.trial_minutes)
        self._since: Since | None = None
        self._away = ""
        self._told: set[tuple[str, str]] = set()
        self._asked_at = self._busy_at = float("-inf")
        self._began_at = time.monotonic()

    def begin(self) -> None:
        """Note what the service begins with; before its first picture. What cannot be recorded now is later."""
        try:
            kept = self.releases.read()
        except KeptError:
            _log.exception("nothing is known of releases")
            return
        self.running = kept.current
        kept = self._recorded(kept)
        if kept.trial is not None and kept.trial.since is None:
            try:
                head = self._record.head()
            except RecordUnavailableError:
                return
            began = {"since": 0 if head is None else head.seq, "began_at": datetime.now(UTC)}
            self.releases.put(kept.changed(trial=kept.trial.model_copy(update=began)))

    @asynccontextmanager
    async def running_beside(self) -> AsyncIterator[None]:
        """Look after releases while the block runs."""
        await asyncio.to_thread(self.begin)
        client = FloorClient(self._fleet)
        try:
            async with in_background(self._run(client)):
                yield
        finally:
            await client.close()

    async def _run(self, client: FloorClient) -> None:
        while True:
            try:
                await self.step(client)
            except (RecordUnavailableError, KeptError, OSError) as error:
                _log.warning("releases wait: %s", error)
            except Exception:  # noqa: BLE001  the table is read whatever is wrong here
                _log.exception("looking after releases failed")
            await asyncio.sleep(LOOK_S)

    async def step(self, client: FloorClient) -> None:
        """Do what is to be done now; RecordUnavailableError, KeptError, OSError."""
        self._note_rounds()
        kept = await asyncio.to_thread(lambda: self._recorded(self.releases.read()))
        if kept.trial is not None and kept.current == self.running:
            kept = await asyncio.to_thread(self._look, kept)
        if time.monotonic() - self._asked_at >= ASK_S:
            self._asked_at = time.monotonic() - random.uniform(0.0, ASK_S / 5)  # noqa: S311  no secret
            kept = await self._ask(client, kept)
        if kept.ready is not None and kept.trial is None and self._is_quiet:
            kept = await asyncio.to_thread(self._use, kept, kept.ready)
        self._live.check(self._check(kept))
        if kept.current != self.running and self._is_quiet:
            self._restart(kept)

    def _note_rounds(self) -> None:
        current = self._live.state.current
        if current is not None and current.state == "open":
            self._busy_at = time.monotonic()

    @property
    def _is_quiet(self) -> bool:
        return time.monotonic() - self._busy_at >= QUIET_S

    def _recorded(self, kept: Kept) -> Kept:
        """What is kept once the record has all that it should; RecordUnavailableError keeps it for later."""
        while kept.to_record:
            first, *rest = kept.to_record
            if not any(entry.data.get("id") == first.id for entry in self._record.last(("release",), count=5)):
                body = first.body
                self._record.append(Draft("release", body, table=self._config.table.name, subject=body["release"]))
            kept = kept.changed(to_record=tuple(rest))
            self.releases.put(kept)
        return kept

    def _put(self, kept: Kept) -> Kept:
        self.releases.put(kept)
        return self._recorded(kept)

    # What is on trial

    def _look(self, kept: Kept) -> Kept:
        """Compare how the table reads with how it did, where it is time for that."""
        trial, current = kept.trial, kept.current
        if trial is None or current is None or trial.since is None or trial.began_at is None:
            return kept
        since, minutes = trial.since, (datetime.now(UTC) - trial.began_at).total_seconds() / 60
        if trial.starts and time.monotonic() - self._began_at >= UP_S:
            trial = trial.model_copy(update={"starts": 0})
            self.releases.put(kept := kept.changed(trial=trial))
        if self._since is None:
            self._since = Since(self._record, self._config.table.name, since)
        after = self._since.now().timed(*self._metrics.busy)
        at_end = over(self._length, after, minutes)
        if not at_end and not due(self._length, after, trial.looks):
            return kept
        figures = {"before": trial.before, "after": after}
        if (found := worse(trial.before, after)) is not None:
            _log.error("release %s is undone: %s", current.name, words_of(found))
            return self._put(undone(kept, found, figures))
        if not at_end:
            looked = trial.model_copy(update={"looks": trial.looks + 1})
            self.releases.put(kept := kept.changed(trial=looked))
            return kept
        end = ended(trial.before, after)
        said = str(words_of(end.finding))
        _log.info("release %s: %s", current.name, said)
        act = "held" if end.holds else "not compared"
        entry = entry_of(act, current, by=THE_TABLE, reason=said, finding=end.finding, figures=figures)
        return self._put(kept.changed(trial=None).noted(entry))

    # What the floor offers

    async def _ask(self, client: FloorClient, kept: Kept) -> Kept:
        """Ask what the floor offers, and take it if it is right."""
        try:
            signed = await client.offer()
        except ReleaseError as error:
            if self._away != str(error):
                _log.warning("the floor cannot be asked for releases: %s", error)
            self._away = str(error)
            return kept
        self._away = ""
        digest = None if signed is None else signed.digest
        if kept.ready is not None and kept.ready.digest != digest:
            _log.info("release %s is not offered any more", kept.ready.name)
            await asyncio.to_thread(self.releases.put, kept := kept.changed(ready=None))
        await asyncio.to_thread(self.releases.tidy, kept, fetching=digest)
        if signed is None or digest in {each.digest for each in (kept.current, kept.ready) if each is not None}:
            return kept
        if kept.undoable and kept.before is not None and kept.before.digest == digest:
            return await asyncio.to_thread(self._go_back, kept, kept.before)
        if digest in kept.refused or kept.trial is not None:
            return kept
        return await self._take(client, kept, signed)

    async def _take(self, client: FloorClient, kept: Kept, signed: SignedManifest) -> Kept:
        manifest: Manifest | None = None
        folder = self.releases.incoming(signed.digest)
        try:
            manifest = signed.verified(self._key)
            if manifest.number <= kept.highest:
                raise ReleaseError.of(ReleaseCode.NUMBER_NOT_GREATER, number=manifest.number, highest=kept.highest)
            await client.fetch(signed, manifest, folder)
            tiles = await asyncio.to_thread(own_tiles, self._config.models_folder)
            await check_release(folder, manifest, self._config, tiles)
        except (ReleaseError, LearningError) as error:
            return await asyncio.to_thread(self._refuse, kept, signed, manifest, error)
        held = _held(signed.digest, manifest)
        await asyncio.to_thread(self.releases.complete, held)
        kept = kept.changed(ready=held, highest=manifest.number)
        await asyncio.to_thread(self.releases.put, kept)
        _log.info("release %s is here and right; it is used at a quiet moment", held.name)
        return kept

    def _refuse(
        self, kept: Kept, signed: SignedManifest, manifest: Manifest | None, error: ReleaseError | LearningError
    ) -> Kept:
        finding = error.finding if isinstance(error, ReleaseError) else None
        code = ReleaseCode.MODEL_UNUSABLE if finding is None else finding.code
        if (signed.digest, str(code)) not in self._told:
            _log.error("a release is not taken: %s", error)
        passing = code in _MAY_PASS
        if code is ReleaseCode.NOT_REACHED or (passing and (signed.digest, str(code)) in self._told):
            return kept
        self._told.add((signed.digest, str(code)))
        # Of one that nobody signed, nothing is believed but that it came.
        refused = Held(name="", number=0, digest=signed.digest, made_by="", reason="")
        if manifest is not None:
            refused = _held(signed.digest, manifest)
        entry = entry_of("refused", refused, by=THE_TABLE, reason=str(error), finding=finding)
        return self._put((kept if passing else kept.without(signed.digest)).noted(entry))

    # What is used

    def _use(self, kept: Kept, release: Held) -> Kept:
        """Use a release from the next start on."""
        figures = figures_before(self._record, self._config.table.name, self._fleet.trial_hands)
        before: Figures = figures.timed(*self._metrics.busy)
        entry = entry_of("applied", release, by=release.made_by, reason=release.reason, before=kept.current)
        used = kept.changed(current=release, before=kept.current, undoable=True, ready=None, trial=Trial(before=before))
        return self._put(used.noted(entry))

    def _go_back(self, kept: Kept, release: Held) -> Kept:
        """Use the release before again, for the floor offers it; the one in use is then the one before."""
        finding = Finding.of(ReleaseCode.ONE_BEFORE_GIVEN)
        entry = entry_of(
            "applied", release, by=release.made_by, reason=str(words_of(finding)), finding=finding, before=kept.current
        )
        changed = kept.changed(current=release, before=kept.current, ready=None, trial=None)
        return self._put(changed.noted(entry))

    def _restart(self, kept: Kept) -> None:
        """Begin anew with what is kept; a release on trial only where somebody starts a process that it ends."""
        if kept.trial is not None and not self.looked_after:
            return
        if self._begin_anew():
            what = "what the program brings" if kept.current is None else f"release {kept.current.name}"
            _log.info("the service begins anew with %s", what)

    def _check(self, kept: Kept) -> Check:
        if kept.current != self.running and not (self.looked_after or kept.trial is None):
            return Check.of(NAME, ServiceCode.RELEASE_WAITS_FOR_RESTART, ok=False, blocks=False)
        if self.running is None:
            return Check.of(NAME, ServiceCode.NO_RELEASE_IN_USE, ok=True, blocks=False)
        return Check.of(NAME, ServiceCode.RELEASE_IN_USE, ok=True, blocks=False, name=self.running.name)


def _held(digest: str, manifest: Manifest) -> Held:
    return Held(
        name=manifest.name,
        number=manifest.number,
        digest=digest,
        made_by=manifest.made_by,
        reason=manifest.reason,
    )
