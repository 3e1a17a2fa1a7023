"""The program behind git's hook: what git writes to it, and a world that is away."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from chains.builds.repositories import GitRef, ref_bytes, ref_text
from handlers.processes.post_receive import PushWorld, main, open_world
from handlers.processes.world import open_world as world_of
from handlers.settings.sources import load
from storage.git.repositories import GitRepositories
from tests.handlers.processes.test_post_receive import NONE, ONE, REPO, Worked
from tests.kit.git import Work
from vfs.errors import Unavailable
from vfs.ports.people import Account


@dataclass
class Kept:
    """Repositories that hold one branch."""

    pushed: Sequence[str] = ()

    def refs(self, item: int) -> list[GitRef]:
        """One branch."""
        return [GitRef("trunk", "branch", ONE, default=True)]

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """The branch."""
        self.pushed = pushed
        return "trunk"

    def push_lock(self, item: int) -> AbstractContextManager[None]:
        """Nobody else pushes."""
        return nullcontext()


def environment(repository: Path) -> dict[str, str]:
    """The variables of git's hook."""
    about = {"CURLEW_REPO": "1", "CURLEW_REPO_NAME": "alice/upper", "CURLEW_PUSHER": "bob"}
    return {**about, "GIT_DIR": str(repository)}


def test_the_program_reads_what_git_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, builds = Kept(), Worked()
    lines = [
        f"{NONE} {ONE} refs/heads/trunk\n".encode(),
        f"{ONE} {NONE} refs/heads/old\n".encode(),
        f"{NONE} {ONE} refs/tags/v\n".encode(),
        f"{NONE} {ONE} refs/heads/caf".encode() + b"\xe9\xc2\xa0\xc2\x9b\n",
    ]
    environ = environment(tmp_path)
    assert main(lambda given: PushWorld(kept, builds, lambda repo: repo == REPO), environ, lines) == 0
    assert kept.pushed == ["trunk", ref_text(b"caf\xe9\xc2\xa0\xc2\x9b")]
    said = capsys.readouterr().out
    assert "ready @alice/upper:latest, @alice/upper:trunk" in said
    assert '"caf%E9%C2%A0%C2%9B" is kept and not built' in said


def test_a_push_changes_its_repo(tmp_path: Path) -> None:
    with world_of(load({}, data=str(tmp_path))) as world:
        world.people.users.add("alice", "-", Account.REGULAR, None, public=False)
        item = world.items.create("repo", "alice", "upper")
        world.code.repositories.create(item.id)
        time.sleep(0.002)
        push = open_world({"CURLEW_DATA": str(tmp_path)})
        push.measure(item.id)
        push.measure(99)
        found = world.items.at(item.id, None)
    assert found is not None
    assert found.item.last_modified > item.last_modified


def test_a_world_that_is_away_does_not_undo_the_push(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def away(environ: Mapping[str, str]) -> PushWorld:
        raise Unavailable("The database is away; try again later.")

    environ = environment(tmp_path)
    assert main(away, environ, [f"{NONE} {ONE} refs/heads/main\n".encode()]) == 1
    assert "the push is kept, but nothing was built: The database is away" in capsys.readouterr().out


@dataclass
class Pushing:
    """A repo of alice's in a data folder, and a working copy that pushes to it with the hook's program."""

    folder: Path
    repositories: GitRepositories
    work: Work
    item: int

    @classmethod
    def begin(cls, folder: Path) -> Pushing:
        """Make both."""
        with world_of(load({}, data=str(folder))) as world:
            world.people.users.add("alice", "-", Account.REGULAR, None, public=False)
            item = world.items.create("repo", "alice", "upper").id
        repositories = GitRepositories(folder / "repos", hook=("true",))
        repositories.create(item)
        return cls(folder, repositories, Work(folder / "work", repositories.path(item)), item)

    def push(self, files: Mapping[str, bytes | str], name: str = "main") -> None:
        """Commit files, push them to a branch, and announce the push."""
        sha = self.work.commit(dict(files))
        self.work.push(f"main:refs/heads/{name}")
        environ = {"CURLEW_REPO": str(self.item), "CURLEW_REPO_NAME": "alice/upper"}
        environ |= {"CURLEW_PUSHER": "alice", "CURLEW_DATA": str(self.folder)}
        environ["GIT_DIR"] = str(self.repositories.path(self.item))
        line = f"{NONE} {sha} refs/heads/".encode() + ref_bytes(name) + b"\n"
        assert main(lambda given: replace(open_world(given), follows=0.0), environ, [line]) == 0


def test_a_first_branch_of_bytes_is_the_one_that_a_clone_checks_out(tmp_path: Path) -> None:
    pushing, name = Pushing.begin(tmp_path), ref_text(b"d\xe9j\xe0/vu\xc3")
    pushing.push({"main.py": ""}, name)
    assert pushing.repositories.head(pushing.item) == name


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"Dockerfile": "FROM node:20\n"}, "failed: FROM node:20: this server has no such image; write FROM"),
        ({"Dockerfile": "FROM busybox\nHEALTHCHECK CMD x\n"}, "failed: HEALTHCHECK: "),
        ({"go.mod": ""}, "failed: there is no Dockerfile, and go.mod is not read here"),
        ({"a.py": "", "b.py": "", "big": b"0" * (2 << 20)}, "failed: there is neither a Dockerfile nor"),
        ({"src/a/__main__.py": "", "pyproject.toml": "[project"}, "failed: pyproject.toml is not TOML"),
        ({"main.py": "", "b.py": "", "deep/er/than/that/x": ""}, "queued: position 1"),
        ({"src/a/__main__.py": "", "pyproject.toml": "[build-system]"}, "queued: position 1"),
        ({"Dockerfile": "FROM @alice/upper\n"}, "queued: position 1"),
        ({"Dockerfile": "FROM upper\n"}, "queued: position 1"),
    ],
)
def test_a_build_that_cannot_succeed_fails_before_the_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: Mapping[str, bytes | str], said: str
) -> None:
    pushing = Pushing.begin(tmp_path)
    pushing.push(files)
    assert capsys.readouterr().out.splitlines()[-1].startswith(said)
    with world_of(load({}, data=str(tmp_path))) as world:
        assert (world.code.builds.take("runner") is None) is said.startswith("failed")
