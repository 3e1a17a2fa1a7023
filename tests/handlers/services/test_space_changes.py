"""Spaces as steps see them: exported whole, written back whole, by however many runs at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chains.files.run_folders import check
from chains.plan.model import MountedSpace
from chains.runs.records import Order
from chains.runs.rights import Use
from chains.spaces.space import Changed, Snapshot
from handlers.services.rights import PresentRights
from handlers.services.space_changes import SpaceMounting
from tests.handlers.service_world import ServiceWorld
from tests.kit.suites.chains import at_once
from vfs.access import Grant
from vfs.errors import Denied, TooLarge
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

FILES = 12
WRITERS = 4
ROUNDS = 3
LARGE = 200_000


def space(service_world: ServiceWorld, name: str, **files: str) -> int:
    """A space of alice's with files."""
    world = service_world.world
    item = world.items.create("space", "alice", name)
    for path, text in files.items():
        world.code.spaces.put(item.id, path, world.blobs.add([text.encode()], "text/plain"))
    return item.id


def texts(service_world: ServiceWorld, space: int) -> dict[str, str]:
    """Return the texts of the files of a space."""
    found = {}
    for entry in service_world.world.code.spaces.below(space, ""):
        if entry.blob is not None:
            with service_world.world.blobs.open(entry.blob) as file:
                found[entry.path] = file.read().decode()
    return found


def exported(service_world: ServiceWorld, space: int, folder: Path) -> Snapshot:
    folder.mkdir(parents=True)
    return mounting(service_world).export(space, folder)


def mounting(service_world: ServiceWorld) -> SpaceMounting:
    return SpaceMounting(service_world.world, PresentRights(service_world.world))


def changed(space: int, folder: Path, snapshot: Snapshot, people: str = "alice") -> Changed:
    use = Use("space", "alice", "notes", space, "rw", frozenset({people}))
    return Changed(0, space, use, check(folder, 1 << 30), snapshot)


def modified(service_world: ServiceWorld, space: int) -> str:
    """Return the time of the last change of the space."""
    found = service_world.world.items.at(space, None)
    assert found is not None
    return found.item.last_modified


def check_journal(service_world: ServiceWorld, space: int) -> None:
    """The journal has no gap, and tells the content when it is played from the beginning."""
    spaces, replayed = service_world.world.code.spaces, dict[str, str | None]()
    changes = spaces.changes(space, 0, 1 << 20)
    assert [change.seq for change in changes] == list(range(1, len(changes) + 1))
    for change in changes:
        if change.kind == "delete":
            replayed.pop(change.path)
        else:
            replayed[change.path] = change.digest
    entries = spaces.below(space, "")
    assert replayed == {entry.path: entry.blob and entry.blob.digest for entry in entries}
    assert spaces.usage(space).size == sum(entry.blob.size for entry in entries if entry.blob)


def test_only_what_a_step_changed_is_written(service_world: ServiceWorld, tmp_path: Path) -> None:
    notes, folder = space(service_world, "notes", kept="1", edited="2", gone="3"), tmp_path / "copy"
    snapshot = exported(service_world, notes, folder)
    before = service_world.world.code.spaces.usage(notes).seq
    (folder / "edited").write_text("two")
    (folder / "gone").unlink()
    (folder / "d").mkdir()
    (folder / "d" / "new").write_text("4")
    service_world.clock.forward(60)
    mounting(service_world).write_back([changed(notes, folder, snapshot)])
    assert texts(service_world, notes) == {"kept": "1", "edited": "two", "d/new": "4"}
    changes = service_world.world.code.spaces.changes(notes, before, 99)
    assert {(change.path, str(change.kind)) for change in changes} == {
        ("gone", "delete"), ("edited", "update"), ("d", "create"), ("d/new", "create"),
    }  # fmt: skip
    check_journal(service_world, notes)
    assert modified(service_world, notes) == stamp(service_world.clock.now())


def test_files_that_a_step_did_not_change_are_not_written(
    service_world: ServiceWorld, tmp_path: Path
) -> None:
    notes, folder = space(service_world, "notes", kept="1"), tmp_path / "copy"
    snapshot = exported(service_world, notes, folder)
    before = service_world.world.code.spaces.usage(notes), modified(service_world, notes)
    service_world.clock.forward(60)
    (folder / "kept").write_text("1")
    mounting(service_world).write_back([changed(notes, folder, snapshot)])
    assert (service_world.world.code.spaces.usage(notes), modified(service_world, notes)) == before


