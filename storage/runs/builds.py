"""Image builds in the database, and the images that the labels of repos point at."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from chains.builds.run_store import AGAIN, Build, BuildOutcome, BuildStatus, Built, LabelClaim
from chains.runs.ports import Rank, alike
from storage.database.bulk import batches
from storage.database.columns import Cells, TableColumns
from storage.database.database import Database
from storage.database.store import DatedStore
from storage.runs.rows import WORK
from storage.runs.turns import TurnQueue
from storage.signals.change_signal import RECHECK_SECONDS, ChangeSignal
from vfs.cause import CAUSE
from vfs.errors import NotFound
from vfs.ports.clock import Clock

INTERRUPTED = f"The build was interrupted, as its runner is gone. {AGAIN}."

KEPT_LOGS = 100
"""Number of the newest builds of a repo whose logs are kept."""
_OPEN = "status IN ('queued', 'building')"
_BUILD = TableColumns(
    Build, "id repo labels ref revision pusher status worker image error created_on completed_on"
    " caused_by",
    labels=lambda text: tuple(json.loads(text)), status=BuildStatus,
)  # fmt: skip
_SELECT = f"SELECT {_BUILD} FROM build"
_BY_ID = f"{_SELECT} WHERE id = :build"
_LATEST = f"{_SELECT} WHERE repo = :repo ORDER BY id DESC LIMIT 1"
_NEWEST = f"{_SELECT} WHERE repo = :repo ORDER BY id DESC LIMIT :most"
_LATEST_OF = f"{_SELECT} WHERE id IN (SELECT MAX(id) FROM build WHERE repo IN (:repos) GROUP BY repo)"
_QUEUE = """
INSERT INTO build (repo, labels, ref, revision, pusher, status, error, created_on, bases, caused_by)
VALUES (:repo, :labels, :ref, :commit, :by, 'queued', '', :now, '[]', :cause) RETURNING id"""
# Written as in the index `build_queue`, so that it is used.
TURNS = TurnQueue("build", "id", "pusher", "status = 'queued'")
_OWN = f"SELECT count(*) FROM build WHERE {TURNS.queued} AND pusher = :by AND id <= :build"
_OTHERS = f"SELECT count(*) FROM build WHERE {TURNS.queued} AND pusher <> :by GROUP BY pusher"
_REFUSE = """
UPDATE build SET status = 'failed', error = :error, completed_on = :now
WHERE id = :build AND status = 'queued'"""
_COUNT_BUILDING = f"SELECT count(*) FROM build WHERE {_OPEN} AND status = 'building'"
_TAKE = "UPDATE build SET status = 'building', worker = :worker WHERE id = ({}) RETURNING id"
_FINISH = """
UPDATE build SET status = :status, image = :image, error = :error, completed_on = :now
WHERE id = :build AND status = 'building'"""
_BUILDING = f"SELECT id, worker FROM build WHERE {_OPEN} AND status = 'building' ORDER BY id"
_OF_REPO = "SELECT id FROM build WHERE repo = :repo"
_DISCARD = "DELETE FROM build WHERE id = :build"
# Mostly the log of the newest build is read. Some older logs are kept for callers that still follow them.
_TRIM_LINES = f"""
DELETE FROM build_line WHERE build IN (
    SELECT id FROM (
        SELECT id, status FROM build WHERE repo = :repo ORDER BY id DESC LIMIT 10 OFFSET {KEPT_LOGS}) former
    WHERE status NOT IN ('queued', 'building'))"""
_LAST_OF = f"{_SELECT} WHERE repo = :repo AND revision = :commit ORDER BY id DESC LIMIT 1"
_PUSHER = "SELECT pusher FROM build WHERE repo = :repo AND revision = :commit ORDER BY id DESC LIMIT 1"
_PUSHERS = "SELECT DISTINCT pusher FROM build WHERE repo = :repo"
_BASES_OF = "SELECT bases FROM build WHERE id = :build"
_NOTE_BASES = "UPDATE build SET bases = :bases WHERE id = :build AND bases IS NOT NULL"
_BASES = """
SELECT bases FROM build
WHERE repo = :repo AND status = 'ready' AND (revision = :commit OR CAST(:commit AS TEXT) IS NULL)
ORDER BY id DESC"""
_REPOS = f"SELECT repo FROM build WHERE {_OPEN}"
_APPEND = """
INSERT INTO build_line (build, seq, line)
SELECT CAST(:build AS BIGINT), coalesce(max(seq), 0) + 1, CAST(:line AS TEXT)
FROM build_line WHERE build = :build"""
_LINES = "SELECT seq, line FROM build_line WHERE build = :build AND seq > :seen ORDER BY seq"
_LAST_LINES = "SELECT line FROM build_line WHERE build = :build ORDER BY seq DESC LIMIT :most"
_LABEL = TableColumns(Built, "image revision missing", missing=bool)
_LABELS = f"SELECT {_LABEL}, name FROM label WHERE repo = :repo AND image IS NOT NULL ORDER BY name"
_LABELS_OF = f"""
SELECT {_LABEL}, name, repo FROM label WHERE repo IN (:repos) AND image IS NOT NULL ORDER BY repo, name"""
_FIND_LABEL = f"SELECT {_LABEL} FROM label WHERE repo = :repo AND name = :label AND image IS NOT NULL"
_IMAGES = "SELECT DISTINCT image FROM label WHERE image IS NOT NULL"
_TARGETS = "SELECT repo, name, build, image, missing FROM label WHERE image IS NOT NULL"
_MARK = "UPDATE label SET missing = :missing WHERE repo = :repo AND name = :name AND build = :build"
_LOSE = "UPDATE label SET missing = 1 WHERE image = :image RETURNING repo"
_CLAIM = """
INSERT INTO label (repo, name, image, revision, build, forgotten, ref)
VALUES (:repo, :label, NULL, NULL, 0, 0, :ref)
ON CONFLICT (repo, name) DO UPDATE SET ref = excluded.ref"""
# Builds up to `before` do not restore the label: they belong to the ref that had it.
_TAKE_OVER = """
UPDATE label SET image = CASE WHEN revision = :commit THEN image END,
revision = CASE WHEN revision = :commit THEN revision END, forgotten = :before
WHERE repo = :repo AND name = :label AND (ref IS NULL OR ref <> :ref)"""
_BORROW = """
UPDATE label SET image = other.image, revision = other.revision, build = other.build, missing = 0
FROM (SELECT image, revision, build FROM label
      WHERE repo = :repo AND revision = :commit AND image IS NOT NULL AND missing = 0 LIMIT 1) other
