"""Listings of both published clients, which ask by GraphQL, against a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import novem_cli
import pytest
import requests

from tests.clients.conftest import Person
from tests.kit.server import environment

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
Client = Callable[..., str]
Image = Callable[..., str]
PROGRAMS = {"python": [sys.executable, "-P", "-m", "novem"], "native": [novem_cli.find_binary()]}


@pytest.fixture(params=list(PROGRAMS))
def novem(request: pytest.FixtureRequest, alice: Person, tmp_path: Path) -> Client:
    """Runs a command of one of the clients as a person; what it prints."""
    program = PROGRAMS[request.param]

    def run(*words: str, who: Person = alice) -> str:
        home = tmp_path / who.name
        (folder := home / ".config" / "novem").mkdir(parents=True, exist_ok=True)
        (folder / "novem.conf").write_text(
            f"[general]\nprofile = me\napi_root = {who.server.root}\n[profile:me]\n"
            f"username = {who.name}\ntoken_name = t\ntoken = {who.token}\napi_root = {who.server.root}\n"
        )
        env = environment(HOME=str(home), COLUMNS="200")
        done = subprocess.run([*program, *words], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return COLOUR.sub("", done.stdout + done.stderr)

    return run


@pytest.fixture
def plots(alice: Person, bob: Person) -> None:
    """Two plots of alice's, one shared with bob and commented."""
    for name in ("first", "second"):
        alice.ask("PUT", f"vis/plots/{name}")
    alice.ask("POST", "vis/plots/second/name", b"The Second")
    alice.ask("PUT", f"vis/plots/second/shared/@{bob.name}~r")
    alice.ask("PUT", "vis/plots/second/tags/fav")
    alice.ask("PUT", "vis/plots/second/vars/growth")
    alice.ask("POST", "vis/plots/second/vars/growth/value", b"0.5")
    path = f"vis/plots/second/threads/@{alice.name}~start"
    alice.ask("PUT", path)
    said = f"look, @{bob.name}: {{/u/{alice.name}/p/second/v/growth}}"
    alice.ask("POST", f"{path}/msg", said.encode())
    bob.ask("PUT", f"users/{alice.name}/{path}/comments/@{bob.name}~yes")
    bob.ask("POST", f"users/{alice.name}/{path}/comments/@{bob.name}~yes/msg", b"I see it")


@pytest.mark.usefixtures("plots")
def test_plots_are_listed(novem: Client, alice: Person, bob: Person) -> None:
    assert set(novem("-p", "-l").split()) == {"first", "second"}
    assert "The Second" in novem("-p")
    listed = novem("-u", alice.name, "-p", "-l", who=bob)
    assert [word.rpartition("/")[2] for word in listed.split()] == ["second"]


def test_every_kind_is_listed(novem: Client, alice: Person) -> None:
    kinds = {"-g": "vis/grids", "-d": "vis/docs", "-m": "vis/mails", "-j": "code/jobs"}
    for flag, folder in kinds.items():
        alice.ask("PUT", f"{folder}/of-{flag[1]}")
        assert f"of-{flag[1]}" in novem(flag, "-l")
        assert f"of-{flag[1]}" in novem(flag)


def test_jobs_tell_their_runs_and_schedules(novem: Client, alice: Person, image: Image) -> None:
    image("steps", "OUTPUT='hello'")
    alice.ask("PUT", "code/jobs/daily")
    alice.ask("POST", "code/jobs/daily/config/chains", b"steps")
    alice.ask("POST", "code/jobs/daily/config/schedule", b"TZ=Europe/Oslo 0 6 * * *")
    signed = {"Authorization": f"Bearer {alice.token}"}
    assert requests.post(f"{alice.server.root}code/jobs/daily/data", json={}, headers=signed).ok
    assert "success" in novem("-j")


@pytest.mark.usefixtures("plots")
def test_people_are_listed(novem: Client, alice: Person, bob: Person) -> None:
    output = novem("-u", who=bob)
    assert bob.name in output
    assert alice.name in output


def test_groups_are_listed(novem: Client, alice: Person, bob: Person) -> None:
    alice.ask("PUT", "admin/groups/birders")
    alice.ask("PUT", f"admin/groups/birders/roles/members/{bob.name}")
    assert "birders" in novem("-G")
    assert "birders" not in novem("-G", who=bob)


@pytest.mark.usefixtures("plots")
def test_comments_are_shown(novem: Client, alice: Person, bob: Person) -> None:
    output = novem("-p", "second", "--comments")
    assert "I see it" in output
    assert f"@{bob.name}" in output
    assert "I see it" in novem("-u", alice.name, "-p", "second", "--comments", who=bob)


def test_own_queries_are_answered(novem: Client, alice: Person) -> None:
    assert f'"username": "{alice.name}"' in novem("--gql", "{ me { username } }")


@pytest.mark.parametrize("novem", ["native"], indirect=True)
def test_a_shell_completes_names(novem: Client, alice: Person, bob: Person) -> None:
    alice.ask("PUT", "vis/plots/terns")
    alice.ask("PUT", "vis/plots/redshanks")
    typed = ("__complete", "--protocol=1", "--shell=bash", "--format=values", "--", "-p", "te")
    assert "terns" in novem(*typed).split()
    assert "terns" not in novem(*typed, who=bob).split()


def test_images_are_listed_and_read(novem: Client, image: Image) -> None:
    image("words", "ECHO=words")
    assert "words" in novem("--image")
    assert novem("--image", "words", "-r", "status").strip() == "ready"
    assert novem("--image", "words", "-r", "labels").startswith("latest\t")
    assert "config" in novem("--image", "words", "--tree")
