"""Plans and draws in a real record, recomputed from its contents."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from service.record.integrity.verify import verify_database
from service.record.ledger import Ledger
from service.record.store.entries import Entry, canonical_json
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.record.store.signing import PublicKey
from service.rounds.judge.rules_in_force import TableRules
from service.table.audit.audit_log import AuditLog
from service.table.audit.auditor import Auditor, population
from service.table.audit.sampling import HANDS, THROWS, Member, commitment, draw
from tests.service.stand_ins import EMPTY, HOUSE_RIGHT, START, new_folder, report_round, revisions

RULES = TableRules.of("crown-6.1")


@pytest.fixture
def record() -> Iterator[Record]:
    made = Record(RecordSettings(new_folder()))
    yield made
    made.close()


def play(record: Record, first: int, last: int) -> None:
    """Rounds of a House hand, a box's hand and a throw each, opened and closed."""
    ledger = Ledger(record, "test", RULES)
    for number in range(first, last):
        for played in revisions(f"r{number}", START + timedelta(minutes=number), HOUSE_RIGHT, EMPTY):
            ledger.revise(report_round(played, table="test", rules=RULES, versions={"detector": "sha256:00"}))


def noted(record: Record) -> list[Entry]:
    return list(record.after(0, kinds=("audit",)))


def test_a_day_is_planned_before_and_drawn_after_it(record: Record) -> None:
    play(record, 0, 2)
    auditor = Auditor(record, AuditLog(record, "test"), 6, 3)
    auditor.step(START)
    play(record, 2, 9)
    auditor.step(START + timedelta(hours=1))
    assert [entry.subject for entry in noted(record)] == ["plan"]
    assert "seed" not in noted(record)[0].body
    auditor.step(START + timedelta(days=1))
    auditor.step(START + timedelta(days=1, hours=1))
    plan, following, drawn = noted(record)
    assert [plan.subject, following.subject, drawn.subject] == ["plan", "plan", "draw"]
    assert (drawn.data["plan"], drawn.data["until"]) == (plan.seq, following.seq)
    assert sum(size for *_, size in drawn.data["population"]) == 3 * 7
    assert len(drawn.data["drawn"]) == 9
    proof = verify_database(record, record.settings.folder / "evidence")
    assert (proof.holds, proof.last) == (True, drawn.seq)


def test_the_draw_follows_from_the_record_and_the_seed(record: Record) -> None:
    auditor = Auditor(record, AuditLog(record, "test"), 6, 3)
    auditor.step(START)
    play(record, 0, 7)
    auditor.step(START + timedelta(days=1))
    plan, following, drawn = noted(record)
    seed = bytes.fromhex(drawn.data["seed"])
    assert commitment(seed) == plan.data["commitment"]
    body = {name: value for name, value in plan.data.items() if name != "commitment"}
    signed = canonical_json({"audit": body, "record": record.id, "table": "test"}).encode()
    record_key = record.entry(1)
    assert record_key is not None
    PublicKey.of_hex(record_key.data["public_key"]).raw.verify(seed, signed)  # raises if it did not sign this
    found = population(record, "test", plan.seq, following.seq)
    again = [each for strata, quota in ((HANDS, 6), (THROWS, 3)) for each in draw(seed, found, strata, quota)]
    assert [Member(**each["member"]) for each in drawn.data["drawn"]] == [each.member for each in again]


def test_each_plan_has_a_seed_of_its_own(record: Record) -> None:
    for hands in (6, 0, 6):
        Auditor(record, AuditLog(record, "test"), hands, 3).step(START)
    seeds = {entry.data["seed"] for entry in noted(record) if entry.subject == "draw"}
    commitments = {entry.data["commitment"] for entry in noted(record) if entry.subject == "plan"}
    assert (len(seeds), len(commitments)) == (2, 3)


def test_a_draw_that_was_cut_short_is_made_up_for(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    auditor = Auditor(record, AuditLog(record, "test"), 6, 3)
    auditor.step(START)
    play(record, 0, 3)
    with monkeypatch.context() as patched:
        patched.setattr(Auditor, "_draw", lambda *_: None)
        auditor.step(START + timedelta(days=1))
    assert [entry.subject for entry in noted(record)] == ["plan", "plan"]
    auditor.step(START + timedelta(days=1))
    assert [entry.subject for entry in noted(record)] == ["plan", "plan", "draw"]
