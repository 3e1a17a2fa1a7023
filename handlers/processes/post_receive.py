"""The program behind git's post-receive hook: queues a push's builds and reports their progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from chains.builds.repositories import SPACES, GitRef, ref_text, shown_ref
from chains.builds.run_store import FOLLOW, UNFOLLOWED, BuildOutcome, Builds, BuildStatus
from chains.language.ast import RepoRef
from handlers.processes.database import open_database
from handlers.processes.offered_images import base_images
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
from handlers.settings.sources import load
from storage.git.repositories import GitRepositories, settle_refs
from storage.runs.builds import StoredBuilds
from storage.signals.change_signals import change_signal_of
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import StoredQuotas
from storage.tree.shortnames import Shortnames
from storage.tree.social import StoredActions
from storage.upkeep.clocks import WallClock
from vfs.cause import CAUSE
from vfs.errors import VfsError
from vfs.ports.leaves import text_at
from vfs.ports.social import PUSHED

PATIENCE = 10.0
MOST_KEPT = 20
"""Maximum branches and tags of one push in the repository's activity."""
SHORT = 7
SHOWN = 12


class Repos(Protocol):
    """The part of storage.git.repositories.GitRepositories that the hook needs."""

    def refs(self, item: int) -> list[GitRef]:
        """Return branches and tags."""

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """Set HEAD to a branch that exists; return the branch."""

    def push_lock(self, item: int) -> AbstractContextManager[None]:
        """Keep other pushes from settling labels during the block."""


@dataclass(frozen=True, slots=True)
class PushWorld:
    """The ports of the hook; `builds_images` returns whether the repository of an item id is of type `job`.

    `measure` updates the repository's size for its owner's quota. `keep(repo, user, label)` records that a
    user pushed a branch or tag. Builds that no runner takes are followed for `follows` seconds. `look(repo,
    commit)` returns why a commit cannot be built, if that is known before it is queued.
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
    """Process one push.

    `lines` are git's `old new ref`, `environ` has CURLEW_REPO, CURLEW_REPO_NAME, CURLEW_PUSHER, CURLEW_CAUSE
    and git's GIT_DIR. The pusher's git waits for the end of this program, so the push is made durable first.
    Print to standard output, which git sends to the pusher as `remote:` lines. The push itself is kept in any
    case; return 1 if nothing could be queued.
    """
    CAUSE.set(environ.get("CURLEW_CAUSE", ""))
    updates = [Update(*ref_text(line.rstrip(b"\n")).split(" ", 2)) for line in lines]
    try:
        settle_refs(Path(environ["GIT_DIR"]), (update.ref for update in updates))
        repo, name, by = int(environ["CURLEW_REPO"]), environ["CURLEW_REPO_NAME"], environ["CURLEW_PUSHER"]
        world = open_world(environ)
        with suppress(OSError):  # git is repacking at the moment
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
        pass  # the pusher left; the builds are queued
    return 0


def say(line: str) -> None:
    """Print one line to the pusher at once."""
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
    """Report the builds of a push as `queued`, or queue them now, and `follow` them.

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
                patience = 0.0  # the other branches wait until this build has ended


def _closing(push: Push, order: PushOrder, outcome: BuildOutcome) -> str:
    """Return the last line of a build: its result, and advice."""
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
        f"{where}, as pushers take turns; it is built without you, and the result is in the log of the repo."
    )


def _printable(text: str) -> str:
    """Return a line without control characters for terminals."""
    return "".join(char if char.isprintable() or char == "\t" else "?" for char in text)


def open_world(environ: Mapping[str, str]) -> PushWorld:
    """Return the world of the server with the data in CURLEW_DATA and CURLEW_DATABASE_URL."""
    settings = load(environ)
    database, clock = open_database(settings), WallClock()
    leaves = StoredLeaves(database, clock)

    def builds_images(item: int) -> bool:
        return text_at(leaves, item, "config/type") != "code"

    builds = StoredBuilds(
        database, change_signal_of(database, settings.database, settings.folder / "signals"), clock
    )
    repositories = GitRepositories(settings.repos)
    # It counts only the bytes of packs, for all kinds.
    quotas = StoredQuotas(database, settings.quota_limits, {})
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
