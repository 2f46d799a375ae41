"""The documents as a site: built without a warning, and with a reference of everything that there is."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from docs.site.__main__ import application, write_reference
from service.api.problems import Problem
from service.cli import app
from service.system.settings import config_schema
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    write_reference(folder)
    return folder


def _parts(page: Path) -> dict[str, str]:
    """What stands below each heading that is code."""
    found = re.split(r"^#{2,3} `([^`]+)`$", page.read_text(), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def _rows(part: str) -> dict[str, str]:
    """The last cell of each row of a part's tables, by the first without its quotes."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in part.splitlines() if line.startswith("| `")]
    return {cells[0].strip().strip("` "): cells[-1].strip() for cells in rows}


def _commands(group: TyperGroup, above: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{above} {name}")
        elif name != "synth":
            yield f"{above} {name}", command


def test_every_command_is_there_with_all_that_it_takes(reference: Path) -> None:
    top = typer.main.get_command(app)
    assert isinstance(top, TyperGroup)
    parts = _parts(reference / "commands.md")
    for name, command in _commands(top, "houseway"):
        assert command.help.splitlines()[0].split(":")[0] in parts[name].replace("\\", "")
        rows = _rows(parts[name])
        for parameter in command.params:
            written = [
                meaning for first, meaning in rows.items() if set(parameter.opts) & set(re.split(r"[ .]", first))
            ]
            if parameter.param_type_name == "option":
                assert len(written) == 1, (name, parameter.opts)
                assert written[0], (name, parameter.opts)
    assert {"houseway synth rounds", "houseway synth tables"} <= set(parts)


def _sections(schema: dict[str, Any], kind: dict[str, Any], above: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, told in kind["properties"].items():
        references = dict.fromkeys(re.findall(r"#/\$defs/(\w+)", str(told)))
        for place, reference in enumerate(references):
            below = schema["$defs"][reference]
            if "properties" in below:
                yield f"{above}{name}" + (f"]] with {below['required'][-1]}" if place else ""), below
                yield from _sections(schema, below, f"{above}{name}.")


def test_every_setting_is_there_with_its_meaning(reference: Path) -> None:
    schema = config_schema()
    parts = {heading.strip("[]"): part for heading, part in _parts(reference / "settings.md").items()}
    sections = dict(_sections(schema, schema, ""))
    assert set(parts) == set(sections) >= {"tables", "tables.source", "page.shifts", "webhooks"}
    for path, section in sections.items():
        rows = _rows(parts[path])
        assert set(rows) == set(section["properties"]), path
        assert all(rows.values()), path


def test_every_request_is_there_with_its_parameters_and_answers(reference: Path) -> None:
    with application() as service:
        described = service.openapi()
    parts = _parts(reference / "requests.md")
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            part = parts[f"{method.upper()} {path}"]
            rows = _rows(part)
            assert not part.strip().startswith("Roles"), f"{path}: has no description"
            assert "Roles that may send it: " in part
            assert {each["name"] for each in operation.get("parameters", ())} <= set(rows)
            assert set(operation["responses"]) <= set(rows)
    assert set(_rows(parts["Problem"])) == set(Problem.model_fields)


def test_every_metric_is_there_with_its_meaning(reference: Path) -> None:
    with application() as service:
        families = list(service.state.parts.metrics.registry.collect())
    rows = _rows_of_page(reference / "metrics.md")
    for family in families:
        (written,) = (words for name, words in rows.items() if re.fullmatch(f"{family.name}(_total|_info)?", name))
        assert written
    assert len(rows) == len(families)


def _rows_of_page(page: Path) -> dict[str, str]:
    return _rows(page.read_text())


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_can_be_searched(tmp_path: Path) -> None:
    """Every link among the documents leads somewhere, and every document is reached from the first page."""
    out = tmp_path / "site"
    built = subprocess.run(
        [sys.executable, "-m", "docs.site", str(out)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    pages = {str(page.relative_to(out)) for page in out.rglob("*.html")}
    documents = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert pages >= {"index.html", "search.html", *map(str, documents)}
    assert "irregular" in (out / "searchindex.js").read_text()
    # A document that is named as it lies in the repository is a link on the page.
    assert 'href="../calibration.html"' in (out / "for" / "technician.html").read_text()
    assert 'href="page.html"' in (out / "for" / "supervisor.html").read_text().replace("../", "")
