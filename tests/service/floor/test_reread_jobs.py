"""Rounds of a run are taken by workers, and each comes out once: whatever becomes of a worker, and of a bad round."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from service.floor.reread.again import Again, RoundAgain
from service.floor.reread.evidence import PictureAwayError
from service.floor.reread.results import all_of, as_csv, count
from service.floor.reread.runs import Scope, begin, run_of, runs, stop
from service.floor.reread.taking import Jobs
from service.floor.reread.told import Chosen, here
from service.floor.reread.worker import Worker
from tests.service.floor.feeds import RecordedFeed
from tests.service.floor.played import play
from tests.service.floor.rereading import WHY, by_rules, feeds_of, floor_with, worker_program
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.floor.reread.runs import Run
    from service.floor.store.reader import FloorReader
    from service.record.store.chain import Entry

SAME = RoundAgain(outcome="same")


@pytest.fixture
def reader(floor_url: str) -> Iterator[FloorReader]:
    with floor_with(floor_url, feeds_of(3, 30)) as made:
        yield made


def jobs(reader: FloorReader, run: Run, at_once: int = 10, worker: str = "w") -> Jobs:
    return Jobs(reader.database, run, worker, at_once)


def rounds_of(reader: FloorReader, run: Run) -> Counter[tuple[str, str]]:
    return Counter((each.table, each.round) for each in all_of(reader.database, run.id))


def over(reader: FloorReader, run: Run, seconds: float = 3600) -> None:
    """Let so much time pass for what was taken of a run."""
    with reader.database.begin() as connection:
        said = "UPDATE floor_reread_rounds SET not_before = not_before - make_interval(secs => :s) WHERE run = :run"
        connection.execute(text(said), {"s": seconds, "run": run.id})


def test_every_round_comes_out_once_by_several_workers(reader: FloorReader) -> None:
    run, again = by_rules(reader, Chosen.of("nz-1998", None, None))
    workers = [Worker(reader.database, run, again, f"w{number}") for number in range(4)]
    done: list[int] = []
    threads = [threading.Thread(target=lambda each=each: done.append(each.work())) for each in workers]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert sum(done) == 30
    found = rounds_of(reader, run)
    assert (len(found), set(found.values())) == (30, {1})
    (told,) = runs(reader.database)
    assert (told.rounds, told.left, told.states) == (30, 0, {"done": 30})
    assert sum(told.outcomes.values()) == 30
    counted = count(reader.database, run.id)
    assert {"throw"} <= {what for what, _, _ in counted.differing}
    assert len(list(as_csv(all_of(reader.database, run.id)))) > told.outcomes["otherwise"]


def test_what_is_recorded_does_not_change(reader: FloorReader) -> None:
    before = list(reader.all_entries())
    run, again = by_rules(reader, Chosen.of("nz-1998", None, None))
    Worker(reader.database, run, again).work()
    assert list(reader.all_entries()) == before


def test_only_the_rounds_that_are_meant(reader: FloorReader) -> None:
    told = here("rules", Chosen(), None)
    one = begin(reader.database, told, Scope(tables=("t1",)), WHY)
    early = begin(reader.database, told, Scope(until="2026-01-01T00:06:00.000000Z"), WHY)
    late = begin(reader.database, told, Scope(("t0", "t2"), since="2026-01-01T00:06:00.000000Z"), WHY)
    assert (one.rounds, early.rounds, late.rounds) == (10, 5, 17)


def test_what_was_taken_is_out_of_sight_until_its_time_is_over(reader: FloorReader) -> None:
    run, _ = by_rules(reader)
    first, taken = jobs(reader, run, worker="first").take()
    others = [each for _ in range(2) for each in jobs(reader, run).take()[1]]
    assert jobs(reader, run).take()[1] == ()
    assert len({each.round for each in (*taken, *others)}) == 30
    over(reader, run)
    second, (again,) = jobs(reader, run, worker="second").take()  # what was taken before is taken alone
    assert (again.round, again.tries) == (taken[0].round, 2)
    # The first one comes back too late: of what was taken away meanwhile it says nothing any more.
    assert jobs(reader, run).done(first, [(each, SAME) for each in taken]) == 9
    assert jobs(reader, run).done(second, [(again, RoundAgain(outcome="otherwise"))]) == 1
    assert jobs(reader, run).done(second, [(again, SAME)]) == 0
    (found,) = (each for each in all_of(reader.database, run.id) if each.round == again.round)
    assert found.outcome == "otherwise"
    assert found.failures == ("first: the worker that had taken it ended, or took too long",)


class Failing(Again):
    """Fails at some rounds."""

    bad: Any = None
    error: type[Exception] = ValueError

    def read(self, entry: Entry, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        """Read it, or fail."""
        if entry.round in self.bad:
            raise self.error("a bad round")
        return super().read(entry, settings, last_try=last_try)


def failing(error: type[Exception], *rounds: str) -> Failing:
    made = Failing(Chosen())
    type(made).bad, type(made).error = frozenset(rounds), error
    return made


@pytest.mark.parametrize("error", [ValueError, PictureAwayError, RecursionError])
def test_a_bad_round_is_tried_again_and_set_aside(reader: FloorReader, error: type[Exception]) -> None:
    run, _ = by_rules(reader, most_tries=2)
    worker = Worker(reader.database, run, failing(error, "r7", "r8"))
    thread = threading.Thread(target=worker.work)
    thread.start()
    wait_until(lambda: (run_of(reader.database, run.id) or run).states.get("done") == 28)
    over(reader, run)
    thread.join(30)
    found = run_of(reader.database, run.id)
    assert found is not None
    assert (found.states, found.left) == ({"done": 28, "aside": 2}, 0)
    aside = list(all_of(reader.database, run.id, "aside"))
    assert [each.round for each in aside] == ["r7", "r8"]
    assert all(len(each.failures) == 2 and "a bad round" in each.failures[0] for each in aside)
    assert any("a bad round" in line for line in as_csv(aside))


def test_what_ends_workers_is_set_aside_without_its_neighbours(reader: FloorReader) -> None:
    run, _ = by_rules(reader, most_tries=2)
    done = 0
    for _ in range(40):
        taking, taken = jobs(reader, run).take()
        if any(each.round == "r5" for each in taken):
            over(reader, run)  # that worker is gone
            continue
        if not taken:
            break
        done += jobs(reader, run).done(taking, [(each, SAME) for each in taken])
    found = run_of(reader.database, run.id)
    assert found is not None
    assert (done, found.states) == (29, {"done": 29, "aside": 1})
    (aside,) = all_of(reader.database, run.id, "aside")
    assert aside.round == "r5"
    assert aside.outcome == "aside"


def test_a_run_that_is_stopped_is_taken_no_more(reader: FloorReader) -> None:
    run, again = by_rules(reader)
    taking, taken = jobs(reader, run).take()
    assert stop(reader.database, run.id)
    assert not stop(reader.database, run.id)
    assert Worker(reader.database, run, again).work() == 0
    assert jobs(reader, run).done(taking, [(each, SAME) for each in taken]) == 10
    found = run_of(reader.database, run.id)
    assert found is not None
    assert (found.left, found.states) == (0, {"done": 10, "waiting": 20})


def test_what_a_restored_record_has_no_more_could_not_be_read(reader: FloorReader) -> None:
    run, again = by_rules(reader)
    with reader.database.begin() as connection:
        connection.execute(text("UPDATE floor_entries SET gone = '9-x' WHERE round = 'r4'"))
    Worker(reader.database, run, again).work()
    (found,) = all_of(reader.database, run.id, "could_not")
    assert found.again is not None
    assert (found.round, [each.code for each in found.again.unread]) == ("r4", ["reread_entry_gone"])


def test_a_later_revision_does_not_change_what_a_run_reads(floor_url: str) -> None:
    feed = RecordedFeed()
    play(feed, "wrong", "r1", 1)
    play(feed, "right", "r1", 2)
    with floor_with(floor_url, {"t0": feed}) as reader:
        run, again = by_rules(reader)
        (taken,) = jobs(reader, run).take()[1]
        assert (run.rounds, taken.position) == (1, 3)
        over(reader, run)
        assert Worker(reader.database, run, again).work() == 1


def test_a_worker_is_killed_and_another_reads_what_it_had(floor_url: str) -> None:
    """Real processes; which of them is killed, and when, is left to chance by the system's clock."""
    with floor_with(floor_url, feeds_of(3, 400)) as reader:
        run, _ = by_rules(reader, Chosen.of("star-2024", None, None), patience_s=1.0)
        workers = [worker_program(floor_url, str(run.id)) for _ in range(2)]
        try:
            wait_until(lambda: bool((run_of(reader.database, run.id) or run).states.get("taken")), 60)
            workers[0].send_signal(signal.SIGKILL)
            said = workers[1].communicate(timeout=60)[0]
        finally:
            for each in workers:
                each.kill()
                each.communicate()
        assert workers[1].returncode == 0, said
        assert "400 of 400 done" in said
        found = rounds_of(reader, run)
        assert (len(found), set(found.values())) == (400, {1})
