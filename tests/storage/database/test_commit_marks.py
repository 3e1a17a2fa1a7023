"""Marks of commits: read by every process of a host, and never relied upon where somebody leaves none."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.database.commit_marks import SLOTS, TRUST_SECONDS, CommitMarks

FULL = Path("/dev/full")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "commits"


@pytest.fixture
def pair(path: Path) -> Iterator[tuple[CommitMarks, CommitMarks]]:
    """The marks of two processes."""
    with closing(CommitMarks(path)) as one, closing(CommitMarks(path)) as other:
        yield one, other


def commit(marks: CommitMarks) -> float:
    """Mark a commit that takes no time; the seconds that the marking took."""
    began = time.monotonic()
    with marks.committing():
        pass
    return time.monotonic() - began


def in_child(call: object) -> int:
    """What a forked process ends with, where `call` does not end it itself."""
    child = os.fork()
    if not child:
        assert callable(call)
        call()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class TestReading:
    def test_they_stay_while_nobody_commits(self, pair: tuple[CommitMarks, CommitMarks]) -> None:
        one, other = pair
        assert one.read() == one.read() == other.read() is not None

    @given(st.lists(st.integers(0, 1), min_size=1, max_size=20))
    def test_every_commit_of_whomever_changes_them_for_all(self, who: list[int]) -> None:
        path = Path(f"/dev/shm/curlew-{os.getpid()}-{time.monotonic_ns()}")
        try:
            with closing(CommitMarks(path)) as one, closing(CommitMarks(path)) as other:
                found = [one.read()]
                for which in who:
                    commit((one, other)[which])
                    assert one.read() == other.read()
                    found.append(one.read())
                assert len(set(found)) == len(found)
                assert None not in found
        finally:
            path.unlink()

    def test_nobody_can_rely_on_them_amid_a_commit(self, pair: tuple[CommitMarks, CommitMarks]) -> None:
        one, other = pair
        with one.committing(), other.committing():
            assert one.read() is None
            assert other.read() is None
        assert one.read() == other.read() is not None

    def test_a_commit_that_fails_is_over(self, pair: tuple[CommitMarks, CommitMarks]) -> None:
        one, other = pair
        before = other.read()
        with pytest.raises(ZeroDivisionError), one.committing():
            raise ZeroDivisionError
        assert other.read() not in (None, before)

    def test_a_slot_goes_over_and_its_counts_go_on(self, path: Path) -> None:
        with closing(CommitMarks(path)) as reader:
            found = []
            for _ in range(3):
                with closing(CommitMarks(path)) as next_one:
                    commit(next_one)
                found.append(reader.read())
        assert len(set(found)) == len(found)
        assert path.stat().st_mode & 0o777 == 0o600


class TestProcesses:
    def test_whoever_dies_amid_a_commit_leaves_the_others_asking_until_it_is_back(self, path: Path) -> None:
        def die() -> None:
            with CommitMarks(path).committing():
                os._exit(7)

        with closing(CommitMarks(path)) as reader:
            assert in_child(die) == 7
            assert reader.read() is None
            with closing(CommitMarks(path)):
                assert reader.read() is not None

    def test_a_child_has_a_slot_of_its_own(self, path: Path) -> None:
        with closing(CommitMarks(path)) as parent:
            before = parent.read()
            commit(parent)
            between = parent.read()
            assert in_child(lambda: commit(CommitMarks(path))) == 0
            assert len({before, between, parent.read()}) == 3


class TestWithoutASlot:
    def test_one_too_many_waits_until_nobody_relies_on_what_it_cannot_mark(self, path: Path) -> None:
        with ExitStack() as stack:
            first, *_, last = (stack.enter_context(closing(CommitMarks(path))) for _ in range(SLOTS + 1))
            assert commit(last) >= TRUST_SECONDS
            assert min(commit(first) for _ in range(20)) < TRUST_SECONDS
            assert last.read() == first.read() is not None

    @pytest.mark.parametrize("place", [Path("nowhere/commits"), FULL], ids=str)
    def test_so_does_one_that_can_write_no_file(self, tmp_path: Path, place: Path) -> None:
        with closing(CommitMarks(tmp_path / place)) as marks:
            assert commit(marks) >= TRUST_SECONDS

    def test_a_link_in_its_place_is_not_followed(self, tmp_path: Path, path: Path) -> None:
        path.symlink_to(tmp_path / "target")
        with closing(CommitMarks(path)) as marks:
            assert marks.read() is None
        assert not (tmp_path / "target").exists()

    def test_closed_ones_tell_nothing(self, path: Path) -> None:
        marks = CommitMarks(path)
        marks.close()
        marks.close()
        assert marks.read() is None
        assert commit(marks) >= TRUST_SECONDS
