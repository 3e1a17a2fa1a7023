"""Builds of a repository: their list and logs, repetition, and those of its forks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chains.builds.repositories import LATEST, RepositoryDraft, labels, shown_ref
from chains.builds.run_store import Build, BuildStatus
from handlers.services.build_images import Rebuild, image_state, lost_labels, rebuilds
from handlers.services.run_people import image_people, note_writers
from handlers.services.world import World
from handlers.trees.facets.meta import with_tags
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Invalid, NotFound, TooLarge
from vfs.parts import number
from vfs.ports.items import Item
from vfs.ports.leaves import text_at
from vfs.ports.quotas import QuotaName

MOST_BUILDS = 50


def status(context: Context[World]) -> str:
    """Return `empty` without a branch or tag, `missing` if an image is gone, else the build's status."""
    return image_state(context.world, context.here.id)


def repeat_build(context: Context[World], sent: str) -> Reply:
    """Queue builds of missing images, else repeat the newest; a failure need not be caused by the code."""
    if sent.strip() != str(BuildStatus.BUILDING):
        raise Invalid(f'the only status to post is "building", not "{sent.strip()[:40]}"')
    world, item = context.world, context.here.id
    build: Build | None = world.code.builds.latest(item)
    if build is None:
        raise Conflict("nothing was built yet: push to the repo")
    if not build.status.ended:
        raise Conflict("the newest build has not ended yet; see its log")
    if lost := list(rebuilds(world, item)):
        world.service.quotas.admit_more(context.here.owner, QuotaName.BUILDS, len(lost))
        for order in lost:
            order.queue(world)
        named = ", ".join(f"{context.here.name}:{label}" for order in lost for label in order.labels)
        return Reply(f"building {named} again; see its log\n", Outcome.ACCEPTED)
    present = world.code.repositories.labels(item)
    refs = {
        label: shown_ref(present[label].full)
        for label in build.labels
        if label in present and present[label].commit == build.commit
    }
    if not refs:
        raise Conflict(f"no branch or tag is at the commit of the newest build ({build.commit}): push again")
    # The build has the rights of the original pusher, not of the caller who repeats it.
    world.service.quotas.admit_more(context.here.owner, QuotaName.BUILDS)
    order = Rebuild(item, refs, build.commit, build.by)
    order.queue(world)
    return Reply(f"building {context.here.name}:{order.labels[0]} again; see its log\n", Outcome.ACCEPTED)


def asked_build(context: Context[World]) -> Build | None:
    """Return the build that the query names, else the newest; None without builds. Raises NotFound."""
    builds, requested = context.world.code.builds, context.call.query.get("build")
    if requested is None:
        return builds.latest(context.here.id)
    found = builds.get(int(number(1, 1 << 62)(requested)))
    if found is None or found.repo != context.here.id:
        raise NotFound(f"this repo has no build {requested[:20]}: its file builds lists those there are")
    return found


def build_rows(context: Context[World]) -> Data:
    """Return the newest builds, newest first, with labels, author and status."""
    rows = [
        {
            "id": build.id,
            "status": str(build.status),
            "commit": build.commit,
            "labels": list(build.labels),
            "created_by": build.by,
            "created_on": build.created_on,
            "completed_on": build.completed_on,
            "error": build.error or None,
        }
        for build in context.world.code.builds.newest(context.here.id, MOST_BUILDS)
    ]
    return Data(
        rows, lambda rows: "".join(f"{one['id']}\t{one['status']}\t{one['commit']}\n" for one in rows)
    )


def build_log(context: Context[World]) -> str:
    """Return the log of a build, its error, and missing images; empty without builds."""
    build = asked_build(context)
    if build is None:
        return ""
    ends = [f"failed: {build.error}"] if build.error else []
    if "build" not in context.call.query and (lost := lost_labels(context.world, context.here.id)):
        ends.append(
            f"missing: the image store has no {', '.join(lost)} any more; post building to the status, "
            "or push again, to have it built"
        )
    return "".join(f"{line}\n" for line in (*context.world.code.builds.lines(build.id), *ends))


COPIED = ("name", "summary", "description", "config")
MOST_AT_ONCE = 20
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
    """Queue builds for commits with labels, the default branch first, up to MOST_AT_ONCE and the quota."""
    orders = list(_orders(draft))
    room = min(MOST_AT_ONCE, context.world.service.quotas.one(context.me, QuotaName.BUILDS).room)
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
