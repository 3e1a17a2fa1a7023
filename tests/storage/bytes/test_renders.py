"""Renders are kept whole, and the least used go when the folder is full."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.bytes.renders import HEAD_SIZE, KEPT_SHARE, RenderStore, even_share
from tests.kit.disk.flushes import counted_flushes
from vfs.errors import Unavailable
from vfs.ports.disk import DiskState, UnlimitedDisk

LARGER = (64 << 10) + 1


def test_a_render_is_kept_with_its_media_type_and_notes(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    with counted_flushes() as seen:
        store.put("ab12", b"bytes", "image/png", ("a note",))
    assert seen.single >= 2, "a power cut must leave no part of a render under its name"
    kept = RenderStore(tmp_path, 1 << 20).get("ab12")
    assert kept is not None
    with kept.open() as file:
        body = file.read()
    assert (body, kept.size, kept.media, kept.notes) == (
        b"bytes",
        5,
        "image/png",
        ("a note",),
    )


def test_a_render_that_was_swept_meanwhile_is_requested_again(tmp_path: Path) -> None:
    kept = RenderStore(tmp_path, 1 << 20).put("ab12", b"0123456789", "text/plain", ())
    kept.path.unlink()
    with pytest.raises(Unavailable):
        kept.open()


def test_a_render_that_was_replaced_meanwhile_is_requested_again(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    kept = store.put("ab12", b"0123456789", "text/plain", ())
    store.put("ab12", b"another", "text/plain", ())
    with pytest.raises(Unavailable):
        kept.open()


def test_a_store_that_nobody_used_makes_no_folder(tmp_path: Path) -> None:
    store = RenderStore(tmp_path / "renders", 1 << 20)
    assert (store.get("ab12"), store.usage(), store.sweep()) == (None, (0, 0), 0)
    assert list(tmp_path.iterdir()) == []


def test_a_render_may_be_kept_for_a_while(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    store.put("ab12", b"broken", "image/png", (), seconds=0)
    store.put("cd34", b"broken", "image/png", (), seconds=60)
    assert (store.get("ab12"), store.get("cd34") is not None) == (None, True)


def test_what_was_never_rendered_is_not_there(tmp_path: Path) -> None:
    assert RenderStore(tmp_path, 1 << 20).get("ffff") is None


def test_a_broken_head_is_as_if_nothing_were_kept(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    kept = store.put("ab12", b"bytes", "image/png", ())
    kept.path.with_suffix(".json").write_text("{")
    assert store.get("ab12") is None


def test_the_least_used_go_when_the_folder_is_full(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 10_000)
    for index in range(12):
        kept = store.put(f"{index:04x}", b"x" * 1000, "text/plain", ())
        for path in (kept.path, kept.path.with_suffix(".json")):
            os.utime(path, (1_000_000 + index, 1_000_000 + index))
    store.sweep()
    present = [index for index in range(12) if store.get(f"{index:04x}")]
    assert store.usage()[0] == len(present)
    assert len(list(tmp_path.glob("??/*"))) == 2 * len(present)
    assert present == list(range(12 - len(present), 12))
    assert 6 <= len(present) <= 9


def test_a_use_keeps_a_render_from_going_first(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 3_000)
    for index in range(3):
        kept = store.put(f"{index:04x}", b"x" * 900, "text/plain", ())
        os.utime(kept.path, (1_000_000 + index, 1_000_000 + index))
        os.utime(kept.path.with_suffix(".json"))
    assert store.get("0000") is not None
    store.put("0003", b"x" * 900, "text/plain", ())
    store.sweep()
    assert store.get("0000") is not None
    assert store.get("0001") is None


def test_what_a_server_sends_from_a_file_is_one(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    store.put("ab12", b"x" * LARGER, "application/pdf", ())
    kept = store.get("ab12")
    assert kept is not None
    with kept.open() as file:
        assert os.fstat(file.fileno()).st_size == kept.size == LARGER


def test_a_file_that_is_known_is_looked_at_each_time(tmp_path: Path) -> None:
    store, other = (RenderStore(tmp_path, 1 << 20) for _ in range(2))
    store.put("ab12", b"x" * LARGER, "application/pdf", ())
    other.put("ab12", b"y" * (LARGER + 1), "application/pdf", ("made anew",))
    kept = store.get("ab12")
    assert kept is not None
    assert (kept.size, kept.notes) == (LARGER + 1, ("made anew",))
    (tmp_path / "ab" / "ab12").unlink()
    assert store.get("ab12") is None


def test_a_use_is_noted_on_the_disk(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 1 << 20)
    kept = store.put("ab12", b"bytes", "text/plain", ())
    os.utime(kept.path, (1_000_000, 1_000_000))
    assert store.get("ab12") is not None
    assert kept.path.stat().st_mtime > 1_000_000


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 900)), max_size=40))
@settings(max_examples=40, deadline=None)
def test_nobody_loses_a_render_for_others_within_an_even_share(renders: list[tuple[str, int]]) -> None:
    most = 6_000
    with TemporaryDirectory() as folder:
        store = RenderStore(Path(folder), most)
        made: dict[str, tuple[str, int]] = {}
        for index, (owner, size) in enumerate(renders):
            digest = f"{index:04x}"
            kept = store.put(digest, b"x" * size, "text/plain", (), owner=owner)
            os.utime(kept.path, (1_000_000 + index, 1_000_000 + index))
            made[digest] = owner, size + HEAD_SIZE
        before = present(Path(folder))
        store.sweep()
        held = present(Path(folder))
        assert store.usage()[1] <= most
        share = int(most * KEPT_SHARE) // len({owner for owner, _ in renders} or {""})
        for owner in {owner for owner, _ in renders}:
            own = [digest for digest in before if made[digest][0] == owner]
            if sum(made[digest][1] for digest in made if made[digest][0] == owner) <= share:
                assert set(own) <= set(held)
            left = [digest for digest in held if made[digest][0] == owner]
            assert left == own[len(own) - len(left) :]


def present(folder: Path) -> list[str]:
    """The renders that are there, in order."""
    return sorted(path.name for path in folder.glob("??/*") if path.suffix != ".json")


def test_a_user_who_renders_much_displaces_only_their_renders(tmp_path: Path) -> None:
    store = RenderStore(tmp_path, 100_000)
    others = [f"{index:04x}" for index in range(20)]
    for digest in others:
        store.put(digest, b"x" * 1_000, "text/plain", (), owner=f"reader{digest}")
    for index in range(500):
        store.put(f"ff{index:04x}", b"y" * 5_000, "text/html", (), owner="heavy")
    assert all(store.get(digest) for digest in others)
    assert store.get("ff01f3") is not None
    assert store.usage()[1] < 110_000


@given(st.lists(st.integers(0, 1_000), max_size=9), st.integers(0, 3_000))
def test_an_even_share_is_the_most_that_all_may_keep(sizes: list[int], whole: int) -> None:
    share = even_share(sizes, whole)
    assert sum(min(size, share) for size in sizes) <= whole
    if sum(sizes) > whole:
        assert sum(min(size, share + 1) for size in sizes) > whole
    else:
        assert all(size <= share for size in sizes)


class FullDisk:
    """A disk without room (vfs.ports.disk.DiskRoom)."""

    def room(self) -> DiskState:
        return DiskState.FULL


@pytest.mark.parametrize("cause", ["full", "unwritable", "half"])
def test_a_render_that_cannot_be_kept_is_answered(tmp_path: Path, cause: str) -> None:
    folder = tmp_path / "renders"
    if cause == "unwritable":
        folder.touch()
    if cause == "half":
        (folder / "ab" / "ab12.json" / "in the way").mkdir(parents=True)
    store = RenderStore(folder, 1 << 20, disk=FullDisk() if cause == "full" else UnlimitedDisk())
    made = store.put("ab12", b"picture", "image/png", ("a note",), seconds=9)
    with made.open() as file:
        assert file.read() == b"picture"
    assert (made.size, made.media, made.notes, made.passing) == (7, "image/png", ("a note",), True)
    assert [path.name for path in tmp_path.rglob(".*")] == []
