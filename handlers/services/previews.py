"""Previews: a world in which one item has other texts than the stored ones, and its renders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import BinaryIO, NoReturn

from handlers.rendering.port import KeptRendering, KeptRenderings
from handlers.services.world import World
from vfs.ports.blobs import Ref
from vfs.ports.items import Item
from vfs.ports.leaves import Kept, Leaf, Leaves, Mark, Signature, Versions, digest_of


@dataclass(frozen=True, slots=True)
class PassingRender:
    """A render in memory (handlers.rendering.port.KeptRendering)."""

    body: bytes
    media: str
    notes: tuple[str, ...]
    passing: bool

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.body)

    def open(self) -> BinaryIO:
        """Return its bytes as a seekable stream."""
        return BytesIO(self.body)


@dataclass(frozen=True, slots=True)
class PassingRenders:
    """Renders of one call, looked up before those that are `kept`: equal content is not drawn again."""

    kept: KeptRenderings
    made: dict[str, PassingRender] = field(default_factory=dict)

    def get(self, digest: str, /) -> KeptRendering | None:
        """See KeptRenderings.get."""
        return self.made.get(digest) or self.kept.get(digest)

    def put(
        self,
        digest: str,
        body: bytes,
        media: str,
        notes: tuple[str, ...],
        seconds: float | None = None,
        owner: str = "",
    ) -> KeptRendering:
        """Keep a render for this call only."""
        self.made[digest] = PassingRender(body, media, notes, passing=seconds is not None)
        return self.made[digest]


class StoredInPreview(Exception):
    """Raised when a preview would store something, which is a bug."""


@dataclass(frozen=True, slots=True)
class PreviewLeaves:
    """The stored `leaves`, with the texts `changed` instead of those of an `item`.

    All texts of the item count as written by the `author`, so that the author's rights are applied, too, to
    everything they name, no matter who wrote them last.
    """

    leaves: Leaves
    item: int
    changed: Mapping[str, str]
    author: str | None

    @property
    def versions(self) -> Versions:
        """See Leaves.versions."""
        return self.leaves.versions

    def get(self, item: int, rel: str) -> Leaf | None:
        """See Leaves.get."""
        leaf = self.leaves.get(item, rel)
        return leaf if item != self.item else self._leaf(rel, leaf)

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        """See Leaves.under."""
        found = {mark.rel: mark for mark in self.leaves.under(item, prefix)}
        for rel in self._changed_below(item, prefix):
            found.setdefault(rel, Mark(rel, "", ""))
        return [found[rel] for rel in sorted(found)]

    def texts(self, item: int, prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        """See Leaves.texts."""
        found = self.leaves.texts(item, prefix, largest)
        return found if item != self.item else self._leaves(found, prefix, largest)

    def texts_below(self, items: Sequence[int], prefix: str) -> Mapping[int, Sequence[Leaf]]:
        """See Leaves.texts_below."""
        found = self.leaves.texts_below(items, prefix)
        if self.item not in items:
            return found
        return {**found, self.item: self._leaves(found.get(self.item, ()), prefix)}

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """See Leaves.texts_of."""
        found = self.leaves.texts_of(items, rels)
        changed = {rel: self.changed[rel] for rel in rels if rel in self.changed}
        return self._with(found, items, changed)

    def digests_of(
        self, items: Sequence[int], rels: Sequence[str], folder: str
    ) -> Mapping[int, Mapping[str, str]]:
        """See Leaves.digests_of."""
        found = self.leaves.digests_of(items, rels, folder)
        drawn = {rel for rel in rels if rel in self.changed}.union(self._changed_below(self.item, folder))
        return self._with(found, items, {rel: digest_of(self.changed[rel]) for rel in drawn})

    def signature(self, item: int, rel: str) -> Signature | None:
        """See Leaves.signature."""
        found = self.leaves.signature(item, rel)
        if item != self.item:
            return found
        if rel in self.changed:
            return Signature(digest_of(self.changed[rel]), self.author)
        return found._replace(author=self.author) if found is not None else None

    def put(
        self, item: int, rel: str, content: str | Ref, author: str | None, *, whole: bool = False,
        kept: Kept = Kept.NEVER,
    ) -> NoReturn:  # fmt: skip
        """Raise StoredInPreview."""
        raise StoredInPreview(rel)

    def clear(self, item: int, rel: str) -> NoReturn:
        """Raise StoredInPreview."""
        raise StoredInPreview(rel)

    def move(self, item: int, old: str, new: str) -> NoReturn:
        """Raise StoredInPreview."""
        raise StoredInPreview(old)

    def _leaf(self, rel: str, stored: Leaf | None) -> Leaf | None:
        if rel in self.changed:
            made = stored or Leaf(rel, None, None, "", "")
            return replace(made, text=self.changed[rel], blob=None, author=self.author)
        return replace(stored, author=self.author) if stored is not None else None

    def _leaves(self, stored: Sequence[Leaf], prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        found = {leaf.rel: leaf for leaf in stored}
        rels = {*found, *self._changed_below(self.item, prefix)}
        leaves = [leaf for rel in sorted(rels) if (leaf := self._leaf(rel, found.get(rel))) is not None]
        if largest is None:
            return leaves
        return [replace(leaf, text=None) if len(leaf.text or "") > largest else leaf for leaf in leaves]

    def _changed_below(self, item: int, prefix: str) -> Sequence[str]:
        start = f"{prefix}/" if prefix else ""
        return [rel for rel in self.changed if rel.startswith(start)] if item == self.item else []

    def _with(
        self, found: Mapping[int, Mapping[str, str]], items: Sequence[int], changed: Mapping[str, str]
    ) -> Mapping[int, Mapping[str, str]]:
        if self.item not in items or not changed:
            return found
        return {**found, self.item: {**found.get(self.item, {}), **changed}}


def preview_world(world: World, item: Item, texts: Mapping[str, str], author: str | None) -> World:
    """Return a world in which an item has these texts by their paths, written by `author`.

    Renders of the item are kept for this call only. Renders of the items that it shows are kept as usual, and
    are used again when the text is saved.
    """
    visuals = world.visuals
    return replace(
        world,
        leaves=PreviewLeaves(world.leaves, item.id, texts, author),
        visuals=replace(visuals, apart={item.id: PassingRenders(visuals.kept)}),
    )
