"""Spaces as steps see them: exported whole, written back whole, by however many runs at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chains.files.run_folders import check
from chains.plan.model import MountedSpace
from chains.runs.records import Order
from chains.runs.rights import Use
from chains.spaces.ports import Changed, Snapshot
from handlers.services.rights import PresentRights
from handlers.services.space_mounts import SpaceMounting
from tests.handlers.household import Household
from tests.kit.suites.chains import at_once
from vfs.access import Grant
from vfs.errors import Denied, TooLarge
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

FILES = 12
WRITERS = 4
ROUNDS = 3
LARGE = 200_000


def space(household: Household, name: str, **files: str) -> int:
    """A space of alice's with files."""
    world = household.world
    item = world.items.create("space", "alice", name)
    for path, text in files.items():
        world.code.spaces.put(item.id, path, world.blobs.add([text.encode()], "text/plain"))
    return item.id


def texts(household: Household, space: int) -> dict[str, str]:
    """What the files of a space hold."""
    found = {}
    for entry in household.world.code.spaces.below(space, ""):
        if entry.blob is not None:
            with household.world.blobs.open(entry.blob) as file:
                found[entry.path] = file.read().decode()
    return found


def exported(household: Household, space: int, folder: Path) -> Snapshot:
    folder.mkdir(parents=True)
    return mounting(household).export(space, folder)


def mounting(household: Household) -> SpaceMounting:
    return SpaceMounting(household.world, PresentRights(household.world))


def changed(space: int, folder: Path, snapshot: Snapshot, people: str = "alice") -> Changed:
    use = Use("space", "alice", "notes", space, "rw", frozenset({people}))
    return Changed(0, space, use, check(folder, 1 << 30), snapshot)


def modified(household: Household, space: int) -> str:
    """When the space was changed last."""
    found = household.world.items.at(space, None)
    assert found is not None
    return found.item.last_modified


def check_journal(household: Household, space: int) -> None:
    """The journal has no gap, and tells the content when it is played from the beginning."""
    spaces, told = household.world.code.spaces, dict[str, str | None]()
    changes = spaces.changes(space, 0, 1 << 20)
    assert [change.seq for change in changes] == list(range(1, len(changes) + 1))
    for change in changes:
        if change.deed == "delete":
            told.pop(change.path)
        else:
            told[change.path] = change.digest
    entries = spaces.below(space, "")
    assert told == {entry.path: entry.blob and entry.blob.digest for entry in entries}
    assert spaces.usage(space).size == sum(entry.blob.size for entry in entries if entry.blob)


def test_only_what_a_step_changed_is_written(household: Household, tmp_path: Path) -> None:
    notes, folder = space(household, "notes", kept="1", edited="2", gone="3"), tmp_path / "copy"
    snapshot = exported(household, notes, folder)
    before = household.world.code.spaces.usage(notes).seq
    (folder / "edited").write_text("two")
    (folder / "gone").unlink()
    (folder / "d").mkdir()
    (folder / "d" / "new").write_text("4")
    household.clock.forward(60)
    mounting(household).write_back([changed(notes, folder, snapshot)])
    assert texts(household, notes) == {"kept": "1", "edited": "two", "d/new": "4"}
    changes = household.world.code.spaces.changes(notes, before, 99)
    assert {(change.path, str(change.deed)) for change in changes} == {
        ("gone", "delete"), ("edited", "update"), ("d", "create"), ("d/new", "create"),
    }  # fmt: skip
    check_journal(household, notes)
    assert modified(household, notes) == stamp(household.clock.now())


def test_what_a_step_left_as_it_was_is_not_written(household: Household, tmp_path: Path) -> None:
    notes, folder = space(household, "notes", kept="1"), tmp_path / "copy"
    snapshot = exported(household, notes, folder)
    before = household.world.code.spaces.usage(notes), modified(household, notes)
    household.clock.forward(60)
    (folder / "kept").write_text("1")
    mounting(household).write_back([changed(notes, folder, snapshot)])
    assert (household.world.code.spaces.usage(notes), modified(household, notes)) == before


