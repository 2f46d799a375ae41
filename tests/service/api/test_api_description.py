"""The OpenAPI description: complete, valid, and with examples that the service answers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest

from service.api.api_description import EVERYWHERE
from service.api.problems import CODE_OF_STATUS, PROBLEMS
from tests.conftest import ROOT
from tests.service.api import api_examples
from tests.service.api.openapi import check_valid
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI
    from fastapi.testclient import TestClient


@pytest.fixture(scope="module")
def schema() -> Iterator[dict[str, Any]]:
    app = app_of(config(), reader=FakeReader(), watch=False)
    yield app.openapi()
    app.state.parts.record.close()


def test_every_problem_is_described(schema: dict[str, Any]) -> None:
    paths = schema["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"], (method, path, status)
    assert schema["openapi"].startswith("3.1")


def test_the_description_is_valid(schema: dict[str, Any]) -> None:
    check_valid(schema)


def test_every_field_and_parameter_is_described(schema: dict[str, Any]) -> None:
    schemas, paths = schema["components"]["schemas"], schema["paths"]
    lacking = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, told in {"": schema, **schema.get("properties", {})}.items()
        if not told.get("description") or "Attributes:" in told["description"]
    ]
    for path, methods in paths.items():
        for method, operation in methods.items():
            lacking += [
                f"{method} {path} {each['name']}" for each in operation.get("parameters", ()) if not _is_told(each)
            ]
            forms = (body["schema"] for body in operation.get("requestBody", {}).get("content", {}).values())
            lacking += [
                f"{method} {path} {name}"
                for form in forms
                for name, field in form.get("properties", {}).items()
                if not field.get("description")
            ]
            lacking += [f"{method} {path}"] if not operation.get("summary") else []
    assert not lacking, "say it under Attributes: in the class, or in EVERYWHERE"


def _is_told(parameter: dict[str, Any]) -> bool:
    return bool(parameter.get("description") or parameter["schema"].get("description"))


def test_what_means_the_same_everywhere_is_somewhere(schema: dict[str, Any]) -> None:
    fields = {name for schema in schema["components"]["schemas"].values() for name in schema.get("properties", ())}
    assert EVERYWHERE.keys() <= fields


def test_operations_keep_their_names(schema: dict[str, Any]) -> None:
    """Generated clients name their functions so: another name is a breaking change."""
    named = {
        operation["operationId"]: tuple(operation["tags"])
        for methods in schema["paths"].values()
        for operation in methods.values()
    }
    told = {tag["name"] for tag in schema["tags"]}
    assert {tag for tags in named.values() for tag in tags} == told
    assert all(len(tags) == 1 for tags in named.values())
    assert named.keys() >= KNOWN_OPERATIONS


KNOWN_OPERATIONS = {
    "list_pits",
    "get_fleet",
    "get_fleet_csv",
    "get_health",
    "get_readiness",
    "get_metrics",
    "list_tables",
    "get_table",
    "get_current_round",
    "get_dealer",
    "name_dealer",
    "get_view",
    "stream_events",
    "get_tile_set",
    "check_tile_set",
    "enrol_tile_set",
    "confirm_tile_set",
    "get_bank",
    "report_bank",
    "list_results",
    "list_rounds",
    "get_round",
    "list_revisions",
    "review_round",
    "get_evidence",
    "read_picture",
    "ask_house_way",
    "settle_described",
    "settle_round",
    "get_config_schema",
    "list_changes",
    "get_audit",
    "export_audit_log",
}


def test_problem_codes_are_those_of_the_list(schema: dict[str, Any]) -> None:
    """Those that the program sends, those described, and those that the document explains."""
    nodes = [
        node
        for path in (ROOT / "service").rglob("*.py")
        if path.name != "problems.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]
    sent = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert PROBLEMS.keys() <= sent | set(CODE_OF_STATUS.values()), "no longer sent"
    raised = {
        call.args[0].value
        for call in nodes
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "ProblemError"
        and isinstance(call.args[0], ast.Constant)
    }
    assert raised <= PROBLEMS.keys(), "not in service/api/problems.py"
    assert schema["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == sorted(PROBLEMS)
    rows = "".join(f"| `{code}` | {kind.status} | {kind.meaning} |\n" for code, kind in sorted(PROBLEMS.items()))
    assert rows in (ROOT / "docs/integrators.md").read_text(encoding="utf-8"), rows


def _operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            yield f"{method.upper()} {path}", described


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[TestClient, FastAPI]]:
    app = api_examples.prepared()
    with signed_in(app) as client:
        yield client, app


def test_every_route_has_examples(schema: dict[str, Any]) -> None:
    for operation, described in _operations(schema):
        lacking = [each["name"] for each in described.get("parameters", ()) if not _has_example(each)]
        bodies = described.get("requestBody", {}).get("content", {}) | _content(described)
        lacking += [kind for kind, body in bodies.items() if _is_text(kind) and "example" not in body]
        assert not lacking, f"{operation}: write them with python -m tests.service.api.api_examples"


def _content(described: dict[str, Any]) -> dict[str, Any]:
    """What an operation answers if all is well, by media type; nothing of one that answers without a body."""
    found: dict[str, Any] = described["responses"].get("200", {}).get("content", {})
    return found


def _has_example(parameter: dict[str, Any]) -> bool:
    return "example" in parameter or "examples" in parameter or "examples" in parameter["schema"]


def _is_text(kind: str) -> bool:
    return kind in {"application/json", "text/event-stream"}


def test_examples_are_as_described_and_as_answered(schema: dict[str, Any], asked: tuple[TestClient, FastAPI]) -> None:
    for operation, described in _operations(schema):
        if operation == "GET /v1/events":
            continue  # it never ends
        sent = described.get("requestBody", {}).get("content", {}).get("application/json")
        if sent is not None:
            assert sent["example"] == api_examples.REQUESTS[operation]
        said = api_examples.answer(*asked, operation)
        told = _content(described).get("application/json")
        if told is None:
            assert said is None, operation
            continue
        whole = {**told["schema"], "components": schema["components"]}
        assert jsonschema_rs.validator_for(whole).is_valid(told["example"]), operation
        assert said.keys() == told["example"].keys(), operation
