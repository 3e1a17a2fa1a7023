"""The port of the run store for image builds: queue, take, log, follow and look them up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from chains.runs.ports import Rank, alike

AGAIN = 'Post "building" to the status of the repo to repeat the build, or push again'

FOLLOW = "CURLEW_FOLLOW"
UNFOLLOWED = {FOLLOW: "no"}
"""The variable of a push whose client does not wait for the builds."""


class BuildStatus(StrEnum):
    """Status of a build. A repo without any push shows `empty`, which no build has."""

    QUEUED = "queued"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether the build has ended; its status does not change any more."""
        return self in (BuildStatus.READY, BuildStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Build:
    """A recorded build.

    `repo`: the repo's item id. `ref`: the full name of the ref that `by` pushed. `labels`: those for the
    image once it is ready: the ref's label first, then `latest` for the default branch. `image`: set when
    ready. `error`: a sentence, set when failed. `created_on` and `completed_on` are stamps.
    `caused_by`: words for its cause (vfs.cause).
    """

    id: int
    repo: int
    labels: tuple[str, ...]
    ref: str
    commit: str
    by: str
    status: BuildStatus = BuildStatus.QUEUED
    worker: str | None = None
    image: str | None = None
    error: str = ""
    created_on: str = ""
    completed_on: str | None = None
    caused_by: str = ""


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The last value of a followed build: READY, FAILED with the reason, or QUEUED if no runner took it.

    `position` is the build's place in the queue, from 1, with the accounts taking turns. `at_work`: whether
    any build is running.
    """

    status: BuildStatus
    error: str = ""
    position: int = 0
    at_work: bool = False


class Built(NamedTuple):
    """The target of a label: the engine's image id, and the commit it was built from.

    `missing`: the engine was found not to have the image.
    """

    image: str
    commit: str
    missing: bool = False


class LabelClaim(NamedTuple):
    """The full name of the ref that has a label, and the commit of the label's image; None if unknown."""

    ref: str | None
    built: str | None


class Builds(Protocol):
    """The store of builds and of the targets of labels (decisions 23c).

    All methods may be called from any thread and process. Each is a transaction, unless the caller opened
    one, and durable when it returns. A build moves from `queued` to `building` to `ready` or `failed`, or, if
    it is refused, from `queued` to `failed`. Each move is a compare-and-set; `ready` and `failed` are final.
    Methods with a build's id, except `get`, raise NotFound for an unknown one.
    """

    def queue(
        self,
        repo: int,
        labels: Sequence[str],
        ref: str,
        commit: str,
        by: str,
        refs: Mapping[str, str] | None = None,
    ) -> int:
        """Record a build of the commit that `by` pushed, wake the runners, and return its id. Ids increase.

        The labels now belong to the ref, or to the ref given for a label in `refs` (see `claim`).
        """

    def refuse(self, build: int, lines: Sequence[str], error: str) -> None:
        """End a `queued` build as `failed`, with log lines. Do nothing if it is already taken."""

    def claim(self, repo: int, label: str, ref: str, commit: str) -> bool:
        """Record that a ref at this commit has a label. Return whether the label has the commit's image.

        If another ref had the label, the label loses the builds that are queued for it, and its image unless
        that is of the same commit. It takes an image of the commit from another label of the repo, if any.
        """

    def claims(self, repo: int) -> Mapping[str, LabelClaim]:
        """Return the labels of the repo that belong to a ref or have a known image."""

    def forget(self, repo: int, label: str) -> Built | None:
        """Remove a label whose branch or tag was deleted. Return its former target, or None.

        A build for it that is already queued still runs, but does not restore the label.
        """

    def discard(self, repo: int) -> Sequence[str]:
        """Remove every build and label of a repo that is being removed. Return the images of its labels."""

    def take(self, worker: str, rank: Rank = alike) -> Build | None:
        """Take a `queued` build and make it `building`, atomically. Return None if there is none.

        It is the oldest one of the account (its pusher) with the lowest rank, as with runs.
        """

    def note_base(self, build: int, repo: int, commit: str) -> None:
        """Record that an image being built contains the image of a repo's commit, with all parts of that."""

    def bases(self, repo: int, commit: str | None) -> Set[int] | None:
        """Return the repos whose images are part of a commit's images (None: of all commits).

        Returns None if this is unknown, because an earlier release built all of them.
        """

    def pushers(self, repo: int) -> Set[str]:
        """Return the accounts that pushed the built commits of a repo."""

    def line(self, build: int, text: str) -> None:
        """Append one line to the build's log and wake its followers."""

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        """End a `building` build: `ready` with an image, else `failed` with the reason.

        In the same transaction, each of its labels moves to the image, unless the label was forgotten since
        the build was queued or already moved by a build queued later. A failed build moves no label. Wakes
        its followers. Does nothing if the build has ended.
        """

    def follow(self, build: int, patience: float) -> Iterator[str | BuildOutcome]:
        """Yield the lines of a build from the first as they come, then exactly one BuildOutcome.

        The outcome is READY or FAILED, or QUEUED if no runner took the build within `patience` seconds.
        Changes wake the generator; it does not poll. It holds no transaction between two lines.
        """

    def lines(self, build: int) -> Sequence[str]:
        """Return the log of a build so far."""

    def last_lines(self, build: int, most: int) -> Sequence[str]:
        """Return the last lines of a build's log so far, at most `most`."""

    def position(self, build: int) -> int:
        """Return the place of a queued build in the queue, counted from 1 (see `BuildOutcome`)."""

    def get(self, build: int) -> Build | None:
        """Return the build with this id, or None."""

    def latest(self, repo: int) -> Build | None:
        """Return the repo's newest build in any status. The repo's `log` and `status` show it."""

    def newest(self, repo: int, most: int) -> Sequence[Build]:
        """Return the repo's builds, newest first, at most `most`."""

    def pusher(self, repo: int, commit: str) -> str | None:
        """Return the last user who pushed a commit of the repo, or None if it was never built."""

    def last_of(self, repo: int, commit: str) -> Build | None:
        """Return the newest build of a commit of the repo."""

    def image(self, repo: int, label: str) -> Built | None:
        """Return the target of a label, or None if no build of it was ready yet."""

    def images(self, repo: int) -> Mapping[str, Built]:
        """Return the labels of the repo that point at an image, with their targets."""

    def latest_of(self, repos: Sequence[int]) -> Mapping[int, Build]:
        """Return what `latest` returns, for many repos. Runs one statement per 500 repos."""

    def images_of(self, repos: Sequence[int]) -> Mapping[int, Mapping[str, Built]]:
        """Return what `images` returns, for many repos. Runs one statement per 500 repos."""

    def images_in_use(self) -> tuple[Set[str], Set[int]]:
        """Return the images that labels of all repos point at, and the repos with an open build."""

    def note_store(self, there: Callable[[], Collection[str]]) -> Set[str]:
        """Mark exactly the labels whose image is not in `there()`. Return the missing images.

        `there` lists the engine's images. It is called after the labels are read, so that an image built in
        the meantime does not count as missing.
        """

    def lose(self, image: str) -> Set[int]:
        """Mark the labels of an image that the engine does not have. Return their repos."""

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        """End as `failed` each build whose worker is not `alive`. Return the ids.

        The last log line says that the build was interrupted and that a push builds again.
        """
