"""Rings: nothing goes on before the ring before has held, and one table that undoes a release stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from service.floor.fleet.rings import Act, Outcome, Stage, following, offered_to, roll_outs, tables_of
from service.release.manifest import ReleaseError

if TYPE_CHECKING:
    from service.floor.fleet.rings import RollOut

PITS: Final = {"t1": "main", "t2": "main", "t3": "high", "t4": None}
AT: Final = "2026-01-01T00:00:00.000000Z"


def act(said: str, digest: str = "a", *, rings: tuple[str, ...] = (), tables: tuple[str, ...] = ()) -> Act:
    return Act(said, digest, "A. Person", AT, "a test", rings, tables)


def now(acts: list[Act], **stages: Stage) -> RollOut:
    outcomes = {table: {"a": Outcome(stage, AT, "so it is")} for table, stage in stages.items()}
    return roll_outs(acts, outcomes, PITS)[-1]


GIVEN: Final = [act("given", rings=("t1", "main", "all"))]


def test_which_tables_a_ring_has() -> None:
    assert tables_of("all", PITS) == ("t1", "t2", "t3", "t4")
    assert tables_of("main", PITS) == tables_of("pit:main", PITS) == ("t1", "t2")
    assert tables_of("t4", PITS) == tables_of("table:t4", PITS) == ("t4",)
    assert tables_of("pit:t1", PITS | {"t9": "t1"}) == ("t9",)
    for wrong in ("t5", "pit:t1", "table:main"):
        with pytest.raises(ReleaseError, match="is not a table, a pit or `all`"):
            tables_of(wrong, PITS)
    with pytest.raises(ReleaseError, match="is a table and a pit"):
        tables_of("t1", PITS | {"t9": "t1"})


def test_a_ring_begins_once_all_tables_of_the_one_before_have_held() -> None:
    assert now(GIVEN).offered == {"t1"}
    assert now(GIVEN, t1=Stage.TRYING).offered == {"t1"}
    assert now(GIVEN, t1=Stage.NOT_COMPARED).offered == {"t1"}
    assert now(GIVEN, t1=Stage.HELD).offered == {"t1", "t2"}
    assert now(GIVEN, t1=Stage.HELD, t2=Stage.TRYING).offered == {"t1", "t2"}
    whole = now(GIVEN, t1=Stage.HELD, t2=Stage.HELD)
    assert whole.offered == {*PITS}
    assert (whole.stages["t3"], whole.held) == (Stage.OFFERED, False)
    assert now(GIVEN, **dict.fromkeys(PITS, Stage.HELD)).held


@pytest.mark.parametrize("bad", [Stage.RETURNED, Stage.REFUSED])
def test_one_table_that_undoes_or_refuses_it_stops_it(bad: Stage) -> None:
    found = now(GIVEN, t1=Stage.HELD, t2=bad)
    assert (found.stopped, found.bad, found.offered) == (True, ("t2",), frozenset())
    assert {table for table, stage in found.stages.items() if stage is Stage.WAITS} == {"t3", "t4"}
    # A person accepts that table as it is; another one stops it again.
    on = [*GIVEN, act("gone on", tables=("t2",))]
    assert now(on, t1=Stage.HELD, t2=bad).offered == {*PITS}
    assert now(on, t1=Stage.HELD, t2=bad, t3=bad).stopped


def test_a_person_stops_it_and_goes_on() -> None:
    stopped = [*GIVEN, act("stopped")]
    assert (now(stopped).offered, now(stopped).stopped_by) == (frozenset(), "A. Person")
    on = now([*stopped, act("gone on")])
    assert on.offered == {"t1"}
    assert on.stopped_by is None


def test_a_table_is_offered_what_was_given_last_and_nothing_older_in_its_place() -> None:
    acts = [act("given", "a", rings=("all",)), act("given", "b", rings=("t1", "all"))]
    given = roll_outs(acts, {}, PITS)
    assert (offered_to("t1", given), offered_to("t2", given)) == ("b", None)
    given = roll_outs([*acts, act("stopped", "b")], {}, PITS)
    assert offered_to("t1", given) is None
    # The older one, given again, is what counts.
    given = roll_outs([*acts, act("given", "a", rings=("t1",))], {}, PITS)
    assert (offered_to("t1", given), offered_to("t2", given)) == ("a", "a")


def test_what_a_table_recorded_last_counts() -> None:
    known = None
    stages = []
    for said in ("applied", "held", "applied", "returned"):
        known = following(known, said, AT, "")
        stages.append(known.stage)
    assert stages == [Stage.TRYING, Stage.HELD, Stage.HELD, Stage.RETURNED]
