"""Entries of folders: those kept as leaves, those kept by hooks, trees below one node, and the rule of
names."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Outcome
from vfs.errors import Conflict, Invalid, NotFound, Unsupported

BOX = "/me/boxes/toolbox"


class Bytes(TextBody):
    """A picture."""

    media = "image/png"


def test_entries_kept_as_leaves(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/car").outcome is Outcome.CREATED
    kernel.ask("ann", Verb.WRITE, f"{BOX}/toys/car/colour", "red")
    kernel.ask("ann", Verb.CREATE, f"{BOX}/tags/fav")
    assert kernel.names("ann", f"{BOX}/toys") == ["car"]
    with pytest.raises(Conflict):
        kernel.ask("ann", Verb.CREATE, f"{BOX}/toys/car")
    kernel.ask("ann", Verb.REMOVE, f"{BOX}/toys/car")
    assert kernel.names("ann", f"{BOX}/toys") == []
    with pytest.raises(NotFound):
        kernel.read("ann", f"{BOX}/toys/car/colour")


def test_an_absent_entry_is_made_by_writing_it_where_that_is_the_way(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/env/key", "s").outcome is Outcome.CREATED
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/env/key", "t").outcome is Outcome.DONE
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/env/key", "u").outcome is Outcome.DONE
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/env/empty").outcome is Outcome.CREATED
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/env/full", "v").outcome is Outcome.CREATED
    assert kernel.names("ann", f"{BOX}/env") == ["empty", "full", "key"]
    with pytest.raises(NotFound):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/toys/none", "s")
    with pytest.raises(Invalid, match="by sending its bytes"):
        kernel.ask("ann", Verb.CREATE, f"{BOX}/pics/a")
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/pics/a", Bytes("b")).outcome is Outcome.CREATED


def test_entries_that_move_elsewhere_and_a_folder_that_is_emptied(kernel: Any) -> None:
    moved = kernel.ask("ann", Verb.RENAME, "/bells/one", "far/away")
    assert (moved.value, moved.location) == ("moved to far/away", "/rings/far/away")
    assert kernel.names("ann", "/bells") == ["one"]
    assert kernel.ask("ann", Verb.REMOVE, "/bells").value == "silent"
    assert kernel.names("ann", "/bells") == []
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.REMOVE, "/rings")


def test_entries_kept_by_hooks(kernel: Any) -> None:
    assert kernel.ask("ann", Verb.CREATE, "/rings/two").outcome is Outcome.CREATED
    again = kernel.ask("ann", Verb.CREATE, "/rings/two")
    assert (again.value, again.outcome) == ("rung 2", Outcome.DONE)
    kernel.ask("ann", Verb.RENAME, "/rings/two", "deux")
    assert kernel.read("ann", "/rings/deux/tone") == "2"
    assert kernel.ask("ann", Verb.REMOVE, "/rings/deux").value == "unrung"
    assert kernel.names("ann", "/rings") == ["one"]


def test_a_deep_tree_is_walked_by_its_hooks(kernel: Any) -> None:
    assert kernel.names("ann", f"{BOX}/deep") == ["a", "b.txt"]
    assert kernel.names("ann", f"{BOX}/deep/a") == ["c.txt"]
    assert kernel.read("ann", f"{BOX}/deep/a/c.txt") == "a/c.txt is see"
    assert kernel.ask("ann", Verb.WRITE, f"{BOX}/deep/b.txt").value == "wrote"
    assert kernel.ask("ann", Verb.CREATE, f"{BOX}/deep/new").outcome is Outcome.CREATED
    assert kernel.ask("ann", Verb.REMOVE, f"{BOX}/deep/a").value == f"removed {BOX}/deep/a\n"
    with pytest.raises(NotFound):
        kernel.read("ann", f"{BOX}/deep/none")
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.WRITE, f"{BOX}/still/b.txt", "x")


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        (Verb.CREATE, "/me/boxes/Tool Box"),
        (Verb.CREATE, f"{BOX}/toys/-car"),
        (Verb.WRITE, f"{BOX}/env/KEY"),
        (Verb.CREATE, f"{BOX}/env/KEY"),
        (Verb.CREATE, "/rings/Two"),
    ],
)
def test_a_name_outside_the_rule_is_refused_where_something_would_be_made(
    kernel: Any, verb: Verb, path: str
) -> None:
    with pytest.raises(Invalid, match="a name is a lowercase letter"):
        kernel.ask("ann", verb, path, "x")
    for requested in (Verb.READ, None):
        with pytest.raises(NotFound):
            kernel.ask("ann", requested, path)


def test_only_who_may_create_learns_the_rule(kernel: Any) -> None:
    with pytest.raises(NotFound):
        kernel.ask("bob", Verb.CREATE, "/users/ann/boxes/Tool Box")
