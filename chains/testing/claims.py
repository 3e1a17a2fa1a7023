"""What every Runs must do for runners and for whoever waits: claims, leases, wake-ups, forgetting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from chains.language.ast import Phase
from chains.runs.holds import HoldSpace
from chains.runs.records import Move, Worker
from chains.runs.states import Event, Status, StepStatus
from chains.testing import JOB, TIME, at_once, chain
from chains.testing.run_cases import BookOfRuns
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
        runs = [book.queue.submit(self.order(number, chain("a"))) for number in range(2)]
        self.clock.forward(1)
        first = book.queue.claim("w")
        assert first is not None
        assert (first.key, first.worker, first.started_on) == (runs[0].key, "w", stamp(self.clock.now()))
        assert first.plan == chain("a")
        second = book.queue.claim("v")
        assert second is not None
        assert second.key == runs[1].key
        assert book.queue.claim("w") is None

    def test_several_are_submitted_together_or_not_at_all(self) -> None:
        book = self.book()
        orders = [self.order(number, chain(*"ab"[: number % 3])) for number in range(90)]
        seen = book.queue.await_work(0, NEVER)
        book.queue.submit_all(orders)
        assert book.queue.await_work(seen, NEVER) != seen
        runs = book.reader.newest(JOB, None)[::-1]
        assert [(run.id, run.status) for run in runs] == [(o.id, Status.PROCESSING) for o in orders]
        assert [len(book.reader.steps(run.key)) for run in runs] == [0, 1, 2] * 30
        assert len({run.shortname for run in runs}) == 90
        with raises(Conflict):
            book.queue.submit_all([self.order(number) for number in (91, 92, 5)])
        assert len(book.reader.newest(JOB, None)) == 90
        book.queue.submit_all([])

    def test_racing_runners_share_the_runs(self) -> None:
        book = self.book()
        keys = {book.queue.submit(self.order(number)).key for number in range(30)}

        def take(worker: str) -> list[int]:
            taken = []
            while run := book.queue.claim(worker):
                taken.append(run.key)
            return taken

        shares = at_once(*[lambda worker=worker: take(worker) for worker in "uvw"])
        taken = [key for share in shares if isinstance(share, list) for key in share]
        assert len(taken) == len(keys)
        assert set(taken) == keys

    def test_a_run_canceled_before_it_was_claimed_is_claimed_to_be_torn_down(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.states.event(run.key, Event.CANCEL)
        claimed = book.queue.claim("w")
        assert claimed is not None
        assert (claimed.status, claimed.started_on) == (Status.CANCELING, None)

    def test_a_runner_hears_which_of_its_runs_are_canceling(self) -> None:
        book = self.book()
        mine, other = (book.queue.submit(self.order(number)) for number in range(2))
        book.queue.claim("w")
        book.queue.claim("v")
        book.states.event(mine.key, Event.CANCEL)
        book.states.event(other.key, Event.CANCEL)
        assert list(book.queue.canceling("w")) == [mine.key]

    def test_a_run_is_lost_when_its_runners_lease_runs_out(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.queue.submit(self.order(2))
        book.leases.enlist("w", "here", 10)
        book.queue.claim("w")
        self.clock.forward(9)
        assert (list(book.leases.lost_runs()), book.leases.is_alive("w")) == ([], True)
        assert book.leases.beat("w", 10)
        self.clock.forward(9)
        assert list(book.leases.lost_runs()) == []
        self.clock.forward(2)
        assert [lost.key for lost in book.leases.lost_runs()] == [run.key]
        assert not book.leases.is_alive("w")

    def test_runners_tell_what_is_wrong_with_their_engines_and_since_when(self) -> None:
        book = self.book()
        book.leases.enlist("w", "here", 10)
        book.leases.enlist("v", "there", 20)
        assert list(book.leases.workers()) == [Worker("v", "there"), Worker("w", "here")]
        began = stamp(self.clock.now())
        book.leases.beat("w", 30, "it is away")
        self.clock.forward(1)
        book.leases.beat("w", 30, "it is still away")
        assert list(book.leases.workers())[1] == Worker("w", "here", "it is still away", began)
        book.leases.beat("w", 30)
        self.clock.forward(20)
        assert list(book.leases.workers()) == [Worker("w", "here")]

    def test_a_runner_ends_the_earlier_ones_of_its_home_alone(self) -> None:
        book = self.book()
        runs = [book.queue.submit(self.order(number)) for number in range(2)]
        for worker, home in (("w", "here"), ("v", "there")):
            book.leases.enlist(worker, home, 10)
            book.queue.claim(worker)
        book.leases.enlist("x", "here", 10)
        assert [lost.key for lost in book.leases.lost_runs()] == [runs[0].key]
        assert not book.leases.beat("w", 10)
        book.leases.retire("v")
        assert [lost.key for lost in book.leases.lost_runs()] == [run.key for run in runs]
        for run in runs:
            book.states.event(run.key, Event.LOSE)
        assert list(book.leases.lost_runs()) == []

    def test_runs_that_wait_or_ended_are_never_lost(self) -> None:
        book = self.book()
        for number, event in enumerate((Event.HOLD, Event.SUCCEED)):
            run = book.queue.submit(self.order(number))
            book.queue.claim("nobody")
            book.states.event(run.key, event)
        assert list(book.leases.lost_runs()) == []
        assert [run.status for run in book.retention.open_runs()] == [Status.WAITING]

    def test_what_is_parked_is_told_by_owner_until_the_run_ends(self) -> None:
        book = self.book()
        one, other = (book.queue.submit(self.order(number, chain("a"))).key for number in range(2))
        book.states.park(other, "a", Phase.BEFORE, 78, [], [])
        book.states.park(one, "a", Phase.BEFORE, 77, [], [])
        both = [HoldSpace(77, JOB, "bob"), HoldSpace(78, JOB, "bob")]
        assert list(book.hold_spaces.open_spaces("alice")) == list(book.hold_spaces.open_spaces(None)) == both
        assert list(book.hold_spaces.open_spaces("bob")) == []
        book.states.settle(one, Event.CONTINUE, "carol", 79)
        assert list(book.hold_spaces.open_spaces("alice")) == both
        book.states.event(one, Event.FAIL)
        assert list(book.hold_spaces.open_spaces("alice")) == both[1:]

    def test_a_runner_asks_which_runs_are_over(self) -> None:
        book = self.book()
        waiting, running, ended, new = (book.queue.submit(self.order(number)).key for number in range(4))
        book.queue.claim("w")
        book.states.event(waiting, Event.HOLD)
        book.states.event(ended, Event.FAIL)
        runs = [waiting, running, ended, new, 99]
        assert list(book.retention.ended_runs(runs)) == [ended, 99]
        book.states.event(waiting, Event.CONTINUE)
        assert list(book.retention.ended_runs(runs)) == [ended, 99]
        book.retention.discard(JOB)
        assert list(book.retention.ended_runs(runs)) == [ended, 99]

    def test_scheduled_failures_in_a_row_are_counted(self) -> None:
        book = self.book()
        ends = [Event.FAIL, Event.SUCCEED, Event.FAIL, Event.CANCEL, Event.FAIL]
        for number, event in enumerate(ends):
            run = book.queue.submit(self.order(number, trigger="schedule"))
            book.states.event(run.key, event)
            if event is Event.CANCEL:
                book.states.event(run.key, Event.TORN_DOWN)
        book.states.event(book.queue.submit(self.order(9)).key, Event.SUCCEED)
        assert book.reader.failures(JOB) == 2

    def test_a_removed_jobs_runs_are_forgotten_once_they_ended(self) -> None:
        book = self.book()
        ended, waiting, running = (book.queue.submit(self.order(number, chain("a"))) for number in range(3))
        book.states.event(ended.key, Event.FAIL)
        book.states.event(waiting.key, Event.HOLD)
        book.retention.discard(JOB)
        assert [run.key for run in book.retention.open_runs()] == [running.key]
        assert (book.reader.by_key(ended.key), book.reader.by_key(waiting.key)) == (None, None)
        claimed = book.queue.claim("w")
        assert claimed is not None
        assert claimed.status is Status.CANCELING
        assert book.states.event(running.key, Event.TORN_DOWN) is Status.CANCELED
        assert book.reader.by_key(running.key) is None
        assert set(self.revoked) == {ended.key, waiting.key, running.key}


class WakeSuite(BookOfRuns):
    """Who waits is woken by the change, not by the clock."""

    def test_a_waiter_is_woken_by_the_end_of_its_run(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        status, late = while_waiting(
            lambda: book.waits.wait(run.key, lambda status: status.ended, NEVER),
            lambda: book.states.event(run.key, Event.SUCCEED),
        )
        assert status is Status.SUCCESS
        assert late < SOON

    def test_a_waiter_gives_up_when_its_time_is_over(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        assert book.waits.wait(run.key, lambda status: status.ended, 0) is Status.PROCESSING
        assert book.waits.wait(run.key, lambda status: status.ended, 0.05) is Status.PROCESSING
        assert book.waits.wait(run.key, lambda status: not status.ended, None) is Status.PROCESSING

    def test_a_waiter_whose_run_is_forgotten_is_told(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.states.event(run.key, Event.HOLD)
        answer, late = while_waiting(
            lambda: at_once(lambda: book.waits.wait(run.key, lambda status: status.ended, NEVER))[0],
            lambda: book.retention.discard(JOB),
        )
        assert isinstance(answer, NotFound)
        assert late < SOON

    def test_a_follower_is_woken_by_lines_and_by_the_end(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        book.states.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in book.waits.follow(run.key, 0, NEVER)] == ["one"]
        lines, late = while_waiting(
            lambda: [line.message for line in book.waits.follow(run.key, 1, NEVER)],
            lambda: book.states.record(
                run.key, [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "two")]
            ),
        )
        assert lines == ["two"]
        assert late < SOON
        lines, late = while_waiting(
            lambda: list(book.waits.follow(run.key, 2, NEVER)), lambda: book.states.event(run.key, Event.FAIL)
        )
        assert lines == []
        assert late < SOON
        assert list(book.waits.follow(run.key, 2, NEVER)) == []

    def test_runners_are_woken_by_the_end_of_a_run_that_waited(self) -> None:
        book = self.book()
        one, other = (book.queue.submit(self.order(number)).key for number in range(2))
        for run, act in (
            (one, lambda: book.states.event(one, Event.DECLINE)),
            (other, lambda: book.retention.discard(JOB)),
        ):
            book.states.event(run, Event.HOLD)
            seen = book.queue.await_work(0, NEVER)
            _, late = while_waiting(lambda seen=seen: book.queue.await_work(seen, NEVER), act)  # type: ignore[misc]
            assert late < SOON

    def test_runners_are_woken_by_new_runs_and_cancels_whenever_they_came(self) -> None:
        book = self.book()
        seen = book.queue.await_work(0, NEVER)
        run = book.queue.submit(self.order())
        seen = book.queue.await_work(seen, NEVER)
        assert book.queue.claim("w") is not None
        again, late = while_waiting(
            lambda: book.queue.await_work(seen, NEVER), lambda: book.states.event(run.key, Event.CANCEL)
        )
        assert again != seen
        assert late < SOON
        assert isinstance(again, int)
        assert book.queue.await_work(again, 0.05) == again

    def test_a_follower_is_let_go_when_it_is_over(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        began = time.monotonic()
        assert list(book.waits.follow(run.key, 0, NEVER, lambda: True)) == []
        assert time.monotonic() - began < SOON
        book.states.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in book.waits.follow(run.key, 0, NEVER, lambda: True)] == ["one"]
