"""Forks: copies of repositories with their branches and tags, whose images are built again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chains.builds.repositories import LATEST, RepositoryDraft, labels, shown_ref
from handlers.services.run_people import image_people, note_writers
from handlers.services.world import World
from handlers.trees.facets.meta import with_tags
from vfs.context import Context
from vfs.errors import Conflict, TooLarge
from vfs.ports.items import Item
from vfs.ports.leaves import text_at
from vfs.ports.quotas import QuotaName

COPIED = ("name", "summary", "description", "config")
MOST_BUILDS = 20
"""Most commits of a fork that are built at once; the rest are built when they are pushed."""


def draft_fork(context: Context[World], name: str) -> RepositoryDraft:
    """Return a draft of a fork's repository. Raises an error for a taken name or too little quota."""
    world, quotas = context.world, context.world.service.quotas
    for quota in (QuotaName.ITEMS, QuotaName.REPOS):
        quotas.admit_more(context.me, quota)
    if world.items.find(context.here.kind, context.me, name, context.me) is not None:
        raise Conflict(f"The name {name} is taken; choose another.")
    size, kept = world.code.repositories.size(context.here.id), quotas.one(context.me, QuotaName.STORAGE)
    if size > kept.room:
        raise TooLarge(
            f"the repo takes {size:,} bytes and your account has room for {kept.room:,}: remove something, "
            "or ask the operator for more"
        )
    context.call.ongoing.begin()
    with world.idle():
        return world.code.repositories.draft(context.here.id)


def finish_fork(context: Context[World], copy: Item, draft: RepositoryDraft) -> str:
    """Give a fork its repository, and queue its builds with the rights of the caller."""
    if draft.item != context.here.id:
        raise Conflict(f"another repo took the place of {context.requested} just now: copy it again")
    world, quotas = context.world, context.world.service.quotas
    with_tags(context, copy)
    note_writers(world, copy, image_people(world, context.here.id, None, context.here.name))
    quotas.note_packs(copy.id, draft.size)
    quotas.admit_bytes(copy.id, 0)
    world.code.repositories.adopt(draft, copy.id)
    is_code = text_at(world.leaves, copy.id, "config/type") == "code"
    return "" if is_code else _build(context, copy, draft)


class ForkBuild(NamedTuple):
    """A commit to build, and its labels with the full names of their refs."""

    commit: str
    labels: Mapping[str, str]


def _build(context: Context[World], copy: Item, draft: RepositoryDraft) -> str:
    """Queue builds for commits with labels, the default branch first, up to MOST_BUILDS and the quota."""
    orders = list(_orders(draft))
    room = min(MOST_BUILDS, context.world.service.quotas.one(context.me, QuotaName.BUILDS).room)
    for order in orders[:room]:
        ref = next(iter(order.labels.values()))
        context.world.code.builds.queue(
            copy.id, list(order.labels), ref, order.commit, context.me, order.labels
        )
    named = ", ".join(next(iter(order.labels)) for order in orders[:room])
    message = f"building {copy.name}: {named}; see its log\n" if named else ""
    if len(orders) > room:
        message += (
            f"{len(orders) - room:,} more commits of branches and tags are built when they are pushed\n"
        )
    return message


def _orders(draft: RepositoryDraft) -> Iterator[ForkBuild]:
    head = next((ref.name for ref in draft.refs if ref.default), None)
    named: dict[str, dict[str, str]] = {}
    present = labels(draft.refs, head)
    for label, ref in sorted(present.items(), key=lambda one: (not one[1].default, one[0])):
        named.setdefault(ref.commit, {})[label] = shown_ref(ref.full)
    for commit, found in named.items():
        yield ForkBuild(commit, dict(sorted(found.items(), key=lambda one: one[0] == LATEST)))
