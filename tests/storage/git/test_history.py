"""The last commit of each file, in one walk: compared with what git says of each path."""

from __future__ import annotations

from random import Random

import pytest

from storage.git.history import MOST_BYTES, History
from storage.git.repositories import GitRepositories
from tests.kit.git import Work

ITEM = 7
NAMES = ("a", "b.txt", "deep/x", "deep/y", "deep/er/z", "with space", "ünï", "line\nbreak", '"quoted"')


def changes(repositories: GitRepositories, sha: str, folder: str = "") -> dict[str, str]:
    """The subject of the last commit of each entry of a folder."""
    names = [entry.name for entry in repositories.entries(ITEM, sha, folder) or ()]
    found = repositories.last_changes(ITEM, sha, folder, names)
    return {name: mark.sha for name, mark in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_each_entry_has_the_commit_that_git_tells_for_its_path(
    repositories: GitRepositories, work: Work, seed: int
) -> None:
    random = Random(seed)
    sha = work.commit(dict.fromkeys(NAMES, "0"))
    for number in range(12):
        if random.random() < 0.2:
            (work.folder / random.choice(("a", "b.txt"))).unlink(missing_ok=True)
        some = random.sample(NAMES, random.randint(0, 3))
        sha = work.commit({name: f"{number} {random.random()}" for name in some}, f"Step {number}\n\nBody")
    work.push("main")
    for folder in ("", "deep", "deep/er"):
        start = f"{folder}/" if folder else ""
        entries = repositories.entries(ITEM, sha, folder) or ()
        expected = {
            one.name: work.git("log", "-1", "--format=%H", sha, "--", start + one.name) for one in entries
        }
        assert changes(repositories, sha, folder) == expected


def test_a_merge_changes_what_its_branches_did(repositories: GitRepositories, work: Work) -> None:
    first = work.commit({"a": "1", "b": "1"})
    work.git("checkout", "-q", "-b", "side")
    second = work.commit({"b": "2"}, "On the side")
    work.git("checkout", "-q", "main")
    work.commit({"c": "1"}, "On main")
    work.git("merge", "-q", "--no-ff", "-m", "Both", "side")
    work.push("main")
    found = changes(repositories, work.git("rev-parse", "HEAD"))
    assert (found["a"], found["b"]) == (first, second)


def test_the_walk_has_an_end(repositories: GitRepositories, work: Work) -> None:
    work.commit({"old": "1"})
    for number in range(4):
        sha = work.commit({"new": f"{number}"})
    work.push("main")
    for commits, bytes_, expected in ((3, MOST_BYTES, ["new"]), (9, MOST_BYTES, ["new", "old"]), (9, 0, [])):
        short = History(repositories.git, repositories.path(ITEM), commits, bytes_)
        assert sorted(short.last_changes(sha, "", ["old", "new"])) == expected
    late = History(repositories.git, repositories.path(ITEM), seconds=0)
    assert late.last_changes(sha, "", ["old", "new"]) == {}


def test_what_is_no_commit_has_none(repositories: GitRepositories, work: Work) -> None:
    work.commit({"a": "1"})
    work.push("main")
    for sha in ("HEAD", "--all", "f" * 40, ""):
        assert repositories.last_changes(ITEM, sha, "", ["a"]) == {}
