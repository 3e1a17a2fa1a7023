"""Locks that a git which was killed left behind keep pushes out for some minutes only."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from storage.git.command import STALE
from storage.git.repositories import GitRepositories
from tests.kit.git import Work

ITEM = 7
LEFT = ("HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "refs/heads/deep/er.lock")


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    return repositories


def leave(repository: Path, name: str, age: float) -> Path:
    lock = repository / name
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    return lock


def test_a_push_goes_on_once_the_lock_is_old(repositories: GitRepositories, tmp_path: Path) -> None:
    work = Work(tmp_path / "work", repositories.path(ITEM))
    work.commit({"a": "1"})
    leave(repositories.path(ITEM), "refs/heads/main.lock", STALE / 2)
    repositories.free(ITEM)
    assert work.run("push", str(work.remote), "HEAD:main").returncode != 0
    leave(repositories.path(ITEM), "refs/heads/main.lock", STALE + 1)
    repositories.free(ITEM)
    assert work.run("push", str(work.remote), "HEAD:main").returncode == 0


def test_only_old_locks_go(repositories: GitRepositories) -> None:
    path = repositories.path(ITEM)
    old, young = [leave(path, name, STALE + 1) for name in LEFT], leave(path, "config.lock", 0)
    kept = leave(path, "refs/heads/main", STALE + 1)
    ahead = leave(path, "shallow.lock", -STALE)
    repositories.free(ITEM)
    assert [lock for lock in old if lock.exists()] == []
    assert all(file.exists() for file in (young, kept, ahead))
    repositories.free(ITEM + 1)
