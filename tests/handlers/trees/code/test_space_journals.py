"""Followers of a space by its name get every change of it, or the answer that they have to list it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb
from vfs.errors import Gone

NAMES = ("field", "meadow")
SPACES = "/v1/code/spaces"
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(("put", "put", "follow", "follow", "remove", "rename")), st.sampled_from(NAMES)
    ),
    max_size=24,
)


class Follower:
    """A client that reads spaces by their names and derives their files from the changes that it gets."""

    def __init__(self, tree_world: TreeWorld, alice: Caller) -> None:
        self.tree_world, self.alice = tree_world, alice
        self.since: dict[str, int] = {}
        self.known: dict[str, set[str]] = {}

    def follow(self, name: str) -> None:
        """Read on from the last number, or list the space again if that is refused."""
        page = self._page(name, self.since.get(name, 0))
        if page is None:
            listed = self.tree_world.read(f"{SPACES}/{name}/content", self.alice)
            self.known[name] = {row.name for row in listed}
            page = self._page(name, 0)
            assert page is not None
        else:
            # At 0 nothing is known, as of a name that was never looked at.
            known = self.known.setdefault(name, set()) if self.since.get(name) else set()
            self.known[name] = known | {row["path"] for row in page["changes"]}
        self.since[name] = page["latest_seq"]
        listed = self.tree_world.read(f"{SPACES}/{name}/content", self.alice)
        assert self.known[name] == {row.name for row in listed}

    def _page(self, name: str, since: int) -> Any:
        query = {"since": str(since)}
        try:
            return self.tree_world.call(
                Verb.READ, f"{SPACES}/{name}/changes", self.alice, query=query
            ).value.value  # type: ignore[union-attr]
        except Gone:
            return None


@given(actions=ACTIONS)
@settings(max_examples=30, deadline=None)
def test_a_follower_of_a_name_never_takes_one_space_for_another(
    tmp_path_factory: Any, actions: list[tuple[str, str]]
) -> None:
    folder: Path = tmp_path_factory.mktemp("journals")
    tree_world = TreeWorld(folder)
    tree_world.citizen("alice")
    alice = tree_world.token("alice")
    follower, there = Follower(tree_world, alice), set[str]()
    for number, (action, name) in enumerate(actions):
        other = NAMES[1 - NAMES.index(name)]
        if name not in there:
            tree_world.call(Verb.CREATE, f"{SPACES}/{name}", alice)
            there.add(name)
        if action == "put":
            tree_world.call(Verb.WRITE, f"{SPACES}/{name}/content/f{number}", alice, b"x", media="text/plain")
        elif action == "follow":
            follower.follow(name)
        elif action == "remove":
            tree_world.call(Verb.REMOVE, f"{SPACES}/{name}", alice)
            there.remove(name)
        elif other not in there:
            tree_world.call(Verb.RENAME, f"{SPACES}/{name}", alice, {"name": other})
            there ^= set(NAMES)
    for name in there:
        follower.follow(name)
    tree_world.database.close()
