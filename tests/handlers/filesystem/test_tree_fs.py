"""The tree as a file system: PyFilesystem2's own suite, and what a caller may and may not do there."""

from __future__ import annotations

import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import pytest
from fs import errors
from fs.copy import copy_dir, copy_file, copy_fs
from fs.memoryfs import MemoryFS
from fs.test import FSTestCases

from handlers.filesystem.tree_fs import CurlewFS
from tests.handlers.trees.tree_world import TREE, TreeWorld
from vfs.access import PUBLIC, Caller, Grant, Verb, Via

FIELD = "/v1/users/alice/code/spaces/field/content"
REPORT = "/v1/users/alice/vis/docs/report"


class TestConformance(FSTestCases, unittest.TestCase):
    """PyFilesystem2's promises, kept by the content of a space."""

    def make_fs(self) -> CurlewFS:
        self.folder = tempfile.TemporaryDirectory()
        tree_world = TreeWorld(Path(self.folder.name))
        tree_world.citizen("alice")
        alice = tree_world.token("alice")
        tree_world.call(Verb.CREATE, "/v1/code/spaces/files", alice)
        return CurlewFS(TREE, tree_world, alice, "/v1/code/spaces/files/content")

    def destroy_fs(self, fs: CurlewFS) -> None:
        fs.close()
        self.folder.cleanup()


@pytest.fixture
def tree_world(tmp_path: Path) -> TreeWorld:
    """Alice with a space, a document and a job; bob, to whom she shows the space and the document."""
    tree_world = TreeWorld(tmp_path)
    tree_world.citizen("alice")
    tree_world.citizen("bob")
    alice = tree_world.token("alice")
    for path in ("code/spaces/field", "vis/docs/report", "code/jobs/nightly"):
        tree_world.call(Verb.CREATE, f"/v1/{path}", alice)
    tree_world.write(f"{FIELD}/notes/a.txt", alice, "one")
    tree_world.write(f"{FIELD}/b.csv", alice, "k,v\n")
    tree_world.write(f"{REPORT}/content", alice, "# Birds\n")
    for path in ("code/spaces/field", "vis/docs/report"):
        kind = "space" if "space" in path else "doc"
        found = tree_world.items.find(kind, "alice", path.rpartition("/")[2], "alice")
        assert found is not None
        tree_world.grants.give(found.item.id, Grant("@bob", "r", "@bob~r"))
    return tree_world


def seen(tree_world: TreeWorld, name: str | None, root: str = "/v1/users/alice") -> CurlewFS:
    """The tree as a user sees it."""
    return CurlewFS(TREE, tree_world, Caller(name, Via.TOKEN) if name else PUBLIC, root)


class TestACallersView:
    def test_is_walked_by_users_who_see_it(self, tree_world: TreeWorld) -> None:
        walked = set(seen(tree_world, "alice").walk.files())
        assert {"/code/spaces/field/content/notes/a.txt", "/vis/docs/report/content", "/profile"} <= walked
        his = set(seen(tree_world, "bob").walk.files())
        assert {"/code/spaces/field/content/notes/a.txt", "/vis/docs/report/content"} <= his
        assert not [path for path in his if path.startswith("/code/jobs/")]
        with pytest.raises(errors.PermissionDenied, match="sign in"):
            list(seen(tree_world, None).walk.files())

    def test_leaves_out_what_is_never_there(self, tree_world: TreeWorld) -> None:
        assert "doc.png" not in seen(tree_world, "alice").listdir("vis/docs/report/files")

    def test_is_copied_whole(self, tree_world: TreeWorld) -> None:
        copy = MemoryFS()
        copy_fs(seen(tree_world, "bob", "/v1/users/alice/code/spaces/field/content"), copy)
        assert sorted(copy.walk.files()) == ["/b.csv", "/notes/a.txt"]
        assert copy.readtext("/notes/a.txt") == "one"

    def test_takes_a_copy(self, tree_world: TreeWorld) -> None:
        alice = seen(tree_world, "alice")
        source = MemoryFS()
        source.makedirs("deep/er").writetext("é.json", "{}")
        copy_dir(source, "deep", alice, "code/spaces/field/content/new")
        assert alice.readtext("code/spaces/field/content/new/er/é.json") == "{}"
        copy_file(alice, "code/spaces/field/content/b.csv", alice, "vis/docs/report/content")
        assert alice.readtext("vis/docs/report/content") == "k,v\n"

    def test_tells_size_dates_and_letters(self, tree_world: TreeWorld) -> None:
        bob = seen(tree_world, "bob")
        spaces = ("details", "access")
        file = bob.getinfo("code/spaces/field/content/b.csv", spaces)
        assert (file.size, file.modified) == (4, tree_world.clock.now())
        assert file.permissions is not None and file.permissions.as_str()[:3] == "r--"
        assert bob.getinfo("vis/docs/report/content", spaces).size == len("# Birds\n")
        assert bob.getinfo("vis/docs/report/shared", spaces).is_dir
        mine = seen(tree_world, "alice").getinfo("vis/docs/report", spaces)
        assert mine.permissions is not None and mine.permissions.as_str()[:3] == "rwx"
        assert seen(tree_world, "alice").getinfo("code/jobs/nightly/data", spaces).size == 0

    def test_answers_every_sort_of_file(self, tree_world: TreeWorld) -> None:
        alice = seen(tree_world, "alice")
        assert alice.readtext("vis/docs/report/config/type") == "doc"
        assert alice.readtext("code/spaces/field/changes").startswith("{")
        assert "username: alice" in alice.readtext("profile")
        with alice.openbin("code/spaces/field/content/b.csv") as file:
            file.seek(2)
            assert file.read() == b"v\n"


