"""The book of builds in dictionaries, for one process: for tests, and to read what the book does."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chains.builds import Build, BuildStatus, Built, Outcome
from storage.bell import Bell
from storage.run_turns import WORK
from vfs.errors import NotFound

INTERRUPTED = "the build was interrupted and is not repeated; push again to build"


@dataclass(slots=True)
class _Label:
    """What a label points at, the build that moved it there, the last build that no longer may."""

    built: Built | None = None
    moved_by: int = 0
    barred: int = 0


@dataclass(slots=True)
class _Kept:
    """A build with its log."""

    build: Build
    lines: list[str] = field(default_factory=list)


class MemoryBuilds:
    """chains.builds.Builds in dictionaries; `bell` wakes runners and followers."""

    def __init__(self, bell: Bell | None = None) -> None:
        self._bell = bell or Bell()
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)
        self._last = 0
        self._kept: dict[int, _Kept] = {}
        self._labels: dict[tuple[int, str], _Label] = {}

    def queue(self, repo: int, labels: Sequence[str], ref: str, commit: str) -> int:
        """As Builds.queue."""
        with self._lock:
            self._last = next(self._numbers)
            self._kept[self._last] = _Kept(Build(self._last, repo, tuple(labels), ref, commit))
            number = self._last
        self._bell.ring(WORK)
        return number

    def forget(self, repo: int, label: str) -> Built | None:
        """As Builds.forget."""
        with self._lock:
            before = self._labels.get((repo, label), _Label())
            self._labels[repo, label] = _Label(barred=self._last)
            return before.built

    def discard(self, repo: int) -> Sequence[str]:
        """As Builds.discard."""
        with self._lock:
            images = {built.image for built in self.images(repo).values()}
            for number in [number for number, kept in self._kept.items() if kept.build.repo == repo]:
                del self._kept[number]
                self._bell.ring(_topic(number))
            for key in [key for key in self._labels if key[0] == repo]:
                del self._labels[key]
            return sorted(images)

    def claim(self, worker: str) -> Build | None:
        """As Builds.claim."""
        with self._lock:
            for kept in self._kept.values():
                if kept.build.status is BuildStatus.QUEUED:
                    kept.build = replace(kept.build, status=BuildStatus.BUILDING, worker=worker)
                    self._bell.ring(_topic(kept.build.id))
                    return kept.build
        return None

    def line(self, build: int, text: str) -> None:
        """As Builds.line."""
        with self._lock:
            self._find(build).lines.append(text)
        self._bell.ring(_topic(build))

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        """As Builds.finish."""
        with self._lock:
            kept = self._find(build)
            if kept.build.status is not BuildStatus.BUILDING:
                return
            status = BuildStatus.FAILED if image is None else BuildStatus.READY
            kept.build = replace(kept.build, status=status, image=image, error=error)
            for label in kept.build.labels if image is not None else ():
                self._move(kept.build, label, Built(image or "", kept.build.commit))
        self._bell.ring(_topic(build))

    def follow(self, build: int, patience: float) -> Iterator[str | Outcome]:
        """As Builds.follow."""
        deadline = time.monotonic() + patience
        told, waiting = 0, True
        while True:
            left = max(0.0, deadline - time.monotonic()) if waiting else None
            lines, now = self._bell.watch(_topic(build), self._look(build, told, waiting), left)
            yield from lines
            told += len(lines)
            if now.status.ended:
                yield Outcome(now.status, now.error)
                return
            if now.status is BuildStatus.QUEUED and not lines:
                yield Outcome(now.status)
                return
            waiting = now.status is BuildStatus.QUEUED

    def lines(self, build: int) -> Sequence[str]:
        """As Builds.lines."""
        with self._lock:
            return list(self._find(build).lines)

    def get(self, build: int) -> Build | None:
        """As Builds.get."""
        with self._lock:
            return self._kept[build].build if build in self._kept else None

    def latest(self, repo: int) -> Build | None:
        """As Builds.latest."""
        with self._lock:
            mine = (kept.build for kept in reversed(self._kept.values()) if kept.build.repo == repo)
            return next(mine, None)

    def image(self, repo: int, label: str) -> Built | None:
        """As Builds.image."""
        return self.images(repo).get(label)

    def images(self, repo: int) -> Mapping[str, Built]:
        """As Builds.images."""
        with self._lock:
            return {key[1]: kept.built for key, kept in self._labels.items() if key[0] == repo and kept.built}

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        """As Builds.sweep."""
        with self._lock:
            builds = [kept.build for kept in self._kept.values()]
            lost = [
                build.id
                for build in builds
                if build.status is BuildStatus.BUILDING and not alive(build.worker or "")
            ]
            for number in lost:
                self.line(number, INTERRUPTED)
                self.finish(number, None, INTERRUPTED)
            return lost

    def _find(self, build: int) -> _Kept:
        if build not in self._kept:
            raise NotFound("There is no such build any more: its repo was removed.")
        return self._kept[build]

    def _move(self, build: Build, label: str, built: Built) -> None:
        kept = self._labels.setdefault((build.repo, label), _Label())
        if build.id > max(kept.moved_by, kept.barred):
            kept.built, kept.moved_by = built, build.id

    def _look(
        self, build: int, told: int, waiting: bool
    ) -> Callable[[], tuple[tuple[list[str], Build], bool]]:
        def look() -> tuple[tuple[list[str], Build], bool]:
            with self._lock:
                kept = self._find(build)
                news, now = kept.lines[told:], kept.build
            taken = waiting and now.status is not BuildStatus.QUEUED
            return (news, now), bool(news) or now.status.ended or taken

        return look


def _topic(build: int) -> str:
    return f"build-{build}"
