"""The OpenAPI description: complete, valid, and with examples that the service answers."""

import ast
import base64
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from service.api.api_description import EVERYWHERE, FILE
from service.api.problems import CODE_OF_STATUS, PROBLEMS
from tests.conftest import ROOT
from tests.service.api import api_examples
from tests.service.api.openapi import check_valid
from tests.service.stand_ins import FakeReader, app_of, config


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
    "get_own_dice",
    "enrol_own_dice",
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


_REMEDY = "write them with python -m tests.service.api.api_examples"


def test_every_route_has_examples(schema: dict[str, Any]) -> None:
    for operation, described in _operations(schema):
        lacking = [each["name"] for each in described.get("parameters", ()) if not _has_example(each)]
        bodies = described.get("requestBody", {}).get("content", {}) | _content(described)
        lacking += [kind for kind, body in bodies.items() if _is_text(kind) and "example" not in body]
        assert not lacking, f"{operation} lacks examples of {lacking}: {_REMEDY}"


def _content(described: dict[str, Any]) -> dict[str, Any]:
    """What an operation answers if all is well, by media type; nothing of one that answers without a body."""
    found: dict[str, Any] = described["responses"].get("200", {}).get("content", {})
    return found


def _has_example(parameter: dict[str, Any]) -> bool:
    return "example" in parameter or "examples" in parameter or "examples" in parameter["schema"]


def _is_text(kind: str) -> bool:
    return kind in {"application/json", "text/event-stream"}


def test_written_answers_are_as_described(schema: dict[str, Any]) -> None:
    for operation, described in _operations(schema):
        told = _content(described).get("application/json")
        if told is None:
            continue
        whole = {**told["schema"], "components": schema["components"]}
        error = next(jsonschema_rs.validator_for(whole).iter_errors(told.get("example")), None)
        assert error is None, f"{operation}: {error.message} at {error.instance_path}; {_REMEDY}"


def test_written_examples_are_as_answered() -> None:
    """Sentences and numbers may differ; fields, their types, and the number of members may not."""
    written, answered = json.loads(FILE.read_text(encoding="utf-8")), api_examples.examples()
    differing = [
        operation
        for operation in sorted(written.keys() | answered.keys())
        if _form(written.get(operation)) != _form(answered.get(operation))
        or written[operation].get("request") != answered[operation].get("request")
    ]
    assert not differing, f"other fields than written for {differing}: {_REMEDY}"


def _form(value: Any) -> Any:  # noqa: ANN401  whatever JSON says
    if isinstance(value, dict):
        return {key: _form(each) for key, each in value.items()}
    return list(map(_form, value)) if isinstance(value, list) else type(value)


def test_what_varies_between_runs_is_fixed_in_examples() -> None:
    """Of two answers that differ by time, machine and key, the written examples are the same, and well-formed."""
    first, second = (api_examples.stable(_varying(day, digit)) for day, digit in ((3, "a"), (4, "b")))
    assert first == second
    assert first["at"] < first["expires_at"]
    assert first["epoch"] == "1-" + first["hash"][:16]
    assert base64.urlsafe_b64decode(first["cursor"] + "=").decode() == "1.1." + first["hash"][:16]
    checkpoint = base64.b64decode(first["checkpoint"]).decode().splitlines()
    assert checkpoint[0].endswith(first["record"])
    assert first["opened_at"] == "2026-01-01T00:01:00Z"
    assert first["doubts"] == [{"code": "not_reached"}]


def _varying(day: int, digit: str) -> dict[str, Any]:
    root = base64.b64encode(digit.encode() * 32).decode()
    name = f"houseway-record-chain/v1/{digit * 32}"
    note = f"{name}\n21\n{root}\n\n\N{EM DASH} {name} {root}\n"
    cursor = base64.urlsafe_b64encode(f"1.1.{digit * 16}".encode()).decode().rstrip("=")
    entry = {"at": f"2026-05-{day:02}T10:00:0{day}.123456Z", "hash": digit * 64, "monotonic_ns": day, "seq": 1}
    return {
        **entry,
        "line": json.dumps(entry),
        "expires_at": f"2026-05-{day + 1:02}T10:00:0{day}.120000Z",
        "opened_at": "2026-01-01T00:01:00Z",
        "by": f"A. Supervisor (key test {digit * 12})",
        "checkpoint": base64.b64encode(note.encode()).decode(),
        "code": digit * 64,
        "cursor": cursor,
        "doubts": [{"code": "not_reached"}],
        "epoch": f"1-{digit * 16}",
        "equipment": {"celsius": float(day), "clock": {"synchronised": True}, "free_bytes": day},
        "record": digit * 32,
    }
