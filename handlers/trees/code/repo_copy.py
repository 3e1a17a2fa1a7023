"""Forks: copies of repositories with their branches and tags, whose images are built anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chains.builds.repositories import LATEST, RepositoryDraft, labels, shown_ref
from handlers.services.run_people import image_people, note_writers
from handlers.services.world import World
from handlers.trees.facets.meta import with_tags
from vfs.errors import Conflict, TooLarge
from vfs.place import Place
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

COPIED = ("name", "summary", "description", "config")
MOST_BUILDS = 20
"""Commits of a fork that are built at once; the rest when they are pushed."""


def draft_fork(place: Place[World], name: str) -> RepositoryDraft:
    """The repository for a fork of that name, once there seems to be room for it."""
    world, quotas = place.world, place.world.service.quotas
    for quota in (QuotaName.ITEMS, QuotaName.REPOS):
        quotas.admit_more(place.me, quota)
    if world.items.find(place.here.kind, place.me, name, place.me) is not None:
        raise Conflict(f"The name {name} is taken; choose another.")
    size, kept = world.code.repositories.size(place.here.id), quotas.one(place.me, QuotaName.STORAGE)
    if size > kept.room:
        raise TooLarge(
            f"the repo takes {size:,} bytes and your account has room for {kept.room:,}: remove something, "
            "or ask the operator for more"
        )
    place.call.ongoing.begin()
    with world.idle():
        return world.code.repositories.draft(place.here.id)


def finish_fork(place: Place[World], copy: Item, draft: RepositoryDraft) -> str:
    """Give a fork its repository, and have its images built with the rights of who forked."""
    if draft.item != place.here.id:
        raise Conflict(f"another repo took the place of {place.asked} just now: copy it again")
    world, quotas = place.world, place.world.service.quotas
    with_tags(place, copy)
    note_writers(world, copy, image_people(world, place.here.id, None, place.here.name))
    quotas.note_packs(copy.id, draft.size)
    quotas.admit_bytes(copy.id, 0)
    world.code.repositories.adopt(draft, copy.id)
    leaf = world.leaves.get(copy.id, "config/type")
    return _build(place, copy, draft) if leaf is None or leaf.text != "code" else ""


class ForkBuild(NamedTuple):
    """A commit that is built, and the labels that its image gets with the full names of their refs."""

    commit: str
    labels: Mapping[str, str]


def _build(place: Place[World], copy: Item, draft: RepositoryDraft) -> str:
    """Queue a build for each commit with labels, as there is room for them, the default branch first."""
    orders = list(_orders(draft))
    room = min(MOST_BUILDS, place.world.service.quotas.one(place.me, QuotaName.BUILDS).room)
    for order in orders[:room]:
        ref = next(iter(order.labels.values()))
        place.world.code.builds.queue(copy.id, list(order.labels), ref, order.commit, place.me, order.labels)
    named = ", ".join(next(iter(order.labels)) for order in orders[:room])
    told = f"building {copy.name}: {named}; its log tells how it goes\n" if named else ""
    if len(orders) > room:
        told += f"{len(orders) - room:,} more commits of branches and tags are built when they are pushed\n"
    return told


def _orders(draft: RepositoryDraft) -> Iterator[ForkBuild]:
    head = next((ref.name for ref in draft.refs if ref.default), None)
    named: dict[str, dict[str, str]] = {}
    present = labels(draft.refs, head)
    for label, ref in sorted(present.items(), key=lambda one: (not one[1].default, one[0])):
        named.setdefault(ref.commit, {})[label] = shown_ref(ref.full)
    for commit, found in named.items():
        yield ForkBuild(commit, dict(sorted(found.items(), key=lambda one: one[0] == LATEST)))
