"""The access listing against what everybody is really given."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Grant, Role, Verb
from vfs.errors import NotFound

PEOPLE = ("alice", "bob", "carol", "dave")
GROUPS = ("@carol~team", "+acme~sales")
KINDS = {"plot": "vis/plots", "job": "code/jobs", "space": "code/spaces"}

letters = st.sets(st.sampled_from("rwdx"), min_size=1).map(
    lambda some: "".join(one for one in "rwdx" if one in some)
)
shares = st.dictionaries(st.sampled_from([*GROUPS, "@bob", "@dave"]), letters)
places = st.dictionaries(
    st.tuples(st.sampled_from(GROUPS), st.sampled_from(PEOPLE)),
    st.tuples(st.sampled_from(Role), st.booleans()),
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(KINDS)), shares, places)
def test_it_tells_what_each_user_holds(
    kind: str, shared: dict[str, str], held: dict[tuple[str, str], tuple[Role, bool]]
) -> None:
    with TemporaryDirectory() as folder:
        tree_world = TreeWorld(Path(folder))
        for name in PEOPLE:
            tree_world.citizen(name)
        here = f"/v1/users/alice/{KINDS[kind]}/birds"
        tree_world.call(Verb.CREATE, here, tree_world.token("alice"))
        for (group, name), (role, pending) in held.items():
            tree_world.join(group, name, role, pending=pending)
        item = tree_world.items.find(kind, "alice", "birds", "alice")
        assert item is not None
        for target, given_letters in shared.items():
            tree_world.grants.give(item.item.id, Grant(target, given_letters, f"{target}~{given_letters}"))
        entries = tree_world.read(f"{here}/access", tree_world.token("alice", "other"))
        rows = {entry["name"].partition("~")[0][1:]: tuple(entry["permissions"]) for entry in entries}
        assert rows == {name: found for name in PEOPLE if (found := seen(tree_world, here, name)) is not None}
        assert {share for entry in entries[1:] for share in entry["via"]} <= {
            f"{target}~{given_letters}" for target, given_letters in shared.items()
        }


def seen(tree_world: TreeWorld, here: str, name: str) -> tuple[str, ...] | None:
    """The letters with which a user is answered; None where nothing is there for it."""
    try:
        return tree_world.call(Verb.READ, here, tree_world.token(name, "looks")).permissions
    except NotFound:
        return None
