"""Items and their shares in dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from tests.kit.memory.leaves import is_at_or_below
from tests.kit.memory.state import Memory
from vfs.access import Grant, Holder
from vfs.errors import Conflict, NotFound
from vfs.ports.items import Found, Item


class MemoryItems:
    """Items in a dictionary (vfs.ports.items.ItemStore)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def find(
        self, kind: str, owner: str, name: str, caller: str | None, ahead: str | None = None
    ) -> Found | None:
        """The item with what its grants confer on the caller and the leaf `ahead`, or None."""
        found = self._first(caller, kind=kind, owner=owner, name=name)
        if found is None or ahead is None:
            return found
        return found._replace(ahead=ahead, leaf=self._memory.state.leaves.get((found.item.id, ahead)))

    def at(self, id: int, caller: str | None) -> Found | None:
        """The same, by id."""
        return self._first(caller, id=id)

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """The same for several ids at once, of those that are there."""
        found = ((id, self.at(id, caller)) for id in set(ids))
        return {id: one for id, one in found if one is not None}

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """As find, by shortname."""
        return self._first(caller, shortname=shortname)

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        """The items of a kind with these owners and names, or with these shortnames, by id."""
        return [
            self._find(item, caller)
            for id, item in sorted(self._memory.state.items.items())
            if item.kind == kind and ((item.owner, item.name) in names or item.shortname in shortnames)
        ]

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """Items of a kind that the caller owns or is reached by, by owner and name."""
        found = [
            self._find(item, caller)
            for item in list(self._memory.state.items.values())
            if item.kind == kind and owner in (None, item.owner)
        ]
        seen = (one for one in found if one.effective_grants or one.item.owner == caller)
        return sorted(seen, key=lambda one: (one.item.owner, one.item.name))

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        """Name, created_on and last_modified of the items of a kind that a user owns, by name."""
        items = [found.item for found in self.visible(kind, owner, owner)]
        return [(item.name, item.created_on, item.last_modified) for item in items]

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        """Names of a user's items on either side of a name in their order, `most` each."""
        names = [one for one, _, _ in self.stamps_of(kind, owner)]
        lower = [one for one in names if one < name][::-1][:most]
        return [*lower, *[one for one in names if one >= name][:most]]

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        """Items of a kind that members share with one of their groups, by owner and name."""
        state, role = self._memory.state, self._memory.role
        shared = {id for id, target in list(state.grants) if target in groups}
        items = [state.items[id] for id in shared if state.items[id].kind == kind]
        found = [
            self._find(item, caller)
            for item in items
            if any(role(group, item.owner) and (item.id, group) in state.grants for group in groups)
        ]
        return sorted(found, key=lambda one: (one.item.owner, one.item.name))

    def create(self, kind: str, owner: str, name: str) -> Item:
        """A new item with a fresh shortname. Raises Conflict when the name is taken."""
        memory, now = self._memory, self._memory.now()
        with memory.lock:
            self._must_be_free(kind, owner, name)
            item = Item(next(memory.numbers), kind, owner, name, memory.fresh(), now, now)
            memory.state.items[item.id] = item
        return item

    def rename(self, item: Item, name: str) -> Item:
        """The item under another name.

        Raises Conflict when it is taken, NotFound when the item is gone or bears another name by now.
        """
        with self._memory.lock:
            present = self._memory.state.items.get(item.id)
            if present is None or present.name != item.name:
                raise NotFound(f"{item.name} is not there any more.")
            if present.name != name:
                self._must_be_free(item.kind, item.owner, name)
            self._memory.state.items[item.id] = present._replace(name=name)
        return item._replace(name=name)

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """A new item holding the leaves at or below `rels`, as written by its owner now."""
        with self._memory.atomic():
            new = self.create(item.kind, owner, name)
            leaves = self._memory.state.leaves
            wanted = tuple(rels)
            for (id, rel), leaf in list(leaves.items()):
                if id == item.id and any(is_at_or_below(rel, want) for want in wanted):
                    now = new.created_on
                    leaves[new.id, rel] = replace(leaf, created_on=now, last_modified=now, author=owner)
        return new

    def remove(self, item: Item) -> None:
        """Take the item away with its leaves and grants; its shortname stays used up."""
        with self._memory.lock:
            state = self._memory.state
            state.leaves = {key: leaf for key, leaf in state.leaves.items() if key[0] != item.id}
            state.grants = {key: grant for key, grant in state.grants.items() if key[0] != item.id}
            state.items.pop(item.id, None)

    def touch(self, item: Item) -> bool:
        """Stamp the item as modified now; False when it is gone."""
        with self._memory.lock:
            present = self._memory.state.items.get(item.id)
            if present is not None:
                self._memory.state.items[item.id] = present._replace(last_modified=self._memory.now())
            return present is not None

    def hold(self, item: Item) -> bool:
        """Whether the item is there: this lock keeps it."""
        with self._memory.lock:
            return item.id in self._memory.state.items

    def _first(self, caller: str | None, **wanted: object) -> Found | None:
        for item in list(self._memory.state.items.values()):
            if all(getattr(item, name) == value for name, value in wanted.items()):
                return self._find(item, caller)
        return None

    def _find(self, item: Item, caller: str | None) -> Found:
        if item.owner == caller:
            return Found(item)
        grants = [grant for (id, _), grant in list(self._memory.state.grants.items()) if id == item.id]
        effective_grants = (self._memory.effective_grant(item, caller, grant) for grant in grants)
        return Found(
            item,
            tuple(effective_grant for effective_grant in effective_grants if effective_grant is not None),
        )

    def _must_be_free(self, kind: str, owner: str, name: str) -> None:
        if self._first(None, kind=kind, owner=owner, name=name):
            raise Conflict(f"The name {name} is taken; choose another.")


