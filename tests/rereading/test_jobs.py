"""Each round of a run comes out once, whatever becomes of a worker and of a bad round."""

import csv
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, select, text

from rereading.again import Again, RoundAgain
from rereading.jobs import ROUNDS, Job, Jobs, Run, Worker, find, stop
from rereading.pictures import UnavailableError
from rereading.results import csv_lines, results, summary
from rereading.rules import Chosen
from service.record.store import schema
from service.record.store.entries import Entry
from tests.rereading.recorded import (
    BEGAN,
    REPORTS,
    by_rules,
    dealt_rounds,
    floor_with,
    now,
    numbered,
    pass_time,
    program,
    started,
)
from tests.service.stand_ins import wait_until

SAME = RoundAgain(outcome="same")
NZ = Chosen.of("nz-1998", None, None, BEGAN.date())


@pytest.fixture
def database(floor_url: str) -> Iterator[Engine]:
    with floor_with(floor_url, dealt_rounds(3, 30)) as made:
        yield made


def jobs(database: Engine, run: Run, at_once: int = 10, worker: str = "w") -> Jobs:
    return Jobs(database, run, worker, at_once)


def all_the_same(taken: tuple[Job, ...]) -> list[tuple[Job, RoundAgain]]:
    return [(each, SAME) for each in taken]


def rounds_of(database: Engine, run: Run) -> Counter[tuple[str, str]]:
    return Counter((each.table, each.round) for each in results(database, run.id))


def entries(database: Engine) -> list[Any]:
    with database.connect() as connection:
        return list(connection.execute(select(schema.entries).order_by(schema.entries.c.position)))


def test_every_round_comes_out_once_by_several_workers(database: Engine) -> None:
    run, again = by_rules(database, NZ)
    workers = [Worker(database, run, again, f"w{number}") for number in range(4)]
    done: list[int] = []
    threads = [threading.Thread(target=lambda each=each: done.append(each.work())) for each in workers]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert sum(done) == 30
    found = rounds_of(database, run)
    assert (len(found), set(found.values())) == (30, {1})
    over = now(database, run)
    assert (over.rounds, over.left, over.states) == (30, 0, {"done": 30})
    assert sum(over.outcomes.values()) == 30
    assert "rounds with a different throw (by rules)" in summary(database, over)
    lines = list(csv.DictReader(csv_lines(database, run.id)))
    assert {each["table"] for each in lines} == {"t0", "t1", "t2"}
    assert len(lines) > over.outcomes["different"]


def test_two_workers_at_once_never_take_the_same_round(database: Engine) -> None:
    """One has not committed what it took: the other skips that, and does not wait for it."""
    run, _ = by_rules(database)
    with database.begin() as connection:
        locked = select(ROUNDS.c.position).where(ROUNDS.c.run == run.id).order_by(ROUNDS.c.position).limit(10)
        held = set(connection.execute(locked.with_for_update(skip_locked=True)).scalars())
        taken = jobs(database, run).take()[1]
        assert len(taken) == 10
        assert not held & {each.position for each in taken}


def test_the_record_does_not_change(database: Engine) -> None:
    before = entries(database)
    run, again = by_rules(database, NZ)
    Worker(database, run, again).work()
    assert entries(database) == before


def test_only_the_chosen_rounds(database: Engine) -> None:
    at = BEGAN.replace(minute=6)
    one = started(database, tables=("t1",))
    early = started(database, until=at)
    late = started(database, tables=("t0", "t2"), since=at)
    assert (one.rounds, early.rounds, late.rounds) == (10, 5, 17)


def test_a_taken_round_is_hidden_until_its_time_is_over(database: Engine) -> None:
    run, _ = by_rules(database)
    first, taken = jobs(database, run, worker="first").take()
    others = [each for _ in range(2) for each in jobs(database, run).take()[1]]
    assert jobs(database, run).take()[1] == ()
    assert len({each.round for each in (*taken, *others)}) == 30
    pass_time(database, run)
    second, (again,) = jobs(database, run, worker="second").take()  # a round that was taken before is taken alone
    assert (again.round, again.tries) == (taken[0].round, 2)
    # The first worker returns too late: its result for the round that was taken away does not count.
    assert jobs(database, run).done(first, all_the_same(taken)) == 9
    assert jobs(database, run).done(second, [(again, RoundAgain(outcome="different"))]) == 1
    assert jobs(database, run).done(second, all_the_same((again,))) == 0
    (found,) = (each for each in results(database, run.id) if each.round == again.round)
    assert found.again == RoundAgain(outcome="different")
    assert found.failures == ("first: the worker ended or took too long",)


