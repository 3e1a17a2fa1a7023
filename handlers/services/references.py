"""What a job refers to, in its chain and config/spaces, looked up with the rights of those behind it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from chains.language.ast import Chain, JobRef, Ref, RepoRef, from_data
from chains.plan.compiler import LookUp
from chains.plan.model import ImageSource, JobSource, MountedSpace, Source
from chains.runs.rights import people
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.rights import may, refused, spelled
from vfs.ports.world import Found, Item, Leaf


class Refusal(Exception):
    """The chain uses something that its owner or its author may not use; `str()` says what."""


def looking_up(world: Any, owner: str, author: str | None) -> LookUp:
    """Answers references for the people behind the job they stand in, its owner and the last writer of its
    chain: both need `x` on everything used (R-10).
    """

    def look_up(ref: Ref, inside: JobSource | None) -> Source:
        user = _User(world, owner, author)
        if inside is not None:
            user = _User(world, inside.owner, inside.author)
        return user.image(ref) if isinstance(ref, RepoRef) else user.job(ref)

    return look_up


@dataclass(frozen=True, slots=True)
class _User:
    """A job's owner and the last writer of its chain, as those who use what it refers to."""

    world: Any
    owner: str
    author: str | None

    def image(self, ref: RepoRef) -> ImageSource:
        owner = ref.owner or self.owner
        item = self.usable("repo", owner, ref.repo)
        if item is None:
            return ImageSource(owner, ref.repo, ref.label, None, None)
        built = self.world.code.builds.image(item.id, ref.label)
        image, commit = (built.image, built.commit) if built is not None else (None, None)
        return ImageSource(owner, ref.repo, ref.label, image, commit, item.id)

    def job(self, ref: JobRef) -> JobSource:
        owner = ref.owner or self.owner
        item = self.usable("job", owner, ref.job)
        leaves = configured(self.world, item) if item is not None else {}
        stored, spaces = said(leaves, "config/plan"), said(leaves, "config/spaces")
        if item is None or not stored:
            raise Refusal(f"the job {spelled('job', owner, ref.job)} has no chain")
        author = leaves["config/chains"].author if "config/chains" in leaves else None
        mounts = mounted(self.world, people(item.owner, author), spaces)
        chain = chain_of(stored)
        return JobSource(owner, item.name, item.id, item.shortname, chain, author, spaces, mounts)

    def usable(self, kind: str, owner: str, name: str) -> Item | None:
        """The item, when everybody behind the chain may execute it;
        None when the job's owner has none of that name.
        """
        item: Item | None = None
        for person in sorted(people(self.owner, self.author)):
            found: Found | None = self.world.items.find(kind, owner, name, person)
            if found is None and owner == self.owner:
                return None
            if found is None or not may(self.world, person, found, "x"):
                raise Refusal(refused(person, spelled(kind, owner, name), "x"))
            item = found.item
        return item


def mounted(world: Any, behind: Collection[str], spaces: str) -> tuple[MountedSpace, ...]:
    """What a config/spaces mounts. Raises Refusal unless the people behind the job may read it, and write
    what is mounted rw (R-10).
    """
    found = []
    for mount in parse_mounts(spaces):
        letters = "rw" if mount.writable else "r"
        for person in sorted(behind):
            there: Found | None = world.items.find("space", mount.owner, mount.space, person)
            if there is None or not may(world, person, there, letters):
                raise Refusal(refused(person, spelled("space", mount.owner, mount.space), letters))
            item = there.item.id
        found.append(MountedSpace(mount.name, item, mount.writable, mount.owner, mount.space))
    return tuple(found)


def configured(world: Any, job: Item) -> dict[str, Leaf]:
    """The leaves of a job's configuration, by their paths."""
    return {leaf.rel: leaf for leaf in world.leaves.texts(job.id, "config")}


def chain_of(text: str) -> Chain:
    """The chain that a job keeps as data."""
    return from_data(json.loads(text))


def said(leaves: Mapping[str, Leaf], rel: str) -> str:
    """The text of a leaf; "" where there is none."""
    leaf = leaves.get(rel)
    return leaf.text or "" if leaf is not None else ""
