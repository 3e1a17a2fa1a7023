"""git as the server runs it: its environment, its configuration, its hook."""

import os
from pathlib import Path

import pytest

from storage.git.command import GitCommand, GitLimits
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


def test_every_git_has_limits_and_what_it_starts_too(tmp_path: Path) -> None:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(7)
    limits = repositories.git.run(repositories.path(7), "-c", "alias.l=!cat /proc/self/limits", "l") or b""
    found = {line[:26].strip(): line[26:47].strip() for line in limits.decode().splitlines()}
    assert found["Max address space"] == str(GitLimits().memory)
    assert found["Max cpu time"] == str(GitLimits().seconds)
    assert found["Max core file size"] == "0"


@pytest.mark.parametrize("command", ["while :; do :; done", "x=$(head -c 300000000 /dev/zero | tr '\\0' x)"])
def test_a_git_that_takes_too_much_comes_to_nothing(tmp_path: Path, command: str) -> None:
    git = GitCommand(tmp_path / "repos", ("true",), 1 << 20, GitLimits(memory=100 << 20, seconds=1))
    assert git.run(tmp_path, "-c", f"alias.l=!{command}; exit", "l") is None