def test_runs_that_write_at_once_never_mix_their_files(service_world: ServiceWorld, tmp_path: Path) -> None:
    notes = space(service_world, "notes", gone="x", **{f"f{number}": "old" for number in range(FILES)})
    other = space(service_world, "other", total="0")

    def write(writer: int, turn: int) -> None:
        spaces, name = mounting(service_world), f"{turn}-{writer}"
        with service_world.world.session():
            pairs = [(one, tmp_path / name / str(one)) for one in (notes, other)]
            ready = [(one, folder, exported(service_world, one, folder)) for one, folder in pairs]
            for _, folder, snapshot in ready:
                for rel in snapshot:
                    (folder / rel).write_text(name * (LARGE // len(name)))
                (folder / f"by-{name}").write_text(name)
            (ready[0][1] / "gone").unlink(missing_ok=True)
            # The order in which a run mounts its spaces is its own.
            spaces.write_back([changed(*one) for one in ready[:: 1 if writer % 2 else -1]])

    for turn in range(ROUNDS):
        answers = at_once(*[lambda w=w, turn=turn: write(w, turn) for w in range(WRITERS)])  # type: ignore[misc]
        assert answers == [None] * WRITERS
        for one in (notes, other):
            kept = {rel: text for rel, text in texts(service_world, one).items() if not rel.startswith("by-")}
            assert len(set(kept.values())) == 1, "the last writer's files are all there, and whole"
            assert len(next(iter(kept.values()))) > LARGE - 9
            check_journal(service_world, one)
        assert "gone" not in texts(service_world, notes)


def test_nothing_is_written_when_one_space_takes_no_more(service_world: ServiceWorld, tmp_path: Path) -> None:
    notes, full = space(service_world, "notes", a="1"), space(service_world, "full", a="1")
    service_world.world.code.spaces.quota = 10  # type: ignore[misc]
    ready = []
    for one in (notes, full):
        folder = tmp_path / str(one)
        ready.append((one, folder, exported(service_world, one, folder)))
        (folder / "a").write_text("22" if one == notes else "x" * 11)
    with pytest.raises(TooLarge, match="may hold 10 bytes"):
        mounting(service_world).write_back([changed(*one) for one in ready])
    assert texts(service_world, notes) == texts(service_world, full) == {"a": "1"}
    check_journal(service_world, notes)


def test_a_copy_may_grow_by_what_the_space_and_its_owner_leave(service_world: ServiceWorld) -> None:
    notes, quotas = space(service_world, "notes", a="12345"), service_world.world.service.quotas
    service_world.world.code.spaces.quota = 1000  # type: ignore[misc]
    assert mounting(service_world).room(notes) == 995
    quotas.set("alice", {QuotaName.STORAGE: quotas.one("alice", QuotaName.STORAGE).use + 7})
    assert mounting(service_world).room(notes) == 7
    assert mounting(service_world).room(0) == 0


def test_a_space_that_is_gone_takes_nothing(service_world: ServiceWorld, tmp_path: Path) -> None:
    notes, folder = space(service_world, "notes", a="1"), tmp_path / "copy"
    snapshot = exported(service_world, notes, folder)
    (folder / "a").write_text("2")
    found = service_world.world.items.find("space", "alice", "notes", "alice")
    assert found is not None
    service_world.world.items.remove(found.item)
    with pytest.raises(Denied, match="notes was removed"):
        mounting(service_world).write_back([changed(notes, folder, snapshot)])


def test_nothing_is_written_into_a_space_that_may_be_read_alone(
    service_world: ServiceWorld, tmp_path: Path
) -> None:
    notes, folder = space(service_world, "notes", a="1"), tmp_path / "copy"
    snapshot = exported(service_world, notes, folder)
    (folder / "a").write_text("2")
    for letters, may in (("r", False), ("rw", True)):
        service_world.world.grants.give(notes, Grant("@bob", letters, f"@bob~{letters}"))
        change = changed(notes, folder, snapshot, "bob")
        if not may:
            with pytest.raises(Denied, match="@bob may not use /u/alice/s/notes any more"):
                mounting(service_world).write_back([change])
        assert texts(service_world, notes) == {"a": "1"}
    mounting(service_world).write_back([change])
    assert texts(service_world, notes) == {"a": "2"}


def test_a_run_of_an_earlier_release_mounts_by_name_and_right(service_world: ServiceWorld) -> None:
    notes = space(service_world, "notes")
    order = Order(1, "20261121-074416-00000001", "api", "curl", "bob", None, None, author="bob")
    run = service_world.world.code.runs.queue.submit(replace(order, spaces="n => /u/alice/s/notes"))
    run = replace(run, origin_owner="alice")
    with pytest.raises(Denied, match="@bob may not use /u/alice/s/notes: "):
        mounting(service_world).spaces(run)
    service_world.world.grants.give(notes, Grant("@bob", "r", "@bob~r"))
    assert mounting(service_world).spaces(run) == (MountedSpace("n", notes, False, "alice", "notes"),)


def test_a_use_that_was_recorded_without_its_item_is_checked_by_name(service_world: ServiceWorld) -> None:
    use = Use("space", "alice", "notes", None, "r", frozenset({"alice"}))
    rights = PresentRights(service_world.world)
    assert rights.refusal([use]) is not None
    space(service_world, "notes")
    assert rights.refusal([use]) is None
