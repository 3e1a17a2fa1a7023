"""Forks of bare repositories: what they take along, and what is left of those that nobody was given."""

import os
import time

import pytest

from storage.git.copies import DAY, OLD, PIPES
from storage.git.repositories import GitRepositories
from tests.kit.git import Work
from vfs.errors import Unavailable

ITEM = 7


def test_a_fork_has_the_branches_and_tags_and_outlives_its_source(
    repositories: GitRepositories, work: Work
) -> None:
    sha = work.commit({"a": "1"})
    work.git("tag", "-a", "v1", "-m", "one")
    work.push("main", "v1", "main:refs/hidden/x")
    refs = repositories.refs(ITEM)
    draft = repositories.draft(ITEM)
    assert (draft.item, list(draft.refs)) == (ITEM, refs)
    repositories.adopt(draft, 8)
    repositories.remove(ITEM)
    assert repositories.refs(8) == refs
    assert repositories.commit(8, sha) is not None
    assert repositories.git.run(repositories.path(8), "for-each-ref", "refs/hidden") == b""
    assert repositories.git.run(repositories.path(8), "fsck", "--strict") is not None
    assert abs(repositories.size(8) - draft.size) < 1_000


def test_an_empty_one_keeps_its_default_branch(repositories: GitRepositories, work: Work) -> None:
    repositories.git.run(repositories.path(ITEM), "symbolic-ref", "HEAD", "refs/heads/trunk")
    repositories.adopt(repositories.draft(ITEM), 8)
    said = repositories.git.run(repositories.path(8), "symbolic-ref", "HEAD")
    assert (said or b"").strip() == b"refs/heads/trunk"


def test_one_that_fails_leaves_nothing(repositories: GitRepositories) -> None:
    with pytest.raises(Unavailable, match="could not copy the repository"):
        repositories.draft(9)
    assert not list(repositories.folder.glob(".fork-*"))


def test_what_nobody_was_given_is_gone_some_time_later(repositories: GitRepositories, work: Work) -> None:
    kept, left = repositories.draft(ITEM), repositories.draft(ITEM)
    before = time.time() - 2 * OLD
    os.utime(repositories.folder / left.name, (before, before))
    slow, dead = (repositories.folder / f"{PIPES}{word}" for word in ("slow", "dead"))
    for pipes, age in ((slow, 2 * OLD), (dead, 2 * DAY)):
        pipes.mkdir()
        os.utime(pipes, (time.time() - age, time.time() - age))
    repositories.draft(ITEM)
    assert (repositories.folder / kept.name).is_dir()
    assert [one.exists() for one in (repositories.folder / left.name, dead, slow)] == [False, False, True]


def test_a_fork_is_given_once(repositories: GitRepositories, work: Work) -> None:
    draft = repositories.draft(ITEM)
    repositories.adopt(draft, 8)
    with pytest.raises(Unavailable, match="the repository could not be stored"):
        repositories.adopt(draft, 9)
