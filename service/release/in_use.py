"""The release that a table uses: looked at anew whenever its settings are read, and put before what their file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.config.settings import config_of, load_config
from service.config.settings_file import ConfigError, SettingsFile
from service.record.store.signing import PublicKey
from service.release.given_out import given_of
from service.release.kept import KeptError, KeptReleases
from service.release.manifest import ReleaseError, verified_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.config.settings import Config, Given


class ReleaseInUseError(ConfigError):
    """The release in use cannot be used: it was altered, or does not go with the settings.

    Attributes:
        folder: where the table's releases are kept.
        why: what is wrong.
    """

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"the release in use, in {folder}, cannot be used: {why}")
        self.folder = folder
        self.why = why


def load_in_use(path: Path) -> Config:
    """A table's settings as its service uses them; ConfigError if they cannot be used."""
    return used(load_config(path), lambda given: config_of(SettingsFile.read(path), given=given))[0]


def used(config: Config, again: Callable[[Given], Config], given: Given | None = None) -> tuple[Config, Given]:
    """A table's settings with what the release in use says in place of their file, and all that stands in its place.

    Args:
        config: the settings without a release.
        again: reads them once more, with what is given in place of what the file says.
        given: what stands in its place anyway.

    Raises:
        ReleaseInUseError: the release cannot be used.
    """
    said = {} if config.fleet is None else _in_use(config.releases_folder, config.fleet.release_key)
    if not said:
        return config, given or {}
    whole = {**(given or {}), **said}
    try:
        return again(whole), whole
    except ConfigError as error:
        raise ReleaseInUseError(config.releases_folder, str(error)) from None


def _in_use(folder: Path, key: str) -> Given:
    """What the release in use says, with its signature and files held against each other once more."""
    releases = KeptReleases(folder)
    try:
        current = releases.read().current
        if current is None:
            return {}
        path = releases.path(current)
        return given_of(path, verified_folder(path, PublicKey.of_hex(key)))
    except (KeptError, ReleaseError, ValueError) as error:
        raise ReleaseInUseError(folder, str(error)) from None
