"""What is promised of the history of a job's runs: by every book."""

from __future__ import annotations

from chains.runs.states import Event, Status
from chains.testing import JOB, chain
from chains.testing.run_cases import BookOfRuns


class HistorySuite(BookOfRuns):
    """The whole history is told page by page, and its version names it."""

    def test_a_page_goes_on_where_the_one_before_it_ended(self) -> None:
        book = self.book()
        runs = [book.queue.submit(self.order(number)) for number in range(5)]
        first = book.reader.history(JOB, None, 2)
        assert [row[0] for row in first] == [runs[4].key, runs[3].key]
        assert [row[0] for row in book.reader.history(JOB, first[-1][0], 2)] == [runs[2].key, runs[1].key]
        assert [row[0] for row in book.reader.history(JOB, runs[1].key, 2)] == [runs[0].key]
        assert list(book.reader.history(JOB, runs[0].key, 2)) == []
        assert list(book.reader.history(99, None, 2)) == []

    def test_a_row_tells_what_a_run_tells(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, trigger="schedule"))
        book.queue.claim("w")
        assert book.reader.history(JOB, None, 9)[0][5] is None
        self.clock.forward(62.25)
        book.states.event(run.key, Event.SUCCEED)
        found = book.reader.by_key(run.key)
        assert found is not None
        (row,) = book.reader.history(JOB, None, 9)
        assert tuple(row) == (
            run.key, run.id, found.started_on, "schedule", run.by, "62.25", "success", found.started_on
        )  # fmt: skip
        never = book.queue.submit(self.order(2), Status.REJECTED)
        assert book.reader.history(JOB, None, 1)[0][2:6:3] == (never.created_on, None)

    def test_child_runs_are_not_in_it(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        assert len(book.reader.history(JOB, None, 9)) == 1
        assert book.reader.history(JOB, None, 9)[0][0] == run.key

    def test_the_version_changes_with_the_history_and_is_unknown_while_a_run_goes_on(self) -> None:
        book = self.book()
        versions = [book.reader.version(JOB), book.reader.version(JOB)]
        assert versions[0] == versions[1] is not None
        run = book.queue.submit(self.order(1))
        versions.append(book.reader.version(JOB))
        book.queue.claim("w")
        assert book.reader.version(JOB) is None
        book.states.event(run.key, Event.HOLD)
        assert book.reader.version(JOB) is None
        book.states.event(run.key, Event.DECLINE)
        versions.append(book.reader.version(JOB))
        book.queue.submit(self.order(2))
        versions.append(book.reader.version(JOB))
        assert len({*versions[1:]}) == 4
        assert book.reader.version(JOB) == versions[-1]
        assert book.reader.version(99) != versions[0]
