"""Images that nothing names any more: of removed repos and labels, and those that later pushes replaced.

And the other way round: labels whose image is gone.
"""

from __future__ import annotations

import logging
from collections.abc import Set
from dataclasses import dataclass, field

from chains.builds.book import Builds
from chains.engine.port import Builder
from chains.runs.ports import RunRetention
from chains.sharing.image_store import ImageStore, LocalImages

log = logging.getLogger("curlew")


@dataclass(slots=True)
class ImageSweep:
    """Drops images of builds that neither a label nor a run that has not ended names.

    `images` is the store of all hosts, if there are several.
    """

    builder: Builder
    builds: Builds
    runs: RunRetention
    images: ImageStore = field(default_factory=LocalImages)
    _doomed: set[str] = field(default_factory=set)
    _doomed_in_store: set[str] = field(default_factory=set)
    _missing: Set[str] = frozenset()

    def compare(self) -> int:
        """Have the book know which of its images the store lacks; how many. Raises VfsError, EngineError."""
        missing = self.builds.note_store(lambda: {*self.builder.repo_images(), *self.images.list_images()})
        if missing - self._missing:
            log.warning(
                "images of repos are not in the store (%d): curlew repo rebuild --all builds them again",
                len(missing),
            )
        self._missing = missing
        return len(missing)

    def run(self) -> list[str]:
        """Drop what nothing named at the last sweep either: a trigger may be about to submit a run of it.

        Images of a repo that is being built stay until its labels have moved. Raises VfsError and
        EngineError.
        """
        there = self.builder.repo_images()
        named, building = self.builds.images_in_use()
        runs = self.runs.open_runs()
        used = {step.source.image_id for run in runs if run.plan is not None for step in run.plan.steps}
        free = {image for image, repo in there.items() if repo not in building and image not in named | used}
        dropped = sorted(free & self._doomed)
        self._doomed = free
        for image in dropped:
            self.builder.drop(image)
        self._sweep_store({*named, *used})
        return dropped

    def _sweep_store(self, named: Set[str | None]) -> None:
        """Have the store forget what nothing named at the last sweep either.

        An image is offered before its label names it, and a sweep comes once an hour.
        """
        free = set(self.images.list_images()) - named
        for image in free & self._doomed_in_store:
            self.images.drop(image)
        self._doomed_in_store = free
