"""Pushes: who may clone and push, with which limits, and commits made for users without git."""

from __future__ import annotations

import logging
import os
import re
import secrets
import select
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from chains.builds.repositories import CommitOrder, Committed, FileChange
from chains.builds.run_store import UNFOLLOWED
from chains.files.keeper import keeper_of
from chains.files.names import printable, refusal
from chains.files.sizes import size_text
from handlers.rules.plain_lines import one_line
from handlers.services.rights import person_access
from handlers.services.world import World
from handlers.settings.settings import Settings
from storage.git.copies import PIPES
from storage.git.repositories import LARGEST_PUSH
from vfs.access import Access
from vfs.cause import CAUSE
from vfs.errors import Denied, Invalid, NotFound, TooLarge, VfsError, storage_error
from vfs.ports.disk import require_disk_space
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

MOST_COMMANDS = 10_000

Service = Literal["read", "write"]


class Admitted(NamedTuple):
    """The repo's item id, the user (None for the public, which never pushes), and the limits of a push.

    `push` is the maximum size of its body in bytes, `commands` that of changed references, `room` the bytes
    by which the repo may grow, `builds` the number of builds it may queue (None: no limit).
    """

    item: int
    by: str | None
    push: int = LARGEST_PUSH
    commands: int = MOST_COMMANDS
    room: int = LARGEST_PUSH
    builds: int | None = None


class Admit(Protocol):
    """Decides who may clone and push."""

    def __call__(self, user: str, repo: str, service: Service, authorization: str | None) -> Admitted:
        """Return the repo, and the user authenticated by the raw Authorization header.

        Raises Denied, NotFound, and Unauthenticated even for a missing repo, so that git signs in.
        """


def push_bounds(world: World, repo: Item, by: str | None) -> Admitted:
    """Return the limits of a push by the quotas of the repo's owner; stale locks are removed first."""
    world.code.repositories.free(repo.id)
    quotas, kind = world.service.quotas, world.leaves.get(repo.id, "config/type")
    push, kept, builds = (
        quotas.one(repo.owner, name) for name in (QuotaName.PUSH, QuotaName.STORAGE, QuotaName.BUILDS)
    )
    return Admitted(
        repo.id,
        by,
        push.limit,
        world.service.settings.push_commands,
        kept.room,
        builds.room if kind is None or kind.text != "code" else None,
    )


log = logging.getLogger("curlew")

YES = "yes"
# Characters of a refusal: a single write to a pipe is atomic up to this size.
LONGEST = 512


@contextmanager
def last_question(folder: Path, ask: Callable[[], object]) -> Iterator[dict[str, str]]:
    """Answer the hook of one push; yield the environment variable with the path of the pipes.

    The body of a push may take an hour to arrive, and its pack some time to be checked, so the hook asks
    again at the end. `ask` raises if the push would be refused now. Named pipes are used because git starts
    the hook, which runs as another account. Raises OSError.
    """
    place = folder / f"{PIPES}{secrets.token_hex(8)}"
    keeper = keeper_of(folder)
    try:
        with keeper.acting():
            place.mkdir(mode=0o700)
            for name in ("ask", "answer"):
                os.mkfifo(place / name, 0o600)
            # Opened for both reading and writing, so that no side waits for the other to open its end.
            asked, answered = (os.open(place / name, os.O_RDWR | os.O_NONBLOCK) for name in ("ask", "answer"))
        is_over = threading.Event()
        arguments = (asked, answered, ask, is_over)
        thread = threading.Thread(target=_answer, args=arguments, name="push", daemon=True)
        thread.start()
        try:
            yield {"CURLEW_PUSH": str(place)}
        finally:
            is_over.set()
            os.write(asked, b"\n")
            thread.join()
            os.close(asked)
            os.close(answered)
    finally:
        # The push is done or refused; `sweep_drafts` removes what cannot be removed now.
        with keeper.acting():
            shutil.rmtree(place, ignore_errors=True)


def _answer(asked: int, answered: int, ask: Callable[[], object], is_over: threading.Event) -> None:
    """Wait for the question, or for the end, and answer it."""
    poll = select.poll()
    poll.register(asked, select.POLLIN)
    poll.poll()
    if not is_over.is_set():
        os.write(answered, f"{_verdict(ask)[:LONGEST]}\n".encode())


def _verdict(ask: Callable[[], object]) -> str:
    """Return YES, or the reason of the refusal on one line."""
    try:
        ask()
    except VfsError as error:
        return one_line(error.detail)
    except Exception:
        log.exception("a push could not be asked for once more")
        return "the server could not look whether this push may still be made; push again."
    return YES


PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,200}")
"""Valid values of GIT_PROTOCOL from clients (git(1))."""


class PushTerms:
    """The environment of pushes to the repositories of a folder."""

    def __init__(self, folder: Path, hook_env: Mapping[str, str], tolerated: Sequence[str] = ()) -> None:
        """Set `hook_env`, which the post-receive program gets in addition to `variables`.

        `tolerated` are defects that pushed commits may have.
        """
        self._folder = folder
        self._hook_env = dict(hook_env)
        self._tolerated = tuple(tolerated)

    def variables(self, admitted: Admitted, name: str) -> dict[str, str]:
        """Return the variables of git and of its hooks; `name` is that of the repo with its owner's."""
        return {
            **self._hook_env,
            "CURLEW_CAUSE": CAUSE.get(),
            "CURLEW_PUSHER": admitted.by or "",
            "CURLEW_REPO": str(admitted.item),
            "CURLEW_REPO_NAME": name,
            **self._configuration(admitted),
            "CURLEW_ROOM": str(admitted.room),
            "CURLEW_BUILDS": "" if admitted.builds is None else str(admitted.builds),
        }

    @contextmanager
    def last_question(
        self, admitted: Admitted, name: str, again: Callable[[], Admitted]
    ) -> Iterator[dict[str, str]]:
        """Have the hook call `again` before references change; yield the variables that the hook needs.

        Raises as storage_error does.
        """

        def ask() -> None:
            now = again()
            if (now.item, now.by) != (admitted.item, admitted.by):
                raise NotFound(f"{name} is no longer the repo that was pushed to")

        question = last_question(self._folder, ask)
        try:
            variables = question.__enter__()
        except OSError as error:
            raise storage_error(error, "The push") from error
        try:
            yield variables
        finally:
            question.__exit__(None, None, None)

    def _configuration(self, admitted: Admitted) -> dict[str, str]:
        """Return the settings of this push that override git's configuration (git-config(1), environment)."""
        # A size of 0 would mean no limit.
        said = [("receive.maxInputSize", str(max(admitted.push, 1)))]
        said += [(f"receive.fsck.{defect}", "ignore") for defect in self._tolerated]
        numbered = {"GIT_CONFIG_COUNT": str(len(said))}
        for number, (key, value) in enumerate(said):
            numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return numbered


def push_terms_of(settings: Settings) -> PushTerms:
    """Return the environment of pushes to the repositories that the settings name."""
    return PushTerms(settings.repos, hook_env(settings), settings.push_tolerates.split())


def hook_env(settings: Settings) -> dict[str, str]:
    """Return variables by which the program behind git's hook finds the database and the data."""
    return {
        "CURLEW_DATA": str(settings.folder),
        "CURLEW_DATABASE_URL": settings.database,
        "CURLEW_CONFIG": settings.config,
        "CURLEW_REPOS_FOLDER": settings.repos_folder,
        # The program uses the database and the repository only, wherever they are.
        "CURLEW_HOSTS": "one",
    }


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
