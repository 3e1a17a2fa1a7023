"""The program behind git's post-receive hook: queues a push's builds and tells the pusher how they go."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from chains.builds.book import BuildOutcome, Builds, BuildStatus
from chains.builds.repositories import LATEST, LONGEST_LABEL, GitRef, label, labels, ref_text, shown_ref
from handlers.processes.database import WallClock, open_database
from handlers.processes.quota_limits import limits_of
from handlers.services.pushes.push_terms import FOLLOW, UNFOLLOWED
from handlers.settings.sources import load
from storage.git.repositories import GitRepositories
from storage.runs.builds import StoredBuilds
from storage.signals.bells import bell_of
from storage.tree.deeds import StoredDeeds
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
SPACES = {"branch": "refs/heads/", "tag": "refs/tags/"}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Update:
    """One line of what git tells post-receive (githooks): the ref and what it pointed at before and now."""

    old: str
    new: str
    ref: str

    @property
    def deleted(self) -> bool:
        """The ref is gone."""
        return not self.new.strip("0")

    @property
    def name(self) -> str | None:
        """The branch or tag; None for refs of other kinds, which are kept and mean nothing here."""
        spaces = SPACES.values()
        return next((self.ref.removeprefix(space) for space in spaces if self.ref.startswith(space)), None)


@dataclass(frozen=True, slots=True)
class Push:
    """A push: the repo's item id, its name as `alice/upper`, the pusher, the updates, the present refs.

    `head` is the default branch. A repo that does not `build` is of type `code`.
    """

    repo: int
    name: str
    by: str
    updates: Sequence[Update]
    refs: Sequence[GitRef]
    head: str | None
    build: bool = True


class Repos(Protocol):
    """The part of storage.git.repositories.GitRepositories that the hook needs."""

    def refs(self, item: int) -> list[GitRef]:
        """Branches and tags."""
        ...

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """Let HEAD name a branch that exists; the branch."""
        ...


@dataclass(frozen=True, slots=True)
class PushWorld:
    """The ports of the hook; `builds_images` tells whether the repo with this item id is of type `job`.

    `measure` counts what the repo takes for its owner's quota, and has it changed now. `keep(repo, user,
    label)` keeps that a user has pushed to a branch or tag.
    """

    repositories: Repos
    builds: Builds
    builds_images: Callable[[int], bool]
    measure: Callable[[int], object] = lambda repo: None
    keep: Callable[[int, str, str], object] = lambda repo, by, label: None


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
            world.keep(repo, by, update.name or "")
        branches = [update for update in updates if update.ref.startswith(SPACES["branch"])]
        pushed = [update.name or "" for update in branches if not update.deleted]
        head = world.repositories.settle_head(repo, pushed)
        refs = world.repositories.refs(repo)
        push = Push(repo, name, by, updates, refs, head, world.builds_images(repo))
        announce(push, world.builds, say, follow=environ.get(FOLLOW) != UNFOLLOWED[FOLLOW])
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
    push: Push, builds: Builds, say: Say, patience: float = PATIENCE, *, follow: bool = True
) -> None:
    """Queue a build for each pushed commit, forget the labels of deleted refs, and `follow` the builds.

    Everything is queued before the first build is followed: a pusher who leaves loses nothing.
    """
    if not push.build:
        say(f"@{push.name} is of type code: the push is kept, nothing is built.")
        return
    orders = [order for update in push.updates if (order := _order(push, update, builds, say))]
    if any(update.deleted for update in push.updates):
        orders += _settle_latest(push, builds, {label for order in orders for label in order.labels}, say)
    queued = [
        (order, builds.queue(push.repo, order.labels, order.ref, order.commit, order.by))
        for order in _one_a_commit(orders)
    ]
    for order, number in queued:
        say(f"building @{push.name}:{order.labels[-1]} from {order.commit[:SHORT]}")
        for said in builds.follow(number, patience) if follow else ():
            if not isinstance(said, BuildOutcome):
                say(_printable(said))
                continue
            say(_closing(push, order, said))
            if said.status is BuildStatus.QUEUED:
                patience = 0.0  # the other branches wait behind this one


@dataclass(frozen=True, slots=True)
class _Order:
    """A build to be queued."""

    labels: tuple[str, ...]
    ref: str
    commit: str
    by: str


def _order(push: Push, update: Update, builds: Builds, say: Say) -> _Order | None:
    """The build of one update; a deleted ref's label is forgotten, unless another ref makes it."""
    if (name := update.name) is None:
        return None
    word, present = label(name), labels(push.refs, push.head)
    if update.deleted:
        if word is not None and word not in present and builds.forget(push.repo, word):
            say(f"forgot @{push.name}:{word}")
        return None
    commit = next((ref.commit for ref in push.refs if f"{SPACES[ref.kind]}{ref.name}" == update.ref), None)
    made = [LATEST] if update.ref == f"{SPACES['branch']}{push.head}" else []
    if commit is None:
        made, why = [], "it leads to no commit"
    elif word is None:
        why = f'a label is made of letters, digits, "_", "." and "-", at most {LONGEST_LABEL} of them'
    elif present.get(word) != commit:
        why = f'another branch or tag has the label "{word}"'
    else:
        made, why = list(dict.fromkeys([word, *made])), ""
    if why:
        fate = "built as latest alone" if made else "not built"
        say(f'"{shown_ref(name)}" is kept and {fate}: {why}.')
    return _Order(tuple(made), shown_ref(update.ref), commit, push.by) if commit and made else None


def _one_a_commit(orders: Iterable[_Order]) -> list[_Order]:
    """One build for all labels of a commit, `latest` last: the image would be the same."""
    together: dict[tuple[str, str], list[_Order]] = {}
    for order in orders:
        together.setdefault((order.commit, order.by), []).append(order)
    return [_whole(parts) for parts in together.values()]


def _whole(parts: Sequence[_Order]) -> _Order:
    """The build for all of these: that of the default branch, if it is among them, with all their labels."""
    chief = next((part for part in parts if LATEST in part.labels), parts[0])
    names = dict.fromkeys(name for part in (chief, *parts) for name in part.labels if name != LATEST)
    return replace(chief, labels=(*names, *(name for name in chief.labels if name == LATEST)))


def _settle_latest(push: Push, builds: Builds, ordered: set[str], say: Say) -> list[_Order]:
    """`latest` after branches were deleted: it follows the default branch that took over, or goes."""
    commit = labels(push.refs, push.head).get(LATEST)
    built = builds.image(push.repo, LATEST)
    if LATEST in ordered or (built is not None and built.commit == commit):
        return []
    # With the rights of who pushed what is built, never of who deleted the branch before it.
    by = builds.pusher(push.repo, commit) if commit is not None else None
    if commit is None or by is None:
        if builds.forget(push.repo, LATEST):
            say(f"forgot @{push.name}:{LATEST}")
        return []
    return [_Order((LATEST,), shown_ref(f"{SPACES['branch']}{push.head}"), commit, by)]


def _closing(push: Push, order: _Order, outcome: BuildOutcome) -> str:
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

    builds = StoredBuilds(database, bell_of(database, settings.database, settings.folder / "bells"), clock)
    repositories = GitRepositories(settings.repos)
    # It counts the bytes of packs alone, of whatever kinds there are.
    quotas = StoredQuotas(database, limits_of(settings), {})
    items = StoredItems(database, clock, Shortnames(database))

    def measure(repo: int) -> None:
        if found := items.at(repo, None):
            items.touch(found.item)
        quotas.note_packs(repo, repositories.size(repo))

    deeds = StoredDeeds(database, clock)

    def keep(repo: int, by: str, label: str) -> None:
        deeds.add(repo, by, PUSHED, label)

    return PushWorld(repositories, builds, builds_images, measure, keep)


if __name__ == "__main__":
    sys.exit(main(open_world, os.environ, sys.stdin.buffer))
