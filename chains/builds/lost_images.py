"""Images that the store lost, as after a restore, and what stands for them in runs planned before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from chains.builds.book import Builds, Built
from chains.plan.model import ImageSource, Plan
from vfs.errors import Gone

LOOK_SECONDS = 1.0


@dataclass(slots=True)
class ImageStandIns:
    """The images that were found to be gone, by the engine's id.

    `rebuild` is given a repo and a commit, and queues the build of it, if it can.
    """

    builds: Builds
    rebuild: Callable[[int, str], object]
    ids: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ordered: set[tuple[int, str]] = field(default_factory=set)

    def stand_in(self, plan: Plan, tell: Callable[[str], object], over: threading.Event) -> Plan | None:
        """The plan with images that are there: those of the same commits, built again, which is waited for.

        `tell` is given what is waited for. None when `over` was set before. Raises Gone when an image cannot
        be built again.
        """
        found: dict[ImageSource, ImageSource] = {}
        for source in dict.fromkeys(step.source for step in plan.steps if step.source.image_id in self.ids):
            standing = self._await(source, tell, over)
            if standing is None:
                return None
            found[source] = standing
        steps = (replace(step, source=found.get(step.source, step.source)) for step in plan.steps)
        return replace(plan, steps=tuple(steps)) if found else plan

    def _await(
        self, source: ImageSource, tell: Callable[[str], object], over: threading.Event
    ) -> ImageSource | None:
        """The source with the image that was built again; None when `over` was set before."""
        place, told = _place(source), False
        while not over.is_set():
            # Asked before the label: what ends in between has moved it by then.
            going_on = self._is_building(place[0])
            built = self._target(source, place)
            if not built.missing:
                self._ordered.discard(place)
                return replace(source, image_id=built.image)
            if not going_on and not self._order(place):
                raise Gone(f"{_tell_of(source)}, and cannot be built again: {self._why(place)}")
            if not told:
                tell(f"{_tell_of(source)}: the run waits until it is built again.")
                told = True
            over.wait(LOOK_SECONDS)
        return None

    def _is_building(self, repo: int) -> bool:
        newest = self.builds.latest(repo)
        return newest is not None and not newest.status.ended

    def _target(self, source: ImageSource, place: tuple[int, str]) -> Built:
        """The target of the label, which is that of the planned commit."""
        built = self.builds.image(place[0], source.label)
        if built is None or built.commit != place[1]:
            raise Gone(
                f"{_tell_of(source)}, and {source.label} is another commit by now: trigger the job again"
            )
        return built

    def _order(self, place: tuple[int, str]) -> bool:
        """Order the build, unless this was done for another run; whether a build of the repo goes on."""
        with self._lock:
            if place not in self._ordered and not self._is_building(place[0]):
                self._ordered.add(place)
                self.rebuild(*place)
        return self._is_building(place[0])

    def _why(self, place: tuple[int, str]) -> str:
        last = self.builds.last_of(*place)
        return (last and last.error) or "push to the repo, and trigger the job again"


def _place(source: ImageSource) -> tuple[int, str]:
    """The repo and commit of an image. Raises Gone where an earlier release did not record them."""
    if source.item is None or source.commit is None:
        raise Gone(f"{_tell_of(source)}, and the run does not tell its commit: trigger the job again")
    return source.item, source.commit


def _tell_of(source: ImageSource) -> str:
    return f"the image {source} is not there any more"
