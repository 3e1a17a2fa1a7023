"""The trash: who restores what, what does not come back, and what many files cost.

The model of what is deleted, restored and aged is that of tests/proof/returning.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chains.runs.hooks import JobHook
from handlers.services.trash import end
from storage.people.departures import StoredDepartures
from tests.handlers.trees.tree_world import TreeWorld
from tests.kit.counting.statements import Statements
from vfs.access import EVERYTHING, Caller, Claim, Grant, Verb, Via
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated
from vfs.ports.groups import GroupKind
from vfs.ports.invitations import PendingShare
from vfs.ports.items import Item
from vfs.ports.links import ItemLink

TRASH, DOCS = "/v1/trash", "/v1/users/alice/vis/docs"


@pytest.fixture
def kept(tmp_path: Path) -> TreeWorld:
    """alice and her friends, where items are kept in the trash."""
    world = TreeWorld(tmp_path, trash=True)
    for name in ("alice", "bob", "zoe"):
        world.citizen(name, public=True)
    return world


def delete_doc(world: TreeWorld, *targets: str) -> tuple[Caller, int, str]:
    """Have alice delete a document that was shared so; her token, the item and its entry."""
    alice = world.token("alice")
    world.call(Verb.CREATE, f"{DOCS}/one", alice)
    found = world.items.find("doc", "alice", "one", "alice")
    assert found is not None
    for target in targets:
        world.grants.give(found.item.id, Grant(target, "r", f"{target}~r"))
    world.call(Verb.REMOVE, f"{DOCS}/one", alice)
    return alice, found.item.id, f"{TRASH}/{world.read(TRASH, alice)[0].name}"


def targets_of(world: TreeWorld, item: int) -> list[str]:
    """The targets of an item's shares."""
    return [grant.target for grant in world.grants.on(item)]


def test_only_the_person_itself_restores(kept: TreeWorld) -> None:
    alice, _, entry = delete_doc(kept)
    claim = Claim("vis", {"doc": EVERYTHING})
    others = (
        Caller(),
        kept.token("bob"),
        replace(alice, via=Via.RUN, run=7, claim=Claim("global", {}, EVERYTHING)),
        replace(alice, via=Via.APPLICATION, claim=claim),
        replace(alice, claim=claim),
    )
    for caller in others:
        for verb in (Verb.READ, Verb.RENAME, Verb.REMOVE):
            with pytest.raises((NotFound, Denied, Unauthenticated)):
                kept.call(verb, entry, caller)
    for caller in (others[0], *others[2:]):
        for verb in (Verb.READ, Verb.REMOVE):
            with pytest.raises((Denied, Unauthenticated)):
                kept.call(verb, TRASH, caller)
    kept.call(Verb.RENAME, entry, alice)


def test_shares_with_those_who_are_gone_do_not_come_back(kept: TreeWorld) -> None:
    group = kept.groups.create(GroupKind.USER_GROUP, "alice", "team", "alice")
    alice, item, entry = delete_doc(kept, "@bob", "@zoe", "@alice~team", "public")
    StoredDepartures(kept.database).forget("zoe", kept.clock)
    kept.groups.remove(group)
    kept.clock.forward(1)
    kept.groups.create(GroupKind.USER_GROUP, "alice", "team", "alice")
    kept.call(Verb.RENAME, entry, alice, {"shares": True})
    assert sorted(targets_of(kept, item)) == ["@bob", "public"]


def test_a_share_that_waited_begins_neither_in_the_trash_nor_afterwards(kept: TreeWorld) -> None:
    alice = kept.token("alice")
    kept.call(Verb.CREATE, f"{DOCS}/one", alice)
    found = kept.items.find("doc", "alice", "one", "alice")
    assert found is not None
    kept.pending_shares.put(PendingShare(found.item.id, "carl", "alice", "r", "@carl~r", "2026"), "")
    kept.call(Verb.REMOVE, f"{DOCS}/one", alice)
    assert kept.pending_shares.take("alice", "carl", "") == []
    kept.call(Verb.RENAME, f"{TRASH}/{kept.read(TRASH, alice)[0].name}", alice, {"shares": True})
    assert kept.pending_shares.take("alice", "carl", "") == []
    assert targets_of(kept, found.item.id) == []


