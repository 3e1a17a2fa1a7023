"""Admission to repositories: who may clone and push, and how much a push may bring."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from storage.git.repositories import LARGEST_PUSH

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
