"""Git over SSH through a real OpenSSH: the rights, builds and refusals that there are over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.processes.world import open_world
from handlers.settings.sources import load
from tests.handlers.openssh import Sshd, new_key, sshd
from tests.kit.git import Work
from tests.kit.processes import free_port
from tests.kit.server import Server, environment, serving
from tests.kit.world import migrate
from vfs.ports.quotas import QuotaName

REPO, ADDRESS = "code/repos/tools", "alice/tools.git"
CONFIG = """\
ssh_host = "git.birds.example"
ssh_sessions = 8
disk_reserve = "1M"
{database}
"""


class Stage:
    """A server, its OpenSSH, and users with a key each."""

    def __init__(self, server: Server, gate: Sshd, folder: Path) -> None:
        self.server = server
        self.gate = gate
        self.folder = folder
        self.keys: dict[str, Path] = {}
        for name in ("alice", "bob", "carol"):
            server.add(name)
            self.keys[name] = folder / name
            self.send(name, "laptop", new_key(self.keys[name]))

    def send(self, who: str, name: str, line: str) -> None:
        self.server.ask("PUT", f"admin/keys/{name}", who=who)
        self.server.ask("POST", f"admin/keys/{name}/key", line.encode(), who=who)

    def url(self, address: str = ADDRESS) -> str:
        return f"ssh://{self.gate.user}@127.0.0.1:{self.gate.port}/{address}"

    def git(self, work: Work, who: str, *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
        return work.run(*words, **self.gate.environment(self.keys[who]), **more)

    def push(self, work: Work, who: str, *refs: str) -> tuple[int, str]:
        done = self.git(work, who, "push", self.url(), *(refs or ("HEAD:main",)))
        return done.returncode, done.stderr.decode()

    def events(self, name: str, who: str) -> list[dict[str, str]]:
        """Return the events of the security log about a user who came with a key."""
        lines = (self.server.folder / "security.log").read_text().splitlines()
        said = [line for line in map(json.loads, lines) if line.get("via") == "key"]
        return [line for line in said if (line["event"], line["actor"]) == (name, who)]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = postgres.copy_of("tests.ssh", migrate) if postgres is not None else ""
    folder = tmp_path_factory.mktemp("ssh")
    data = folder / "data"
    data.mkdir(mode=0o700)
    (data / "curlew.toml").write_text(CONFIG.format(database=f'database_url = "{url}"' if url else ""))
    with serving(data) as server, sshd(data) as gate:
        yield Stage(server, gate, folder)
    if postgres is not None:
        postgres.drop(url)


@pytest.fixture
def work(stage: Stage, tmp_path: Path) -> Iterator[Work]:
    """A working copy, and a repo of alice's."""
    stage.server.ask("PUT", REPO, who="alice")
    made = Work(tmp_path / "work")
    made.commit({"Containerfile": "FROM scratch\nENV steps=1\n"})
    yield made
    stage.server.ask("DELETE", REPO, who="alice")


def test_a_push_builds_and_a_clone_has_it(stage: Stage, work: Work, tmp_path: Path) -> None:
    code, said = stage.push(work, "alice")
    assert code == 0, said + stage.gate.log.read_text()
    assert "remote: " in said
    assert "ready @alice/tools:latest" in said
    copy = Work(tmp_path / "other")
    for version in ("0", "2"):
        folder = tmp_path / f"copy-{version}"
        words = ("-c", f"protocol.version={version}", "clone", stage.url(), str(folder))
        done = stage.git(copy, "alice", *words, GIT_TRACE_PACKET="1")
        assert done.returncode == 0, done.stderr
        assert (folder / "Containerfile").read_text().startswith("FROM scratch")
        assert (b"version 2" in done.stderr) == (version == "2")
    assert stage.server.ask("GET", f"{REPO}/ssh_url", who="alice") == f"ssh://git@git.birds.example/{ADDRESS}"
    used = stage.server.ask("GET", "admin/keys/laptop/last_use", who="alice")
    assert used.endswith("Z")
    assert [one["target"] for one in stage.events("key.first-used", "alice")] == ["laptop"]