def test_a_stale_item_changes_nothing(kept: TreeWorld) -> None:
    alice, item, entry = delete_doc(kept)
    stale = Item(item, "doc", "alice", "one", "", "", "")
    assert not kept.items.touch(stale)
    assert not kept.items.hold(stale)
    for act in (
        lambda: kept.grants.give(item, Grant("@bob", "r", "@bob~r")),
        lambda: kept.threads.add(item, None, "bob", "first", "hello"),
        lambda: kept.pending_shares.put(PendingShare(item, "carl", "alice", "r", "@carl~r", "2026"), ""),
        lambda: kept.items.rename(stale, "two"),
        lambda: kept.items.discard(stale),
        lambda: kept.social.links.add(item, ItemLink("digest", "link~a", "2026")),
        lambda: kept.code.hooks.add(item, JobHook("digest", "a", "2026")),
    ):
        with pytest.raises(NotFound):
            act()
    kept.call(Verb.RENAME, entry, alice, {"shares": True})
    assert targets_of(kept, item) == []


def test_an_entry_ends_once(kept: TreeWorld) -> None:
    alice, item, entry = delete_doc(kept)
    found = kept.trash.of("alice")[0]
    kept.call(Verb.RENAME, entry, alice)
    assert not end(kept, found)  # type: ignore[arg-type]
    assert kept.items.at(item, "alice") is not None


def test_many_files_go_and_come_back_at_once(kept: TreeWorld, statements: Statements) -> None:
    alice = kept.token("alice")
    costs = []
    for number in (3, 300):
        space = f"/v1/users/alice/code/spaces/s{number}"
        kept.call(Verb.CREATE, space, alice)
        found = kept.items.find("space", "alice", f"s{number}", "alice")
        assert found is not None
        blob = kept.blobs.add([b"x"], "text/plain")
        kept.spaces.fill(found.item.id, {f"f/{one}": blob for one in range(number)})
        path, query = f"{space}/content/f", {"recursive": "true"}
        went = statements(lambda: kept.call(Verb.REMOVE, path, alice, query=query))  # noqa: B023
        entry = f"{TRASH}/{kept.read(TRASH, alice)[0].name}"
        came = statements(lambda: kept.call(Verb.RENAME, entry, alice))  # noqa: B023
        assert len(kept.spaces.below(found.item.id, "f")) == number
        costs.append((went, came))
    assert costs[0] == costs[1]


@pytest.mark.parametrize("folder", [False, True])
def test_a_file_is_not_restored_as_the_whole_content(kept: TreeWorld, folder: bool) -> None:
    alice, space = kept.token("alice"), "/v1/users/alice/code/spaces/s"
    kept.call(Verb.CREATE, space, alice)
    kept.write(f"{space}/content/{'f/g' if folder else 'f'}", alice, "x")
    kept.call(Verb.REMOVE, f"{space}/content/f", alice, query={"recursive": "true"})
    entry = f"{TRASH}/{kept.read(TRASH, alice)[0].name}"
    for path in ("/", "//"):
        with pytest.raises(Conflict, match="content is a folder"):
            kept.call(Verb.RENAME, entry, alice, path)
    kept.call(Verb.RENAME, entry, alice, "/h/")
    assert [row.name for row in kept.read(f"{space}/content", alice)] == ["h"]


def test_a_file_that_a_step_removes_is_not_kept(kept: TreeWorld) -> None:
    alice = kept.token("alice")
    kept.call(Verb.CREATE, "/v1/users/alice/code/spaces/s", alice)
    found = kept.items.find("space", "alice", "s", "alice")
    assert found is not None
    kept.spaces.put(found.item.id, "a", kept.blobs.add([b"x"], "text/plain"))
    kept.spaces.remove(found.item.id, "a")
    assert kept.read(TRASH, alice) == []


def test_without_a_trash_what_is_deleted_is_gone(tmp_path: Path) -> None:
    world = TreeWorld(tmp_path, trash_days=0)
    alice = world.citizen("alice")
    token = world.token(alice.name)
    world.call(Verb.CREATE, f"{DOCS}/one", token)
    world.call(Verb.REMOVE, f"{DOCS}/one", token)
    world.call(Verb.CREATE, "/v1/users/alice/code/spaces/s", token)
    world.call(Verb.CREATE, "/v1/users/alice/code/spaces/s/content/a", token, b"x", "text/plain")
    world.call(Verb.REMOVE, "/v1/users/alice/code/spaces/s/content/a", token)
    assert world.read(TRASH, token) == []
