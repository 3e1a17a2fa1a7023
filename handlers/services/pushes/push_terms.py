"""The terms of a push, however it comes: what git and its hooks are told of it, and the last question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from handlers.services.pushes.admission import Admitted
from handlers.services.pushes.last_question import last_question
from handlers.settings.settings import Settings
from vfs.errors import NotFound, storage_error

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