class Failing(Again):
    """Fails at some rounds."""

    bad: Any = None
    error: type[Exception] = ValueError

    def read(self, entry: Entry, settings: dict[str, Any], *, last_try: bool) -> RoundAgain:
        if entry.round in self.bad:
            raise self.error("a bad round")
        return super().read(entry, settings, last_try=last_try)


def failing(error: type[Exception], *rounds: str) -> Failing:
    made = Failing(Chosen())
    type(made).bad, type(made).error = frozenset(rounds), error
    return made


@pytest.mark.parametrize("error", [ValueError, UnavailableError, RecursionError])
def test_a_bad_round_is_retried_and_fails(database: Engine, error: type[Exception]) -> None:
    run, _ = by_rules(database, most_tries=2)
    worker = Worker(database, run, failing(error, "r7", "r8"))
    thread = threading.Thread(target=worker.work)
    thread.start()
    wait_until(lambda: now(database, run).states.get("done") == 28)
    pass_time(database, run)
    thread.join(30)
    over = now(database, run)
    assert (over.states, over.left) == ({"done": 28, "failed": 2}, 0)
    failed = [each for each in results(database, run.id) if each.again is None]
    assert [each.round for each in failed] == ["r7", "r8"]
    assert all(len(each.failures) == 2 and "a bad round" in each.failures[0] for each in failed)
    assert any("a bad round" in line for line in csv_lines(database, run.id))


def test_a_round_that_ends_workers_fails_without_its_neighbours(database: Engine) -> None:
    run, _ = by_rules(database, most_tries=2)
    done = 0
    for _ in range(40):
        token, taken = jobs(database, run).take()
        if any(each.round == "r5" for each in taken):
            pass_time(database, run)  # that worker is gone
            continue
        if not taken:
            break
        done += jobs(database, run).done(token, all_the_same(taken))
    assert (done, now(database, run).states) == (29, {"done": 29, "failed": 1})
    (failed,) = (each for each in results(database, run.id) if each.again is None)
    assert failed.round == "r5"


def test_no_more_rounds_of_a_stopped_run_are_taken(database: Engine) -> None:
    run, again = by_rules(database)
    token, taken = jobs(database, run).take()
    assert stop(database, run.id)
    assert not stop(database, run.id)
    assert Worker(database, run, again).work() == 0
    assert jobs(database, run).done(token, all_the_same(taken)) == 10
    over = now(database, run)
    assert (over.left, over.states) == (0, {"done": 10, "waiting": 20})


def test_an_entry_that_a_restored_record_lost_is_unread(database: Engine) -> None:
    run, again = by_rules(database)
    with database.begin() as connection:
        connection.execute(text("UPDATE record_entries SET gone = '9-x' WHERE round = 'r4'"))
    Worker(database, run, again).work()
    (found,) = (each for each in results(database, run.id) if each.round == "r4")
    assert found.again is not None
    assert (found.again.outcome, [each.code for each in found.again.unread]) == ("unread", ["entry_gone"])
    assert by_rules(database)[0].rounds == 29


def test_only_the_newest_revision_is_read(floor_url: str) -> None:
    revisions = [numbered(REPORTS[name], 1, revision=revision) for revision, name in ((1, "wrong"), (2, "right"))]
    with floor_with(floor_url, {"t0": revisions}) as database:
        run, again = by_rules(database)
        (taken,) = jobs(database, run).take()[1]
        assert (run.rounds, taken.position) == (1, 2)
        pass_time(database, run)
        assert Worker(database, run, again).work() == 1


def test_a_floor_without_runs_has_none(database: Engine) -> None:
    assert find(database) is None


@pytest.mark.slow
def test_when_a_worker_is_killed_another_reads_its_rounds(floor_url: str) -> None:
    """Real processes; when one is killed depends on the system's clock."""
    with floor_with(floor_url, dealt_rounds(3, 400)) as database:
        run, _ = by_rules(database, Chosen.of("star-2024", None, None, BEGAN.date()), patience_s=1.0)
        workers = [program(floor_url, "work", str(run.id)) for _ in range(2)]
        try:
            wait_until(lambda: bool(now(database, run).states.get("taken")), 60)
            workers[0].send_signal(signal.SIGKILL)
            output = workers[1].communicate(timeout=60)[0]
        finally:
            for each in workers:
                each.kill()
                each.communicate()
        assert workers[1].returncode == 0, output
        assert "400 of 400 done" in output
        found = rounds_of(database, run)
        assert (len(found), set(found.values())) == (400, {1})
