"""Set-up of a table while the service runs: a person changes its settings, and the service restarts with them."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Final

from calibration.table.presets import preset_for
from service.record.changes import Attribution, note_settings
from service.system.settings import config_of
from service.system.settings_edit import edited, write_secret, write_text
from service.system.settings_file import ConfigError, SettingsFile
from service.system.table_settings import LocalTableConfig
from service.table.monitor.calibrating import Calibrating
from service.table.rules_of_settings import rules_fault
from service.table.setup.camera_views import LensViews, Preview
from service.words.wording import Quote, WordedError, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from service.record.store.record import Record
    from service.system.settings import Config
    from service.system.settings_edit import Changes
    from service.system.settings_file import KeyPath
    from service.table.live_state import LiveState
    from service.table.worker import Worker
    from vision.capture import FrameSource

ADDRESS_FILE: Final = "source-address"
CALIBRATION_FILE: Final = "calibration.json"
LENS_FILE: Final = "lens.json"
TILES_FILE: Final = "tiles.json"
DICE_FILE: Final = "dice.json"


def _no_restart() -> None:
    """Do nothing: the service was not started by ``houseway run``."""


class SettingsRefusedError(WordedError):
    """The settings cannot be changed like this."""


class SettingsPlace:
    """The settings file of a running service, and where it has the table that is set up.

    Args:
        path: the file; it need not exist yet.
        host: overrides the file's, as given at the start of the service.
        port: the same.
        number: index of the table, from 0.
        name: of the table in the names of its files; empty if the settings have only one table.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: str | None = None,
        port: int | None = None,
        number: int = 0,
        name: str = "",
    ) -> None:
        self.path = path.resolve()
        self.table: KeyPath = ("tables", number)
        self.source: KeyPath = (*self.table, "source")
        self._host, self._port = host, port
        self._number, self._name = number, name

    def of_table(self, config: Config, name: str) -> SettingsPlace:
        """The same file with the place of a table in it, as the settings have them in their order."""
        names = [table.name for table in config.tables]
        own = name if len(names) > 1 else ""
        return SettingsPlace(self.path, host=self._host, port=self._port, number=names.index(name), name=own)

    def beside(self, name: str) -> Path:
        """A file of this table beside the settings: ``pit4.toml`` has ``pit4-NAME``, or ``pit4-TABLE-NAME``."""
        return self.path.with_name("-".join(filter(None, (self.path.stem, self._name, name))))

    def table_in(self, config: Config) -> LocalTableConfig:
        """The table in settings that this file holds."""
        table = config.tables[self._number]
        if not isinstance(table, LocalTableConfig):
            raise ConfigError(f"table {table.name!r} has a url, and no camera here")
        return table

    def settings(self, changes: Changes, address: str | None = None) -> tuple[str, Config]:
        """Return the text of the file with changes, and the settings in it; nothing is written.

        Args:
            changes: new values by section and key.
            address: the source's address, which is not written to its file yet; None if it does not change.

        Raises:
            ConfigError: the settings are invalid.
        """
        text = edited(SettingsFile.read_or_new(self.path).text, changes)
        file = SettingsFile(self.path, text, tomllib.loads(text))
        if address is not None:
            source = file.values["tables"][self._number]["source"]
            del source["url_file"]
            source["url"] = address
        # Further tables may still have to be set up.
        return text, config_of(file, host=self._host, port=self._port, unfinished=True)