def test_a_push_whose_build_fails_prints_the_same_as_over_http(stage: Stage, work: Work) -> None:
    work.commit({"Containerfile": "FROM scratch\nRUN false\n"})
    code, by_ssh = stage.push(work, "alice", "HEAD:one")
    assert code == 0
    assert "ended with exit code 1" in by_ssh
    assert stage.push(work, "alice", ":one")[0] == 0
    origin = stage.server.origin.removeprefix("http://")
    address = f"http://alice:{stage.server.tokens['alice']}@{origin}/git/{ADDRESS}"
    by_http = work.run("push", address, "HEAD:one").stderr.decode()

    def remote_lines(said: str) -> list[str]:
        return [line.strip() for line in said.splitlines() if line.startswith("remote:")]

    assert remote_lines(by_ssh) == remote_lines(by_http)


def test_absent_and_invisible_are_one_and_shares_give_their_rights(stage: Stage, work: Work) -> None:
    assert stage.push(work, "alice")[0] == 0
    refusals = set()
    for address in (ADDRESS, "alice/nothing.git", "nobody/tools.git"):
        done = stage.git(work, "bob", "ls-remote", stage.url(address))
        assert done.returncode != 0
        assert b"refs/" not in done.stdout
        name = address.removesuffix(".git").split("/")
        refusals.add(done.stderr.decode().replace(f"{name[0]}/code/repos/{name[1]}", "…"))
    assert len(refusals) == 1
    stage.server.ask("PUT", f"{REPO}/shared/@bob~r", who="alice")
    assert b"refs/heads/main" in stage.git(work, "bob", "ls-remote", stage.url()).stdout
    work.commit({"README.md": "bob was here"})
    code, said = stage.push(work, "bob")
    assert code != 0
    assert "this needs w access" in said
    (refused,) = stage.events("refused", "bob")
    assert (refused["why"], refused["address"]) == ("denied", "127.0.0.1")
    stage.server.ask("PUT", f"{REPO}/shared/@bob~rw", who="alice")
    code, said = stage.push(work, "bob")
    assert code == 0, said


def test_a_push_beyond_a_quota_is_refused(stage: Stage, work: Work) -> None:
    with open_world(load({}, data=str(stage.server.folder))) as world:
        quotas = world.service.quotas
        work.commit({"large": os.urandom(1 << 20)})
        quotas.set("alice", {QuotaName.PUSH: 1 << 16})
        try:
            code, said = stage.push(work, "alice")
            assert code != 0
            assert "A push may send" in said or "exceeds maximum allowed size" in said
            quotas.set("alice", {QuotaName.PUSH: None, QuotaName.STORAGE: 1 << 10})
            code, said = stage.push(work, "alice")
            assert code != 0
            assert "storage quota is full" in said
            quotas.set("alice", {QuotaName.STORAGE: None, QuotaName.BUILDS: 0})
            code, said = stage.push(work, "alice")
            assert code != 0
            assert "this push would queue 1 builds" in said
        finally:
            quotas.set("alice", {QuotaName.PUSH: None, QuotaName.STORAGE: None, QuotaName.BUILDS: None})
    assert stage.push(work, "alice")[0] == 0
    code, said = stage.push(work, "alice", ":main")
    assert code == 0, said


def test_keys_that_are_gone_or_locked_open_nothing(stage: Stage, work: Work, tmp_path: Path) -> None:
    stage.push(work, "alice")
    stage.keys["other"] = tmp_path / "other-key"
    line = new_key(stage.keys["other"], "ecdsa")
    assert b"Permission denied" in stage.git(work, "other", "ls-remote", stage.url()).stderr
    stage.send("alice", "other", line)
    assert stage.git(work, "other", "ls-remote", stage.url()).returncode == 0
    stage.server.ask("DELETE", "admin/keys/other", who="alice")
    assert b"Permission denied" in stage.git(work, "other", "ls-remote", stage.url()).stderr
    with open_world(load({}, data=str(stage.server.folder))) as world:
        world.people.users.change("alice", locked=True)
        try:
            assert b"Permission denied" in stage.git(work, "alice", "ls-remote", stage.url()).stderr
        finally:
            world.people.users.change("alice", locked=False)
    assert stage.git(work, "alice", "ls-remote", stage.url()).returncode == 0


