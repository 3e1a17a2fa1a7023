"""Listings: rows, stamps, letters and verbs, without a question asked twice."""

from __future__ import annotations

from typing import Any

from vfs.access import Verb

BOX = "/me/boxes/toolbox"


def rows(kernel: Any, who: str | None, path: str) -> dict[str, Any]:
    return {entry.name: entry for entry in kernel.read(who, path)}


def test_a_row_tells_name_uri_type_letters_and_verbs(kernel: Any) -> None:
    row = rows(kernel, "ann", BOX)["label"]
    assert (row.uri, row.type, row.permissions) == (f"{BOX}/label", "file", ("r", "w", "d", "x"))
    assert row.verbs == (Verb.READ, Verb.WRITE, Verb.CREATE, Verb.REMOVE)
    assert rows(kernel, "ann", BOX)["toys"].type == "dir"


def test_rows_are_those_that_the_caller_is_shown(kernel: Any) -> None:
    names = kernel.names("ann", BOX)
    assert "hidden" not in names and "ghost" in names
    assert rows(kernel, "ann", BOX)["ghost"].verbs == ()


def test_stamps_are_the_leafs_or_the_items(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/top", "1")
    kernel.ask("ann", Verb.WRITE, f"{BOX}/cover/side", "2")
    inside, outside = rows(kernel, "ann", f"{BOX}/cover"), rows(kernel, "ann", BOX)
    assert inside["top"].created_on < inside["side"].created_on
    assert outside["cover"].created_on == inside["top"].created_on
    assert outside["cover"].last_modified >= inside["side"].last_modified
    assert outside["note"].created_on == rows(kernel, "ann", "/me/boxes")["toolbox"].created_on


def test_a_listing_shows_what_the_caller_may_do_with_each_item(kernel: Any) -> None:
    for name in ("b1", "b2", "b3"):
        kernel.ask("ann", Verb.CREATE, f"/me/boxes/{name}")
    kernel.share("@bob", "rx", "b1")
    kernel.share("@bob", "rx", "b2")
    kernel.share("@bob", "d", "b3")
    shown = rows(kernel, "bob", "/users/ann/boxes")
    assert list(shown) == ["b1", "b2", "b3"]
    assert shown["b1"].permissions == ("r", "x") and shown["b1"].verbs == shown["b2"].verbs == (
        Verb.READ,
        Verb.RENAME,
    )
    assert shown["b3"].verbs == (Verb.READ, Verb.REMOVE)
    assert shown["b2"].uri == "/users/ann/boxes/b2"


def test_a_narrowed_credential_lists_no_more_than_it_may_have(kernel: Any, robot: Any, renamed: Any) -> None:
    assert rows(kernel, robot, "/me/boxes")["toolbox"].permissions == ("r",)
    blind = renamed(
        robot, claim=renamed(robot.claim, allows={"box": robot.claim.otherwise & ~robot.claim.otherwise})
    )
    assert rows(kernel, blind, "/me/boxes") == {}
    kernel.share("@bob", "r")
    theirs = renamed(blind, name="bob")
    assert rows(kernel, "bob", "/users/ann/boxes").keys() == {"toolbox"}
    assert rows(kernel, theirs, "/users/ann/boxes") == {}


def test_letters_outside_items_are_read_off_the_verbs(kernel: Any) -> None:
    shown = rows(kernel, "ann", "/")
    assert shown["rings"].permissions == ("r",)
    assert shown["bell"].permissions == ("w",)
    assert rows(kernel, "ann", "/rings")["one"].permissions == ("r", "d")
    assert shown["me"].type == "dir"


def test_links_are_listed_as_what_they_lead_to(kernel: Any) -> None:
    shown = rows(kernel, "ann", BOX)
    assert shown["self"].type == "file"
    assert rows(kernel, "ann", "/peek/shelf/toolbox")["top"].verbs == (Verb.READ,)
    assert rows(kernel, "ann", "/users/ann/shelf/toolbox")["top"].verbs == (Verb.READ,)


def test_rows_of_a_deep_tree(kernel: Any) -> None:
    shown = rows(kernel, "ann", f"{BOX}/deep")
    assert (shown["a"].type, shown["b.txt"].type) == ("dir", "file")
    assert shown["a"].uri == f"{BOX}/deep/a"
    assert rows(kernel, "ann", f"{BOX}/deep/a")["c.txt"].last_modified == "t1"


def test_rows_of_entries_kept_as_leaves(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, f"{BOX}/env/a", "1")
    row = rows(kernel, "ann", f"{BOX}/env")["a"]
    assert row.verbs == (Verb.WRITE, Verb.CREATE, Verb.REMOVE)


def test_an_items_folder_of_many_costs_one_question(kernel: Any) -> None:
    requested = []
    kernel.world.items.stamps_of = lambda *args, ask=kernel.world.items.stamps_of: (
        requested.append(args) or ask(*args)
    )
    for number in range(20):
        kernel.ask("ann", Verb.CREATE, f"/me/boxes/n{number}")
    assert len(kernel.names("ann", "/me/boxes")) == 21
    assert len(requested) == 1
