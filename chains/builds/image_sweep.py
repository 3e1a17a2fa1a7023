"""Removal of images that are no longer used, and replacement of images lost from the store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace

from chains.builds.run_store import Builds, Built
from chains.engine.port import Builder
from chains.plan.model import ImageSource, Plan
from chains.runs.ports import RunRetention
from chains.sharing.shared_images import ImageStore, LocalImages
from vfs.errors import Gone

LOOK_SECONDS = 1.0


@dataclass(slots=True)
class ImageStandIns:
    """The ids of images that the store lost, and their replacement by new builds.

    `rebuild` gets a repo and a commit, and queues their build if possible.
    """

    builds: Builds
    rebuild: Callable[[int, str], object]
    ids: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ordered: set[tuple[int, str]] = field(default_factory=set)

    def replace_lost(self, plan: Plan, tell: Callable[[str], object], over: threading.Event) -> Plan | None:
        """Return the plan with the lost images replaced by new builds of the same commits. Wait for these.

        `tell` gets a line about each wait. Returns None if `over` is set before. Raises Gone if an image
        cannot be built again.
        """
        found: dict[ImageSource, ImageSource] = {}
        for source in dict.fromkeys(step.source for step in plan.steps if step.source.image_id in self.ids):
            rebuilt = self._await(source, tell, over)
            if rebuilt is None:
                return None
            found[source] = rebuilt
        steps = (replace(step, source=found.get(step.source, step.source)) for step in plan.steps)
        return replace(plan, steps=tuple(steps)) if found else plan

    def _await(
        self, source: ImageSource, tell: Callable[[str], object], over: threading.Event
    ) -> ImageSource | None:
        """Return the source with the rebuilt image, or None if `over` is set before."""
        place, is_logged = _place(source), False
        while not over.is_set():
            # Read before the label: a build that ends in between has moved the label by then.
            going_on = self._is_building(place[0])
            built = self._target(source, place)
            if not built.missing:
                self._ordered.discard(place)
                return replace(source, image_id=built.image)
            if not going_on and not self._order(place):
                raise Gone(f"{_tell_of(source)}, and cannot be built again: {self._why(place)}")
            if not is_logged:
                tell(f"{_tell_of(source)}: the run waits until it is built again.")
                is_logged = True
            over.wait(LOOK_SECONDS)
        return None

    def _is_building(self, repo: int) -> bool:
        newest = self.builds.latest(repo)
        return newest is not None and not newest.status.ended

    def _target(self, source: ImageSource, place: tuple[int, str]) -> Built:
        """Return the target of the label. Raise Gone if it is no longer of the planned commit."""
        built = self.builds.image(place[0], source.label)
        if built is None or built.commit != place[1]:
            raise Gone(
                f"{_tell_of(source)}, and {source.label} is another commit by now: trigger the job again"
            )
        return built

    def _order(self, place: tuple[int, str]) -> bool:
        """Queue the build, unless another run did. Return whether a build of the repo is open."""
        with self._lock:
            if place not in self._ordered and not self._is_building(place[0]):
                self._ordered.add(place)
                self.rebuild(*place)
        return self._is_building(place[0])

    def _why(self, place: tuple[int, str]) -> str:
        last = self.builds.last_of(*place)
        return (last and last.error) or "push to the repo, and trigger the job again"


def _place(source: ImageSource) -> tuple[int, str]:
    """Return the repo and commit of an image. Raise Gone if an earlier release did not record them."""
    if source.item is None or source.commit is None:
        raise Gone(f"{_tell_of(source)}, and the run has no record of its commit: trigger the job again")
    return source.item, source.commit


def _tell_of(source: ImageSource) -> str:
    return f"the image {source} no longer exists"


log = logging.getLogger("curlew")


@dataclass(slots=True)
class ImageSweep:
    """The removal of images of builds that no label and no open run uses.

    `images` is the store of all hosts, if there are several.
    """

    builder: Builder
    builds: Builds
    runs: RunRetention
    lost: ImageStandIns | None = None
    images: ImageStore = field(default_factory=LocalImages)
    _doomed: set[str] = field(default_factory=set)
    _doomed_in_store: set[str] = field(default_factory=set)
    _missing: Set[str] = frozenset()

    def compare(self) -> int:
        """Mark the lost images in the run store. Return their number. Raise VfsError or EngineError."""
        missing = self.builds.note_store(lambda: {*self.builder.repo_images(), *self.images.list_images()})
        if self.lost is not None:
            self.lost.ids |= missing
        if missing - self._missing:
            log.warning(
                "images of repos are not in the store (%d): curlew repo rebuild --all builds them again",
                len(missing),
            )
        self._missing = missing
        return len(missing)

    def begin(self) -> None:
        """Compare for the first time, including the images of open runs. Raise VfsError or EngineError.

        Later calls need not include these: the sweep keeps them, and a restore happens before the start.
        """
        used = self._of_runs()
        if self.lost is not None and used:
            self.lost.ids |= used - set(self.builder.repo_images())
        self.compare()

    def _of_runs(self) -> set[str]:
        runs = self.runs.open_runs()
        sources = (step.source for run in runs if run.plan is not None for step in run.plan.steps)
        return {source.image_id for source in sources if source.image_id is not None}

    def run(self) -> list[str]:
        """Remove the images that are unused now and were unused at the last sweep. Return them.

        One sweep is not enough: a trigger may be about to submit a run with the image. Images of a repo that
        is being built stay until its labels have moved. Raises VfsError and EngineError.
        """
        there = self.builder.repo_images()
        named, building = self.builds.images_in_use()
        used = self._of_runs()
        free = {image for image, repo in there.items() if repo not in building and image not in named | used}
        dropped = sorted(free & self._doomed)
        self._doomed = free
        for image in dropped:
            self.builder.drop(image)
        self._sweep_store({*named, *used})
        return dropped

    def _sweep_store(self, named: Set[str | None]) -> None:
        """Remove from the store the images that are unused now and were unused at the last sweep.

        An image is in the store before its label names it. A sweep runs once an hour.
        """
        free = set(self.images.list_images()) - named
        for image in free & self._doomed_in_store:
            self.images.drop(image)
        self._doomed_in_store = free