class SetUp:
    """The set-up of one table.

    Args:
        place: its settings file; None if the service runs on settings that are not to be changed.
        config: the settings in use, with this table as the only one.
        record: where changes are recorded.
        calibrating: its calibration.
        live: the table's live state; its checks are no alarms before the set-up is finished.
        open_frames: opens a source.
    """

    def __init__(
        self,
        place: SettingsPlace | None,
        config: Config,
        record: Record,
        calibrating: Calibrating,
        live: LiveState,
        open_frames: Callable[[Config], FrameSource],
    ) -> None:
        self.place = place
        self.calibrating = calibrating
        self.preview = Preview(open_frames)
        self.lens_views = LensViews(live.pictures)
        self.restart: Callable[[], None] = _no_restart
        """Requests a restart of the service with the new settings."""
        self.typed_address: str | None = None
        """Address of a previewed network camera that is not saved yet; it may hold a password."""
        self._config = config
        self._record = record
        if place is not None:
            live.is_set_up = lambda: self.finished

    @property
    def chosen(self) -> bool:
        """Whether the settings name a source."""
        return self._config.table.source is not None

    @property
    def simulated(self) -> bool:
        """Whether the table is simulated, with a calibration of its own."""
        source = self._config.table.source
        return source is not None and source.declared.pictures == "simulation"

    @property
    def finished(self) -> bool:
        """Whether hands can be verified: a source is chosen, and the table is calibrated."""
        return self.chosen and self.calibrating.in_use is not None

    def close(self) -> None:
        """Release the camera."""
        self.preview.end()
        self.lens_views.stop()

    def try_settings(self, changes: Changes, address: str | None = None) -> Config:
        """Return the settings with changes, with this table as the only one; nothing is written.

        Args:
            changes: new values by section and key.
            address: of the source, if it will be stored in a file of its own.

        Raises:
            SettingsRefusedError: the settings are invalid.
        """
        config = self._settings(changes, address)[1]
        return config.of_table(self.own_place().table_in(config))

    def save(self, changes: Changes, because: Attribution, address: str | None = None) -> Config:
        """Write settings to the file, and request a restart of the service.

        Args:
            changes: new values by section and key.
            because: who changes them, and why.
            address: of the source, to be stored in a file of its own, which ``changes`` name.

        Raises:
            SettingsRefusedError: the settings are invalid or cannot be written; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        place = self.own_place()
        text, config = self._settings(changes, address)
        if not os.access(place.path if place.path.exists() else place.path.parent, os.W_OK):
            raise _not_written(place.path, "the service may not write it")
        if address is not None:
            self._write_address(place, address)
            text, config = self._settings(changes)
        note_settings(self._record, config, because)
        try:
            write_text(place.path, text)
        except OSError as error:
            note_settings(
                self._record, self._settings({})[1], Attribution(because.by, f"not written: {error.strerror}")
            )
            raise _not_written(place.path, error.strerror or str(error)) from None
        self.close()
        self.restart()
        return config

    def _write_address(self, place: SettingsPlace, address: str) -> None:
        file = place.beside(ADDRESS_FILE)
        try:
            write_secret(file, address)
        except OSError as error:
            raise _not_written(file, error.strerror or str(error)) from None

    def _settings(self, changes: Changes, address: str | None = None) -> tuple[str, Config]:
        try:
            text, config = self.own_place().settings(changes, address)
            fault = rules_fault(self.own_place().table_in(config))
        except ConfigError as error:
            raise SettingsRefusedError(Quote(str(error))) from None
        if fault is not None:
            raise SettingsRefusedError(Quote(f"{'.'.join(map(str, fault.key))}: {fault.why}"))
        return text, config

    def own_place(self) -> SettingsPlace:
        """Its settings file; SettingsRefusedError if it has none that may be changed."""
        if self.place is None:
            raise SettingsRefusedError(
                words(
                    "This service was started without a settings file of its own; start it with "
                    "`houseway run --config FILE`."
                )
            )
        return self.place


def calibrating_of(
    config: Config,
    calibration: TableCalibration | None,
    record: Record,
    live: LiveState,
    worker: Worker,
    place: SettingsPlace | None,
) -> Calibrating:
    """Return the calibration of a table; without one, its files will be created beside the settings."""
    path, lens = config.table.calibration, None
    if place is not None and (config.table.source is None or config.table.source.kind != "simulator"):
        path, lens = path or place.beside(CALIBRATION_FILE), place.beside(LENS_FILE)
    preset = preset_for(config.table.rulebook)
    return Calibrating(path, calibration, record, config.table.name, live.pictures, worker.recalibrate, lens, preset)


def _not_written(file: Path, why: str) -> SettingsRefusedError:
    return SettingsRefusedError(
        words("%(file)s cannot be written, so nothing was changed: %(why)s", file=file, why=Quote(why))
    )
