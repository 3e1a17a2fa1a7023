"""Commits of changed files that the server makes for users without git, and pushes like any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chains.builds.repositories import CommitOrder, Committed, FileChange
from chains.files.names import printable, refusal
from chains.files.sizes import size_text
from handlers.services.pushes.admission import UNFOLLOWED, Admitted, push_bounds, push_terms_of
from handlers.services.rights import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.errors import Denied, Invalid, TooLarge
from vfs.ports.disk import require_disk_space
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

MOST_CHANGES = 1_000
LONGEST_MESSAGE = 8_192
GIT = ".git"


def commit_files(
    world: World,
    repo: Item,
    by: str,
    changes: Sequence[FileChange],
    *,
    message: str,
    branch: str = "",
    parent: str | None = None,
    starts: bool = False,
) -> Committed:
    """Commit changes to a branch ("": the default one) for a user who may push there.

    The rules of a push apply; the call does not wait for the image. Raises as Repositories.write does, and
    TooLarge, Invalid, QuotaReached, NoSpace and Denied as for a push.
    """
    repositories = world.code.repositories
    require_disk_space(world.service.disk)
    admitted = push_bounds(world, repo, by)
    message = message.strip() or _default_message(changes)
    _refuse_unfit(changes, message, admitted)
    if admitted.builds == 0:
        world.service.quotas.admit_more(repo.owner, QuotaName.BUILDS)
    branch = branch or repositories.head(repo.id) or "main"
    order = CommitOrder(branch, changes, message, by, world.clock.now(), parent, starts)
    terms, name = push_terms_of(world.service.settings), f"{repo.owner}/{repo.name}"
    with terms.last_question(admitted, name, lambda: _admit_again(world, repo, admitted)) as question:
        env = {**terms.variables(admitted, name), **question, **UNFOLLOWED}
        return repositories.write(repo.id, order, env)


def _admit_again(world: World, repo: Item, admitted: Admitted) -> Admitted:
    """Return the same limits if the committer may still write. Raises Denied."""
    with world.session():
        if Access.WRITE not in person_access(world, repo, admitted.by or ""):
            raise Denied(f"you may no longer write to @{repo.owner}/{repo.name}")
    return admitted


def _refuse_unfit(changes: Sequence[FileChange], message: str, admitted: Admitted) -> None:
    """Raise Invalid or TooLarge for changes that cannot be committed."""
    if len(message) > LONGEST_MESSAGE:
        raise TooLarge(f"a message has at most {LONGEST_MESSAGE:,} characters", limit=LONGEST_MESSAGE)
    if not changes:
        raise Invalid("a commit needs changes: name at least one file")
    if len(changes) > MOST_CHANGES:
        raise TooLarge(f"one commit changes at most {MOST_CHANGES:,} files here: push more with git")
    for path in (path for change in changes for path in (change.path, change.to) if path):
        _refuse_name(path)
    if sum(map(_size, changes)) > admitted.push:
        raise TooLarge(
            f"one commit may bring {size_text(admitted.push)}: send fewer files", limit=admitted.push
        )


def _refuse_name(path: str) -> None:
    why = refusal(path)
    if why is None and any(name.lower() == GIT for name in path.split("/")):
        why = 'git keeps the name ".git" for itself'
    if why is not None:
        raise Invalid(f'"{printable(path)}" cannot be the path of a file: {why}')


def _default_message(changes: Sequence[FileChange]) -> str:
    """Return the message of a commit that was sent without one."""
    if not changes:
        return ""
    first = changes[0]
    action = "Move" if first.to else "Delete" if first.content is None else "Add" if first.fresh else "Change"
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return f"{action} {printable(first.path)}{more}"


def _size(change: FileChange) -> int:
    content = change.content
    return content.stat().st_size if isinstance(content, Path) else len(content or b"")
