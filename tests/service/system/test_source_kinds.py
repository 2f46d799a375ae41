"""Every kind of source is declared completely, and what is declared is what settings, set-up and guide have."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from typer.models import ArgumentInfo

from datasets.simulator.film import PREFIX, open_simulator
from service.cli.options import Source
from service.system.section import Address
from service.system.settings import SAMPLE_CONFIG
from service.system.source_kinds import CAMERA_SETTINGS, KINDS, Form, Pictures, SourceKind, offered
from service.system.table_settings import SourceConfig
from service.web.setup_forms import NO_FIELDS, address_of
from service.words.declared.all_codes import declaration_of
from tests.conftest import ROOT
from vision.capture import CameraSettings
from vision.capture.faults import CaptureCode
from vision.capture.sources import open_source

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "cameras.md"
VALUES = {"path": "pictures", "device": 0, "simulator": "seed=1"}
KEYS = {
    key: {kind.name for kind in KINDS.values() if key in (*kind.keys, *kind.settable)}
    for key in ("path", "url", "device", "simulator", "size", "colour_gains", "white_balance_k")
}
"""The kinds that take a key."""


def valid(kind: SourceKind) -> SourceConfig:
    """The settings of a source that needs nothing more."""
    values = {key: VALUES[key] for key in kind.keys if key in VALUES}
    if kind.schemes:
        values["url"] = f"{kind.schemes[0]}127.0.0.1/live"
    return SourceConfig.model_validate({"kind": kind.name, **values})


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
class TestKind:
    def test_has_all_parts(self, kind: SourceKind) -> None:
        assert kind.pictures in get_args(Pictures)
        assert kind.form in get_args(Form)
        assert kind.keys
        assert set(kind.keys) <= set(SourceConfig.model_fields)
        assert kind.settable <= set(CAMERA_SETTINGS)
        assert bool(kind.schemes) == (kind.form == "address") == ("url" in kind.keys)
        assert bool(kind.label) == (kind.form in {"address", "path", "nothing"})
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

    def test_help_and_message_name_a_camera_as_it_is_opened(self, kind: SourceKind) -> None:
        declaration = declaration_of(CaptureCode.NO_SUCH_SOURCE)
        assert declaration is not None
        (argument,) = (each for each in get_args(Source) if isinstance(each, ArgumentInfo))
        if kind.pictures == "live" and kind.name != "camera":
            named = re.match(r"(\w+:)?\w+://|\w+", str(valid(kind).spec))
            assert named is not None
            assert named[0] in declaration.sentences[0]
            assert named[0] in (argument.help or "")

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


@pytest.mark.parametrize("kind", offered("address"), ids=lambda kind: kind.name)
@pytest.mark.parametrize("scheme", ["rtsp://", "rtsps://", "http://", "https://", "ftp://", ""])
def test_an_address_has_a_scheme_of_its_kind(kind: SourceKind, scheme: str) -> None:
    source = valid(kind).model_copy(update={"url": Address(f"{scheme}127.0.0.1/live")})
    wanted = f"a source of kind '{kind.name}' needs url = \"{kind.schemes[0]}...\""
    assert kind.lacks(source) == ("" if scheme in kind.schemes else wanted)


def kinds_in(text: str) -> set[str]:
    return set(re.findall(r"\w+", text)) & set(KINDS)


@pytest.mark.parametrize("name", ["example.toml", "sample.toml"])
def test_comments_of_the_settings_to_copy_name_all_kinds(name: str) -> None:
    text = SAMPLE_CONFIG.with_name(name).read_text(encoding="utf-8")
    (kinds,) = re.findall(r"^kind = .*# ([\w |]+)", text, re.MULTILINE)
    assert kinds.strip().split(" | ") == list(KINDS)
    comments = re.findall(r"^(?:# )?(\w+) = .*# (for [^,:;\n]+)", text, re.MULTILINE)
    named = {key: kinds_in(comment) for key, comment in comments if key in KEYS and kinds_in(comment)}
    assert named.keys() >= {"url", "device", "simulator", "size"}
    assert named == {key: KEYS[key] for key in named}


def test_the_docstring_of_a_source_names_all_kinds() -> None:
    parts = re.findall(r"^ +(\w+): (.*?)(?=^ +\w+: |\Z)", SourceConfig.__doc__ or "", re.MULTILINE | re.DOTALL)
    named = {key: [name for name in re.findall(r"``(\w+)``", text) if name in KINDS] for key, text in parts}
    assert named["kind"] == list(KINDS)
    assert {key: set(named[key]) for key in KEYS if named[key]} == {key: KEYS[key] for key in KEYS if named[key]}


SESSION = SourceConfig(kind="simulator").simulator


@pytest.mark.parametrize("document", ["config/example.toml", "config/sample.toml", "docs/cameras.md"])
def test_the_simulated_table_of_the_documents_is_the_default_one(document: str) -> None:
    named = re.findall(r'^(?:# )?simulator = "(.*?)"', (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE)
    assert named == [SESSION]
    assert f"``{SESSION}``" in (SourceConfig.__doc__ or "")


def test_the_default_simulated_table_has_opaque_dice() -> None:
    source = open_simulator(f"{PREFIX}{SESSION},live=no,size=512x288")
    next(iter(source))
    dice = source.labels("first").dice
    assert {die.role for die in dice} == {"box", "cut"}
    assert {die.material for die in dice} == {"opaque"}