class TestRefusals:
    def test_a_reader_writes_nothing(self, tree_world: TreeWorld) -> None:
        bob = seen(tree_world, "bob")
        refused: list[Callable[[], object]] = [
            lambda: bob.writetext("code/spaces/field/content/b.csv", "x"),
            lambda: bob.writetext("code/spaces/field/content/new", "x"),
            lambda: bob.makedir("code/spaces/field/content/new"),
            lambda: bob.remove("code/spaces/field/content/b.csv"),
            lambda: bob.removetree("code/spaces/field/content/notes"),
            lambda: bob.removedir("code/spaces/field/content/notes"),
            lambda: bob.writetext("vis/docs/report/content", "x"),
            lambda: bob.removetree("code/spaces/field"),
        ]
        for call in refused:
            with pytest.raises(errors.PermissionDenied):
                call()
        assert seen(tree_world, "alice").readtext("code/spaces/field/content/b.csv") == "k,v\n"

    def test_what_is_hidden_is_absent(self, tree_world: TreeWorld) -> None:
        bob = seen(tree_world, "bob")
        for path in ("code/jobs/nightly", "code/jobs/none", "code/spaces/field/content/none"):
            assert not bob.exists(path)
            with pytest.raises(errors.ResourceNotFound):
                bob.listdir(path)
            with pytest.raises(errors.ResourceNotFound):
                bob.readbytes(path)
        with pytest.raises(errors.ResourceNotFound):
            bob.makedir("code/jobs/mine")

    def test_what_is_never_written_is_read_only(self, tree_world: TreeWorld) -> None:
        alice = seen(tree_world, "alice")
        for path in ("vis/docs/report/shortname", "code/spaces/field/changes"):
            with pytest.raises(errors.ResourceReadOnly):
                alice.writetext(path, "x")
            with pytest.raises(errors.ResourceReadOnly):
                alice.remove(path)
        with pytest.raises(errors.ResourceReadOnly):
            alice.removedir("vis/docs")

    def test_a_bad_value_is_refused_with_its_message(self, tree_world: TreeWorld) -> None:
        alice = seen(tree_world, "alice")
        with pytest.raises(errors.ResourceInvalid, match="is not one of doc"):
            alice.writetext("vis/docs/report/config/type", "{x}")
        with pytest.raises(errors.ResourceInvalid, match="UTF-8"):
            alice.writebytes("vis/docs/report/content", b"\xff")
        with pytest.raises(errors.InsufficientStorage):
            alice.writebytes("vis/docs/report/name", b"x" * 2000)
        for name in ("a\\b", "a\nb"):
            with pytest.raises(errors.InvalidCharsInPath):
                alice.writetext(f"code/spaces/field/content/{name}", "x")
        with pytest.raises(errors.InvalidPath):
            alice.exists("\ud800")
        with pytest.raises(errors.ResourceInvalid, match="64 levels"):
            alice.makedirs("code/spaces/field/content/" + "/".join("x" * 65))

    def test_an_item_is_made_and_removed_as_a_folder(self, tree_world: TreeWorld) -> None:
        alice = seen(tree_world, "alice")
        alice.makedir("code/spaces/attic").writetext("content/a.txt", "a")
        with pytest.raises(errors.DirectoryExists):
            alice.makedir("code/spaces/attic")
        with pytest.raises(errors.FileExpected):
            alice.writetext("code/spaces/other", "x")
        with pytest.raises(errors.DirectoryNotEmpty):
            seen(tree_world, "alice", "/v1/code/spaces/attic").removedir("content")
        alice.removedir("code/spaces/attic")
        assert alice.listdir("code/spaces") == ["field"]
        with pytest.raises(errors.RemoveRootError):
            alice.removedir("/")

    def test_a_file_that_is_too_large_is_refused_when_it_is_closed(self, tree_world: TreeWorld) -> None:
        tree_world.spaces.quota = 10
        alice = seen(tree_world, "alice", FIELD)
        with pytest.raises(errors.InsufficientStorage), alice.openbin("big", "w") as file:
            file.write(b"0123456789")
        assert file.closed
        assert not alice.exists("big")
