"""A bare repository in a folder, and a working copy that pushes to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.git.repositories import GitRepositories
from tests.kit.git import Work

ITEM = 7


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    return GitRepositories(tmp_path / "repos", hook=("true",))


@pytest.fixture
def work(repositories: GitRepositories, tmp_path: Path) -> Work:
    repositories.create(ITEM)
    return Work(tmp_path / "work", repositories.path(ITEM))
