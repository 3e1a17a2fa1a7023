"""The book of image builds over a database, and what the labels of repos point at."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from chains.builds.book import AGAIN, Build, BuildOutcome, BuildStatus, Built
from storage.database.database import Database
from storage.runs.topics import WORK
from storage.signals.bell import RECHECK_SECONDS, Bell
from vfs.errors import NotFound
from vfs.ports.world import Clock, stamp

INTERRUPTED = f"The build was interrupted, as its runner is gone. {AGAIN}."

_OPEN = "status IN ('queued', 'building')"
_BUILD = "SELECT id, repo, labels, ref, revision, pusher, status, worker, image, error FROM build"
_NEXT = f"SELECT id FROM build WHERE {_OPEN} AND status = 'queued' ORDER BY id LIMIT 1"
_MOVE_LABEL = """
INSERT INTO label (repo, name, image, revision, build, forgotten) VALUES (?, ?, ?, ?, ?, 0)
ON CONFLICT (repo, name) DO UPDATE
SET image = excluded.image, revision = excluded.revision, build = excluded.build
WHERE label.build < excluded.build AND label.forgotten < excluded.build"""
_FORGET_LABEL = """
INSERT INTO label (repo, name, image, revision, build, forgotten)
VALUES (?, ?, NULL, NULL, 0, coalesce((SELECT max(id) FROM build), 0))
ON CONFLICT (repo, name) DO UPDATE SET image = NULL, revision = NULL, forgotten = excluded.forgotten"""


class StoredBuilds:
    """chains.builds.book.Builds over a database."""

    def __init__(self, database: Database, bell: Bell, clock: Clock) -> None:
        self._database = database
        self._bell = bell
        self._clock = clock

    def queue(self, repo: int, labels: Sequence[str], ref: str, commit: str, by: str) -> int:
        """As Builds.queue."""
        with self._database.atomic():
            row = self._database.rows(
                "INSERT INTO build (repo, labels, ref, revision, pusher, status, error, created_on)"
                " VALUES (?, ?, ?, ?, ?, 'queued', '', ?) RETURNING id",
                repo, json.dumps(list(labels)), ref, commit, by, stamp(self._clock.now()),
            )  # fmt: skip
            self._bell.ring(WORK)
        id: int = row[0][0]
        return id

    def forget(self, repo: int, label: str) -> Built | None:
        """As Builds.forget."""
        with self._database.atomic():
            pointed = self.image(repo, label)
            self._database.run(_FORGET_LABEL, repo, label)
        return pointed

    def discard(self, repo: int) -> Sequence[str]:
        """As Builds.discard."""
        with self._database.atomic():
            images = {built.image for built in self.images(repo).values()}
            self._database.run("DELETE FROM label WHERE repo = ?", repo)
            for (build,) in self._database.rows("SELECT id FROM build WHERE repo = ?", repo):
                self._database.run("DELETE FROM build WHERE id = ?", build)
                self._bell.ring(_topic(build))
        return sorted(images)

    def claim(self, worker: str) -> Build | None:
        """As Builds.claim."""
        if self._database.row(_NEXT) is None:
            return None
        lock = " FOR UPDATE SKIP LOCKED" if self._database.dialect == "postgresql" else ""
        with self._database.atomic():
            row = self._database.rows(
                f"UPDATE build SET status = 'building', worker = ? WHERE id = ({_NEXT}{lock}) RETURNING id",
                worker,
            )
            if not row:
                return None
            self._bell.ring(_topic(row[0][0]))
            return self._find(row[0][0])

    def line(self, build: int, text: str) -> None:
        """As Builds.line."""
        self._find(build)
        with self._database.atomic():
            self._append(build, text)

    def _append(self, build: int, text: str) -> None:
        self._database.run(
            "INSERT INTO build_line (build, seq, line)"
            " SELECT CAST(? AS BIGINT), coalesce(max(seq), 0) + 1, CAST(? AS TEXT)"
            " FROM build_line WHERE build = ?",
            build, text.replace("\0", "\N{REPLACEMENT CHARACTER}"), build,
        )  # fmt: skip
        self._bell.ring(_topic(build))

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        """As Builds.finish."""
        status = BuildStatus.FAILED if image is None else BuildStatus.READY
        with self._database.atomic():
            ended = self._find(build)
            turned = self._database.run(
                "UPDATE build SET status = ?, image = ?, error = ?, completed_on = ?"
                " WHERE id = ? AND status = 'building'",
                status, image, error, stamp(self._clock.now()), build,
            )  # fmt: skip
            if not turned:
                return
            for label in ended.labels if image is not None else ():
                self._database.run(_MOVE_LABEL, ended.repo, label, image, ended.commit, build)
            self._bell.ring(_topic(build))

    def follow(self, build: int, patience: float) -> Iterator[str | BuildOutcome]:
        """As Builds.follow."""
        deadline = time.monotonic() + patience
        seen = 0
        while True:
            ticket = self._bell.ticket(_topic(build))
            # The build first: lines written before its end are then seen.
            found = self._find(build)
            for seq, line in self._after(build, seen):
                seen = seq
                yield line
            if found.status.ended:
                yield BuildOutcome(found.status, found.error)
                return
            left = RECHECK_SECONDS
            if found.status is BuildStatus.QUEUED:
                left = min(left, deadline - time.monotonic())
                if left <= 0:
                    yield BuildOutcome(BuildStatus.QUEUED)
                    return
            with self._database.released():
                self._bell.wait(ticket, left)

    def lines(self, build: int) -> Sequence[str]:
        """As Builds.lines."""
        self._find(build)
        return [line for _, line in self._after(build, 0)]

    def _after(self, build: int, seen: int) -> list[tuple[Any, ...]]:
        return self._database.rows(
            "SELECT seq, line FROM build_line WHERE build = ? AND seq > ? ORDER BY seq", build, seen
        )

    def get(self, build: int) -> Build | None:
        """As Builds.get."""
        row = self._database.row(f"{_BUILD} WHERE id = ?", build)
        return _build_of(row) if row else None

    def _find(self, build: int) -> Build:
        found = self.get(build)
        if found is None:
            raise NotFound(f"There is no build number {build} any more.")
        return found

    def latest(self, repo: int) -> Build | None:
        """As Builds.latest."""
        row = self._database.row(f"{_BUILD} WHERE repo = ? ORDER BY id DESC LIMIT 1", repo)
        return _build_of(row) if row else None

    def pusher(self, repo: int, commit: str) -> str | None:
        """As Builds.pusher."""
        row = self._database.row(
            "SELECT pusher FROM build WHERE repo = ? AND revision = ? ORDER BY id DESC LIMIT 1", repo, commit
        )
        return row[0] if row else None

    def image(self, repo: int, label: str) -> Built | None:
        """As Builds.image."""
        row = self._database.row(
            "SELECT image, revision FROM label WHERE repo = ? AND name = ? AND image IS NOT NULL", repo, label
        )
        return Built(*row) if row else None

    def images(self, repo: int) -> Mapping[str, Built]:
        """As Builds.images."""
        rows = self._database.rows(
            "SELECT name, image, revision FROM label WHERE repo = ? AND image IS NOT NULL ORDER BY name", repo
        )
        return {name: Built(image, commit) for name, image, commit in rows}

    def images_in_use(self) -> tuple[Set[str], Set[int]]:
        """As Builds.named."""
        # The builds first: one that ends in between has moved its labels by then.
        building = {row[0] for row in self._database.rows(f"SELECT repo FROM build WHERE {_OPEN}")}
        images = self._database.rows("SELECT DISTINCT image FROM label WHERE image IS NOT NULL")
        return {row[0] for row in images}, building

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        """As Builds.sweep."""
        rows = self._database.rows(
            f"SELECT id, worker FROM build WHERE {_OPEN} AND status = 'building' ORDER BY id"
        )
        swept = [build for build, worker in rows if not alive(worker)]
        for build in swept:
            with self._database.atomic():
                self._append(build, INTERRUPTED)
                self.finish(build, None, INTERRUPTED)
        return swept


def _topic(build: int) -> str:
    """The bell of a build: its status and its log."""
    return f"build {build}"


def _build_of(row: Sequence[Any]) -> Build:
    id, repo, labels, ref, commit, by, status, worker, image, error = row
    names = tuple(json.loads(labels))
    return Build(id, repo, names, ref, commit, by, BuildStatus(status), worker, image, error)