class MemoryGrants:
    """Shares in a dictionary (vfs.ports.grants.Grants)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def on(self, item: int) -> Sequence[Grant]:
        """All shares of an item, oldest first (those of one instant by target)."""
        grants = [grant for (id, _), grant in list(self._memory.state.grants.items()) if id == item]
        return sorted(grants, key=lambda grant: (grant.created_on, grant.target))

    def give(self, item: int, grant: Grant) -> bool:
        """Share, or change letters and name of a share; True when the target is new. Raises NotFound."""
        with self._memory.lock:
            state = self._memory.state
            if item not in state.items:
                raise NotFound("The resource is not there any more, so nothing was shared.")
            old = state.grants.get((item, grant.target))
            created_on = old.created_on if old else self._memory.now()
            state.grants[item, grant.target] = replace(grant, created_on=created_on)
        return old is None

    def take(self, item: int, target: str) -> bool:
        """Revoke the share of a target; False when there was none."""
        with self._memory.lock:
            return self._memory.state.grants.pop((item, target), None) is not None

    def kinds(self, group: str) -> frozenset[str]:
        """The kinds of the items that members of a group share with it."""
        state = self._memory.state
        items = (state.items[id] for id, target in list(state.grants) if target == group)
        return frozenset(item.kind for item in items if self._memory.role(group, item.owner) is not None)

    def targets(self, items: Sequence[int], letter: str = "") -> Mapping[int, Sequence[str]]:
        """The targets that items are shared with (by a letter), by item, each in order."""
        found: dict[int, list[str]] = {}
        for (item, target), grant in sorted(self._memory.state.grants.items()):
            if item in items and letter in grant.letters:
                found.setdefault(item, []).append(target)
        return found

    def grant_counts(self, item: int, most: int) -> Mapping[str, int]:
        """Numbers of people whom shares of an item reach now, by target: everybody (0), people, groups."""
        counts = Counter(holder.grant.target for holder in self.holders(item))
        shared = {"public": 0} if "public" in (grant.target for grant in self.on(item)) else {}
        order = sorted(counts, key=lambda target: ("~" in target, target))
        told = {**shared, **{target: min(counts[target], most) for target in order}}
        return dict(list(told.items())[:most])

    def holders(self, item: int) -> Sequence[Holder]:
        """Everybody but the owner whom the shares of an item reach now, by user, older shares first."""
        found = self._memory.state.items.get(item)
        people = sorted(self._memory.state.users) if found is not None else []
        return [
            Holder(user, grant, effective_grant.role)
            for user in people
            for grant in self.on(item)
            if found is not None and grant.target != "public" and user != found.owner
            if (effective_grant := self._memory.effective_grant(found, user, grant)) is not None
        ]
