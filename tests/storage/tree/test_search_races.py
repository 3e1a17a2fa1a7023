"""A search whose page changes between its statements tells nothing that is not open any more."""

from __future__ import annotations

from collections.abc import Sequence

from storage.tree.search import StoredSearch
from tests.kit.suites.kernel import add_user
from tests.kit.suites.kernel.search import names, question
from tests.kit.world import StoredWorld
from vfs.access import Grant
from vfs.ports.items import Found, Item


class LateSearch(StoredSearch):
    """A search before whose last statement a share is taken back, and an item removed."""

    def __init__(self, empty_world: StoredWorld, unshared: Item, removed: Item) -> None:
        super().__init__(empty_world.database)
        self._world, self._unshared, self._removed_item = empty_world, unshared, removed

    def _items(self, ids: Sequence[int], caller: str | None) -> Sequence[Found]:
        assert {self._unshared.id, self._removed_item.id} < set(ids)
        self._world.grants.take(self._unshared.id, "@bob")
        self._world.items.remove(self._removed_item)
        return super()._items(ids, caller)


def test_an_item_unshared_between_the_statements_is_not_found(stored: StoredWorld) -> None:
    for name in ("alice", "bob"):
        add_user(stored, name)
    made = {name: stored.items.create("plot", "alice", name) for name in ("kept", "secret", "gone")}
    for item in made.values():
        stored.grants.give(item.id, Grant("@bob", "r", "bob"))
    stored.items.create("plot", "bob", "own")
    search = LateSearch(stored, made["secret"], made["gone"])
    assert sorted(names(search.find(question("bob")).found)) == ["plot alice/kept", "plot bob/own"]
