"""The trash against a model of its own: what is deleted, deleted again, restored, ended and grown old."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from handlers.services.trash import end, end_old
from storage.database.database import Database
from storage.people.departures import StoredDepartures
from tests.handlers.trees.tree_world import TreeWorld
from tests.kit.counting.statements import Statements
from tests.kit.world import migrate
from vfs.access import EVERYTHING, Caller, Claim, Grant, Verb, Via
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated
from vfs.ports.groups import GroupKind
from vfs.ports.invitations import PendingShare
from vfs.ports.items import Item

TRASH, DOCS = "/v1/trash", "/v1/users/alice/vis/docs"
FOLDERS_OF = ("vis/docs", "code/spaces/field")
NAMES = st.sampled_from(("one", "two", "three"))
PATHS = st.sampled_from(("a", "f/b", "f/g/c"))
DAYS = 30


@dataclass(frozen=True)
class Doc:
    """A document as it must be: its text, and with whom it is shared."""

    text: str = ""
    shares: frozenset[str] = frozenset()


@dataclass
class Deleted:
    """An entry as it must be: a document, or the files that went with a path of the space."""

    name: str
    day: int
    doc: Doc | None = None
    files: dict[str, str] = field(default_factory=dict)


class TrashMachine(RuleBasedStateMachine):
    """alice's documents and the files of her space, and what bob sees of them."""

    world: TreeWorld
    number = 0

    @initialize()
    def begin(self) -> None:
        type(self).number += 1
        names = [f"{name}{self.number}" for name in ("alice", "bob", "zoe")]
        for name in names:
            self.world.citizen(name, public=True)
        self.owner, self.friend, self.other = names
        self.alice, self.bob = (self.world.token(name) for name in names[:2])
        self.docs_at, self.space_at = (f"/v1/users/{self.owner}/{folder}" for folder in FOLDERS_OF)
        self.world.call(Verb.CREATE, self.space_at, self.alice)
        self.docs: dict[str, Doc] = {}
        self.files: dict[str, str] = {}
        self.deleted: dict[str, Deleted] = {}
        self.ended: set[str] = set()
        self.day = 0

    def ids(self) -> list[str]:
        """The entries, newest first."""
        return [row.name for row in self.world.read(TRASH, self.alice)]

    def note(self, deleted: Deleted) -> None:
        """Note the entry that a deletion made."""
        (fresh,) = set(self.ids()) - self.deleted.keys()
        assert fresh not in self.ended
        self.deleted[fresh] = deleted

    @rule(name=NAMES, text=st.text("ab", max_size=3), friend=st.booleans(), other=st.booleans())
    def write(self, name: str, text: str, friend: bool, other: bool) -> None:
        if name not in self.docs:
            self.world.call(Verb.CREATE, f"{self.docs_at}/{name}", self.alice)
            self.docs[name] = Doc()
        self.world.write(f"{self.docs_at}/{name}/content", self.alice, text)
        found = self.world.items.find("doc", self.owner, name, self.owner)
        assert found is not None
        new = {self.friend} if friend else set[str]()
        new |= {self.other} if other else set()
        for who in new:
            self.world.grants.give(found.item.id, Grant(f"@{who}", "r", f"@{who}~r"))
        self.docs[name] = Doc(text, self.docs[name].shares | new)

    @precondition(lambda self: self.docs)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.docs)))
        self.world.call(Verb.REMOVE, f"{self.docs_at}/{name}", self.alice)
        self.note(Deleted(name, self.day, self.docs.pop(name)))

    @rule(path=PATHS, text=st.sampled_from(("x", "yy")))
    def store(self, path: str, text: str) -> None:
        try:
            self.world.call(
                Verb.CREATE, f"{self.space_at}/content/{path}", self.alice, text.encode(), "text/plain"
            )
            self.files[path] = text
        except Conflict:
            assert any(one.startswith(f"{path}/") or path.startswith(f"{one}/") for one in self.paths())

    def paths(self) -> set[str]:
        """The files and folders that the space shows."""
        return {one.path for one in self.world.spaces.below(self.space(), "")}

    def space(self) -> int:
        """The id of the space."""
        found = self.world.items.find("space", self.owner, "field", self.owner)
        assert found is not None
        return found.item.id

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.paths())))
        gone = {one: text for one, text in self.files.items() if one == path or one.startswith(f"{path}/")}
        self.world.call(
            Verb.REMOVE, f"{self.space_at}/content/{path}", self.alice, query={"recursive": "true"}
        )
        self.files = {one: text for one, text in self.files.items() if one not in gone}
        self.note(Deleted(path, self.day, files={one[len(path) :]: text for one, text in gone.items()}))

    @precondition(lambda self: self.deleted)
    @rule(data=st.data(), name=st.sampled_from(("", "", "", "one", "four", "a", "f")), ways=st.booleans())
    def restore(self, data: st.DataObject, name: str, ways: bool) -> None:
        id = data.draw(st.sampled_from(sorted(self.deleted)))
        entry, wish = self.deleted[id], {"shares": ways, **({"name": name} if name else {})}
        there = name or entry.name
        if entry.doc is not None and there in self.docs:
            with pytest.raises(Conflict):
                self.world.call(Verb.RENAME, f"{TRASH}/{id}", self.alice, wish)
            return
        before = self.paths()
        try:
            self.world.call(Verb.RENAME, f"{TRASH}/{id}", self.alice, wish)
        except Conflict:
            assert entry.doc is None
            assert {there, *(there + one for one in entry.files), there.rpartition("/")[0]} & before
            return
        self.ended.add(id)
        del self.deleted[id]
        if entry.doc is not None:
            self.docs[there] = entry.doc if ways else replace(entry.doc, shares=frozenset())
        self.files |= {there + one: text for one, text in entry.files.items()}

    @precondition(lambda self: self.deleted)
    @rule(data=st.data(), every=st.sampled_from((False, False, True)))
    def end(self, data: st.DataObject, every: bool) -> None:
        ended = sorted(self.deleted) if every else [data.draw(st.sampled_from(sorted(self.deleted)))]
        self.world.call(Verb.REMOVE, TRASH if every else f"{TRASH}/{ended[0]}", self.alice)
        self.ended |= set(ended)
        self.deleted = {id: entry for id, entry in self.deleted.items() if id not in ended}

    @precondition(lambda self: self.deleted)
    @rule(days=st.integers(1, 20))
    def age(self, days: int) -> None:
        self.day += days
        self.world.clock.forward(days * 86_400)
        for _ in range(DAYS):  # each sweep ends those of a few days
            end_old(self.world, self.world.clock.now() + timedelta(seconds=1))  # type: ignore[arg-type]
        old = {id for id, entry in self.deleted.items() if entry.day <= self.day - DAYS}
        self.ended |= old
        self.deleted = {id: entry for id, entry in self.deleted.items() if id not in old}

    @invariant()
    def it_is_as_it_must_be(self) -> None:
        assert set(self.ids()) == self.deleted.keys()
        assert {row.name for row in self.world.read(self.docs_at, self.alice)} == self.docs.keys()
        for name, doc in self.docs.items():
            assert self.world.text(f"{self.docs_at}/{name}/content", self.alice) == doc.text
        seen = {name for name, doc in self.docs.items() if self.friend in doc.shares}
        assert {row.name for row in self.world.read(self.docs_at, self.bob)} == seen
        entries = self.world.spaces.below(self.space(), "")
        assert {one.path: one.blob.size for one in entries if one.blob} == {
            path: len(text) for path, text in self.files.items()
        }
        assert self.world.spaces.usage(self.space()).size == sum(map(len, self.files.values()))
        for id in self.ended:
            with pytest.raises(NotFound):
                self.world.call(Verb.RENAME, f"{TRASH}/{id}", self.alice)


def machine_over(world: TreeWorld) -> type[TrashMachine]:
    """The machine over a world that its examples share, each with accounts of its own."""
    return type("Trash", (TrashMachine,), {"world": world})


SETTINGS = settings(deadline=None, stateful_step_count=25, suppress_health_check=list(HealthCheck))


def test_the_trash_keeps_what_a_model_keeps(tmp_path: Path) -> None:
    world = TreeWorld(tmp_path, trash=True)
    run_state_machine_as_test(machine_over(world), settings=settings(SETTINGS, max_examples=25))


@pytest.mark.postgres
def test_the_trash_keeps_it_on_postgresql(tmp_path: Path, postgres: Any) -> None:
    url = postgres.copy_of("tests.handlers.trash", migrate)
    database = Database(url)
    world = TreeWorld(tmp_path, database, trash=True)
    run_state_machine_as_test(machine_over(world), settings=settings(SETTINGS, max_examples=6))
    database.close()
    postgres.drop(url)


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


def test_who_still_has_the_item_at_hand_changes_nothing(kept: TreeWorld) -> None:
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


def test_what_a_step_removes_is_not_kept(kept: TreeWorld) -> None:
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
