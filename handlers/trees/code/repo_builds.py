"""Builds of a repository: the state of the newest, the list, their logs, and repetition."""

from __future__ import annotations

from chains.builds.repositories import shown_ref
from chains.builds.run_store import Build, BuildStatus
from handlers.services.build_images import Rebuild, image_state, lost_labels, rebuilds
from handlers.services.world import World
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Invalid, NotFound
from vfs.parts import number
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
