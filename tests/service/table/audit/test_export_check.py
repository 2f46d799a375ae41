"""An unchanged export passes; every alteration is found, even one signed with the record's key."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.changes import Attribution, rotate
from service.record.store.entries import Entry, canonical_json
from service.record.store.record import Record
from service.record.store.record_settings import KEY, KEY_NEXT
from service.record.store.signing import PublicKey, Signer, put_in_place
from service.table.audit.audit_export import CheckedAudit, NotAnAuditError, check_export, export_audit, read_export
from service.table.audit.audit_log import AuditVerdict
from service.table.audit.auditor import counted, population_digest
from service.table.audit.error_rates import audit_figures
from service.table.audit.sampling import commitment
from tests.service.table.audit.tables import AuditedTable

Told = dict[str, Any]


@pytest.fixture(scope="module")
def table() -> Iterator[AuditedTable]:
    """Two days; of the first everything was answered, of the second a part."""
    made = AuditedTable()
    made.day(0, 5)
    made.day(1, 4)
    differing = made.differ()
    assert differing.answer is not None
    made.answering.decide(differing.answer.seq, AuditVerdict.READING_WRONG, "bob")
    made.answer(count=8)
    made.answer(count=2)
    yield made
    made.record.close()


@pytest.fixture
def lines(table: AuditedTable) -> list[Told]:
    return [json.loads(line) for line in export_audit(table.record, table.log)]


def checked(lines: list[Told], **options: Any) -> CheckedAudit:  # noqa: ANN401  as check_export has them
    return check_export(read_export(map(canonical_json, lines)), **options)


def codes(lines: list[Told], **options: Any) -> set[str]:  # noqa: ANN401  as check_export has them
    return {str(found.code) for found in checked(lines, **options).findings}


def entries(lines: list[Told], subject: str) -> list[Told]:
    return [line for line in lines if line.get("entry", {}).get("subject") == subject]


def forge(table: AuditedTable, line: Told, **changed: Any) -> None:  # noqa: ANN401  whatever a body holds
    """Alter an entry and sign it with the record's own key."""
    line["entry"]["body"] |= changed
    entry = Entry(**{**line["entry"], "body": canonical_json(line["entry"]["body"])}).sealed()
    line["entry"] = json.loads(entry.line())
    signer = Signer.load(table.record.settings.folder / KEY)
    line["signature"] = signer.sign(table.record.id, entry.seq, entry.hash, entry.at).signature


def test_an_export_holds_by_itself_and_beside_the_record(table: AuditedTable, lines: list[Told]) -> None:
    found = checked(lines, record=table.record)
    assert (found.findings, found.holds) == ((), True)
    assert found.figures == audit_figures("test", table.log.history())
    assert (found.figures.waiting, len(entries(lines, "answer")), len(entries(lines, "draw"))) == (7, 11, 2)


def test_how_it_was_read_is_told_of_what_was_answered_only(table: AuditedTable, lines: list[Told]) -> None:
    told = {line["entry"]["seq"] for line in lines if line.get("entry", {}).get("kind") == "round"}
    answered = {item.round for item in table.log.history().items if item.answer is not None}
    assert told == answered


def test_a_month_is_exported_by_itself(table: AuditedTable) -> None:
    there = [json.loads(line) for line in export_audit(table.record, table.log, "2026-01")]
    assert codes(there, record=table.record) == set()
    assert (len(entries(there, "draw")), len(entries(there, "answer"))) == (2, 11)
    other = [json.loads(line) for line in export_audit(table.record, table.log, "2026-02")]
    assert codes(other, record=table.record) == set()
    assert [line for line in other if "entry" in line] == []


@pytest.mark.parametrize("subject", ["plan", "draw", "answer", "verdict"])
def test_an_entry_that_was_altered_is_found(lines: list[Told], subject: str) -> None:
    entries(lines, subject)[0]["entry"]["body"]["by"] = "somebody else"
    assert "audit_entry_changed" in codes(lines)


def test_an_altered_answer_is_found(lines: list[Told]) -> None:
    answer = entries(lines, "answer")[0]
    answer["entry"]["body"]["seen"]["tiles"] = ["6-6", "6-3", "6-1", "5-3"]
    assert "audit_entry_changed" in codes(lines)


def test_an_altered_answer_that_is_signed_anew_is_found(table: AuditedTable, lines: list[Told]) -> None:
    """It no longer has the hash that the next answer and the verdict hold."""
    forge(table, entries(lines, "answer")[0], by="somebody else")
    assert codes(lines) == {"audit_answer_not_linked", "audit_verdict_out_of_place"}
    assert "audit_not_in_record" in codes(lines, record=table.record)


def test_a_difference_noted_as_agreement_is_found(table: AuditedTable, lines: list[Told]) -> None:
    forge(table, entries(lines, "answer")[0], agrees=True)
    assert "audit_agreement_false" in codes(lines)


@pytest.mark.parametrize("number", [0, 4, 10])
def test_an_answer_left_out_is_found(table: AuditedTable, lines: list[Told], number: int) -> None:
    lines.remove(entries(lines, "answer")[number])
    assert codes(lines) & {"audit_item_skipped", "audit_figures_false"}
    assert "audit_left_out" in codes(lines, record=table.record)


def test_a_skipped_item_is_found(table: AuditedTable, lines: list[Told]) -> None:
    answers = entries(lines, "answer")
    lines.remove(answers[4])
    behind = answers[3]["entry"]["hash"]
    for answer in answers[5:]:
        forge(table, answer, behind=behind)
        behind = answer["entry"]["hash"]
    assert codes(lines) >= {"audit_item_skipped"}


