"""The contents of a snapshot never change, whatever happens to the document, its parts and its shares."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from handlers.settings.sources import load
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import make_report, share, take
from tests.handlers.services.snapshots.stage import make, stored_files
from tests.kit.world import make_tables
from vfs.access import Verb
from vfs.errors import Conflict, Denied, NotFound, Unmet, VfsError
from vfs.ports.items import Item

PEOPLE = st.sampled_from(("alice", "bob", "carol"))
PLOTS = {"one": "alice", "three": "bob"}
SHARED = {
    "report": ("doc", "alice"),
    "one": ("plot", "alice"),
    "three": ("plot", "bob"),
    "board": ("grid", "alice"),
}
REFS = {
    "one": "{{ vis ref: /p/one }}\n",
    "three": "{{ vis ref: /u/bob/p/three }}\n",
    "board": "{{ vis ref: /g/board }}\n",
}
SHOWN = st.sets(st.sampled_from(tuple(REFS)))
NAMES = st.sampled_from(("q1", "q2", "q3", "q4"))


class SnapshotWalk(RuleBasedStateMachine):
    """A document of alice, and a model of who may see what: shares, the text, and its last writer."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        make_tables(Path(self.folder.name))
        self.world = ServiceWorld(load({}, data=self.folder.name, synchronous="normal"))
        make_report(self.world, Path(self.folder.name))
        self.letters: dict[tuple[str, str], str] = {}
        self.data = {"one": "one", "three": "three"}
        self.name = "report"
        self.kept: dict[tuple[int, str], dict[str, bytes]] = {}
        self.shown, self.writer = set[str](), "alice"
        for line in ("report bob rwd", "report carol rw", "three alice r", "three carol x", "one bob x",
                     "one carol r", "board bob x", "board carol x"):  # fmt: skip
            name, to, letters = line.split()
            self.share(name, to, letters)
        self.write(set(REFS), "alice")
        self.make("q1", "bob")

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.world.live_world.close()
            self.folder.cleanup()

    @property
    def path(self) -> str:
        return f"/v1/users/alice/vis/docs/{self.name}/content"

    @property
    def item(self) -> Item:
        found = self.world.world.items.find("doc", "alice", self.name, "alice")
        assert found is not None
        return found.item

    def may(self, person: str, name: str, letters: str) -> bool:
        owner = SHARED[name][1]
        return person == owner or any(one in self.letters.get((name, person), "") for one in letters)

    def parts(self) -> set[str]:
        """Return the parts that the document shows: those that its owner and its last writer may both see."""
        there = {name for name in self.shown if name not in PLOTS or name in self.data}
        return {name for name in there if self.may("alice", name, "rx") and self.may(self.writer, name, "rx")}

    @rule(shown=SHOWN, user=PEOPLE)
    def write(self, shown: set[str], user: str) -> None:
        text = "".join(sorted(REFS[name] for name in shown)) or "Words.\n"
        try:
            self.world.write(user, self.path, text)
        except VfsError:
            assert not self.may(user, "report", "w")
        else:
            self.shown, self.writer = shown, user

    @rule(name=st.sampled_from(tuple(PLOTS)), data=st.sampled_from(("a", "b", "break", None)))
    def change(self, name: str, data: str | None) -> None:
        """Write the data of a plot, made if it is gone, or remove it."""
        path = f"/v1/vis/plots/{name}"
        if data is None:
            with suppress(NotFound):
                self.world.call(PLOTS[name], Verb.REMOVE, path)
            self.data.pop(name, None)
            self.letters = {key: one for key, one in self.letters.items() if key[0] != name}
            return
        with suppress(Conflict):
            self.world.call(PLOTS[name], Verb.CREATE, path)
        self.world.write(PLOTS[name], f"{path}/data", data)
        self.data[name] = data

    @rule(
        name=st.sampled_from(tuple(SHARED)), to=PEOPLE, letters=st.sampled_from(("x", "r", "rw", "rwd", ""))
    )
    def share(self, name: str, to: str, letters: str) -> None:
        kind, owner = SHARED[name]
        if to == owner or (name in PLOTS and name not in self.data):
            return
        self.letters[name, to] = letters
        place = self.name if name == "report" else name
        (share if letters else take)(self.world, kind, owner, place, f"@{to}", *filter(None, (letters,)))

    @rule(name=NAMES, user=PEOPLE)
    def make(self, name: str, user: str) -> None:
        report, parts = self.item, self.parts()
        plots = {one for one in parts if one in PLOTS} | (
            {"one"} & self.data.keys() if "board" in parts else set()
        )
        allowed = self.may(user, "report", "r") and self.may(user, "report", "w")
        sees = all(self.may(user, one, "rx") for one in parts | plots)
        try:
            make(self.world, name, user, self.path.removesuffix("/content"))
        except (Denied, NotFound):
            assert not (allowed and sees)
        except Conflict:
            assert (report.id, name) in self.kept
        except Unmet:
            assert "break" in {self.data[one] for one in plots}
        else:
            assert allowed and sees and (report.id, name) not in self.kept
            found = self.read(report, name)
            pictures = {one for one in found if one.startswith("pictures/")}
            behind = {"alice", user, self.writer}
            readable = {one for one in plots if all(self.may(person, one, "r") for person in behind)}
            assert {one for one in found if one.startswith("data/")} == {
                f"data/{_file(one)}.csv" for one in readable
            }
            assert pictures == {f"pictures/{_file(one)}.{form}" for one in parts for form in ("svg", "png")}
            self.kept[report.id, name] = found

    @rule(name=NAMES, user=PEOPLE)
    def end(self, name: str, user: str) -> None:
        key = (self.item.id, name)
        try:
            self.world.call(user, Verb.REMOVE, f"{self.path.removesuffix('content')}snapshots/{name}")
        except (Denied, NotFound):
            assert key not in self.kept or not self.may(user, "report", "d")
        else:
            assert self.may(user, "report", "d")
            del self.kept[key]

    @rule()
    def rename(self) -> None:
        other = "weekly" if self.name == "report" else "report"
        self.world.call("alice", Verb.RENAME, self.path.removesuffix("/content"), other)
        self.name = other

    @rule()
    def recreate(self) -> None:
        """Remove the document, and make another one with its name."""
        report = self.item.id
        self.world.call("alice", Verb.REMOVE, self.path.removesuffix("/content"))
        self.world.call("alice", Verb.CREATE, self.path.removesuffix("/content"))
        self.kept = {key: files for key, files in self.kept.items() if key[0] != report}
        self.letters = {key: one for key, one in self.letters.items() if key[0] != "report"}
        self.shown, self.writer = set(), "alice"
        self.world.write("alice", self.path, "Nothing.\n")

    @invariant()
    def what_was_kept_is_as_it_was(self) -> None:
        if not hasattr(self, "kept"):
            return
        report = self.item
        marks = {mark.rel.split("/")[1] for mark in self.world.world.leaves.under(report.id, "snapshots")}
        assert marks == {name for id, name in self.kept if id == report.id}
        for (id, name), files in self.kept.items():
            assert self.read(report._replace(id=id), name) == files

    @invariant()
    def readers_of_the_document_alone_see_them(self) -> None:
        if not hasattr(self, "kept"):
            return
        for person in ("bob", "carol"):
            reads = self.may(person, "report", "r")
            try:
                self.world.read(person, f"{self.path.removesuffix('content')}snapshots")
                assert reads
            except (Denied, NotFound):
                assert not reads

    def read(self, report: Item, name: str) -> dict[str, bytes]:
        found = {}
        for rel, ref in stored_files(self.world, report, name).items():
            with self.world.world.blobs.open(ref) as file:
                found[rel] = file.read()
        return found


def _file(name: str) -> str:
    return {"three": "@bob~three", "board": "board.grid"}.get(name, name)


def test_snapshots_never_change_and_hold_only_visible_things() -> None:
    few = settings(max_examples=10, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(SnapshotWalk, settings=few)
