"""Commits that the server makes of changed files, compared with what git itself would hold."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains.builds.repositories import CommitOrder, FileChange, ref_text
from storage.git.checkout import list_tree
from storage.git.repositories import GitRepositories
from vfs.errors import Conflict, Invalid, NotFound, Outdated, TooLarge, VfsError

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ITEM = 1


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    made = GitRepositories(tmp_path / "repos", hook=("true",))
    made.create(ITEM)
    return made


def order(*changes: FileChange, branch: str = "main", parent: str = "", starts: bool = False) -> CommitOrder:
    return CommitOrder(branch, changes, "Change it", "alice", AT, parent or None, starts)


def write(repositories: GitRepositories, *changes: FileChange, **more: object) -> str:
    return repositories.write(ITEM, order(*changes, **more), {}).commit  # type: ignore[arg-type]


def put(path: str, text: str = "x\n", *, fresh: bool = False) -> FileChange:
    return FileChange(path, text.encode(), fresh=fresh)


def files(repositories: GitRepositories, commit: str) -> dict[str, tuple[str, bytes]]:
    """The files of a commit with their modes, as git tells them."""
    entries = git(repositories, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
    found = {}
    for line in entries:
        about, _, path = line.partition(b"\t")
        mode, _, id = about.split()
        found[ref_text(path)] = (mode.decode(), git(repositories, "cat-file", "blob", id.decode()))
    return found


def git(repositories: GitRepositories, *words: str) -> bytes:
    return subprocess.run(
        ["git", "-c", "safe.directory=*", *words],
        cwd=repositories.path(ITEM),
        capture_output=True,
        check=True,
    ).stdout


def test_the_first_commit_begins_the_repository(repositories: GitRepositories) -> None:
    sha = write(repositories, put("main.py", "print('ä')\n"), put("notes/one.md", ""))
    assert {label: ref.commit for label, ref in repositories.labels(ITEM).items()} == {
        "latest": sha,
        "main": sha,
    }
    commit = repositories.commit(ITEM, sha)
    assert commit is not None
    assert (commit.author, commit.date, commit.message) == (
        "alice <alice>",
        "2026-01-02T03:04:05.000Z",
        "Change it",
    )
    assert files(repositories, sha) == {
        "main.py": ("100644", "print('ä')\n".encode()),
        "notes/one.md": ("100644", b""),
    }


def test_a_file_keeps_its_mode_when_it_is_written(repositories: GitRepositories) -> None:
    write(repositories, put("run.sh"))
    git(repositories, "update-ref", "refs/heads/main", executable(repositories))
    sha = write(repositories, put("run.sh", "echo\n"))
    assert files(repositories, sha) == {"run.sh": ("100755", b"echo\n")}


def executable(repositories: GitRepositories) -> str:
    blob = git(repositories, "rev-parse", "main:run.sh").strip().decode()
    made = subprocess.run(
        ["git", "mktree"], input=f"100755 blob {blob}\trun.sh\n".encode(), cwd=repositories.path(ITEM),
        capture_output=True, check=True,
    ).stdout.strip().decode()  # fmt: skip
    return (
        git(repositories, "-c", "user.name=a", "-c", "user.email=a", "commit-tree", made, "-m", "x")
        .strip()
        .decode()
    )


def test_a_file_that_a_push_changed_is_not_replaced(repositories: GitRepositories) -> None:
    seen = write(repositories, put("a", "1\n"), put("b", "1\n"))
    pushed = write(repositories, put("a", "2\n"))
    with pytest.raises(Outdated) as refused:
        write(repositories, put("a", "3\n"), parent=seen)
    assert refused.value.members == {"changed": ["a"], "commit": pushed}
    assert files(repositories, "main")["a"][1] == b"2\n"


def test_what_a_push_left_alone_is_committed_on_top_of_it(repositories: GitRepositories) -> None:
    seen = write(repositories, put("a", "1\n"), put("b", "1\n"))
    pushed = write(repositories, put("a", "2\n"))
    sha = write(repositories, put("b", "3\n"), parent=seen)
    commit = repositories.commit(ITEM, sha)
    assert commit is not None
    assert commit.parents == (pushed,)
    assert {path: one[1] for path, one in files(repositories, sha).items()} == {"a": b"2\n", "b": b"3\n"}


def test_a_branch_is_started_from_a_commit(repositories: GitRepositories) -> None:
    seen = write(repositories, put("a"))
    sha = write(repositories, put("b"), branch="feature/x", parent=seen, starts=True)
    assert repositories.branches(ITEM) == {"main": seen, "feature/x": sha}
    with pytest.raises(Conflict, match="already"):
        write(repositories, put("c"), branch="feature/x", parent=seen, starts=True)
    with pytest.raises(NotFound):
        write(repositories, put("c"), branch="other")


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "a.lock", "", "@{", "x/"])
def test_no_branch_has_a_name_that_git_refuses(repositories: GitRepositories, branch: str) -> None:
    with pytest.raises(Invalid):
        write(repositories, put("a"), branch=branch)


def test_what_does_not_fit_changes_nothing(repositories: GitRepositories) -> None:
    seen = write(repositories, put("folder/a"), put("file"))
    for change in (
        put("folder"), put("file/below"), put("file", fresh=True), FileChange("none"), put("file"),
        FileChange("file", to="folder"), FileChange("none", to="x"), FileChange("file", to="file"),
    ):  # fmt: skip
        with pytest.raises(Conflict):
            write(repositories, change)
    assert repositories.branches(ITEM) == {"main": seen}


def test_a_folder_is_moved_and_removed_whole(repositories: GitRepositories) -> None:
    write(repositories, put("a/b/one"), put("a/two"), put("three"))
    sha = write(repositories, FileChange("a", to="c/d"))
    assert set(files(repositories, sha)) == {"c/d/b/one", "c/d/two", "three"}
    sha = write(repositories, FileChange("c"), put("c", "a file now\n"))
    assert set(files(repositories, sha)) == {"c", "three"}


def test_nobody_loses_a_commit_in_a_race(repositories: GitRepositories) -> None:
    write(repositories, put("first"))
    refused: list[VfsError] = []

    def commit(number: int) -> None:
        try:
            write(repositories, put(f"file-{number}"))
        except Conflict as error:
            refused.append(error)

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(files(repositories, "main")) == 1 + 4 - len(refused)


def test_hooks_refuse_a_commit_as_they_do_a_push(repositories: GitRepositories) -> None:
    with pytest.raises(Conflict, match="would queue 1 builds"):
        repositories.write(ITEM, order(put("a")), {"CURLEW_BUILDS": "0"})
    with pytest.raises(Conflict, match="storage quota is full"):
        repositories.write(
            ITEM, order(put("a", "x" * 400_000), put("b", random_text())), {"CURLEW_ROOM": "0"}
        )
    assert repositories.refs(ITEM) == []


def random_text() -> str:
    """A text that no pack makes smaller."""
    return os.urandom(200_000).hex()


def test_more_files_than_a_server_reads_are_left_to_git(repositories: GitRepositories) -> None:
    sha = write(repositories, put("a"), put("b"), put("c"))
    assert len(list(list_tree(repositories.git, repositories.path(ITEM), sha, 3))) == 3
    with pytest.raises(TooLarge):
        list(list_tree(repositories.git, repositories.path(ITEM), sha, 2))


def test_nothing_is_left_beside_the_repository(repositories: GitRepositories) -> None:
    write(repositories, put("a"))
    with pytest.raises(Conflict):
        write(repositories, put("a"))
    assert {path.name for path in repositories.folder.iterdir()} == {"1.git", "gitconfig", "hooks"}


NAMES = st.text("ab\"ä '#*?:~\\\t\u2028\N{BIRD}-", min_size=1, max_size=5)
PATHS = st.lists(NAMES | st.sampled_from("ab"), min_size=1, max_size=3).map("/".join)
CHANGES = st.lists(
    st.one_of(
        st.builds(FileChange, PATHS, st.binary(max_size=20)),
        st.builds(FileChange, PATHS),
        st.builds(FileChange, PATHS, st.none(), PATHS),
    ),
    min_size=1,
    max_size=6,
)


class Model:
    """A flat table of paths, changed by the rules in words: what the tree of a commit has to hold."""

    def __init__(self, held: dict[str, bytes]) -> None:
        self.held = dict(held)

    def apply(self, changes: Sequence[FileChange]) -> bool:
        """Whether all changes fit."""
        return all(self._one(change) for change in changes)

    def _one(self, change: FileChange) -> bool:
        if change.content is not None:
            if not self._free(change.path) and change.path not in self.held:
                return False
            self.held[change.path] = bytes(change.content)  # type: ignore[arg-type]
            return True
        moved = {
            path: one
            for path, one in self.held.items()
            if path == change.path or path.startswith(f"{change.path}/")
        }
        if not moved or change.to == change.path:
            return False
        for path in moved:
            del self.held[path]
        if not change.to:
            return True
        if not self._free(change.to):
            return False
        self.held |= {change.to + path.removeprefix(change.path): one for path, one in moved.items()}
        return True

    def _free(self, path: str) -> bool:
        names = path.split("/")
        above = {"/".join(names[:count]) for count in range(1, len(names) + 1)}
        return not any(one in above or one.startswith(f"{path}/") for one in self.held)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(first=CHANGES, then=CHANGES)
def test_commits_hold_what_a_flat_table_would(
    repositories: GitRepositories, first: list[FileChange], then: list[FileChange]
) -> None:
    git(repositories, "update-ref", "-d", "refs/heads/main")
    held: dict[str, bytes] = {}
    for changes in (first, then):
        model = Model(held)
        fits = model.apply(changes)
        if not fits or model.held == held:
            with pytest.raises(Conflict):
                write(repositories, *changes)
            continue
        sha, held = write(repositories, *changes), model.held
        assert {path: one[1] for path, one in files(repositories, sha).items()} == held
