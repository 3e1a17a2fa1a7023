"""Admission to repositories: who may clone and push, and how much a push may bring."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from handlers.services.world import World
from storage.git.repositories import LARGEST_PUSH
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
