"""git as the server runs it: its environment, its configuration, its hook."""

import os
from pathlib import Path

import pytest

from storage.git.command import GitCommand, GitLimits, was_stopped
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


def test_a_git_that_takes_too_much_is_no_refusal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    git = GitCommand(tmp_path / "repos", ("true",), 1 << 20, GitLimits(memory=100 << 20, seconds=1))
    with (tmp_path / "large").open("wb") as large:
        large.truncate(300 << 20)
    for words in (["hash-object", "large"], ["-c", "alias.l=!while :; do :; done; exit", "l"]):
        with pytest.raises(Unavailable, match="needed more memory or processor time"):
            git.run(tmp_path, *words)
    assert caplog.text.count("stopped by its limits") == 2


@pytest.mark.parametrize("code", [0, 1, 128, None])
def test_a_git_that_refused_was_not_stopped(code: int | None) -> None:
    assert not was_stopped(code, b"fatal: bad object")
    assert was_stopped(code or 1, b"fatal: Out of memory, malloc failed (tried to allocate 5 bytes)")
    assert not was_stopped(0, b"warning: out of memory")


def test_a_killed_git_counts_as_stopped_however_it_is_reported() -> None:
    assert all(map(was_stopped, (-9, -24, 137, 152)))
    assert was_stopped(1, b"error: git-upload-pack died of signal 9")
    assert not was_stopped(-15)
