"""What every RunBook must do for runners and for whoever waits: claims, leases, wake-ups, forgetting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from chains.language.ast import Phase
from chains.runs.book import Move, Worker
from chains.runs.holds import Parked
from chains.runs.states import Event, Status, StepStatus
from chains.testing import JOB, TIME, at_once, chain
from chains.testing.books import BookOfRuns
from vfs.errors import Conflict, NotFound
from vfs.ports.world import stamp
from vfs.testing import raises

SOON = 2.0
NEVER = 30.0


def while_waiting(wait: Callable[[], object], act: Callable[[], object]) -> tuple[object, float]:
    """What `wait` answered, and how many seconds after `act` it did; `act` comes when the wait has begun."""
    ended: list[tuple[object, float]] = []
    thread = threading.Thread(target=lambda: ended.append((wait(), time.monotonic())))
    thread.start()
    time.sleep(0.05)
    acted = time.monotonic()
    act()
    thread.join()
    answer, moment = ended[0]
    return answer, moment - acted


class ClaimSuite(BookOfRuns):
    """Runners claim runs, and lose them with their lease."""

    def test_the_oldest_run_is_claimed_first_and_by_one_runner_only(self) -> None:
        book = self.book()
        runs = [book.submit(self.order(number, chain("a"))) for number in range(2)]
        self.clock.forward(1)
        first = book.claim("w")
        assert first is not None
        assert (first.key, first.worker, first.started_on) == (runs[0].key, "w", stamp(self.clock.now()))
        assert first.plan == chain("a")
        second = book.claim("v")
        assert second is not None
        assert second.key == runs[1].key
        assert book.claim("w") is None

    def test_several_are_submitted_together_or_not_at_all(self) -> None:
        book = self.book()
        orders = [self.order(number, chain(*"ab"[: number % 3])) for number in range(90)]
        seen = book.wake(0, NEVER)
        book.submit_all(orders)
        assert book.wake(seen, NEVER) != seen
        runs = book.newest(JOB, None)[::-1]
        assert [(run.id, run.status) for run in runs] == [(o.id, Status.PROCESSING) for o in orders]
        assert [len(book.steps(run.key)) for run in runs] == [0, 1, 2] * 30
        assert len({run.shortname for run in runs}) == 90
        with raises(Conflict):
            book.submit_all([self.order(number) for number in (91, 92, 5)])
        assert len(book.newest(JOB, None)) == 90
        book.submit_all([])

    def test_racing_runners_share_the_runs(self) -> None:
        book = self.book()
        keys = {book.submit(self.order(number)).key for number in range(30)}

        def take(worker: str) -> list[int]:
            taken = []
            while run := book.claim(worker):
                taken.append(run.key)
            return taken

        shares = at_once(*[lambda worker=worker: take(worker) for worker in "uvw"])
        taken = [key for share in shares if isinstance(share, list) for key in share]
        assert len(taken) == len(keys)
        assert set(taken) == keys

    def test_a_run_canceled_before_it_was_claimed_is_claimed_to_be_torn_down(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        book.event(run.key, Event.CANCEL)
        claimed = book.claim("w")
        assert claimed is not None
        assert (claimed.status, claimed.started_on) == (Status.CANCELING, None)

    def test_a_runner_hears_which_of_its_runs_are_canceling(self) -> None:
        book = self.book()
        mine, other = (book.submit(self.order(number)) for number in range(2))
        book.claim("w")
        book.claim("v")
        book.event(mine.key, Event.CANCEL)
        book.event(other.key, Event.CANCEL)
        assert list(book.canceling("w")) == [mine.key]

    def test_a_run_is_lost_when_its_runners_lease_runs_out(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        book.submit(self.order(2))
        book.enlist("w", "here", 10)
        book.claim("w")
        self.clock.forward(9)
        assert (list(book.lost()), book.alive("w")) == ([], True)
        assert book.beat("w", 10)
        self.clock.forward(9)
        assert list(book.lost()) == []
        self.clock.forward(2)
        assert [lost.key for lost in book.lost()] == [run.key]
        assert not book.alive("w")

    def test_runners_tell_what_is_wrong_with_their_engines_and_since_when(self) -> None:
        book = self.book()
        book.enlist("w", "here", 10)
        book.enlist("v", "there", 20)
        assert list(book.workers()) == [Worker("v", "there"), Worker("w", "here")]
        began = stamp(self.clock.now())
        book.beat("w", 30, "it is away")
        self.clock.forward(1)
        book.beat("w", 30, "it is still away")
        assert list(book.workers())[1] == Worker("w", "here", "it is still away", began)
        book.beat("w", 30)
        self.clock.forward(20)
        assert list(book.workers()) == [Worker("w", "here")]

    def test_a_runner_ends_the_earlier_ones_of_its_home_alone(self) -> None:
        book = self.book()
        runs = [book.submit(self.order(number)) for number in range(2)]
        for worker, home in (("w", "here"), ("v", "there")):
            book.enlist(worker, home, 10)
            book.claim(worker)
        book.enlist("x", "here", 10)
        assert [lost.key for lost in book.lost()] == [runs[0].key]
        assert not book.beat("w", 10)
        book.retire("v")
        assert [lost.key for lost in book.lost()] == [run.key for run in runs]
        for run in runs:
            book.event(run.key, Event.LOSE)
        assert list(book.lost()) == []

    def test_runs_that_wait_or_ended_are_never_lost(self) -> None:
        book = self.book()
        for number, event in enumerate((Event.HOLD, Event.SUCCEED)):
            run = book.submit(self.order(number))
            book.claim("nobody")
            book.event(run.key, event)
        assert list(book.lost()) == []
        assert [run.status for run in book.unfinished()] == [Status.WAITING]

    def test_what_is_parked_is_told_by_owner_until_the_run_ends(self) -> None:
        book = self.book()
        one, other = (book.submit(self.order(number, chain("a"))).key for number in range(2))
        book.park(other, "a", Phase.BEFORE, 78, [], [])
        book.park(one, "a", Phase.BEFORE, 77, [], [])
        both = [Parked(77, JOB, "bob"), Parked(78, JOB, "bob")]
        assert list(book.parkings("alice")) == list(book.parkings(None)) == both
        assert list(book.parkings("bob")) == []
        book.settle(one, Event.CONTINUE, "carol", 79)
        assert list(book.parkings("alice")) == both
        book.event(one, Event.FAIL)
        assert list(book.parkings("alice")) == both[1:]

    def test_a_runner_asks_which_runs_are_over(self) -> None:
        book = self.book()
        waiting, running, ended, new = (book.submit(self.order(number)).key for number in range(4))
        book.claim("w")
        book.event(waiting, Event.HOLD)
        book.event(ended, Event.FAIL)
        runs = [waiting, running, ended, new, 99]
        assert list(book.over(runs)) == [ended, 99]
        book.event(waiting, Event.CONTINUE)
        assert list(book.over(runs)) == [ended, 99]
        book.discard(JOB)
        assert list(book.over(runs)) == [ended, 99]

    def test_scheduled_failures_in_a_row_are_counted(self) -> None:
        book = self.book()
        ends = [Event.FAIL, Event.SUCCEED, Event.FAIL, Event.CANCEL, Event.FAIL]
        for number, event in enumerate(ends):
            run = book.submit(self.order(number, trigger="schedule"))
            book.event(run.key, event)
            if event is Event.CANCEL:
                book.event(run.key, Event.TORN_DOWN)
        book.event(book.submit(self.order(9)).key, Event.SUCCEED)
        assert book.failures(JOB) == 2

    def test_a_removed_jobs_runs_are_forgotten_once_they_ended(self) -> None:
        book = self.book()
        ended, waiting, running = (book.submit(self.order(number, chain("a"))) for number in range(3))
        book.event(ended.key, Event.FAIL)
        book.event(waiting.key, Event.HOLD)
        book.discard(JOB)
        assert [run.key for run in book.unfinished()] == [running.key]
        assert (book.by_key(ended.key), book.by_key(waiting.key)) == (None, None)
        claimed = book.claim("w")
        assert claimed is not None
        assert claimed.status is Status.CANCELING
        assert book.event(running.key, Event.TORN_DOWN) is Status.CANCELED
        assert book.by_key(running.key) is None
        assert set(self.revoked) == {ended.key, waiting.key, running.key}


class WakeSuite(BookOfRuns):
    """Who waits is woken by the change, not by the clock."""

    def test_a_waiter_is_woken_by_the_end_of_its_run(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        status, late = while_waiting(
            lambda: book.wait(run.key, lambda status: status.ended, NEVER),
            lambda: book.event(run.key, Event.SUCCEED),
        )
        assert status is Status.SUCCESS
        assert late < SOON

    def test_a_waiter_gives_up_when_its_time_is_over(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        assert book.wait(run.key, lambda status: status.ended, 0) is Status.PROCESSING
        assert book.wait(run.key, lambda status: status.ended, 0.05) is Status.PROCESSING
        assert book.wait(run.key, lambda status: not status.ended, None) is Status.PROCESSING

    def test_a_waiter_whose_run_is_forgotten_is_told(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        book.event(run.key, Event.HOLD)
        answer, late = while_waiting(
            lambda: at_once(lambda: book.wait(run.key, lambda status: status.ended, NEVER))[0],
            lambda: book.discard(JOB),
        )
        assert isinstance(answer, NotFound)
        assert late < SOON

    def test_a_follower_is_woken_by_lines_and_by_the_end(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")))
        book.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in book.follow(run.key, 0, NEVER)] == ["one"]
        lines, late = while_waiting(
            lambda: [line.message for line in book.follow(run.key, 1, NEVER)],
            lambda: book.record(run.key, [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "two")]),
        )
        assert lines == ["two"]
        assert late < SOON
        lines, late = while_waiting(
            lambda: list(book.follow(run.key, 2, NEVER)), lambda: book.event(run.key, Event.FAIL)
        )
        assert lines == []
        assert late < SOON
        assert list(book.follow(run.key, 2, NEVER)) == []

    def test_runners_are_woken_by_the_end_of_a_run_that_waited(self) -> None:
        book = self.book()
        one, other = (book.submit(self.order(number)).key for number in range(2))
        for run, act in ((one, lambda: book.event(one, Event.DECLINE)), (other, lambda: book.discard(JOB))):
            book.event(run, Event.HOLD)
            seen = book.wake(0, NEVER)
            _, late = while_waiting(lambda seen=seen: book.wake(seen, NEVER), act)  # type: ignore[misc]
            assert late < SOON

    def test_runners_are_woken_by_new_runs_and_cancels_whenever_they_came(self) -> None:
        book = self.book()
        seen = book.wake(0, NEVER)
        run = book.submit(self.order())
        seen = book.wake(seen, NEVER)
        assert book.claim("w") is not None
        again, late = while_waiting(lambda: book.wake(seen, NEVER), lambda: book.event(run.key, Event.CANCEL))
        assert again != seen
        assert late < SOON
        assert isinstance(again, int)
        assert book.wake(again, 0.05) == again

    def test_a_follower_is_let_go_when_it_is_over(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")))
        began = time.monotonic()
        assert list(book.follow(run.key, 0, NEVER, lambda: True)) == []
        assert time.monotonic() - began < SOON
        book.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in book.follow(run.key, 0, NEVER, lambda: True)] == ["one"]
