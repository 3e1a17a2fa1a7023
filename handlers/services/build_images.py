"""Images that a build may name: those that the one who pushed may use when it begins."""

from __future__ import annotations

from dataclasses import replace

from chains.builds.book import Build
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef
from handlers.services.rights import may
from handlers.services.world import World


def build_image(world: World, build: Build, ref: RepoRef) -> str | None:
    """The engine's id of the image that a recipe names by a reference of the chain language.

    A short name is a repo of the built repo's owner; None when there is none that the pusher may use, as it
    may be meant for a registry. Raises BuildFailed otherwise, in the same words for what the pusher may not
    use and what does not exist; that an image was never made is told to those who may use it.
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
        raise BuildFailed(f"{full} has no image: push the branch or tag {full.label} of that repo first")
    return made.image
