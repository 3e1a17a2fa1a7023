"""The published Python client against a real server: spaces and what they hold."""

from __future__ import annotations

import novem
import pytest
from novem.exceptions import Novem403, Novem404, NovemException

from tests.clients.conftest import Person


def test_files_are_kept_by_their_paths(alice: Person) -> None:
    content = novem.Space("my-space", **alice.connection).content
    content["data/fugler på sjøen+.csv"] = "tjeld,11"
    content.write_bytes("data/raw.bin", b"\x00\xff")
    assert content["data/fugler på sjøen+.csv"] == "tjeld,11"
    assert content.read_bytes("data/raw.bin") == b"\x00\xff"
    assert "data/raw.bin" in content
    assert "data/absent" not in content
    about = content.stat("data/raw.bin")
    assert (about.name, about.path, about.size) == ("raw.bin", "data/raw.bin", 2)
    assert about.etag
    assert [(entry.name, entry.size) for entry in content.ls("data")] == [
        ("fugler på sjøen+.csv", 8),
        ("raw.bin", 2),
    ]
    folder = content["data/"]
    assert [entry.name for entry in folder.files] == ["fugler på sjøen+.csv", "raw.bin"]
    del content["data/raw.bin"]
    with pytest.raises(Novem404):
        content.read("data/raw.bin")


def test_folders_are_made_moved_walked_and_removed(alice: Person) -> None:
    content = novem.Space("my-space", **alice.connection).content
    content.mkdir("a/b")
    content.mkdir("a/b")
    content["a/one.txt"] = "1"
    content["a/b/two.txt"] = "2"
    content.move("a", "c/d")
    walked = {top: (dirs, files) for top, dirs, files in content.walk()}
    assert sorted(file for _, files in walked.values() for file in files) == ["one.txt", "two.txt"]
    assert content.read("c/d/b/two.txt") == "2"
    content.remove("c", recursive=True)
    assert content.ls() == []


def test_a_write_may_say_what_it_believes_to_be_there(alice: Person) -> None:
    content = novem.Space("my-space", **alice.connection).content
    content.write("one.txt", "1")
    seen = content.stat("one.txt").etag
    content.write("one.txt", "2", if_match=seen)
    with pytest.raises(NovemException, match="changed since"):
        content.write("one.txt", "3", if_match=seen)
    with pytest.raises(NovemException, match="there already"):
        content.write("one.txt", "3", no_clobber=True)
    assert content.read("one.txt") == "2"


def test_a_move_may_spare_what_is_there(alice: Person) -> None:
    content = novem.Space("my-space", **alice.connection).content
    content["one.txt"], content["two.txt"] = "1", "2"
    with pytest.raises(NovemException, match="there already"):
        content.move("one.txt", "two.txt", no_clobber=True)
    content.move("one.txt", "three.txt", no_clobber=True)
    with pytest.raises(NovemException, match="changed since"):
        content.move("three.txt", "four.txt", if_match=content.stat("two.txt").etag)
    content.move("three.txt", "two.txt", if_match=content.stat("three.txt").etag)
    assert content.read("two.txt") == "1"
    content.mkdir("folder")
    content.move("two.txt", "folder")
    assert sorted(entry.name for entry in content.ls()) == ["folder", "two.txt"]


def test_changes_arrive_in_order(alice: Person) -> None:
    space = novem.Space("my-space", **alice.connection)
    space.content["one.txt"] = "1"
    space.content["one.txt"] = "22"
    space.content.move("one.txt", "two.txt")
    space.content.remove("two.txt")
    changes = list(space.changes())
    assert [change.change for change in changes] == ["create", "update", "move", "delete"]
    assert [change.seq for change in changes] == sorted(change.seq for change in changes)
    assert [change.change for change in space.changes(since=changes[1].seq)] == ["move", "delete"]


def test_a_space_is_shared(alice: Person, bob: Person) -> None:
    space = novem.Space("my-space", **alice.connection)
    space.content["one.txt"] = "1"
    space.shared += f"@{bob.name}~r"
    theirs = novem.Space("my-space", user=alice.name, create=False, **bob.connection)
    assert theirs.content.read("one.txt") == "1"
    with pytest.raises(Novem403):
        theirs.content.write("one.txt", "2")
    assert [change.change for change in theirs.changes()] == ["create"]