WHERE label.repo = :repo AND label.name = :label AND label.image IS NULL"""
_CLAIMS = """
SELECT name, ref, CASE WHEN image IS NULL THEN NULL ELSE revision END FROM label
WHERE repo = :repo AND (ref IS NOT NULL OR image IS NOT NULL) ORDER BY name"""
_LAST_ID = "SELECT coalesce(max(id), 0) FROM build"
_DISCARD_LABELS = "DELETE FROM label WHERE repo = :repo"
_MOVE_LABEL = """
INSERT INTO label (repo, name, image, revision, build, forgotten)
VALUES (:repo, :label, :image, :commit, :build, 0)
ON CONFLICT (repo, name) DO UPDATE
SET image = excluded.image, revision = excluded.revision, build = excluded.build, missing = 0
WHERE label.build < excluded.build AND label.forgotten < excluded.build"""
_FORGET_LABEL = """
INSERT INTO label (repo, name, image, revision, build, forgotten)
VALUES (:repo, :label, NULL, NULL, 0, coalesce((SELECT max(id) FROM build), 0))
ON CONFLICT (repo, name) DO UPDATE
SET image = NULL, revision = NULL, ref = NULL, forgotten = excluded.forgotten"""


class StoredBuilds(DatedStore):
    """chains.builds.run_store.Builds over a database."""

    def __init__(
        self,
        database: Database,
        change_signal: ChangeSignal,
        clock: Clock,
        ended: Callable[[Build], object] = lambda build: None,
    ) -> None:
        """Set `ended`, which is called with each build in the transaction in which it ends."""
        super().__init__(database, clock)
        self._ended = ended
        self._change_signal = change_signal

    def queue(
        self,
        repo: int,
        labels: Sequence[str],
        ref: str,
        commit: str,
        by: str,
        refs: Mapping[str, str] | None = None,
    ) -> int:
        with self._database.atomic():
            values = {
                "repo": repo,
                "labels": json.dumps(list(labels)),
                "ref": ref,
                "commit": commit,
                "by": by,
                "cause": CAUSE.get(),
            }
            id: int = self._database.value(_QUEUE, **values, now=self._now())
            for label in labels:
                self._claim(repo, label, (refs or {}).get(label, ref), commit, id - 1)
            self._database.run(_TRIM_LINES, repo=repo)
            self._change_signal.signal(WORK)
        return id

    def refuse(self, build: int, lines: Sequence[str], error: str) -> None:
        with self._database.atomic():
            ended = self._find(build)
            if not self._database.run(_REFUSE, build=build, error=error, now=self._now()):
                return
            for line in lines:
                self._append(build, line)
            self._change_signal.signal(_topic(build))
            self._ended(replace(ended, status=BuildStatus.FAILED))

    def claim(self, repo: int, label: str, ref: str, commit: str) -> bool:
        with self._database.atomic():
            self._claim(repo, label, ref, commit, self._database.value(_LAST_ID))
            self._database.run(_BORROW, repo=repo, label=label, commit=commit)
            built = self.image(repo, label)
        return built is not None and built.commit == commit and not built.missing

    def _claim(self, repo: int, label: str, ref: str, commit: str, before: int) -> None:
        self._database.run(_TAKE_OVER, repo=repo, label=label, ref=ref, commit=commit, before=before)
        self._database.run(_CLAIM, repo=repo, label=label, ref=ref)

    def claims(self, repo: int) -> Mapping[str, LabelClaim]:
        rows = self._database.rows(_CLAIMS, repo=repo)
        return {name: LabelClaim(ref, built) for name, ref, built in rows}

    def forget(self, repo: int, label: str) -> Built | None:
        with self._database.atomic():
            pointed = self.image(repo, label)
            self._database.run(_FORGET_LABEL, repo=repo, label=label)
        return pointed

    def discard(self, repo: int) -> Sequence[str]:
        with self._database.atomic():
            images = {built.image for built in self.images(repo).values()}
            self._database.run(_DISCARD_LABELS, repo=repo)
            for (build,) in self._database.rows(_OF_REPO, repo=repo):
                self._database.run(_DISCARD, build=build)
                self._change_signal.signal(_topic(build))
        return sorted(images)

    def take(self, worker: str, rank: Rank = alike) -> Build | None:
        for queued, build in TURNS.waiting(self._database, rank):
            with self._database.atomic():
                if self._database.value(_TAKE.format(queued), worker=worker, key=build) is None:
                    continue
                self._change_signal.signal(_topic(build))
                return self._find(build)
        return None

    def note_base(self, build: int, repo: int, commit: str) -> None:
        with self._database.atomic():
            below = self.bases(repo, commit)
            self._find(build)
            known = json.loads(self._database.value(_BASES_OF, build=build) or "[]")
            # If the bases of one image are unknown, so are those of all that contain it.
            bases = json.dumps(sorted({*known, repo, *below})) if below is not None else None
            self._database.run(_NOTE_BASES, build=build, bases=bases)

    def bases(self, repo: int, commit: str | None) -> Set[int] | None:
        rows = [bases for (bases,) in self._database.rows(_BASES, repo=repo, commit=commit)]
        if not rows or rows[0] is None:
            return None
        return {base for bases in rows if bases is not None for base in json.loads(bases)}

    def pushers(self, repo: int) -> Set[str]:
        return {name for (name,) in self._database.rows(_PUSHERS, repo=repo)}

    def line(self, build: int, text: str) -> None:
        self._find(build)
        with self._database.atomic():
            self._append(build, text)

    def _append(self, build: int, text: str) -> None:
        line = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        self._database.run(_APPEND, build=build, line=line)
        self._change_signal.signal(_topic(build))

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        status = BuildStatus.FAILED if image is None else BuildStatus.READY
        with self._database.atomic():
            ended = self._find(build)
            end = {"status": status, "image": image, "error": error, "now": self._now()}
            turned = self._database.run(_FINISH, build=build, **end)
            if not turned:
                return
            for label in ended.labels if image is not None else ():
                self._database.run(
                    _MOVE_LABEL, repo=ended.repo, label=label, image=image, commit=ended.commit, build=build
                )
            self._change_signal.signal(_topic(build))
            self._ended(replace(ended, status=status))

    def follow(self, build: int, patience: float) -> Iterator[str | BuildOutcome]:
        deadline = time.monotonic() + patience
        seen = 0
        while True:
            ticket = self._change_signal.ticket(_topic(build))
            # Read the build first: lines written before its end are then included.
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
                    yield self._queue_position(found)
                    return
            with self._database.idle():
                self._change_signal.wait(ticket, left)

    def _queue_position(self, build: Build) -> BuildOutcome:
        """Return the queue position of a build. Accounts take turns, so each other one counts up to `own`."""
        own: int = self._database.value(_OWN, by=build.by, build=build.id)
        others = self._database.rows(_OTHERS, by=build.by)
        building: int = self._database.value(_COUNT_BUILDING)
        before = own - 1 + building + sum(min(count, own) for (count,) in others)
        return BuildOutcome(BuildStatus.QUEUED, position=before + 1, at_work=building > 0)

    def lines(self, build: int) -> Sequence[str]:
        self._find(build)
        return [line for _, line in self._after(build, 0)]

    def last_lines(self, build: int, most: int) -> Sequence[str]:
        rows = self._database.rows(_LAST_LINES, build=build, most=most)
        return [line for (line,) in reversed(rows)]

    def position(self, build: int) -> int:
        return self._queue_position(self._find(build)).position

    def _after(self, build: int, seen: int) -> list[Cells]:
        return self._database.rows(_LINES, build=build, seen=seen)

    def get(self, build: int) -> Build | None:
        return self._database.one(_BUILD, _BY_ID, build=build)

    def _find(self, build: int) -> Build:
        found = self.get(build)
        if found is None:
            raise NotFound(f"There is no build number {build} any more.")
        return found

    def latest(self, repo: int) -> Build | None:
        return self._database.one(_BUILD, _LATEST, repo=repo)

    def newest(self, repo: int, most: int) -> Sequence[Build]:
        return self._database.all(_BUILD, _NEWEST, repo=repo, most=most)

    def pusher(self, repo: int, commit: str) -> str | None:
        name: str | None = self._database.value(_PUSHER, repo=repo, commit=commit)
        return name

    def last_of(self, repo: int, commit: str) -> Build | None:
        return self._database.one(_BUILD, _LAST_OF, repo=repo, commit=commit)

    def image(self, repo: int, label: str) -> Built | None:
        return self._database.one(_LABEL, _FIND_LABEL, repo=repo, label=label)

    def images(self, repo: int) -> Mapping[str, Built]:
        rows = (_LABEL.split(row) for row in self._database.rows(_LABELS, repo=repo))
        return {name: built for built, (name,) in rows}

    def latest_of(self, repos: Sequence[int]) -> Mapping[int, Build]:
        rows = self._rows_of(_LATEST_OF, repos)
        return {build.repo: build for build in map(_BUILD.read, rows)}

    def images_of(self, repos: Sequence[int]) -> Mapping[int, Mapping[str, Built]]:
        found: dict[int, dict[str, Built]] = {}
        for built, (name, repo) in map(_LABEL.split, self._rows_of(_LABELS_OF, repos)):
            found.setdefault(repo, {})[name] = built
        return found

    def _rows_of(self, statement: str, repos: Sequence[int]) -> Iterator[Cells]:
        for sql, params in batches(statement, repos=repos):
            yield from self._database.rows(sql, **params)

    def images_in_use(self) -> tuple[Set[str], Set[int]]:
        # Read the builds first: a build that ends in between has then already moved its labels.
        building = {repo for (repo,) in self._database.rows(_REPOS)}
        return {image for (image,) in self._database.rows(_IMAGES)}, building

    def note_store(self, there: Callable[[], Collection[str]]) -> Set[str]:
        targets = self._database.rows(_TARGETS)
        present = frozenset(there())
        with self._database.atomic():
            for repo, name, build, image, missing in targets:
                if bool(missing) is (image in present):
                    mark = int(image not in present)
                    self._database.run(_MARK, missing=mark, repo=repo, name=name, build=build)
        return {image for _, _, _, image, _ in targets} - present

    def lose(self, image: str) -> Set[int]:
        with self._database.atomic():
            return {repo for (repo,) in self._database.rows(_LOSE, image=image)}

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        swept = [build for build, worker in self._database.rows(_BUILDING) if not alive(worker)]
        for build in swept:
            with self._database.atomic():
                self._append(build, INTERRUPTED)
                self.finish(build, None, INTERRUPTED)
        return swept


def _topic(build: int) -> str:
    """Return the change signal's topic for a build: its status and its log."""
    return f"build {build}"
