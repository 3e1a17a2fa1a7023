"""`curlew org plan`, on a separate embedded database."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.processes.world import open_world
from handlers.rules.ranks import OrgPlan
from handlers.settings.sources import load
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account


def run(folder: Path, *words: str) -> Result:
    """Return the result of `curlew org …`."""
    return CliRunner().invoke(main, ["org", *words, "--data", str(folder)], env={"CURLEW_DATA": None})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with the organisation acme and its group sales."""
    with open_world(load({}, data=str(tmp_path))) as world:
        world.people.users.add("boss", "-", Account.ORGANISATION, None, public=False)
        world.people.groups.create(GroupKind.ORG, "boss", "acme", "boss", OrgPlan.ENTERPRISE)
        world.people.groups.create(GroupKind.ORG_GROUP, "acme", "sales", "boss")
    return tmp_path


@pytest.mark.parametrize("plan", ["free", "premium", "enterprise"])
def test_an_organisation_is_put_on_a_plan(folder: Path, plan: str) -> None:
    result = run(folder, "plan", "acme", plan)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    assert result.stderr == f"+acme is on the plan {plan}\n"
    assert run(folder, "plan", "+acme").stdout == f"{plan}\n"


@pytest.mark.parametrize("words", [("plan", "other", "free"), ("plan", "+acme~sales", "free"), ("plan", "x")])
def test_a_plan_is_an_organisation_s(folder: Path, words: tuple[str, ...]) -> None:
    result = run(folder, *words)
    assert result.exit_code != 0
    assert run(folder, "plan", "acme").stdout == "enterprise\n"


def test_there_are_three_plans(folder: Path) -> None:
    result = run(folder, "plan", "acme", "golden")
    assert result.exit_code == 2
    assert "enterprise" in result.stderr