def test_runs_that_write_at_once_never_mix_their_files(household: Household, tmp_path: Path) -> None:
    notes = space(household, "notes", gone="x", **{f"f{number}": "old" for number in range(FILES)})
    other = space(household, "other", total="0")

    def write(writer: int, turn: int) -> None:
        spaces, name = mounting(household), f"{turn}-{writer}"
        with household.world.session():
            pairs = [(one, tmp_path / name / str(one)) for one in (notes, other)]
            ready = [(one, folder, exported(household, one, folder)) for one, folder in pairs]
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
            kept = {rel: text for rel, text in texts(household, one).items() if not rel.startswith("by-")}
            assert len(set(kept.values())) == 1, "the last writer's files are all there, and whole"
            assert len(next(iter(kept.values()))) > LARGE - 9
            check_journal(household, one)
        assert "gone" not in texts(household, notes)


def test_nothing_is_written_when_one_space_takes_no_more(household: Household, tmp_path: Path) -> None:
    notes, full = space(household, "notes", a="1"), space(household, "full", a="1")
    household.world.code.spaces.quota = 10  # type: ignore[misc]
    ready = []
    for one in (notes, full):
        folder = tmp_path / str(one)
        ready.append((one, folder, exported(household, one, folder)))
        (folder / "a").write_text("22" if one == notes else "x" * 11)
    with pytest.raises(TooLarge, match="may hold 10 bytes"):
        mounting(household).write_back([changed(*one) for one in ready])
    assert texts(household, notes) == texts(household, full) == {"a": "1"}
    check_journal(household, notes)


def test_a_copy_may_grow_by_what_the_space_and_its_owner_leave(household: Household) -> None:
    notes, quotas = space(household, "notes", a="12345"), household.world.service.quotas
    household.world.code.spaces.quota = 1000  # type: ignore[misc]
    assert mounting(household).room(notes) == 995
    quotas.set("alice", {QuotaName.STORAGE: quotas.one("alice", QuotaName.STORAGE).use + 7})
    assert mounting(household).room(notes) == 7
    assert mounting(household).room(0) == 0


def test_a_space_that_is_gone_takes_nothing(household: Household, tmp_path: Path) -> None:
    notes, folder = space(household, "notes", a="1"), tmp_path / "copy"
    snapshot = exported(household, notes, folder)
    (folder / "a").write_text("2")
    found = household.world.items.find("space", "alice", "notes", "alice")
    assert found is not None
    household.world.items.remove(found.item)
    with pytest.raises(Denied, match="notes was removed"):
        mounting(household).write_back([changed(notes, folder, snapshot)])


def test_nothing_is_written_into_a_space_that_may_be_read_alone(household: Household, tmp_path: Path) -> None:
    notes, folder = space(household, "notes", a="1"), tmp_path / "copy"
    snapshot = exported(household, notes, folder)
    (folder / "a").write_text("2")
    for letters, may in (("r", False), ("rw", True)):
        household.world.grants.give(notes, Grant("@bob", letters, f"@bob~{letters}"))
        change = changed(notes, folder, snapshot, "bob")
        if not may:
            with pytest.raises(Denied, match="@bob may not use /u/alice/s/notes any more"):
                mounting(household).write_back([change])
        assert texts(household, notes) == {"a": "1"}
    mounting(household).write_back([change])
    assert texts(household, notes) == {"a": "2"}


def test_a_run_of_an_earlier_release_mounts_by_name_and_right(household: Household) -> None:
    notes = space(household, "notes")
    order = Order(1, "20261121-074416-00000001", "api", "curl", "bob", None, None, author="bob")
    run = household.world.code.runs.queue.submit(replace(order, spaces="n => /u/alice/s/notes"))
    run = replace(run, origin_owner="alice")
    with pytest.raises(Denied, match="@bob may not use /u/alice/s/notes: "):
        mounting(household).spaces(run)
    household.world.grants.give(notes, Grant("@bob", "r", "@bob~r"))
    assert mounting(household).spaces(run) == (MountedSpace("n", notes, False, "alice", "notes"),)


def test_what_was_recorded_without_its_item_is_asked_by_its_name(household: Household) -> None:
    use = Use("space", "alice", "notes", None, "r", frozenset({"alice"}))
    rights = PresentRights(household.world)
    assert rights.refusal([use]) is not None
    space(household, "notes")
    assert rights.refusal([use]) is None
