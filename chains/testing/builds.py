"""What every Builds must do: subclass, give `builds()`, and let a test runner collect it."""

from __future__ import annotations

import threading

import pytest

from chains.builds import Build, Builds, BuildStatus, Built, Outcome
from chains.testing import at_once
from vfs.errors import NotFound

REPO = 1
OTHER = 2
COMMIT = "a" * 40
LATER = "b" * 40
MAIN = "refs/heads/main"
MANY = 8
SECONDS = 30.0


class BuildsSuite:
    """Builds are queued, claimed, logged, followed and looked up.

    A subclass gives `builds()`, a fresh book in which repos 1 and 2 exist.
    """

    def builds(self) -> Builds:
        """A fresh book."""
        raise AssertionError("a subclass gives the book")

    def claimed(self, book: Builds) -> Build:
        """The build that a claim takes."""
        build = book.claim("worker")
        assert build is not None
        return build

    def test_a_queued_build_is_found_as_it_was_ordered(self) -> None:
        book = self.builds()
        number = book.queue(REPO, ("main", "latest"), MAIN, COMMIT)
        build = book.get(number)
        assert build == Build(number, REPO, ("main", "latest"), MAIN, COMMIT)
        assert book.latest(REPO) == build
        assert book.latest(OTHER) is None
        assert book.get(number + 1) is None
        assert list(book.lines(number)) == []

    def test_builds_are_claimed_in_turn_each_by_one(self) -> None:
        book = self.builds()
        first, second = (book.queue(REPO, (name,), MAIN, COMMIT) for name in ("one", "two"))
        assert first < second
        taken = self.claimed(book)
        assert (taken.id, taken.status, taken.worker) == (first, BuildStatus.BUILDING, "worker")
        assert book.get(first) == taken
        assert self.claimed(book).id == second
        assert book.claim("worker") is None

    def test_racing_runners_never_claim_the_same_build(self) -> None:
        book = self.builds()
        numbers = {book.queue(REPO, ("main",), MAIN, COMMIT) for _ in range(MANY)}
        taken = at_once(*[lambda: self.claimed(book).id] * MANY)
        assert set(taken) == numbers

    def test_a_ready_build_moves_its_labels(self) -> None:
        book = self.builds()
        number = book.queue(REPO, ("main", "latest"), MAIN, COMMIT)
        self.claimed(book)
        assert book.image(REPO, "main") is None
        book.finish(number, "image-1")
        assert book.images(REPO) == {"main": Built("image-1", COMMIT), "latest": Built("image-1", COMMIT)}
        assert book.image(REPO, "latest") == ("image-1", COMMIT)
        assert book.images(OTHER) == {}
        build = book.get(number)
        assert build is not None
        assert (build.status, build.image, build.error) == (BuildStatus.READY, "image-1", "")

    def test_a_failed_build_keeps_the_image_before(self) -> None:
        book = self.builds()
        book.finish(self.queued_and_claimed(book, COMMIT), "image-1")
        number = self.queued_and_claimed(book, LATER)
        book.finish(number, None, "no Dockerfile")
        assert book.image(REPO, "main") == Built("image-1", COMMIT)
        build = book.latest(REPO)
        assert build is not None
        assert (build.status, build.image, build.error) == (BuildStatus.FAILED, None, "no Dockerfile")

    def queued_and_claimed(self, book: Builds, commit: str) -> int:
        """The number of a build of `main` that is under way."""
        number = book.queue(REPO, ("main",), MAIN, commit)
        assert self.claimed(book).id == number
        return number

    def test_an_older_build_does_not_take_a_label_back(self) -> None:
        book = self.builds()
        old, new = self.queued_and_claimed(book, COMMIT), self.queued_and_claimed(book, LATER)
        book.finish(new, "image-new")
        book.finish(old, "image-old")
        assert book.image(REPO, "main") == Built("image-new", LATER)

    def test_a_build_ends_once(self) -> None:
        book = self.builds()
        number = self.queued_and_claimed(book, COMMIT)
        book.finish(number, None, "first")
        book.finish(number, "image-1")
        build = book.get(number)
        assert build is not None
        assert (build.status, build.error) == (BuildStatus.FAILED, "first")
        assert book.images(REPO) == {}

    def test_a_forgotten_label_is_gone(self) -> None:
        book = self.builds()
        book.finish(self.queued_and_claimed(book, COMMIT), "image-1")
        assert book.forget(REPO, "main") == Built("image-1", COMMIT)
        assert book.forget(REPO, "main") is None
        assert book.image(REPO, "main") is None

    def test_a_build_under_way_does_not_bring_a_forgotten_label_back(self) -> None:
        book = self.builds()
        old = self.queued_and_claimed(book, COMMIT)
        assert book.forget(REPO, "main") is None
        book.finish(old, "image-old")
        assert book.image(REPO, "main") is None
        book.finish(self.queued_and_claimed(book, LATER), "image-new")
        assert book.image(REPO, "main") == Built("image-new", LATER)

    def test_a_removed_repo_leaves_nothing(self) -> None:
        book = self.builds()
        book.finish(self.queued_and_claimed(book, COMMIT), "image-1")
        number = self.queued_and_claimed(book, LATER)
        kept = book.queue(OTHER, ("main",), MAIN, COMMIT)
        assert list(book.discard(REPO)) == ["image-1"]
        assert book.latest(REPO) is None
        assert book.images(REPO) == {}
        assert self.claimed(book).id == kept
        with pytest.raises(NotFound):
            book.line(number, "text")
        with pytest.raises(NotFound):
            book.finish(number, "image-2")
        with pytest.raises(NotFound):
            book.lines(number)

    def test_following_tells_each_line_and_then_the_end(self) -> None:
        book = self.builds()
        number = self.queued_and_claimed(book, COMMIT)
        book.line(number, "before")
        said: list[str | Outcome] = []
        told = threading.Event()

        def follow() -> None:
            for line in book.follow(number, SECONDS):
                said.append(line)
                told.set()

        follower = threading.Thread(target=follow)
        follower.start()
        assert told.wait(SECONDS)
        book.line(number, "")
        book.line(number, "straße")
        book.finish(number, "image-1")
        follower.join(SECONDS)
        assert said == ["before", "", "straße", Outcome(BuildStatus.READY)]
        assert list(book.lines(number)) == ["before", "", "straße"]
        assert list(book.follow(number, 0)) == said

    def test_following_waits_until_a_runner_takes_the_build(self) -> None:
        book = self.builds()
        number = book.queue(REPO, ("main",), MAIN, COMMIT)
        begun = threading.Event()

        def work() -> None:
            begun.wait(SECONDS)
            self.claimed(book)
            book.finish(number, None, "broken")

        runner = threading.Thread(target=work)
        runner.start()
        begun.set()
        assert list(book.follow(number, SECONDS)) == [Outcome(BuildStatus.FAILED, "broken")]
        runner.join(SECONDS)

    def test_following_ends_when_no_runner_takes_the_build(self) -> None:
        book = self.builds()
        number = book.queue(REPO, ("main",), MAIN, COMMIT)
        assert list(book.follow(number, 0.05)) == [Outcome(BuildStatus.QUEUED)]

    def test_what_is_not_in_the_book_cannot_be_followed(self) -> None:
        with pytest.raises(NotFound):
            list(self.builds().follow(1, 0))

    def test_a_lost_runners_builds_fail(self) -> None:
        book = self.builds()
        lost = self.queued_and_claimed(book, COMMIT)
        queued = book.queue(REPO, ("main",), MAIN, LATER)
        assert list(book.sweep(lambda worker: worker == "worker")) == []
        assert list(book.sweep(lambda worker: False)) == [lost]
        build = book.get(lost)
        assert build is not None
        assert build.status is BuildStatus.FAILED
        assert "interrupted" in build.error
        assert "interrupted" in book.lines(lost)[-1]
        waiting = book.get(queued)
        assert waiting is not None
        assert waiting.status is BuildStatus.QUEUED
