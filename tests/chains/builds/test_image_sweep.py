"""Images that neither a label nor a waiting run names are dropped, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.builds.build import labels, tag
from chains.builds.image_sweep import ImageSweep
from chains.builds.run_store import Build, Built
from chains.engine.port import BuildOrder
from chains.runs.records import Order
from chains.runs.states import Event
from chains.sharing.shared_images import LocalImages
from tests.kit.fake_engine import FakeBuilder
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain

BRANCH = "refs/heads/main"


class Works:
    """Repos by number that are pushed to and built, and the sweep of their images."""

    def __init__(self, folder: Path) -> None:
        self.runner_setup = RunnerSetup(folder)
        self.builds, self.run_store = self.runner_setup.builds, self.runner_setup.run_store
        self.builder = FakeBuilder({})
        self.recipe = folder / "Containerfile"
        self.recipe.write_text("FROM scratch\n")
        self.sweep = ImageSweep(self.builder, self.builds, self.run_store.retention)

    def image(self, build: Build) -> str:
        made = self.builder.build(
            BuildOrder(1, self.recipe.parent, self.recipe.name, tag(build.repo, "main"), labels(build)),
            lambda line: None,
        )
        return made.id

    def push(self, repo: int) -> str:
        """The image of a push."""
        self.builds.queue(repo, ["main"], BRANCH, "c0ffee", "bob")
        build = self.builds.take("w")
        assert build is not None
        image = self.image(build)
        self.builds.finish(build.id, image)
        return image


@pytest.fixture
def works(tmp_path: Path) -> Works:
    return Works(tmp_path)


def test_what_a_later_push_replaced_and_what_was_removed_goes_at_the_second_look(works: Works) -> None:
    old, new, gone = works.push(7), works.push(7), works.push(8)
    works.builds.discard(8)
    assert works.sweep.run() == []
    assert works.sweep.run() == sorted([old, gone])
    assert works.builder.repo_images() == {new: 7}
    assert works.builder.find(old) is None
    assert works.sweep.run() == []


def test_a_label_that_is_forgotten_lets_its_image_go(works: Works) -> None:
    image = works.push(7)
    works.builds.forget(7, "main")
    works.sweep.run()
    assert works.sweep.run() == [image]


def test_an_image_that_a_run_still_needs_stays_until_it_ends(works: Works) -> None:
    run = works.run_store.queue.submit(
        Order(1, "20261121-074416-00000001", "api", "x", "bob", chain("1", image="image"), None)
    )
    assert works.push(7) == "image-1"
    works.push(7)
    works.run_store.states.event(run.key, Event.HOLD)
    assert [works.sweep.run() for _ in range(3)] == [[], [], []]
    works.run_store.states.event(run.key, Event.DECLINE)
    works.sweep.run()
    assert works.sweep.run() == ["image-1"]


def test_an_image_whose_build_has_not_ended_stays(works: Works) -> None:
    number = works.builds.queue(7, ["main"], BRANCH, "c0ffee", "bob")
    build = works.builds.take("w")
    assert build is not None
    image = works.image(build)
    assert [works.sweep.run() for _ in range(3)] == [[], [], []]
    works.builds.finish(number, image)
    assert [works.sweep.run() for _ in range(3)] == [[], [], []]


def test_one_that_is_named_again_meanwhile_stays(works: Works) -> None:
    image = works.push(7)
    works.builds.forget(7, "main")
    works.sweep.run()
    works.builds.queue(7, ["main"], BRANCH, "c0ffee", "bob")
    build = works.builds.take("w")
    assert build is not None
    works.builds.finish(build.id, image)
    assert [works.sweep.run() for _ in range(2)] == [[], []]


def test_the_book_knows_which_images_are_gone(works: Works, caplog: pytest.LogCaptureFixture) -> None:
    kept, lost = works.push(7), works.push(8)
    assert works.sweep.compare() == 0
    works.builder.drop(lost)
    assert works.sweep.compare() == 1
    assert "not in the store (1): curlew repo rebuild --all" in caplog.text
    caplog.clear()
    assert works.sweep.compare() == 1
    assert not caplog.records
    assert works.builds.image(7, "main") == Built(kept, "c0ffee")
    assert works.builds.image(8, "main") == Built(lost, "c0ffee", missing=True)


class Shelf(LocalImages):
    """A store that other hosts put images into."""

    def __init__(self) -> None:
        self.images: set[str] = set()

    def list_images(self) -> set[str]:
        return set(self.images)

    def drop(self, image: str) -> None:
        self.images.discard(image)


def test_an_image_of_another_host_is_not_missing_and_goes_when_nothing_names_it(works: Works) -> None:
    old, new = works.push(7), works.push(7)
    shelf = Shelf()
    shelf.images = {old, new}
    sweep = ImageSweep(FakeBuilder({}), works.builds, works.run_store.retention, images=shelf)
    assert sweep.compare() == 0
    for left in ({old, new}, {new}, {new}):
        assert sweep.run() == []
        assert shelf.images == left
    shelf.images = set()
    assert sweep.compare() == 1
