"""The first commit of a repository, which the server makes of texts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from chains.builds.repositories import GitRef
from storage.git.repositories import GitRepositories
from vfs.errors import Conflict


def test_it_is_made_of_texts_and_once(tmp_path: Path) -> None:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(1)
    files = {"main.py": "print('ä')\n", "notes/one.md": ""}
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    sha = repositories.begin(1, files, "alice", at)
    main = GitRef("main", "branch", sha, default=True)
    assert repositories.labels(1) == {"latest": main, "main": main}
    commit = repositories.commit(1, sha)
    assert commit is not None
    assert (commit.author, commit.date) == ("alice <alice>", "2026-01-02T03:04:05.000Z")
    for path, text in files.items():
        file = repositories.file(1, sha, path)
        assert file is not None
        assert file.open().read().decode() == text
    with pytest.raises(Conflict):
        repositories.begin(1, files, "alice", at)
