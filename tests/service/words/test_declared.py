"""Every code is declared once and completely, and what raises it gives its sentences what they need."""

import ast
import importlib
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from inspect import getmembers, isclass
from pathlib import Path
from typing import get_args

import pytest

from service.web.review_questions import CAUSES
from service.words.codes import ServiceCode
from service.words.declared.all_codes import EVERY, cause_of, declaration_of
from service.words.declared.declaration import OTHER_WAY, About, Cause, Declaration, Group, Style, doubt, note
from service.words.findings import words_of
from service.words.wording import BookText
from vision.findings import Code, Finding

ROOT = Path(__file__).resolve().parents[3]
_FIELD = re.compile(r"%\((\w+)\)")
_MADE_FROM = {"tiles": "count", "remedy": "found"}
"""Fields that :func:`words_of` makes, and the parameter from which it does."""


def sources() -> Iterator[Path]:
    for package in ("calibration", "vision", "service"):
        yield from (ROOT / package).rglob("*.py")


@cache
def enumerations() -> dict[str, type[StrEnum]]:
    """Every enumeration of codes of the product, by name."""
    found: dict[str, type[StrEnum]] = {}
    for path in sources():
        if re.search(r"^class \w*Code\(StrEnum\)", path.read_text(encoding="utf-8"), re.MULTILINE):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for known, one in getmembers(importlib.import_module(name), isclass):
                if known.endswith("Code") and one.__module__ == name and issubclass(one, StrEnum):
                    assert known not in found
                    found[known] = one
    return found


def fields(text: str) -> set[str]:
    return set(_FIELD.findall(text))


def fault(declaration: Declaration) -> str:
    """What a declaration lacks; empty if it is complete."""
    said = [fields(text) for text in declaration.sentences]
    if not declaration.sentences or not all(declaration.sentences):
        return "has no sentence"
    if declaration.about not in get_args(About) or declaration.cause not in get_args(Cause):
        return "has no subject or no label of the metric"
    if declaration.group not in (*get_args(Group), None) or (declaration.blocks and declaration.group is None):
        return "blocks and is in no group of the queue"
    if any(said[before] <= one for index, one in enumerate(said) for before in range(index)):
        return "has a sentence that is never said"
    if not set(declaration.styles.values()) <= set(get_args(Style)):
        return "has an unknown style"
    named = set(declaration.styles) | ({declaration.offers} - {"", OTHER_WAY})
    return "" if named <= set.union(*said) else "names a parameter that no sentence has"


def test_every_code_is_declared_and_nothing_else() -> None:
    assert {"Code", "ServiceCode", "RecordCode", "CaptureCode", "CalibrationCode", "DiagnosisCode"} <= set(
        enumerations()
    )
    codes = [code for one in enumerations().values() for code in one]
    assert {repr(code) for code in codes} == {repr(each.code) for each in EVERY}


def test_no_two_codes_are_written_alike() -> None:
    written = [str(each.code) for each in EVERY]
    assert len(written) == len(set(written))


def test_every_declaration_is_complete() -> None:
    assert {str(each.code): found for each in EVERY if (found := fault(each))} == {}


@pytest.mark.parametrize(
    ("declaration", "found"),
    [
        (doubt(Code.CROSSED, "it", about="tile", cause="crossed"), ""),
        (doubt(Code.CROSSED, about="tile", cause="crossed"), "has no sentence"),
        (doubt(Code.CROSSED, "it", about="tile", cause=""), "has no subject or no label of the metric"),  # type: ignore[arg-type]
        (doubt(Code.CROSSED, "it", about="", cause="other"), "has no subject or no label of the metric"),  # type: ignore[arg-type]
        (
            doubt(Code.CROSSED, "it", about="tile", cause="other", group=None),  # type: ignore[arg-type]
            "blocks and is in no group of the queue",
        ),
        (note(Code.CROSSED, "%(face)s", "%(face)s %(next)s", about="tile"), "has a sentence that is never said"),
        (note(Code.CROSSED, "it", about="tile", offers="next"), "names a parameter that no sentence has"),
        (note(Code.CROSSED, "it", about="tile", styles={"due": "or"}), "names a parameter that no sentence has"),
    ],
)
def test_what_a_declaration_lacks_is_found(declaration: Declaration, found: str) -> None:
    assert fault(declaration) == found


def raised(source: str) -> Iterator[tuple[str, set[str]]]:
    """Every finding that a source makes with its parameters written out: the code, and their names.

    >>> list(raised("Finding.of(Code.LOW_CONFIDENCE, face=face)"))
    [('low_confidence', {'face'})]
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="of"), args=args, keywords=named):
                beside = {"ok"} & {str(each.arg) for each in named}
                given = {str(each.arg) for each in named if each.arg is not None} - beside
                if all(each.arg is not None for each in named):
                    yield from ((code, given) for code in map(_code, args) if code)
            case ast.Call(func=ast.Name(id="Finding"), args=[one], keywords=[]) if code := _code(one):
                yield code, set()


def _code(node: ast.expr) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in enumerations():
            return str(getattr(enumerations()[name], attr))
    return None


def test_every_finding_has_what_its_sentences_say() -> None:
    found, lacking = 0, {}
    for path in sources():
        for code, given in raised(path.read_text(encoding="utf-8")):
            declaration = declaration_of(code)
            assert declaration is not None
            made = given | {name for name, source in _MADE_FROM.items() if source in given}
            found += 1
            if not any(fields(text) <= made for text in declaration.sentences):
                lacking[code] = str(path.relative_to(ROOT))
    assert found > 150
    assert lacking == {}


def test_labels_of_the_metric() -> None:
    assert cause_of(Code.LOW_CONFIDENCE) == "classifier"
    assert cause_of(ServiceCode.CLOCK_STATE_UNKNOWN) == "clock"
    assert cause_of("something new") == "other"


def test_every_group_is_in_the_queue() -> None:
    assert {*get_args(Group)} - {"part"} <= set(CAUSES)


def test_only_what_is_seen_of_the_dice_departs_at_the_throw() -> None:
    about_throw = {each.code for each in EVERY if each.about == "throw" and not each.blocks}
    assert about_throw == {Code.DEALT_BY_LEANING_DICE, Code.WRONG_FIRST_BOX, Code.CUT_AGAINST_DIE}


def test_lists_are_said_in_the_declared_style() -> None:
    order = Finding.of(Code.DELIVERED_OUT_OF_ORDER, seen=("box1", "box3", "box2"))
    assert str(words_of(order)).endswith("Box 1, Box 3, Box 2")
    due = Finding.of(Code.WRONG_FIRST_BOX, seen=("box1", "box3"), due=("box2",))
    assert "Box 1 or Box 3" in str(words_of(due))
    why = words_of(Finding.of(ServiceCode.COUNTED_TWO_WAYS, why="both", rule="1.1"))
    assert isinstance(why.fields["why"], BookText)  # type: ignore[attr-defined]
