"""Every kind of source is declared completely, and what is declared is what settings, set-up and guide have."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from service.system.source_kinds import CAMERA_SETTINGS, KINDS, Form, Pictures, SourceKind, offered
from service.system.table_settings import SourceConfig
from service.web.setup_forms import NO_FIELDS, address_of
from vision.capture import CameraSettings
from vision.capture.sources import open_source

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "cameras.md"
VALUES = {
    "path": "pictures",
    "device": 0,
    "url": "{scheme}://127.0.0.1/live",
    "simulator": "seed=1",
}


def valid(kind: SourceKind) -> SourceConfig:
    """The settings of a source that needs nothing more."""
    scheme = "rtsp" if kind.name == "rtsp" else "http"
    values = {
        key: value.format(scheme=scheme) if isinstance(value := VALUES[key], str) else value
        for key in kind.keys
        if key in VALUES
    }
    return SourceConfig.model_validate({"kind": kind.name, **values})


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
class TestKind:
    def test_has_all_parts(self, kind: SourceKind) -> None:
        assert kind.pictures in get_args(Pictures)
        assert kind.form in get_args(Form)
        assert kind.keys
        assert set(kind.keys) <= set(SourceConfig.model_fields)
        assert kind.settable <= set(CAMERA_SETTINGS)
        assert bool(kind.label) == (kind.form in {"address", "path"})
        assert {kind.silent.level, kind.fault.level} == {"fail"}
        assert kind.silent.remedy
        assert kind.fault.remedy

    def test_what_it_needs_is_enough_and_its_source_is_opened(self, kind: SourceKind) -> None:
        source = valid(kind)
        assert source.declared.lacks(source) == ""
        kind.exclusive(source)
        if kind.pictures == "live":
            opened = open_source(source.spec)
            assert opened.live
            opened.close()

    def test_the_guide_explains_it(self, kind: SourceKind) -> None:
        assert re.search(rf"^\| `{kind.name}` \| `{kind.keys[0]}`", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)

    def test_the_set_up_takes_only_an_address_for_it_that_it_asks_for(self, kind: SourceKind) -> None:
        form = NO_FIELDS | {"source": kind.name, "url": "typed"}
        assert address_of(form) == ("typed" if kind.form == "address" else None)


def test_settings_of_a_camera_are_those_of_the_capture() -> None:
    assert set(CAMERA_SETTINGS) == {field.name for field in fields(CameraSettings)}
    assert set(CAMERA_SETTINGS) == frozenset().union(*(kind.settable for kind in KINDS.values()))


def test_every_way_of_asking_has_a_kind() -> None:
    assert all(offered(form) for form in get_args(Form))
