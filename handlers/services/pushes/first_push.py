"""The first push to a repo, made by the server: what it is built of is what an example brings."""

from __future__ import annotations

from collections.abc import Mapping

from chains.builds.repositories import LATEST
from handlers.services.world import World
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName
from vfs.ports.social import PUSHED

BRANCH = "main"


def first_push(world: World, repo: Item, files: Mapping[str, str], by: str) -> None:
    """Commit files to a repo that has none, and have its image built, all as a push by that user would.

    Whoever calls it has made sure that the user may push there. Raises VfsError.
    """
    quotas, repositories = world.service.quotas, world.code.repositories
    quotas.admit_more(by, QuotaName.BUILDS)
    commit = repositories.begin(repo.id, files, by, world.clock.now())
    with world.atomic():
        quotas.note_packs(repo.id, repositories.size(repo.id))
        world.social.deeds.add(repo.id, by, PUSHED, BRANCH)
        world.code.builds.queue(repo.id, (BRANCH, LATEST), f"refs/heads/{BRANCH}", commit, by)
