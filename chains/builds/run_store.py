"""Builds: the port through which image builds are queued, taken, logged, followed and looked up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from chains.runs.ports import Rank, alike

AGAIN = 'Post "building" to the status of the repo to repeat the build, or push again'


class BuildStatus(StrEnum):
    """Status of a build; a repo nobody pushed to is `empty`, which is no build's status."""

    QUEUED = "queued"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """True when nothing more will happen to the build."""
        return self in (BuildStatus.READY, BuildStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Build:
    """A build as recorded. `repo`: the item id of the repo. `ref`: the full name of the ref that `by` pushed.

    `labels`: those that the image gets when it is ready: that of the ref first, then `latest` if the ref is
    the default branch. `image`: set when the build is ready. `error`: a sentence, set when it failed.
    `created_on` and `completed_on` are stamps.
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


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """End of following a build: READY, FAILED with the reason, or QUEUED when no runner took it.

    The `position` of one that is queued counts from 1 those that may be built before it, by turns of their
    accounts; `at_work` tells whether anything is being built.
    """

    status: BuildStatus
    error: str = ""
    position: int = 0
    at_work: bool = False


class Built(NamedTuple):
    """Target of a label: the engine's image id and the commit it was built from.

    `missing` when the engine was found not to have the image (any more).
    """

    image: str
    commit: str
    missing: bool = False


class LabelClaim(NamedTuple):
    """The ref that has a label, by its full name, and the commit of the label's image; None if not known."""

    ref: str | None
    built: str | None


class Builds(Protocol):
    """Keeps builds and what each label points at (decisions 23c).

    All methods may be called from any thread and any process; each is its own transaction unless the caller
    opened one, and durable when it returns. A build moves `queued` → `building` → `ready` or `failed`,
    or when it is refused from `queued` to `failed`, each move a compare-and-set. Nothing leaves `ready` and
    `failed`. Methods that take a build's id raise NotFound when it is not in the book, except `get`.
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
        """Record a build of what the user `by` pushed and wake the runners; its id, growing with time.

        The ref, or for some labels the one that `refs` tells, has its labels from now on (`claim`).
        """
        ...

    def refuse(self, build: int, lines: Sequence[str], error: str) -> None:
        """End a build that is `queued` as `failed`, with the lines of its log; nothing once it is taken."""
        ...

    def claim(self, repo: int, label: str, ref: str, commit: str) -> bool:
        """Note that a ref at that commit has a label; whether the label has the image of that commit.

        If another ref had the label, its image goes, unless it is of the same commit, and so do the builds of
        it that were queued before. An image of the commit that another label of the repo has is taken.
        """
        ...

    def claims(self, repo: int) -> Mapping[str, LabelClaim]:
        """The labels of the repo that a ref has or an image is known for."""
        ...

    def forget(self, repo: int, label: str) -> Built | None:
        """Take a label away (its branch or tag was deleted); what it pointed at, or None.

        A build of it that was queued before still ends, without bringing the label back.
        """
        ...

    def discard(self, repo: int) -> Sequence[str]:
        """Forget every build and label of a repo that is being removed; the images its labels pointed at."""
        ...

    def take(self, worker: str, rank: Rank = alike) -> Build | None:
        """Take a `queued` build, atomically, and make it `building`; None when there is none.

        It is the oldest of an account (who pushed it) of the lowest rank, as runs are taken.
        """
        ...

    def note_base(self, build: int, repo: int, commit: str) -> None:
        """Note that an image being built has a part of the image of a commit of a repo, and what that has."""
        ...

    def bases(self, repo: int, commit: str | None) -> Set[int] | None:
        """The repos whose images are a part of the images of a commit (None: of all).

        None where that is not known, as an earlier release built all of them.
        """
        ...

    def pushers(self, repo: int) -> Set[str]:
        """Everybody who pushed what was built of a repo."""
        ...

    def line(self, build: int, text: str) -> None:
        """Append one line to the build's log and wake its followers."""
        ...

    def finish(self, build: int, image: str | None, error: str = "") -> None:
        """End a build that is `building`: `ready` with an image, else `failed` with the reason.

        When ready, each of its labels points at the image from the same transaction on, unless the label was
        forgotten since the build was queued, or a build queued later moved it already. A failed build moves
        no label. Wakes its followers. Does nothing when the build has ended.
        """
        ...

    def follow(self, build: int, patience: float) -> Iterator[str | BuildOutcome]:
        """The lines of a build from its first, each as it comes, then exactly one BuildOutcome.

        Ends with READY or FAILED, or with QUEUED when no runner took the build within `patience` seconds.
        Woken by the change, never polled; no transaction is held between two lines.
        """
        ...

    def lines(self, build: int) -> Sequence[str]:
        """The log of a build so far."""
        ...

    def last_lines(self, build: int, most: int) -> Sequence[str]:
        """The end of the log of a build so far, at most so many lines."""
        ...

    def position(self, build: int) -> int:
        """The place of a build that is queued, counted from 1 (`BuildOutcome`)."""
        ...

    def get(self, build: int) -> Build | None:
        """The build by its id."""
        ...

    def latest(self, repo: int) -> Build | None:
        """The repo's newest build, whatever its status: the repo's `log` and `status` speak of it."""
        ...

    def newest(self, repo: int, most: int) -> Sequence[Build]:
        """The repo's builds, newest first, at most so many."""
        ...

    def pusher(self, repo: int, commit: str) -> str | None:
        """The last user who pushed a commit of the repo; None when nothing was built of it."""
        ...

    def last_of(self, repo: int, commit: str) -> Build | None:
        """The newest build of a commit of the repo."""
        ...

    def image(self, repo: int, label: str) -> Built | None:
        """The target of a label; None while none of its builds was ready."""
        ...

    def images(self, repo: int) -> Mapping[str, Built]:
        """Every label of the repo that points at an image."""
        ...

    def latest_of(self, repos: Sequence[int]) -> Mapping[int, Build]:
        """The builds that `latest` tells, of many repos, by repo; one statement for 500 of them."""
        ...

    def images_of(self, repos: Sequence[int]) -> Mapping[int, Mapping[str, Built]]:
        """The labels that `images` tells, of many repos, by repo; one statement for 500 of them."""
        ...

    def images_in_use(self) -> tuple[Set[str], Set[int]]:
        """The images that labels of any repo point at, and the repos with a build under way."""
        ...

    def note_store(self, there: Callable[[], Collection[str]]) -> Set[str]:
        """Mark the labels whose image is not `there`, and no others; the images that are missing.

        `there` lists the engine's images. It is called after the labels are read, so that an image that is
        built meanwhile does not count as missing.
        """
        ...

    def lose(self, image: str) -> Set[int]:
        """Mark the labels of an image that the engine does not have; their repos."""
        ...

    def sweep(self, alive: Callable[[str], bool]) -> Sequence[int]:
        """End as `failed` each build whose worker is not `alive`; their ids.

        Its last line says that it was interrupted and a push builds again.
        """
        ...
