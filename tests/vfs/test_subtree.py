"""Trees kept by hooks: how they are written, moved and described, and what happens while a body arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.kit.world import StoredWorld
from vfs.access import Caller, Grant, Kind, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, Invalid, NotFound, Outdated, Unsupported
from vfs.nodes import Dir, Items, Named, Subtree
from vfs.param import Param
from vfs.path import Path
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

FILES = "/ann/crates/one/files"


class JsonBody(NoBody):
    """A JSON document."""

    media = "application/json"

    def __init__(self, value: Any) -> None:
        self._value = value

    def data(self, largest: int) -> Any:
        return self._value


PATH: Param[tuple[str | None]] = Param("path")


@dataclass
class Shelf:
    """Texts by path, folders being None; `meanwhile` happens while a body arrives."""

    kept: dict[str, str | None] = field(default_factory=dict)
    meanwhile: Callable[[], object] = lambda: None

    def look(self, context: Context) -> tuple[str | None] | None:
        path = context.segment(PATH)
        return (self.kept.get(path),) if path == "" or path in self.kept else None

    def names(self, context: Context) -> Iterator[Named]:
        top = context.segment(PATH)
        for path, text in self.kept.items():
            if path.rpartition("/")[0] == top:
                yield self.named(path, text)

    def named(self, path: str, text: str | None) -> Named:
        extra = None if text is None else {"size": len(text)}
        link = text is not None and text.startswith("->")
        return Named(
            path.rpartition("/")[2], "t0", "t1", (text,), folder=text is None, extra=extra, link=link
        )

    def shown(self, context: Context) -> Named:
        return self.named(context.segment(PATH), context[PATH][0])

    def receive(self, context: Context) -> str:
        text = context.call.body.text(99)
        self.meanwhile()
        return text

    def write(self, context: Context, sent: str) -> None:
        self.kept[context.segment(PATH)] = sent

    def make(self, context: Context) -> None:
        self.kept.setdefault(context.segment(PATH), None)

    def rename(self, context: Context, to: str, replace: bool) -> None:
        if to in self.kept and not replace:
            raise Conflict(to)
        self.kept[to] = self.kept.pop(context.segment(PATH))

    def remove(self, context: Context) -> None:
        del self.kept[context.segment(PATH)]

    def node(self, **more: Any) -> Subtree[Any]:
        return Subtree(
            param=PATH, look=self.look, folder=lambda fact: fact[0] is None, names=self.names,
            read=lambda context: context[PATH][0], receive=self.receive, write=self.write,
            create=self.make, rename=self.rename, remove=self.remove,
            link=lambda fact: fact[0].startswith("->"), **more,
        )  # fmt: skip


class Hall:
    """A tree with such shelves, in an item and outside of all."""

    def __init__(self) -> None:
        self.shelf, self.open = Shelf({"a": None, "a/b.txt": "bee", "c.txt": "see"}), Shelf({"x": "ex"})
        crates = Items(
            Kind(name="crate"), Dir({"files": self.shelf.node(shown=self.shelf.shown)}), owner=None
        )
        rules = {Verb.READ: SIGNED_IN, Verb.WRITE: SIGNED_IN}
        self.tree = Tree(
            Dir({"ann": Dir({"crates": crates}), "open": self.open.node()}, rules=rules)  # type: ignore[arg-type]
        )
        self.world = StoredWorld()
        self.crate = self.world.items.create("crate", "", "one")
        self.world.grants.give(self.crate.id, Grant("@ann", "rwd", "@ann~rwd"))

    def ask(self, verb: Verb | None, path: str, body: Any = None, **more: Any) -> Reply:
        sent = TextBody(body) if isinstance(body, str) else JsonBody(body) if body else NoBody()
        caller = Caller(more.pop("who", "ann"), Via.TOKEN)
        return serve(self.tree, Call(verb, Path.parse(path), caller, self.world, sent, **more))

    def about(self, path: str) -> Any:
        value: Any = self.ask(None, path).value
        return value.value


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_a_file_is_written_by_either_verb(hall: Hall) -> None:
    made = hall.ask(Verb.WRITE, f"{FILES}/new", "one")
    assert (made.outcome, made.location) == (Outcome.CREATED, f"{FILES}/new")
    assert hall.ask(Verb.CREATE, f"{FILES}/new", "two").outcome is Outcome.DONE
    assert hall.ask(Verb.CREATE, f"{FILES}/empty").outcome is Outcome.CREATED
    assert hall.shelf.kept["new"] == "two"
    assert hall.ask(Verb.WRITE, "/open/y", "why").outcome is Outcome.CREATED
    assert hall.open.kept == {"x": "ex", "y": "why"}


def test_a_final_slash_makes_a_folder(hall: Hall) -> None:
    assert hall.ask(Verb.CREATE, f"{FILES}/d", folder=True).outcome is Outcome.CREATED
    assert hall.ask(Verb.CREATE, f"{FILES}/d", folder=True).outcome is Outcome.DONE
    assert hall.ask(Verb.CREATE, FILES, folder=True).outcome is Outcome.DONE
    assert hall.shelf.kept["d"] is None
    with pytest.raises(Invalid, match="final slash"):
        hall.ask(Verb.CREATE, f"{FILES}/e", "bytes", folder=True)


def test_a_path_moves_to_where_json_says(hall: Hall) -> None:
    moved = hall.ask(Verb.RENAME, f"{FILES}/a/b.txt", {"to": "/d/e f.txt"})
    assert moved.location == f"{FILES}/d/e%20f.txt"
    assert hall.shelf.kept["d/e f.txt"] == "bee"
    for sent in ({"to": "/"}, {"to": 1}, {"name": "x"}, ["to"], {"to": "x", "replace": "true"}):
        with pytest.raises(Invalid, match=r'"to"|"replace"'):
            hall.ask(Verb.RENAME, f"{FILES}/c.txt", sent)
    with pytest.raises(Conflict):
        hall.ask(Verb.RENAME, f"{FILES}/c.txt", {"to": "d/e f.txt"})
    hall.ask(Verb.RENAME, f"{FILES}/d/e%20f.txt", {"to": "c.txt", "replace": True})
    assert hall.ask(Verb.REMOVE, f"{FILES}/c.txt").value == f"removed {FILES}/c.txt\n"


def test_what_never_works_is_not_offered(hall: Hall) -> None:
    whole = {Verb.READ, Verb.WRITE, Verb.CREATE, Verb.RENAME, Verb.REMOVE}
    assert set(hall.about(f"{FILES}/c.txt").entry.verbs) == whole
    assert set(hall.about(f"{FILES}/a").entry.verbs) == whole - {Verb.WRITE}
    assert set(hall.about(FILES).entry.verbs) == whole - {Verb.WRITE, Verb.RENAME}
    for verb, path in ((Verb.WRITE, f"{FILES}/a"), (Verb.RENAME, FILES), (Verb.WRITE, FILES)):
        with pytest.raises(Unsupported):
            hall.ask(verb, path, "x")
    (folder, file) = hall.ask(Verb.READ, FILES).value.value  # type: ignore[union-attr]
    assert Verb.WRITE not in folder.verbs and Verb.WRITE in file.verbs


def test_a_path_is_described_as_its_folder_lists_it(hall: Hall) -> None:
    listed = hall.ask(Verb.READ, f"{FILES}/a").value.value[0]  # type: ignore[union-attr]
    assert hall.about(f"{FILES}/a/b.txt").entry == listed
    assert listed.extra == {"size": 3}
    assert hall.about(f"{FILES}/a").entry.type == "dir"
    assert not hall.about(f"{FILES}/a").absent
    new = hall.about(f"{FILES}/new")
    assert new.absent and set(new.entry.verbs) == {Verb.CREATE, Verb.WRITE}
    assert hall.about("/open/x").entry.type == "file"
    assert hall.about("/open").entry.type == "dir"


def test_a_precondition_of_a_move_hears_of_both_ends(hall: Hall) -> None:
    heard: list[Any] = []

    def expect(present: Reply | None, replaced: Reply | None) -> None:
        heard.append((present and present.value, replaced and replaced.value))

    hall.ask(Verb.RENAME, f"{FILES}/c.txt", {"to": "a/b.txt", "replace": True}, expect=expect)
    hall.ask(Verb.RENAME, f"{FILES}/a/b.txt", {"to": "z"}, expect=expect)
    hall.ask(Verb.WRITE, f"{FILES}/z", "new", expect=expect)
    assert heard == [("see", "bee"), ("see", None), ("see", "see")]


def test_what_came_or_went_while_the_body_arrived_counts(hall: Hall) -> None:
    def must_be_new(present: Reply | None, replaced: Reply | None) -> None:
        if present is not None:
            raise Outdated(str(present.value))

    hall.shelf.meanwhile = lambda: hall.shelf.kept.update({"new": "another's"})
    with pytest.raises(Outdated, match="another's"):
        hall.ask(Verb.CREATE, f"{FILES}/new", "mine", expect=must_be_new)
    assert hall.ask(Verb.WRITE, f"{FILES}/new", "mine").outcome is Outcome.DONE
    hall.shelf.meanwhile = lambda: hall.shelf.kept.pop("new")
    assert hall.ask(Verb.WRITE, f"{FILES}/new", "mine").outcome is Outcome.CREATED
    hall.shelf.meanwhile = lambda: hall.shelf.kept.update({"new": None})
    with pytest.raises(Unsupported):
        hall.ask(Verb.WRITE, f"{FILES}/new", "mine")


def test_a_body_is_taken_in_before_the_transaction(hall: Hall) -> None:
    stamps: list[str] = []

    def meanwhile() -> None:
        found = hall.world.items.at(hall.crate.id, "ann")
        assert found is not None
        stamps.append(found.item.last_modified)
        hall.world.clock.forward(1)

    hall.shelf.meanwhile = meanwhile
    hall.ask(Verb.WRITE, f"{FILES}/new", "mine")
    assert stamps == [hall.crate.last_modified]


def test_others_see_and_do_nothing(hall: Hall) -> None:
    hall.world.grants.give(hall.crate.id, Grant("@bob", "r", "@bob~r"))
    hall.world.grants.give(hall.crate.id, Grant("@cleo", "w", "@cleo~w"))
    assert hall.ask(Verb.READ, f"{FILES}/c.txt", who="bob").value == "see"
    for verb in (Verb.WRITE, Verb.CREATE, Verb.RENAME, Verb.REMOVE):
        with pytest.raises(Denied):
            hall.ask(verb, f"{FILES}/c.txt", "x", who="bob")
        with pytest.raises(NotFound):
            hall.ask(verb, f"{FILES}/c.txt", "x", who="dora")
    for verb in (Verb.WRITE, Verb.CREATE):
        with pytest.raises(Denied, match=r"\(w\)"):
            hall.ask(verb, f"{FILES}/none", "x", who="bob")
    for verb in (Verb.READ, Verb.RENAME, Verb.REMOVE):
        with pytest.raises(NotFound):
            hall.ask(verb, f"{FILES}/none", "x", who="bob")
    for path in ("c.txt", "none"):
        with pytest.raises(Denied):
            hall.ask(Verb.READ, f"{FILES}/{path}", who="cleo")
    with pytest.raises(Denied, match="precondition"):
        hall.ask(Verb.WRITE, f"{FILES}/c.txt", "x", who="cleo", expect=lambda present, replaced: None)


def test_rows_of_a_kind_differ_in_name_and_stamps_only(hall: Hall) -> None:
    hall.shelf.kept["é b"] = "longer"
    rows = hall.ask(Verb.READ, FILES).value.value  # type: ignore[union-attr]
    (other, odd) = (row for row in rows if row.type == "file")
    assert (odd.name, odd.uri, odd.extra) == ("é b", f"{FILES}/%C3%A9%20b", {"size": 6})
    assert (other.verbs, other.permissions) == (odd.verbs, odd.permissions)
    assert hall.about(odd.uri).entry == odd


def test_a_link_is_listed_as_a_link_and_read_as_a_file(hall: Hall) -> None:
    hall.shelf.kept["to"], hall.open.kept["to"] = "-> c.txt", "-> x"
    rows = {row.name: row for row in hall.ask(Verb.READ, FILES).value.value}  # type: ignore[union-attr]
    assert {name: row.type for name, row in rows.items()} == {"a": "dir", "c.txt": "file", "to": "link"}
    assert rows["to"].verbs == rows["c.txt"].verbs
    assert hall.about(f"{FILES}/to").entry == rows["to"]
    assert hall.about("/open/to").entry.type == "link"
    assert hall.about("/open/new").entry.type == "file"
    assert hall.ask(Verb.READ, f"{FILES}/to").value == "-> c.txt"
