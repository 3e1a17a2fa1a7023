"""Times of items: what changes them, and what has other times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld
from vfs.access import Caller, Grant, Kind, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Items, Named
from vfs.param import Param
from vfs.parts import mine, text, value
from vfs.path import Path
from vfs.rules import SIGNED_IN
from vfs.serve import serve
from vfs.tree import Tree

LAP: Param[Named] = Param("lap")
LAPS = {name: Named(name, f"{name}-began", f"{name}-ended") for name in ("one", "two")}
ONE = "/races/first"


class CopyBody(NoBody):
    """A JSON document."""

    media = "application/json"

    def data(self, largest: int) -> Any:
        return {"name": "copied", "copy": True}


class Course:
    """Races of ann's with laps of their own times, remarks of anybody, and a text."""

    def __init__(self) -> None:
        lap = Dir({"log": value(lambda p: "ran"), "word": text()}, shown=lambda p: p[LAP])
        laps = Each(LAP, lap, names=lambda p: LAPS.values(), has=lambda p, name: LAPS.get(name), fixed=True)
        remarks = Each(Param("remark"), text(), still=True)
        race = Dir({"laps": laps, "remarks": remarks, "about": text(), "level": mine("a", default="a")})
        races = Items(Kind(name="race"), race, owner=None, copies=("about",), canonical=True)
        self.tree = Tree(Dir({"races": races}, rules={Verb.READ: SIGNED_IN, Verb.WRITE: SIGNED_IN}))
        self.clock = StillClock()
        self.world = StoredWorld(clock=self.clock)
        self.race = self.world.items.create("race", "", "first")
        self.world.grants.give(self.race.id, Grant("@ann", "rwd", "@ann~rwd"))

    def ask(self, verb: Verb | None, path: str, body: Any = None) -> Any:
        sent = TextBody(body) if isinstance(body, str) else body or NoBody()
        return serve(self.tree, Call(verb, Path.parse(path), Caller("ann", Via.TOKEN), self.world, sent))

    def moved(self, *requested: Any) -> bool:
        """Whether what was asked a second later stamped the race."""
        before = self.stamp()
        self.clock.forward(1)
        self.ask(*requested)
        return self.stamp() != before

    def stamp(self) -> str:
        found = self.world.items.at(self.race.id, "ann")
        assert found is not None
        return found.item.last_modified

    def times(self, path: str) -> tuple[str, str]:
        entry = self.ask(None, path).value.value.entry
        return entry.created_on, entry.last_modified


@pytest.fixture
def course() -> Course:
    return Course()


def test_only_what_changes_an_item_moves_its_time(course: Course) -> None:
    assert course.moved(Verb.WRITE, f"{ONE}/about", "a long one")
    assert course.moved(Verb.WRITE, f"{ONE}/laps/one/word", "wet")
    for verb, rest, body in (
        (Verb.CREATE, "remarks/good", "indeed"),
        (Verb.WRITE, "remarks/good", "or not"),
        (Verb.REMOVE, "remarks/good", None),
        (Verb.WRITE, "level", "a"),
    ):
        assert not course.moved(verb, f"{ONE}/{rest}", body)
    assert not course.moved(Verb.RENAME, ONE, CopyBody())


def test_a_remark_on_what_is_gone_is_absent(course: Course) -> None:
    items = course.world.items
    hold: Callable[[Any], bool] = items.hold

    def late(item: Any) -> bool:
        items.remove(item)
        return hold(item)

    items.hold = late  # type: ignore[method-assign]
    with pytest.raises(NotFound):
        course.ask(Verb.CREATE, f"{ONE}/remarks/good", "indeed")


def test_files_in_an_entry_with_times_have_these_times(course: Course) -> None:
    listed = {row.name: row for row in course.ask(Verb.READ, f"{ONE}/laps/two").value.value}
    assert {(row.created_on, row.last_modified) for row in listed.values()} == {("two-began", "two-ended")}
    for rest in ("laps/two", "laps/two/log", "laps/two/word"):
        assert course.times(f"{ONE}/{rest}") == ("two-began", "two-ended")
    course.clock.forward(1)
    course.ask(Verb.WRITE, f"{ONE}/laps/two/word", "wet")
    listed = {row.name: row for row in course.ask(Verb.READ, f"{ONE}/laps/two").value.value}
    assert listed["word"].last_modified == course.stamp()
    assert listed["log"].last_modified == "two-ended"
    assert course.times(f"{ONE}/about") == (course.race.created_on, course.stamp())
