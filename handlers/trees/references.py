"""What a job refers to, in its chain and config/spaces, looked up with the rights of those behind it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from chains.plan import ImageSource, JobSource, LookUp, Source
from chains.steps import Chain, JobRef, Ref, RepoRef, from_data
from handlers.rules.mounts import parse as parse_mounts
from vfs.access import RUNNABLE, Access, Caller, reached
from vfs.world import Found, Item, Leaf


class Refusal(Exception):
    """The chain uses something that its owner or its author may not use; `str()` says what."""


def people(owner: str, author: str | None) -> frozenset[str]:
    """The two people behind a job: its owner and the last writer of its chain (R-10)."""
    return frozenset({owner, author or owner})


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
        item = self.usable("repo", owner, ref.repo, f"@{owner}/{ref.repo}")
        built = self.world.builds.image(item.id, ref.label) if item is not None else None
        image, commit = (built.image, built.commit) if built is not None else (None, None)
        return ImageSource(owner, ref.repo, ref.label, image, commit)

    def job(self, ref: JobRef) -> JobSource:
        owner = ref.owner or self.owner
        item = self.usable("job", owner, ref.job, f"/u/{owner}/j/{ref.job}")
        leaves = configured(self.world, item) if item is not None else {}
        stored, spaces = said(leaves, "config/plan"), said(leaves, "config/spaces")
        if item is None or not stored:
            raise Refusal(f"the job /u/{owner}/j/{ref.job} has no chain")
        author = leaves["config/chains"].author if "config/chains" in leaves else None
        mountable(self.world, people(item.owner, author), spaces)
        return JobSource(owner, item.name, item.id, item.shortname, chain_of(stored), author, spaces)

    def usable(self, kind: str, owner: str, name: str, spelled: str) -> Item | None:
        """The item, when everybody behind the chain may execute it;
        None when the job's owner has none of that name.
        """
        item: Item | None = None
        for person in sorted(people(self.owner, self.author)):
            found: Found | None = self.world.items.find(kind, owner, name, person)
            if found is None:
                if owner == self.owner:
                    return None
                raise Refusal(f"@{person} may not use {spelled}: its owner has to share it with x")
            access = reached(found.item.owner, kind, found.reaches, Caller(person), RUNNABLE)
            if Access.EXECUTE not in access:
                raise Refusal(f"@{person} may not use {spelled}: its owner has to share it with x")
            item = found.item
        return item


def mountable(world: Any, behind: Collection[str], spaces: str) -> None:
    """Raise Refusal unless the people behind a job may read what
    its config/spaces mounts, and write what is mounted rw (R-10).
    """
    for mount in parse_mounts(spaces):
        needed = Access.READ | Access.WRITE if mount.writable else Access.READ
        for person in sorted(behind):
            found: Found | None = world.items.find("space", mount.owner, mount.space, person)
            access = Access(0)
            if found is not None:
                access = reached(found.item.owner, "space", found.reaches, Caller(person), RUNNABLE)
            if needed not in access:
                letters = "rw" if mount.writable else "r"
                raise Refusal(
                    f"@{person} may not use /u/{mount.owner}/s/{mount.space}: its owner has to share it with "
                    f"{letters}"
                )


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
