"""The book of image builds in dictionaries, for one process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from chains.builds.book import Build, BuildOutcome, BuildStatus, Built
from storage.runs.builds import INTERRUPTED
from storage.signals.bell import Bell
from vfs.errors import NotFound


class MemoryBuilds:
    """chains.builds.book.Builds in dictionaries.
    `wake` is called for each queued build, as a runner waits elsewhere.
    """

    def __init__(self, wake: Callable[[], object] = lambda: None) -> None:
        self._wake = wake
        self._bell = Bell()
        self._lock = threading.RLock()
        self._last = 0
        self._builds: dict[int, Build] = {}
        self._lines: dict[int, list[str]] = {}
        self._labels: dict[tuple[int, str], tuple[int, Built]] = {}
        self._forgotten: dict[tuple[int, str], int] = {}

    def queue(self, repo: int, labels: Sequence[str], ref: str, commit: str, by: str) -> int:
        """As Builds.queue."""
        with self._lock:
            self._last += 1
            self._builds[self._last] = Build(self._last, repo, tuple(labels), ref, commit, by)
            self._lines[self._last] = []
            queued = self._last
        self._wake()
        return queued

    def forget(self, repo: int, label: str) -> Built | None:
        """As Builds.forget."""
        with self._lock:
            self._forgotten[repo, label] = self._last
            _, built = self._labels.pop((repo, label), (0, None))
            return built

    def discard(self, repo: int) -> Sequence[str]:
        """As Builds.discard."""
        with self._lock:
            images = {built.image for built in self.images(repo).values()}
            self._labels = {key: kept for key, kept in self._labels.items() if key[0] != repo}
            gone = [id for id, build in self._builds.items() if build.repo == repo]
            for id in gone:
                del self._builds[id]
        for id in gone:
            self._bell.ring(str(id))
        return sorted(images)

    def claim(self, worker: str) -> Build | None:
        """As Builds.claim."""
        with self._lock:
            for id, build in self._builds.items():
                if build.status is BuildStatus.QUEUED:
                    self._builds[id] = replace(build, status=BuildStatus.BUILDING, worker=worker)
                    self._bell.ring(str(id))
                    return self._builds[id]
        return None

    def line(self, build: int, text: str) -> None:
        """As Builds.line."""
        with self._lock:
            self._find(build)
            self._lines[build].append(text)
        self._bell.ring(str(build))

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        """As Builds.finish."""
        with self._lock:
            found = self._find(build)
            if found.status is not BuildStatus.BUILDING:
                return
            status = BuildStatus.FAILED if image is None else BuildStatus.READY
            self._builds[build] = replace(found, status=status, image=image, error=error)
            for label in found.labels if image is not None else ():
                key = (found.repo, label)
                moved, _ = self._labels.get(key, (0, None))
                if max(moved, self._forgotten.get(key, 0)) < build:
                    self._labels[key] = (build, Built(image or "", found.commit))
        self._bell.ring(str(build))

    def follow(self, build: int, patience: float) -> Iterator[str | BuildOutcome]:
        """As Builds.follow."""
        deadline = time.monotonic() + patience
        seen = 0
        while True:
            ticket = self._bell.ticket(str(build))
            with self._lock:
                found = self._find(build)
                lines = self._lines[build][seen:]
            seen += len(lines)
            yield from lines
            if found.status.ended:
                yield BuildOutcome(found.status, found.error)
                return
            left = deadline - time.monotonic() if found.status is BuildStatus.QUEUED else None
            if left is not None and left <= 0:
                yield BuildOutcome(BuildStatus.QUEUED)
                return
            self._bell.wait(ticket, left)

    def lines(self, build: int) -> Sequence[str]:
        """As Builds.lines."""
        with self._lock:
            self._find(build)
            return list(self._lines[build])

    def get(self, build: int) -> Build | None:
        """As Builds.get."""
        with self._lock:
            return self._builds.get(build)

    def _find(self, build: int) -> Build:
        with self._lock:
            if build not in self._builds:
                raise NotFound(f"There is no build number {build} any more.")
            return self._builds[build]

    def latest(self, repo: int) -> Build | None:
        """As Builds.latest."""
        with self._lock:
            return next((build for build in reversed(self._builds.values()) if build.repo == repo), None)

    def pusher(self, repo: int, commit: str) -> str | None:
        """As Builds.pusher."""
        with self._lock:
            pushed = [b.by for b in self._builds.values() if (b.repo, b.commit) == (repo, commit)]
        return pushed[-1] if pushed else None

    def image(self, repo: int, label: str) -> Built | None:
        """As Builds.image."""
        with self._lock:
            return self._labels.get((repo, label), (0, None))[1]

    def images(self, repo: int) -> Mapping[str, Built]:
        """As Builds.images."""
        with self._lock:
            return {label: built for (owner, label), (_, built) in self._labels.items() if owner == repo}

    def images_in_use(self) -> tuple[Set[str], Set[int]]:
        """As Builds.named."""
        with self._lock:
            building = {build.repo for build in self._builds.values() if not build.status.ended}
            return {built.image for _, built in self._labels.values()}, building

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        """As Builds.sweep."""
        with self._lock:
            building = [build for build in self._builds.values() if build.status is BuildStatus.BUILDING]
        swept = [build.id for build in building if not alive(build.worker or "")]
        for build in swept:
            self.line(build, INTERRUPTED)
            self.finish(build, None, INTERRUPTED)
        return swept
