"""Builds of a repository: how the newest stands, those there were, their logs, and having one again."""

from __future__ import annotations

from chains.builds.book import Build, BuildStatus
from chains.builds.repositories import shown_ref
from handlers.services.build_images import Rebuild, image_state, lost_labels, rebuilds
from handlers.services.world import World
from vfs.call import Data, Outcome, Reply
from vfs.errors import Conflict, Invalid, NotFound
from vfs.parts import number
from vfs.place import Place
from vfs.ports.quotas import QuotaName

MOST_BUILDS = 50


def status(place: Place[World]) -> str:
    """`empty` without a branch or tag, then the newest build's, or `missing` where an image is gone."""
    return image_state(place.world, place.here.id)


def repeat_build(place: Place[World], sent: str) -> Reply:
    """Queue the builds of images that are gone, else the newest again: not all failures are the code's."""
    if sent.strip() != str(BuildStatus.BUILDING):
        raise Invalid(f'the only status to post is "building", not "{sent.strip()[:40]}"')
    world, item = place.world, place.here.id
    build: Build | None = world.code.builds.latest(item)
    if build is None:
        raise Conflict("nothing was built yet: push to the repo")
    if not build.status.ended:
        raise Conflict("the newest build has not ended yet; the log tells how it goes")
    if lost := list(rebuilds(world, item)):
        world.service.quotas.admit_more(place.here.owner, QuotaName.BUILDS, len(lost))
        for order in lost:
            order.queue(world)
        named = ", ".join(f"{place.here.name}:{label}" for order in lost for label in order.labels)
        return Reply(f"building {named} again; the log tells how it goes\n", Outcome.ACCEPTED)
    present = world.code.repositories.labels(item)
    refs = {
        label: shown_ref(present[label].full)
        for label in build.labels
        if label in present and present[label].commit == build.commit
    }
    if not refs:
        raise Conflict(f"no branch or tag is at the commit of the newest build ({build.commit}): push again")
    # With the rights of who pushed it, whoever has it repeated.
    world.service.quotas.admit_more(place.here.owner, QuotaName.BUILDS)
    order = Rebuild(item, refs, build.commit, build.by)
    order.queue(world)
    return Reply(
        f"building {place.here.name}:{order.labels[0]} again; the log tells how it goes\n", Outcome.ACCEPTED
    )


def asked_build(place: Place[World]) -> Build | None:
    """The build that the query names, else the newest; None while nothing was built. Raises NotFound."""
    builds, asked = place.world.code.builds, place.call.query.get("build")
    if asked is None:
        return builds.latest(place.here.id)
    found = builds.get(int(number(1, 1 << 62)(asked)))
    if found is None or found.repo != place.here.id:
        raise NotFound(f"this repo has no build {asked[:20]}: its file builds lists those there are")
    return found


def build_rows(place: Place[World]) -> Data:
    """The newest builds, newest first: what was built, for whom, and how it went."""
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
        for build in place.world.code.builds.newest(place.here.id, MOST_BUILDS)
    ]
    return Data(
        rows, lambda rows: "".join(f"{one['id']}\t{one['status']}\t{one['commit']}\n" for one in rows)
    )


def build_log(place: Place[World]) -> str:
    """The log of a build, why it failed, and what is missing; empty while nothing was built."""
    build = asked_build(place)
    if build is None:
        return ""
    ends = [f"failed: {build.error}"] if build.error else []
    if "build" not in place.call.query and (lost := lost_labels(place.world, place.here.id)):
        ends.append(
            f"missing: the image store has no {', '.join(lost)} any more; post building to the status, "
            "or push again, to have it built"
        )
    return "".join(f"{line}\n" for line in (*place.world.code.builds.lines(build.id), *ends))
