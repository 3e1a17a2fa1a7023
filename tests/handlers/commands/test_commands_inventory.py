"""`curlew job|repo|org|token list`, and the completion of the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.commands.operators import table_cell
from handlers.processes.world import open_world
from handlers.rules.ranks import OrgPlan
from handlers.settings.sources import load
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account


def run(folder: Path, *words: str) -> Result:
    """The answer of a command on a data folder."""
    return CliRunner().invoke(main, [*words, "--data", str(folder)], env={"CURLEW_DATA": None})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with jobs and repos of two users, and an organisation with a group."""
    with open_world(load({}, data=str(tmp_path))) as world:
        for name in ("alice", "bob"):
            world.people.users.add(name, "-", Account.REGULAR, None, public=False)
            world.items.create("job", name, "nightly")
        repo = world.items.create("repo", "alice", "words")
        world.code.repositories.create(repo.id)
        world.code.builds.queue(repo.id, ["latest"], "refs/heads/main", "0" * 40, "alice")
        world.people.tokens.mint("alice", "laptop", "digest")
        world.people.users.add("boss", "-", Account.ORGANISATION, None, public=False)
        world.people.groups.create(GroupKind.ORG, "boss", "acme", "boss", OrgPlan.FREE)
        world.people.groups.create(GroupKind.ORG_GROUP, "acme", "sales", "boss")
    return tmp_path


def test_jobs_are_listed_of_all_and_of_one(folder: Path) -> None:
    rows = json.loads(run(folder, "job", "list", "--json").stdout)
    assert [(row["owner"], row["name"], row["run_status"]) for row in rows] == [
        ("alice", "nightly", None),
        ("bob", "nightly", None),
    ]
    assert [row["owner"] for row in json.loads(run(folder, "job", "list", "@bob", "--json").stdout)] == [
        "bob"
    ]
    assert run(folder, "job", "list").stdout.splitlines()[0].split()[:3] == ["owner", "name", "shortname"]


def test_repositories_are_listed_with_their_build(folder: Path) -> None:
    (row,) = json.loads(run(folder, "repo", "list", "--json").stdout)
    assert (row["owner"], row["name"], row["build"]) == ("alice", "words", "queued")
    assert row["bytes"] > 0
    assert run(folder, "repo", "list", "alice").stdout.split()[4] == "bytes"
    assert run(folder, "repo", "list", "bob").stdout.count("\n") <= 1


def test_a_table_rounds_numbers_of_bytes() -> None:
    assert [table_cell(head, 3 << 29) for head in ("bytes", "members")] == ["1.5G", 3 << 29]


def test_organisations_are_listed(folder: Path) -> None:
    (row,) = json.loads(run(folder, "org", "list", "--json").stdout)
    del row["created_on"]
    assert row == {
        "name": "acme", "owner": "boss", "plan": "free", "public": False, "groups": 1, "members": 1
    }  # fmt: skip


def test_tokens_are_listed_of_all_users(folder: Path) -> None:
    (row,) = json.loads(run(folder, "token", "list", "--json").stdout)
    assert (row["username"], row["token_name"]) == ("alice", "laptop")


@pytest.mark.parametrize("kind", ["job", "repo", "token"])
def test_of_nobody_nothing_is_listed(folder: Path, kind: str) -> None:
    result = run(folder, kind, "list", "nobody")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no user nobody; curlew user list shows them" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands(shell: str) -> None:
    script = CliRunner().invoke(main, ["completion", shell]).stdout
    assert "_CURLEW_COMPLETE" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_the_help_names_the_exit_codes() -> None:
    said = " ".join(CliRunner().invoke(main, ["--help"]).stdout.split())
    assert "Exit codes: 0, done" in said
