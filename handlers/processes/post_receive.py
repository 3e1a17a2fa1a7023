"""The program behind git's post-receive hook: queues a push's builds and tells the pusher how they go."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from chains.builds.repositories import SPACES, GitRef, ref_text, shown_ref
from chains.builds.run_store import BuildOutcome, Builds, BuildStatus
from chains.language.ast import RepoRef
from handlers.processes.boxes import base_images
from handlers.processes.database import WallClock, open_database
from handlers.processes.pushed_labels import (
    Push,
    PushOrder,
    PushRefusal,
    Queued,
    Say,
    Update,
    look_at,
    queue_builds,
)
from handlers.processes.quota_limits import limits_of
from handlers.services.pushes.admission import FOLLOW, UNFOLLOWED
from handlers.settings.sources import load
from storage.git.repositories import GitRepositories
from storage.runs.builds import StoredBuilds
from storage.signals.change_signals import change_signal_of
from storage.tree.actions import StoredActions
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import StoredQuotas
from storage.tree.shortnames import Shortnames
from vfs.errors import VfsError
from vfs.ports.social import PUSHED

PATIENCE = 10.0
MOST_KEPT = 20
"""Branches and tags of one push that the activity of the repo tells."""
SHORT = 7
SHOWN = 12


class Repos(Protocol):
    """The part of storage.git.repositories.GitRepositories that the hook needs."""

    def refs(self, item: int) -> list[GitRef]:
        """Branches and tags."""
        ...

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """Let HEAD name a branch that exists; the branch."""
        ...

    def push_lock(self, item: int) -> AbstractContextManager[None]:
        """Keep other pushes from settling labels meanwhile."""
        ...


@dataclass(frozen=True, slots=True)
class PushWorld:
    """The ports of the hook; `builds_images` tells whether the repo with this item id is of type `job`.

    `measure` counts what the repo takes for its owner's quota, and has it changed now. `keep(repo, user,
    label)` keeps that a user has pushed to a branch or tag. It `follows` builds that no runner takes for some
    seconds. `look(repo, commit)` tells why a commit cannot be
    built, if that can be told before it is queued.
    """

    repositories: Repos
    builds: Builds
    builds_images: Callable[[int], bool]
    measure: Callable[[int], object] = lambda repo: None
    keep: Callable[[int, str, str], object] = lambda repo, by, label: None
    look: Callable[[int, str], PushRefusal | None] = lambda repo, commit: None
    follows: float = PATIENCE


def main(
    open_world: Callable[[Mapping[str, str]], PushWorld], environ: Mapping[str, str], lines: Iterable[bytes]
) -> int:
    """Announce one push.

    `lines` are git's `old new ref`, `environ` holds CURLEW_REPO, CURLEW_REPO_NAME and CURLEW_PUSHER. Prints
    to standard output, which git carries to the pusher as `remote:` lines. The push itself stands whatever
    happens here; the exit code is 1 when nothing could be queued.
    """
    updates = [Update(*ref_text(line.rstrip(b"\n")).split(" ", 2)) for line in lines]
    try:
        repo, name, by = int(environ["CURLEW_REPO"]), environ["CURLEW_REPO_NAME"], environ["CURLEW_PUSHER"]
        world = open_world(environ)
        with suppress(OSError):  # git packs anew meanwhile
            world.measure(repo)
        for update in updates[:MOST_KEPT]:
            world.keep(repo, by, shown_ref(update.name or ""))
        branches = [update for update in updates if update.ref.startswith(SPACES["branch"])]
        pushed = [update.name or "" for update in branches if not update.deleted]
        with world.repositories.push_lock(repo):
            head = world.repositories.settle_head(repo, pushed)
            refs = world.repositories.refs(repo)
            look = partial(world.look, repo)
            push = Push(repo, name, by, updates, refs, head, world.builds_images(repo), look)
            queued = queue_builds(push, world.builds, say)
        follow = environ.get(FOLLOW) != UNFOLLOWED[FOLLOW]
        announce(push, world.builds, say, world.follows, queued, follow=follow)
    except VfsError as error:
        say(f"the push is kept, but nothing was built: {error.detail}")
        return 1
    except BrokenPipeError:
        pass  # the pusher left; what was pushed is queued
    return 0


def say(line: str) -> None:
    """Print one line to the pusher now."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def announce(
    push: Push,
    builds: Builds,
    say: Say,
    patience: float = PATIENCE,
    queued: Sequence[Queued] | None = None,
    *,
    follow: bool = True,
) -> None:
    """Say which builds a push has `queued`, else queues now, and `follow` them.

    Everything is queued before the first build is followed: a pusher who leaves loses nothing.
    """
    for order, number in queue_builds(push, builds, say) if queued is None else queued:
        say(f"building @{push.name}:{order.labels[-1]} from {order.commit[:SHORT]}")
        for said in builds.follow(number, patience) if follow else ():
            if not isinstance(said, BuildOutcome):
                say(_printable(said))
                continue
            say(_closing(push, order, said))
            if said.status is BuildStatus.QUEUED:
                patience = 0.0  # the other branches wait behind this one


def _closing(push: Push, order: PushOrder, outcome: BuildOutcome) -> str:
    """The last line of a build: its outcome, and what to do about it."""
    if outcome.status is BuildStatus.READY:
        more = f" and {len(order.labels) - SHOWN} more" if len(order.labels) > SHOWN else ""
        names = tuple(reversed(order.labels))[:SHOWN]
        return "ready " + ", ".join(f"@{push.name}:{label}" for label in names) + more
    if outcome.status is BuildStatus.FAILED:
        return f"failed: {_printable(outcome.error)}. The push is kept; images built before stay."
    where = f"queued: position {outcome.position}"
    if not outcome.at_work:
        return f"{where}; no runner took the build yet, it is built as soon as one runs."
    return (
        f"{where}, as pushers take turns; it is built without you, and the log of the repo tells how it went."
    )


def _printable(text: str) -> str:
    """A line without what would move a terminal's cursor."""
    return "".join(char if char.isprintable() or char == "\t" else "?" for char in text)


def open_world(environ: Mapping[str, str]) -> PushWorld:
    """The world of the server whose data CURLEW_DATA and CURLEW_DATABASE_URL name."""
    settings = load(environ)
    database, clock = open_database(settings), WallClock()
    leaves = StoredLeaves(database, clock)

    def builds_images(item: int) -> bool:
        leaf = leaves.get(item, "config/type")
        return leaf is None or leaf.text != "code"

    builds = StoredBuilds(
        database, change_signal_of(database, settings.database, settings.folder / "bells"), clock
    )
    repositories = GitRepositories(settings.repos)
    # It counts the bytes of packs alone, of whatever kinds there are.
    quotas = StoredQuotas(database, limits_of(settings), {})
    items = StoredItems(database, clock, Shortnames(database))

    def measure(repo: int) -> None:
        if found := items.at(repo, None):
            items.touch(found.item)
        quotas.note_packs(repo, repositories.size(repo))

    actions = StoredActions(database, clock)

    def keep(repo: int, by: str, label: str) -> None:
        actions.add(repo, by, PUSHED, label)

    def look(repo: int, commit: str) -> PushRefusal | None:
        found, by = items.at(repo, None), environ.get("CURLEW_PUSHER", "")

        def is_repo(ref: RepoRef) -> bool:
            owner = ref.owner or (found.item.owner if found else "")
            return items.find("repo", owner, ref.repo, by) is not None

        return look_at(repositories, repo, commit, base_images(settings), is_repo)

    return PushWorld(repositories, builds, builds_images, measure, keep, look)


if __name__ == "__main__":
    sys.exit(main(open_world, os.environ, sys.stdin.buffer))
