"""Which settings a release may give out: no secret, no place, nothing of the camera and nothing of what is played."""

from __future__ import annotations

import hashlib
import tomllib
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from service.codes import ReleaseCode
from service.config.learning_settings import LearningConfig
from service.config.service_settings import AuditConfig, LimitsConfig, PageConfig, ReadConfig
from service.config.table_settings import ClockConfig, RoundsConfig
from service.record.store.chain import canonical_json
from service.release.manifest import MODELS_FOLDER, SETTINGS_FILE, ReleaseError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from service.config.settings import Config, Given
    from service.release.manifest import Manifest

GIVEN_OUT: Final[Mapping[str, Collection[str]]] = {
    "rounds": tuple(RoundsConfig.model_fields),
    "clock": tuple(ClockConfig.model_fields),
    "limits": tuple(LimitsConfig.model_fields),
    "read": tuple(ReadConfig.model_fields),
    "audit": tuple(AuditConfig.model_fields),
    "page": tuple(PageConfig.model_fields),
    "learning": tuple(name for name in LearningConfig.model_fields if name != "folder"),
    "models": ("shadow_hours",),
    "record": ("keep_days", "max_mb", "min_free_mb", "clip_s", "warn_days"),
    "log": ("level",),
}
"""By section the keys that may be given out."""


def read_settings(text: str) -> dict[tuple[str, str], object]:
    """The settings of a release's file, by section and key; ReleaseError."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ReleaseError.of(ReleaseCode.UNREADABLE, file=SETTINGS_FILE, why=str(error)) from None
    found: dict[tuple[str, str], object] = {}
    for section, keys in values.items():
        if not isinstance(keys, dict):
            raise ReleaseError.of(ReleaseCode.SETTING_NOT_ALLOWED, key=section)
        for key, value in keys.items():
            if key not in GIVEN_OUT.get(section, ()):
                raise ReleaseError.of(ReleaseCode.SETTING_NOT_ALLOWED, key=f"{section}.{key}")
            found[section, key] = value
    return found


def settings_in(folder: Path, manifest: Manifest) -> dict[tuple[str, str], object]:
    """The settings of a release in a folder; none if it has none. ReleaseError."""
    if SETTINGS_FILE not in manifest.paths:
        return {}
    try:
        return read_settings((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ReleaseError.of(ReleaseCode.UNREADABLE, file=SETTINGS_FILE, why=str(error)) from None


def given_of(folder: Path, manifest: Manifest) -> Given:
    """What stands in place of what a settings file says while a release is used; ReleaseError."""
    origin = f"release {manifest.name}"
    given: dict[tuple[str, str], tuple[object, str]] = {
        key: (value, origin) for key, value in settings_in(folder, manifest).items()
    }
    if manifest.has_models:
        given["models", "weights"] = (str(folder.resolve() / MODELS_FOLDER), origin)
    return given


def with_settings(config: Config, given: Mapping[tuple[str, str], object]) -> Config:
    """A table's settings as they would be with those of a release; ReleaseError if they could not be used."""
    changed: dict[str, Any] = {}
    for section in {section for section, _ in given}:
        before = getattr(config, section)
        values = dict(before) | {key: value for (of, key), value in given.items() if of == section}
        try:
            changed[section] = type(before).model_validate(values)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            key = ".".join(map(str, (section, *fault["loc"])))
            raise ReleaseError.of(ReleaseCode.SETTINGS_WRONG, why=f"{key}: {fault['msg']}") from None
    return config.model_copy(update=changed)


def shared_digest(config: Config) -> str:
    """SHA-256 of a table's settings that can be given out, hexadecimal: tables alike have the same."""
    shared = {
        section: {key: value for key, value in getattr(config, section).model_dump(mode="json").items() if key in keys}
        for section, keys in GIVEN_OUT.items()
    }
    return hashlib.sha256(canonical_json(shared).encode()).hexdigest()
