"""`curlew quota`, on a separate embedded database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.commands.quotas import quota
from handlers.processes.world import open_world
from handlers.settings.sources import load
from tests.kit.git import commit
from vfs.ports.people import Account
from vfs.ports.quotas import QuotaName


class Office:
    """Runs commands on one data folder, in which alice has a document and a repo."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> Result:
        """A command with its answer."""
        return CliRunner().invoke(quota, [*words, "--data", str(self.folder)], env={"CURLEW_DATA": None})

    def json(self, *words: str) -> dict[str, list[int | bool]]:
        """The quotas that a command printed: use, limit and whether it is the account's own."""
        result = self.run(*words, "--json")
        assert result.exit_code == 0, result.output
        return {row["quota"]: [row["use"], row["limit"], row["own"]] for row in json.loads(result.stdout)}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    with open_world(load({}, data=str(tmp_path), synchronous="normal")) as world:
        world.people.users.add("alice", "", Account.REGULAR, None, public=False)
        doc = world.items.create("doc", "alice", "birds")
        world.leaves.put(doc.id, "content", "12345", "alice")
        repo = world.items.create("repo", "alice", "upper")
        world.code.repositories.create(repo.id)
        commit(tmp_path / "repos" / f"{repo.id}.git", {"a": "b"})
    return Office(tmp_path)


def test_limits_are_set_and_given_back(office: Office) -> None:
    assert office.json("show", "alice")["storage"] == [261, 20 << 30, False]
    quotas = office.json("set", "alice", "storage=3G", "runs=7", "push=10mb")
    assert quotas["storage"] == [261, 3 << 30, True]
    assert quotas["runs"] == [0, 7, True]
    assert quotas["push"] == [None, 10 << 20, True]
    assert "261/3G*" in office.run("list").stdout
    (listed,) = json.loads(office.run("list", "--json").stdout)
    assert listed["account"] == "alice"
    quotas = office.json("set", "alice", "storage=default", "items=0")
    assert (quotas["storage"], quotas["items"], quotas["runs"]) == (
        [261, 20 << 30, False],
        [3, 0, True],
        [0, 7, True],
    )
    heads, *rows = (line.split() for line in office.run("show", "alice").stdout.splitlines())
    assert heads == ["quota", "use", "limit", "own"]
    assert [name for name, *_ in rows] == list(QuotaName)
    assert ["storage", "261", "20G", "false"] in rows
    assert ["push", "10M", "true"] in rows


def test_every_quota_can_be_set(office: Office) -> None:
    quotas = office.json("set", "alice", *(f"{name}=7" for name in QuotaName))
    assert {name: row[1:] for name, row in quotas.items()} == {name: [7, True] for name in QuotaName}
    assert office.json("set", "alice", *(f"{name}=default" for name in QuotaName)) == office.json(
        "show", "alice"
    )
    assert not any(row[2] for row in office.json("show", "alice").values())


@pytest.mark.parametrize(
    "words, said",
    [
        (["show", "bob"], "there is no user bob"),
        (["set", "bob", "runs=1"], "there is no user bob"),
        (["set", "alice", "disk=1"], 'there is no quota "disk"; there are storage, items'),
        (
            ["set", "alice", "runs=2", "storage=-1"],
            '"-1" is no limit of storage: say a number such as storage=50G',
        ),
        (["set", "alice", "runs=1K"], '"1K" is no limit of runs'),
        (["set", "alice", "storage=99999999T"], "is no limit of storage"),
    ],
)
def test_a_wrong_limit_is_refused_and_changes_nothing(office: Office, words: list[str], said: str) -> None:
    result = office.run(*words)
    assert result.exit_code == 1
    assert said in result.stderr
    assert office.json("show", "alice")["runs"] == [0, 500, False]


def test_a_recount_measures_repos(office: Office) -> None:
    assert office.run("recount").exit_code == 0
    use, _, _ = office.json("show", "alice")["storage"]
    assert 261 < use < 100_000
