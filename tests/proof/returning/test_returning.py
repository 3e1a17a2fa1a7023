"""What is deleted comes back whole, what has ended stays ended, and no stale key opens anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.kit.commands import done
from tests.kit.counting import amount
from tests.kit.postgres import Postgres, in_memory_folder
from tests.kit.unmeasured import paused_coverage
from tests.kit.world import migrate
from tests.proof.returning.machine import Machine
from tests.proof.returning.model import OWNER
from tests.proof.returning.whole_service import WholeService, opened

EXAMPLES, STEPS = 25, 30


def walk(service: WholeService, examples: int, steps: int = STEPS) -> None:
    """Let the machine take a number of steps in a number of examples."""
    Machine.service = service
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(seed(amount.seed())(Machine), settings=chosen)


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def service(request: pytest.FixtureRequest) -> Iterator[WholeService]:
    """A service on either database."""
    if request.param == "sqlite":
        with opened(None) as service:
            yield service
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.copy_of("tests.proof", migrate)
    with paused_coverage(), opened(url) as service:
        yield service
    postgres.drop(url)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_people_and_keys_find_what_the_model_says(
    service: WholeService, record_property: amount.Counted
) -> None:
    walk(service, amount.points(EXAMPLES))
    assert service.steps >= amount.points(EXAMPLES) * STEPS // 2
    record_property("steps of the machine of what returns", service.steps)


def test_the_model_holds_in_a_restored_backup(tmp_path: Path) -> None:
    with opened(None) as before, in_memory_folder() as folder:
        walk(before, 3, 60)
        machine, backup = Machine.last, tmp_path / "backup.tar"
        machine.make("doc", "one")
        machine.delete("doc", "one", OWNER)
        machine.make("doc", "one")
        machine.make_link("one", "b")
        done("backup", backup, "--data", before.folder)
        done("restore", backup, "--data", Path(folder) / "new")
        after = WholeService(Path(folder) / "new", None, before.clock)
        try:
            after.tokens, after.suffix = before.tokens, before.suffix
            machine.checks.service = after
            machine.checks.all()
        finally:
            after.close()
