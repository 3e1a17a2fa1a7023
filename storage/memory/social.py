"""Tags and comments in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from storage.memory.items import MemoryItems
from storage.memory.state import Memory
from storage.tree.comments import gone
from vfs.errors import Conflict
from vfs.ports.social import CATEGORY, TOP, Comment, tag_rel
from vfs.ports.world import Found, Mark


class MemoryTags:
    """vfs.ports.social.Tags in dictionaries."""

    def __init__(self, memory: Memory, items: MemoryItems) -> None:
        self._memory = memory
        self._items = items

    def carriers(self, tag: str, caller: str) -> Sequence[Found]:
        """As Tags.tagged."""
        rel = tag_rel(tag, caller)
        found = [self._items.at(item, caller) for item, at in list(self._memory.state.leaves) if at == rel]
        seen = [one for one in found if one is not None and (one.reaches or one.item.owner == caller)]
        return sorted(seen, key=lambda one: (one.item.owner, one.item.name, one.item.kind))

    def of(self, caller: str) -> Sequence[Mark]:
        """As Tags.used."""
        state, marks = self._memory.state, dict[str, Mark]()
        for (item, rel), leaf in list(state.leaves.items()):
            folder, _, tag = rel.rpartition("/")
            own = state.items[item].owner == caller
            if folder == f"tags/@{caller}" or (folder == f"tags/{CATEGORY}" and own):
                seen = marks.get(tag, Mark(tag, leaf.created_on, leaf.last_modified))
                first, last = (
                    min(seen.created_on, leaf.created_on),
                    max(seen.last_modified, leaf.last_modified),
                )
                marks[tag] = Mark(tag, first, last)
        return [marks[tag] for tag in sorted(marks)]

    def forget(self, tag: str, caller: str) -> bool:
        """As Tags.forget."""
        state, rel = self._memory.state, tag_rel(tag, caller)
        carried = [
            (item, at)
            for item, at in state.leaves
            if at == rel and (not tag.startswith(CATEGORY) or state.items[item].owner == caller)
        ]
        for leaf in carried:
            del state.leaves[leaf]
        return bool(carried)


class MemoryThreads:
    """vfs.ports.social.Threads in dictionaries."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def find(self, item: int, parent: int, author: str, slug: str) -> Comment | None:
        """As Threads.find."""
        return next((one for one in self.on(item, parent) if (one.author, one.slug) == (author, slug)), None)

    def on(self, item: int, parent: int) -> Sequence[Comment]:
        """As Threads.on."""
        kept = self._kept()
        here = [one for one in kept if one.item == item and one.parent == parent]
        return [replace(one, replies=sum(other.parent == one.id for other in kept)) for one in here]

    def add(self, item: int, parent: Comment | None, author: str, slug: str, text: str) -> Comment:
        """As Threads.add."""
        with self._memory.lock:
            state, above = self._memory.state, parent.id if parent else TOP
            there = state.comments.get(above)
            if item not in state.items or (parent and (there is None or there.deleted)):
                raise gone()
            if self.find(item, above, author, slug) is not None:
                raise Conflict(f"There is a comment @{author}~{slug} already: POST to its msg to change it.")
            id, now = next(self._memory.numbers), self._memory.now()
            topic, depth = (parent.topic, parent.depth + 1) if parent else (id, 1)
            comment = Comment(id, item, above, topic, depth, author, slug, text, now, now)
            state.comments[id] = comment
        return comment

    def write(self, comment: Comment, text: str) -> None:
        """As Threads.write."""
        with self._memory.lock:
            kept = self._memory.state.comments.get(comment.id)
            if kept is None or kept.deleted:
                raise gone()
            edited, now = kept.edited or bool(kept.text), self._memory.now()
            self._memory.state.comments[kept.id] = replace(kept, text=text, edited=edited, last_modified=now)

    def remove(self, comment: Comment) -> None:
        """As Threads.remove."""
        with self._memory.lock:
            comments = self._memory.state.comments
            kept = comments.get(comment.id)
            if kept is not None:
                now = self._memory.now()
                comments[kept.id] = replace(kept, text="", deleted=True, last_modified=now)
            while kept and comments[kept.id].deleted and not self.on(kept.item, kept.id):
                del comments[kept.id]
                kept = comments.get(kept.parent)

    def speakers(self, topic: int) -> Sequence[str]:
        """As Threads.speakers."""
        return sorted({one.author for one in self._kept() if one.topic == topic and not one.deleted})

    def _kept(self) -> list[Comment]:
        """The comments whose item is there."""
        state = self._memory.state
        return [one for one in list(state.comments.values()) if one.item in state.items]
