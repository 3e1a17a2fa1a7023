"""git as the server runs it: its environment, its configuration, its hook."""

import os
from pathlib import Path

import pytest

from storage.git.repositories import GitRepositories
from vfs.errors import Unavailable


def test_git_sees_nothing_of_the_servers_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURLEW_KEY_FILE", "/secret")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    names = set(repositories.git.environment())
    assert "PATH" in names
    assert not {name for name in names if name.startswith("CURLEW_")}
    repositories.create(7)
    assert repositories.path(7).is_dir()
    assert (repositories.git.run(repositories.path(7), "config", "safe.directory") or b"").strip() == b"*"


def test_a_server_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="not installed"):
        GitRepositories(tmp_path / "repos").create(7)


def test_the_hook_changes_with_the_installation(tmp_path: Path) -> None:
    hook = tmp_path / "repos" / "hooks" / "post-receive"
    GitRepositories(tmp_path / "repos", hook=("/old dir/python", "-m", "x"))
    assert "exec '/old dir/python' -m x" in hook.read_text()
    GitRepositories(tmp_path / "repos", hook=("/new/python", "-m", "x"))
    assert "exec /new/python -m x" in hook.read_text()
    assert os.access(hook, os.X_OK)
