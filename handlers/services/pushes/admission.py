"""Admission to repositories: who may clone and push, on which terms, and the last question."""

from __future__ import annotations

import logging
import os
import re
import secrets
import select
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from chains.files.keeper import keeper_of
from handlers.rules.plain_lines import one_line
from handlers.services.world import World
from handlers.settings.settings import Settings
from storage.git.repositories import LARGEST_PUSH
from vfs.errors import NotFound, VfsError, storage_error
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

MOST_COMMANDS = 10_000

Service = Literal["read", "write"]


class Admitted(NamedTuple):
    """The repo's item id, the user who asks (None for the public, which never pushes), bounds of a push.

    `push` is the most bytes that its body may have, `commands` how many references it may change, `room` the
    bytes by which the repo may grow, `builds` how many it may queue (None: as many as come).
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
        """The repo, and the caller whom the raw Authorization header proves.

        Raises Denied, NotFound, and Unauthenticated even where there is no repo: git signs in after that.
        """
        ...


def push_bounds(world: World, repo: Item, by: str | None) -> Admitted:
    """The bounds of a push, from whose way old locks are taken: what the quotas of the repo's owner leave."""
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
# Letters of a refusal: one write to a pipe takes them whole.
LONGEST = 512


@contextmanager
def last_question(folder: Path, ask: Callable[[], object]) -> Iterator[dict[str, str]]:
    """Answer the hook of one push meanwhile; the variable by which it finds where to ask.

    The body of a push may take an hour to come, and its pack a while to be looked through. `ask` raises as
    the push would be refused now. Question and answer go through two pipes with names, as the hook is a
    program of another account that git starts. Raises OSError.
    """
    place = folder / f".push-{secrets.token_hex(8)}"
    keeper = keeper_of(folder)
    with keeper.acting():
        place.mkdir(mode=0o700)
        for name in ("ask", "answer"):
            os.mkfifo(place / name, 0o600)
        # Open at both ends, so that neither side waits for the other to open its own.
        asked, answered = (os.open(place / name, os.O_RDWR | os.O_NONBLOCK) for name in ("ask", "answer"))
    is_over = threading.Event()
    thread = threading.Thread(target=_answer, args=(asked, answered, ask, is_over), name="push", daemon=True)
    thread.start()
    try:
        yield {"CURLEW_PUSH": str(place)}
    finally:
        is_over.set()
        os.write(asked, b"\n")
        thread.join()
        os.close(asked)
        os.close(answered)
        with keeper.acting():
            for name in ("ask", "answer"):
                (place / name).unlink()
            place.rmdir()


def _answer(asked: int, answered: int, ask: Callable[[], object], is_over: threading.Event) -> None:
    """Wait for the question, or for the end, and answer it."""
    poll = select.poll()
    poll.register(asked, select.POLLIN)
    poll.poll()
    if not is_over.is_set():
        os.write(answered, f"{_verdict(ask)[:LONGEST]}\n".encode())


def _verdict(ask: Callable[[], object]) -> str:
    """Yes, or the reason why not in one line."""
    try:
        ask()
    except VfsError as error:
        return one_line(error.detail)
    except Exception:
        log.exception("a push could not be asked for once more")
        return "the server could not look whether this push may still be made; push again."
    return YES


PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,200}")
"""What a client may say of the protocol that it speaks (GIT_PROTOCOL, git(1))."""

FOLLOW = "CURLEW_FOLLOW"
UNFOLLOWED = {FOLLOW: "no"}
"""The variable of a push whose builds nobody waits for."""


class PushTerms:
    """The terms of pushes to the repositories of a folder."""

    def __init__(self, folder: Path, hook_env: Mapping[str, str], tolerated: Sequence[str] = ()) -> None:
        """`hook_env` is what the post-receive program gets beside what `variables` tells of the push.

        `tolerated` are defects that pushed commits may have.
        """
        self._folder = folder
        self._hook_env = dict(hook_env)
        self._tolerated = tuple(tolerated)

    def variables(self, admitted: Admitted, name: str) -> dict[str, str]:
        """The variables of git and of its hooks; `name` is that of the repo with its owner's."""
        return {
            **self._hook_env,
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
        """Have the hook ask `again` before references change; the variables by which it finds where.

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
        """The settings of this push beside git's configuration (git-config(1), environment)."""
        # A size of 0 would be no limit.
        said = [("receive.maxInputSize", str(max(admitted.push, 1)))]
        said += [(f"receive.fsck.{defect}", "ignore") for defect in self._tolerated]
        numbered = {"GIT_CONFIG_COUNT": str(len(said))}
        for number, (key, value) in enumerate(said):
            numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return numbered


def push_terms_of(settings: Settings) -> PushTerms:
    """The terms of pushes to the repositories that the settings name."""
    return PushTerms(settings.repos, hook_env(settings), settings.push_tolerates.split())


def hook_env(settings: Settings) -> dict[str, str]:
    """Variables by which the program behind git's hook finds the world."""
    return {
        "CURLEW_DATA": str(settings.folder),
        "CURLEW_DATABASE_URL": settings.database,
        "CURLEW_CONFIG": settings.config,
        "CURLEW_REPOS_FOLDER": settings.repos_folder,
        # It reaches the database and the repository alone, wherever they are.
        "CURLEW_HOSTS": "one",
    }
