"""Promises of every book of builds: subclass, give `builds()`, and let a test runner collect it."""

from __future__ import annotations

import threading
import time

from chains.builds.run_store import BuildOutcome, Builds, BuildStatus, Built, LabelClaim
from tests.kit.suites.chains import NEVER, SOON, at_once, while_waiting
from vfs.errors import NotFound

MAIN = "refs/heads/main"
BOB = "bob"


class BuildsSuite:
    """The promises of chains.builds.run_store.Builds; a subclass gives `builds()`, an empty book."""

    def builds(self) -> Builds:
        """An empty book."""
        raise AssertionError("a subclass gives the book")

    def ready(self, builds: Builds, build: int, image: str) -> None:
        """End a queued build with an image."""
        taken = builds.take("w")
        assert taken is not None
        assert taken.id == build
        builds.finish(build, image)

    def test_a_queued_build_is_found_taken_and_ended(self) -> None:
        builds = self.builds()
        build = builds.queue(1, ["main", "latest"], MAIN, "c1", BOB)
        queued = builds.get(build)
        assert queued is not None
        assert (queued.repo, queued.labels, queued.ref) == (1, ("main", "latest"), MAIN)
        assert (queued.commit, queued.by) == ("c1", BOB)
        assert (queued.status, queued.worker) == (BuildStatus.QUEUED, None)
        taken = builds.take("w")
        assert taken is not None
        assert (taken.id, taken.by) == (build, BOB)
        assert (taken.status, taken.worker) == (BuildStatus.BUILDING, "w")
        assert builds.take("w") is None
        builds.finish(build, "image")
        ended = builds.latest(1)
        assert ended is not None
        assert (ended.status, ended.image) == (BuildStatus.READY, "image")
        assert builds.images(1) == {"main": Built("image", "c1"), "latest": Built("image", "c1")}
        builds.finish(build, None, "too late")
        assert builds.get(build) == ended

    def test_the_builds_of_a_repo_are_listed_newest_first(self) -> None:
        builds = self.builds()
        queued = [builds.queue(1, ["main"], MAIN, f"c{number}", BOB) for number in range(3)]
        builds.queue(2, ["main"], MAIN, "c9", BOB)
        self.ready(builds, queued[0], "image")
        found = builds.newest(1, 2)
        assert [build.id for build in found] == [queued[2], queued[1]]
        assert found[0] == builds.latest(1)
        first = builds.newest(1, 9)[-1]
        assert first.completed_on is not None
        assert first.created_on <= first.completed_on
        assert found[0].completed_on is None
        assert builds.newest(3, 9) == []

    def test_builds_of_many_repos_are_looked_up_at_once(self) -> None:
        builds = self.builds()
        self.ready(builds, builds.queue(1, ["main", "latest"], MAIN, "c1", BOB), "image")
        self.ready(builds, builds.queue(2, ["v1"], "refs/tags/v1", "c2", BOB), "other")
        builds.queue(1, ["main"], MAIN, "c3", BOB)
        assert builds.latest_of([1, 2, 3]) == {1: builds.latest(1), 2: builds.latest(2)}
        assert builds.images_of([1, 2, 3]) == {1: builds.images(1), 2: builds.images(2)}
        assert (builds.latest_of([]), builds.images_of([])) == ({}, {})

    def test_a_commits_pusher_is_the_last_who_pushed_it(self) -> None:
        builds = self.builds()
        builds.queue(1, ["main"], MAIN, "c1", BOB)
        builds.queue(1, ["v1"], "refs/tags/v1", "c1", "carol")
        builds.queue(1, ["main"], MAIN, "c2", BOB)
        assert (builds.pusher(1, "c1"), builds.pusher(1, "c2")) == ("carol", BOB)
        assert (builds.pusher(1, "c3"), builds.pusher(2, "c1")) == (None, None)

    def test_builds_are_taken_oldest_first_each_once(self) -> None:
        builds = self.builds()
        queued = [builds.queue(1, ["main"], MAIN, f"c{number}", BOB) for number in range(6)]
        taken = at_once(*[lambda: builds.take("w")] * 6)
        ids = [getattr(build, "id", None) for build in taken]
        assert sorted(map(str, ids)) == sorted(map(str, queued))

    def test_an_account_is_built_for_by_its_rank_and_then_by_its_oldest_build(self) -> None:
        builds = self.builds()
        by = ["mallory", "mallory", BOB, "mallory", BOB]
        queued = [builds.queue(1, ["main"], MAIN, f"c{number}", who) for number, who in enumerate(by)]
        ranks = {"mallory": (0, 1), BOB: (0, 0)}

        def next_id() -> int | None:
            build = builds.take("w", ranks.get)
            return None if build is None else build.id

        assert [next_id() for _ in range(3)] == [queued[2], queued[4], queued[0]]
        assert builds.take("w", lambda account: None) is None
        assert [next_id() for _ in range(3)] == [queued[1], queued[3], None]

    def test_a_follower_who_gives_up_learns_its_place_in_fair_order(self) -> None:
        builds = self.builds()
        for number in range(9):
            builds.queue(1, ["main"], MAIN, f"m{number}", "mallory")
        mine = [builds.queue(2, ["main"], MAIN, f"c{number}", BOB) for number in range(2)]
        builds.queue(3, ["main"], MAIN, "d", "carol")
        builds.take("w")
        outcomes = [next(builds.follow(build, 0)) for build in mine]
        assert [getattr(outcome, "position", None) for outcome in outcomes] == [4, 6]
        assert all(isinstance(outcome, BuildOutcome) and outcome.at_work for outcome in outcomes)

    def test_a_failed_build_leaves_the_label_where_it_was(self) -> None:
        builds = self.builds()
        self.ready(builds, builds.queue(1, ["main"], MAIN, "c1", BOB), "one")
        failing = builds.queue(1, ["main"], MAIN, "c2", BOB)
        builds.take("w")
        builds.finish(failing, None, "line 3 failed")
        failed = builds.latest(1)
        assert failed is not None
        assert (failed.status, failed.error) == (BuildStatus.FAILED, "line 3 failed")
        assert builds.image(1, "main") == Built("one", "c1")
        assert builds.image(2, "main") is None

    def test_a_later_builds_label_is_not_moved_back(self) -> None:
        builds = self.builds()
        first, second = (builds.queue(1, ["main"], MAIN, f"c{number}", BOB) for number in (1, 2))
        for _ in range(2):
            builds.take("w")
        builds.finish(second, "two")
        builds.finish(first, "one")
        assert builds.image(1, "main") == Built("two", "c2")

    def test_a_forgotten_label_comes_back_with_a_new_build_alone(self) -> None:
        builds = self.builds()
        self.ready(builds, builds.queue(1, ["main"], MAIN, "c1", BOB), "one")
        before = builds.queue(1, ["main"], MAIN, "c2", BOB)
        assert builds.forget(1, "main") == Built("one", "c1")
        assert builds.forget(1, "main") is None
        assert builds.images(1) == {}
        self.ready(builds, before, "two")
        assert builds.image(1, "main") is None
        self.ready(builds, builds.queue(1, ["main"], MAIN, "c3", BOB), "three")
        assert builds.image(1, "main") == Built("three", "c3")

    def test_a_label_that_goes_to_another_ref_has_no_image_of_the_former(self) -> None:
        builds, tag = self.builds(), "refs/tags/main"
        self.ready(builds, builds.queue(1, ["main"], MAIN, "c1", BOB), "one")
        before = builds.queue(1, ["main"], MAIN, "c2", BOB)
        assert builds.claims(1) == {"main": LabelClaim(MAIN, "c1")}
        after = builds.queue(1, ["latest", "main"], MAIN, "c3", BOB, {"main": tag})
        assert builds.claims(1) == {"latest": LabelClaim(MAIN, None), "main": LabelClaim(tag, None)}
        self.ready(builds, before, "two")
        assert builds.images(1) == {}
        self.ready(builds, after, "three")
        assert builds.claims(1) == {"latest": LabelClaim(MAIN, "c3"), "main": LabelClaim(tag, "c3")}
        assert not builds.claim(1, "main", MAIN, "c9")
        assert builds.claims(1)["main"] == LabelClaim(MAIN, None)
        assert builds.claim(1, "main", tag, "c3")
        assert builds.image(1, "main") == Built("three", "c3")
        assert builds.claim(1, "v1", "refs/tags/v1", "c3")
        assert builds.image(1, "v1") == Built("three", "c3")
        builds.lose("three")
        assert not builds.claim(1, "v2", "refs/tags/v2", "c3")

    def test_a_removed_repos_builds_are_gone(self) -> None:
        builds = self.builds()
        build = builds.queue(1, ["main", "latest"], MAIN, "c1", BOB)
        self.ready(builds, build, "one")
        other = builds.queue(2, ["main"], MAIN, "c1", BOB)
        assert list(builds.discard(1)) == ["one"]
        assert (builds.get(build), builds.latest(1), builds.images(1)) == (None, None, {})
        assert builds.get(other) is not None
        for call in (
            lambda: builds.line(build, "x"),
            lambda: builds.finish(build, "x"),
            lambda: builds.lines(build),
        ):
            assert isinstance(at_once(call)[0], NotFound)

    def test_the_images_in_use_are_those_that_labels_name(self) -> None:
        builds = self.builds()
        assert builds.images_in_use() == (set(), set())
        first = builds.queue(7, ("main", "latest"), MAIN, "c1", BOB)
        other = builds.queue(8, ("main",), MAIN, "c2", BOB)
        assert builds.images_in_use() == (set(), {7, 8})
        self.ready(builds, first, "one")
        self.ready(builds, other, "two")
        assert builds.images_in_use() == ({"one", "two"}, set())
        builds.discard(8)
        assert builds.images_in_use() == ({"one"}, set())
        self.ready(builds, builds.queue(7, ("main",), MAIN, "c3", BOB), "three")
        assert builds.images_in_use() == ({"one", "three"}, set())
        builds.forget(7, "latest")
        assert builds.images_in_use() == ({"three"}, set())

    def test_labels_tell_which_images_the_store_lacks(self) -> None:
        builds = self.builds()
        for repo, commit, image in ((7, "c1", "one"), (8, "c2", "two")):
            self.ready(builds, builds.queue(repo, ("main", "latest"), MAIN, commit, BOB), image)
        assert builds.note_store(lambda: {"one", "two", "three"}) == set()
        assert builds.note_store(lambda: {"two"}) == {"one"}
        assert set(builds.images(7).values()) == {Built("one", "c1", missing=True)}
        assert builds.image(8, "main") == Built("two", "c2")
        assert builds.lose("two") == {8}
        assert builds.image(8, "latest") == Built("two", "c2", missing=True)
        assert builds.note_store(lambda: {"one", "two"}) == set()
        assert (builds.image(7, "main"), builds.image(8, "main")) == (Built("one", "c1"), Built("two", "c2"))

    def test_an_image_that_is_built_again_is_not_missing(self) -> None:
        builds = self.builds()
        self.ready(builds, builds.queue(7, ("main",), MAIN, "c1", BOB), "one")
        again = builds.queue(7, ("main",), MAIN, "c1", "carol")

        def build_meanwhile() -> set[str]:
            self.ready(builds, again, "one")
            return set()

        assert builds.note_store(build_meanwhile) == {"one"}
        assert builds.image(7, "main") == Built("one", "c1")
        builds.lose("one")
        self.ready(builds, builds.queue(7, ("main",), MAIN, "c1", BOB), "one")
        assert builds.image(7, "main") == Built("one", "c1")
        last = builds.last_of(7, "c1")
        assert last is not None
        assert last.by == BOB
        assert builds.last_of(7, "c2") is None
        assert builds.last_of(8, "c1") is None

    def test_builds_of_a_runner_that_is_gone_fail(self) -> None:
        builds = self.builds()
        lost, kept = (builds.queue(1, ["main"], MAIN, "c1", BOB) for _ in range(2))
        builds.take("gone")
        builds.take("alive")
        assert list(builds.sweep(lambda worker: worker == "alive")) == [lost]
        swept, other = builds.get(lost), builds.get(kept)
        assert swept is not None
        assert other is not None
        assert (swept.status, other.status) == (BuildStatus.FAILED, BuildStatus.BUILDING)
        assert "push" in builds.lines(lost)[-1]
        assert list(builds.sweep(lambda worker: worker == "alive")) == []

    def test_a_follower_hears_every_line_and_then_the_end(self) -> None:
        builds = self.builds()
        build = builds.queue(1, ["main"], MAIN, "c1", BOB)
        heard: list[str | BuildOutcome] = []
        thread = threading.Thread(target=lambda: heard.extend(builds.follow(build, NEVER)))
        thread.start()
        builds.take("w")
        for number in range(20):
            builds.line(build, f"line {number}")
        builds.finish(build, None, "broke")
        thread.join()
        assert heard == [
            *(f"line {number}" for number in range(20)),
            BuildOutcome(BuildStatus.FAILED, "broke"),
        ]
        assert list(builds.lines(build)) == heard[:-1]

    def test_a_follower_is_woken_by_the_line(self) -> None:
        builds = self.builds()
        build = builds.queue(1, ["main"], MAIN, "c1", BOB)
        builds.take("w")
        said = builds.follow(build, NEVER)
        line, late = while_waiting(lambda: next(said), lambda: builds.line(build, "one"))
        assert line == "one"
        assert late < SOON

    def test_a_follower_gives_up_when_no_runner_comes(self) -> None:
        builds = self.builds()
        build = builds.queue(1, ["main"], MAIN, "c1", BOB)
        started = time.monotonic()
        assert list(builds.follow(build, 0.1)) == [BuildOutcome(BuildStatus.QUEUED, position=1)]
        assert time.monotonic() - started < NEVER / 2
        assert builds.take("w") is not None
