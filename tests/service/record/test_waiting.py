"""The bell between the reading thread and waiting requests, and work that is done once for all of them."""

import asyncio
import threading
import time

import pytest

from service.record.waiting import ChangeNotifier, SingleFlight


def test_news_that_came_already_is_not_waited_for() -> None:
    notifier = ChangeNotifier()
    notifier.notify()
    assert asyncio.run(notifier.wait_beyond(0, 10))


def test_a_wait_without_news_ends() -> None:
    notifier = ChangeNotifier()
    assert not asyncio.run(notifier.wait_beyond(0, 0.01))
    assert not notifier._waiting


def test_one_ring_from_another_thread_wakes_five_hundred() -> None:
    notifier = ChangeNotifier()

    async def all_of_them() -> list[bool]:
        waits = [asyncio.create_task(notifier.wait_beyond(0, 10)) for _ in range(500)]
        await asyncio.sleep(0)
        thread = threading.Thread(target=notifier.notify)
        thread.start()
        woken = await asyncio.gather(*waits)
        thread.join()
        return woken

    assert asyncio.run(all_of_them()) == [True] * 500


def test_closing_ends_waits_now_and_later() -> None:
    notifier = ChangeNotifier()

    async def waits() -> tuple[bool, bool]:
        waiting = asyncio.create_task(notifier.wait_beyond(0, 10))
        await asyncio.sleep(0)
        notifier.close()
        return await waiting, await notifier.wait_beyond(notifier.count, 10)

    assert asyncio.run(waits()) == (False, False)


def test_a_ring_after_the_loop_has_gone_harms_nobody() -> None:
    notifier = ChangeNotifier()
    loop = asyncio.new_event_loop()
    notifier._waiting[loop.create_future()] = loop
    loop.close()
    notifier.notify()
    assert notifier.count == 1


def test_what_many_ask_is_worked_out_once() -> None:
    worked: list[int] = []

    def work() -> int:
        worked.append(threading.get_ident())
        time.sleep(0.02)
        return len(worked)

    async def ask() -> tuple[list[int], int, int]:
        shared: SingleFlight[int] = SingleFlight(lambda answer: answer < 2)
        asked = [asyncio.create_task(shared.answer("a", work)) for _ in range(100)]
        await asyncio.sleep(0)
        asked.pop().cancel()  # one who goes away takes it from nobody
        together = await asyncio.gather(*asked)
        return together, await shared.answer("a", work), await shared.answer("b", work)

    assert asyncio.run(ask()) == ([1] * 99, 1, 2)
    assert len(worked) == 2


def test_a_failed_or_outdated_answer_is_computed_again() -> None:
    answers = iter([1, 2])

    def fail() -> int:
        raise OSError("the disk")

    async def ask() -> list[int]:
        shared: SingleFlight[int] = SingleFlight(lambda _: False)
        with pytest.raises(OSError, match="the disk"):
            await shared.answer("a", fail)
        return [await shared.answer("a", lambda: next(answers)) for _ in range(2)]

    assert asyncio.run(ask()) == [1, 2]
