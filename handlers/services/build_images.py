"""Images of repos: which a build may use, what users learn about them, and builds of missing ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chains.builds.repositories import LATEST, shown_ref
from chains.builds.run_store import Build, BuildStatus, Built
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef
from handlers.rules.kinds import States
from handlers.services.rights import may
from handlers.services.world import World

MISSING = "missing"
NEWEST, LAST_LINES, LONGEST_LINE = 20, 3, 200


def build_image(world: World, build: Build, ref: RepoRef) -> str | None:
    """Return the engine's id of the image that a recipe names by a reference of the chain language.

    A short name means a repo of the built repo's owner. Returns None if the pusher may use no such repo,
    since the name may be meant for a registry. Otherwise raises BuildFailed, with the same message for repos
    that are hidden and missing; only users who may use the repo learn that an image was never built.
    """
    built = world.items.at(build.repo, None)
    full = replace(ref, owner=ref.owner or built.item.owner) if built is not None else ref
    found = world.items.find("repo", full.owner or "", full.repo, build.by)
    if found is None or not may(world, build.by, found, "x"):
        if ref.short:
            return None
        raise BuildFailed(
            f"@{build.by} may not use {full}: there is no such repo, or its owner has to share it with x"
        )
    made = world.code.builds.image(found.item.id, full.label)
    if made is None:
        lack = lack_of_image(world, found.item.id, full.label, is_read=may(world, build.by, found, "r"))
        raise BuildFailed(f"{full} has no image: {lack}")
    world.code.builds.note_base(build.id, found.item.id, made.commit)
    return made.image


def lack_of_image(world: World, repo: int, label: str, *, is_read: bool) -> str:
    """Return why a label has no image; the build log's last lines only if the caller may read the repo."""
    builds = world.code.builds
    build = next((build for build in builds.newest(repo, NEWEST) if label in build.labels), None)
    if build is None:
        return f'nothing was built as "{label}" yet: git push to the repo builds it'
    again = "trigger the job again when it is ready"
    if build.status is BuildStatus.QUEUED:
        return f"its build is queued at position {builds.position(build.id)}: {again}"
    if build.status is BuildStatus.BUILDING:
        return f"it is being built: {again}"
    if build.status is BuildStatus.READY:
        return "the branch or tag that it was built for is gone or has the label no more: push it again"
    if not is_read:
        return "its build failed, and the log of the repo tells why to those who may read it"
    last = " / ".join(line[:LONGEST_LINE] for line in builds.last_lines(build.id, LAST_LINES))
    return f"its build failed: {build.error}" + (f"; the last lines of its log: {last}" if last else "")


def image_state(world: World, repo: int) -> str:
    """Return the state of a repo's images: empty, building, ready, failed or missing (an image is gone).

    It is `empty` while no branch or tag leads to a commit, and `ready` if nothing is built. The runner writes
    to the database whether images exist; no other process may ask the image store.
    """
    if not world.code.repositories.commits(repo, 1):
        return "empty"
    build = world.code.builds.latest(repo)
    return built_state(build, world.code.builds.images(repo) if build is not None else {})


def built_state(build: Build | None, images: Mapping[str, Built]) -> str:
    """Return the state of a repo's newest build, given the images of its labels."""
    if build is None:
        return "ready"
    if not build.status.ended:
        return str(build.status)
    if build.image is not None and any(built.missing for built in images.values()):
        return MISSING
    return str(build.status)


def with_image(world: World, repos: Sequence[int]) -> Collection[int]:
    """Return those of many repos that have an image, or a build that may become one."""
    builds = world.code.builds
    return {*builds.latest_of(repos), *builds.images_of(repos)}


def lost_labels(world: World, repo: int) -> dict[str, Built]:
    """Return the labels whose image is missing."""
    images = world.code.builds.images(repo)
    return {label: built for label, built in images.items() if built.missing}


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A build that makes the image of labels again, with the rights of the user who pushed the commit.

    `refs` maps each label to the full name of its branch or tag.
    """

    repo: int
    refs: Mapping[str, str]
    commit: str
    by: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the image gets, `latest` last."""
        return tuple(sorted(self.refs, key=lambda label: (label == LATEST, label)))

    def queue(self, world: World) -> None:
        """Queue this build."""
        labels = self.labels
        ref = self.refs[labels[0]]
        world.code.builds.queue(self.repo, labels, ref, self.commit, self.by, self.refs)


def rebuilds(world: World, repo: int, *, every: bool = False) -> Iterator[Rebuild]:
    """Yield a build for each commit that a label names and whose image is missing (`every`: for all).

    Yields nothing while a build of the repo is unfinished, and no commit whose pusher is unknown, because a
    build has the rights of its pusher.
    """
    newest, kind = world.code.builds.latest(repo), world.leaves.get(repo, "config/type")
    if newest is None or not newest.status.ended or (kind is not None and kind.text == "code"):
        return
    images = world.code.builds.images(repo) if every else lost_labels(world, repo)
    commits: dict[str, dict[str, str]] = {}
    for label, ref in world.code.repositories.labels(repo).items():
        if label in images:
            commits.setdefault(ref.commit, {})[label] = shown_ref(ref.full)
    for commit, refs in commits.items():
        if (pusher := world.code.builds.pusher(repo, commit)) is not None:
            yield Rebuild(repo, refs, commit, pusher)


def rebuild_commit(world: World, repo: int, commit: str) -> None:
    """Queue the build of a commit whose image is missing, if a label names it and no build is open."""
    for order in rebuilds(world, repo):
        if order.commit == commit:
            order.queue(world)


def image_states(world: World, repos: Sequence[int]) -> States:
    """Return the state of the images of repos, and when their newest builds were queued.

    Both are empty for repos without builds: only git knows whether they were pushed to.
    """
    latest, images = world.code.builds.latest_of(repos), world.code.builds.images_of(repos)
    states: dict[int, Mapping[str, object]] = {}
    for repo in repos:
        build = latest.get(repo)
        state = built_state(build, images.get(repo, {})) if build is not None else ""
        states[repo] = {"image": state, "built": build.created_on if build is not None else None}
    return states
