"""The record of simulated rounds replays to what was served of them."""

from typing import Any

import pytest

from datasets.evaluation.simulated_rounds import Session
from datasets.simulator.script import script
from service.record.integrity.verify import examine_database
from service.record.ledger import Ledger
from service.record.projections.compare import compare_own
from service.record.projections.projector import Projector
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.judge.verdicts import judge_round
from service.rounds.reports import RoundReport
from service.rounds.served import RoundOut
from tests.service.rounds.followed import every_revision
from tests.service.stand_ins import new_folder

pytestmark = pytest.mark.exhaustive


def served(report: RoundReport) -> dict[str, Any]:
    return RoundOut.from_report(report).model_dump(mode="json")


@pytest.mark.parametrize("seed", [4, 6, 22, 35, 38])
def test_a_session_of_each_book_replays_to_what_was_served(seed: int) -> None:
    session = Session.of(seed)
    made = script(session.seed, session.options)
    rules = TableRules.of(session.options.rulebook, made.way.rulebook)
    record = Record(RecordSettings(new_folder()))
    try:
        ledger = Ledger(record, "t1", rules)
        shown = {
            (each.id, each.revision): served(each)
            for report in every_revision(made, session.rate)
            for each in ledger.revise(report)
        }
        ids = sorted({round_id for round_id, _ in shown})
        assert len(ids) >= len(made.rounds) - 1
        kept = [report for round_id in ids for _, report in ledger.revisions(round_id)]
        assert {(each.id, each.revision): served(each) for each in kept} == shown
        for report in kept:
            # Judged again from what was seen, by the rules of that day.
            assert served(judge_round(report, rules.at(report.opened_at))) == served(report)
            if report.log is not None:
                departures = {str(each.kind) for each in report.log.observed.departures}
                assert departures <= {str(each.code) for each in report.findings}
        projector = Projector(record)
        projector.catch_up()
        assert compare_own(record).faults == ()
        projector.rebuild()
        proof = examine_database(record, record.evidence.folder, more={"projections": compare_own})
        assert proof.holds, proof.why
    finally:
        record.close()