def test_an_exchanged_seed_is_found(table: AuditedTable, lines: list[Told]) -> None:
    draw = entries(lines, "draw")[0]
    forge(table, draw, seed="00" * 64)
    assert codes(lines) >= {"audit_seed_exchanged", "audit_draw_forged"}


def test_a_seed_that_the_key_did_not_make_is_found(table: AuditedTable, lines: list[Told]) -> None:
    """Also if it was promised: who chooses a seed can try many."""
    seed = b"chosen" * 10
    forge(table, entries(lines, "plan")[0], commitment=commitment(seed))
    forge(table, entries(lines, "draw")[0], seed=seed.hex())
    assert "audit_seed_exchanged" in codes(lines)


def test_a_shortened_population_is_found(lines: list[Told]) -> None:
    (first, _) = [line for line in lines if "population" in line]
    first["population"].pop()
    assert codes(lines) >= {"audit_population_changed"}


def test_a_population_shortened_and_signed_is_found_beside_the_record(table: AuditedTable, lines: list[Told]) -> None:
    shortened = [line for line in lines if "population" in line][1]
    kept = [each for each in shortened["population"] if each[1] != "box2"]
    shortened["population"] = kept
    found = read_export(map(canonical_json, lines)).populations[shortened["draw"]]
    forge(table, entries(lines, "draw")[1], population=counted(found), population_sha256=population_digest(found))
    assert "audit_draw_forged" in codes(lines)
    assert codes(lines, record=table.record) >= {"audit_population_changed", "audit_not_in_record"}


@pytest.mark.parametrize(
    "alter",
    [
        lambda drawn: drawn[:-1],
        lambda drawn: drawn[::-1],
        lambda drawn: [{**drawn[0], "number": "00" * 32}, *drawn[1:]],
        lambda drawn: [{**drawn[0], "taken": 1}, *drawn[1:]],
    ],
    ids=["fewer", "in another order", "another number", "another share"],
)
def test_a_forged_draw_is_found(
    table: AuditedTable, lines: list[Told], alter: Callable[[list[Told]], list[Told]]
) -> None:
    draw = entries(lines, "draw")[1]
    forge(table, draw, drawn=alter(draw["entry"]["body"]["drawn"]))
    assert "audit_draw_forged" in codes(lines)


def test_a_draw_left_out_is_found(lines: list[Told]) -> None:
    lines.remove(entries(lines, "draw")[0])
    assert "audit_not_drawn" in codes(lines)


def test_a_plan_left_out_is_found(lines: list[Told]) -> None:
    lines.remove(entries(lines, "plan")[1])
    assert "audit_plan_missing" in codes(lines)


def test_another_round_in_place_of_the_one_read_is_found(table: AuditedTable, lines: list[Told]) -> None:
    closed = next(line for line in lines if line.get("entry", {}).get("kind") == "round")
    forge(table, closed, hands=[])
    assert "audit_reading_missing" in codes(lines)


def test_a_second_verdict_is_found(table: AuditedTable, lines: list[Told]) -> None:
    (verdict,) = entries(lines, "verdict")
    again = json.loads(json.dumps(verdict))
    again["entry"]["seq"] += 1000
    forge(table, again, verdict="answer_wrong")
    lines.insert(lines.index(verdict) + 1, again)
    assert "audit_verdict_out_of_place" in codes(lines)


def test_figures_that_do_not_follow_are_found(lines: list[Told]) -> None:
    (line,) = (line for line in lines if "figures" in line)
    line["figures"]["figures"][0]["seen"]["errors"] = 0
    assert codes(lines) == {"audit_figures_false"}


def test_an_export_without_its_end_is_found(lines: list[Told]) -> None:
    assert codes(lines[:-2]) == {"audit_cut_off", "audit_figures_false"}


def test_another_key_is_found(lines: list[Told]) -> None:
    other = PublicKey(Ed25519PrivateKey.generate().public_key())
    assert {"audit_other_key", "audit_entry_changed"} <= codes(lines, key=other)


def test_an_entry_that_says_something_else_is_found(table: AuditedTable, lines: list[Told]) -> None:
    forge(table, entries(lines, "answer")[2], item="third")
    assert "audit_entry_unreadable" in codes(lines)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"audit": 2}', "not JSON"])
def test_what_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(NotAnAuditError):
        read_export(text.splitlines())


def test_a_line_that_is_none_is_named(lines: list[Told]) -> None:
    lines[3] = {"entry": {}}
    with pytest.raises(NotAnAuditError, match="line 4"):
        read_export(map(canonical_json, lines))


def test_a_key_that_was_changed_on_record_is_followed() -> None:
    """What was drawn before and after holds; the plan of the day between cannot be drawn, and is not missed."""
    table = AuditedTable()
    table.day(0, 4)
    settings = table.record.settings
    following = Signer.make(settings.folder / KEY_NEXT)
    rotate(table.record, following.public, Attribution("the tests", "a technician left"))
    put_in_place(settings.folder)
    table.record.close()
    again = AuditedTable(record=Record(settings))
    again.played = table.played
    again.day(1, 4)
    again.day(2, 4)
    found = checked([json.loads(line) for line in export_audit(again.record, again.log)], record=again.record)
    assert found.findings == ()
    assert len(again.log.entries()) > 4
    for key in (following.public, PublicKey.of_hex(again.record.entry(1).data["public_key"])):  # type: ignore[union-attr]
        lines = [json.loads(line) for line in export_audit(again.record, again.log)]
        assert codes(lines, key=key) == set()
    again.record.close()