def test_a_key_at_several_accounts_opens_what_its_holder_has(
    stage: Stage, work: Work, tmp_path: Path
) -> None:
    stage.keys["dora"] = tmp_path / "dora-key"
    line = new_key(stage.keys["dora"])
    stage.send("carol", "planted", line)
    stage.server.add("dora")
    stage.send("dora", "laptop", line)
    stage.server.ask("PUT", "code/repos/own", who="dora")
    done = stage.git(work, "dora", "push", stage.url("dora/own.git"), "HEAD:main")
    assert done.returncode == 0, done.stderr
    assert stage.server.ask("GET", "admin/keys/planted/last_use", who="carol") == "never"
    assert b"refs/" not in stage.git(work, "bob", "ls-remote", stage.url("dora/own.git")).stdout
    for who in ("carol", "dora"):
        stage.server.ask("PUT", f"{REPO}/shared/@{who}~rw", who="alice")
    assert stage.push(work, "dora")[0] == 0
    assert stage.server.ask("GET", "admin/keys/planted/last_use", who="carol") == "never"
    stage.server.ask("PUT", "code/repos/lure", who="carol")
    assert stage.git(work, "dora", "ls-remote", stage.url("carol/lure.git")).returncode == 0
    code, said = stage.push(work, "dora", "HEAD:other")
    assert code != 0
    assert "belongs to several accounts that may push to alice/tools" in said
    assert stage.git(work, "dora", "ls-remote", stage.url()).returncode == 0
    stage.server.ask("DELETE", f"{REPO}/shared/@carol~rw", who="alice")
    assert stage.push(work, "dora", "HEAD:other")[0] == 0
    assert "hello carol and dora" in stage.gate.run(stage.keys["dora"]).stderr
    for who, name in (("carol", "planted"), ("dora", "laptop")):
        stage.server.ask("DELETE", f"admin/keys/{name}", who=who)
    assert b"Permission denied" in stage.git(work, "dora", "ls-remote", stage.url()).stderr


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "git-upload-archive 'alice/tools.git'",
        "git-upload-pack 'alice/tools.git'; id",
        "git-receive-pack '../../etc'",
        "",
    ],
)
def test_nothing_but_git_runs(stage: Stage, work: Work, command: str) -> None:
    done = stage.gate.run(stage.keys["alice"], *([command] if command else []))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("curlew: ")
    assert len(done.stderr.splitlines()) == 1
    assert "uid=" not in done.stderr


def test_neither_terminals_nor_forwarding_are_given(stage: Stage) -> None:
    key, far = stage.keys["alice"], free_port()
    terminal = stage.gate.run(key, options=("-tt", "-o", "LogLevel=INFO"))
    assert "PTY allocation request failed" in terminal.stderr
    forwarded = stage.gate.run(key, options=("-W", stage.server.origin.removeprefix("http://")))
    assert forwarded.returncode != 0
    assert "stdio forwarding failed" in forwarded.stderr
    back = ("-N", "-o", "ExitOnForwardFailure=yes", "-R", f"{far}:127.0.0.1:{far}")
    assert stage.gate.run(key, options=back).returncode != 0
    assert stage.gate.run(key, "sftp", options=("-s",)).returncode != 0


def test_a_key_is_found_by_its_fingerprint_or_its_text(stage: Stage) -> None:
    def ask(*words: str, **more: str) -> tuple[int, str]:
        command = [sys.executable, "-P", "-m", "handlers", "ssh-key", "--data", str(stage.server.folder)]
        done = subprocess.run(
            [*command, *words], env=environment(**more), capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    line = Path(f"{stage.keys['alice']}.pub").read_text().split()
    fingerprint = stage.server.ask("GET", "admin/keys/laptop/fingerprint", who="alice")
    code, output = ask(fingerprint)
    assert code == 0
    assert output.startswith('restrict,command="')
    data = stage.server.folder
    served = f"ssh-serve --data {data} --config {data}/curlew.toml {fingerprint}"
    assert output.endswith(f'{served}" {line[0]} {line[1]}\n')
    assert ask(*line) == ask(line[0], line[1]) == (0, output)
    for other in ("SHA256:" + "A" * 43, "x", "SHA256:'; id"):
        assert ask(other) == (0, "")
    assert ask(fingerprint, CURLEW_SSH_HOST="") == (0, "")
