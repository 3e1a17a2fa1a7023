"""`curlew run`: active runs of all jobs, and their cancellation from the command line."""

from __future__ import annotations

import re

import click

from chains.runs.overview import OpenRun
from chains.runs.records import INFO, Run
from chains.runs.states import Event, Status, TurnOutcome, cancel
from handlers.commands.listings import as_json, print_rows
from handlers.commands.operator import note_command, operator
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.security.events import RUN_CANCELED
from handlers.services.run_notices import withdraw_waiting
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.errors import Conflict, NotFound
from vfs.ports.clock import stamp

NAME = re.compile(r"@([^/]+)/([^/]+)/([^/]+)")


@click.group("run")
def run() -> None:
    """List the runs that go on, and cancel one."""


@run.command("list")
@needs_data
@as_json
def list_runs(settings: Settings, as_json: bool) -> None:
    """List the runs that are queued, running, waiting for an answer, or about to end, the oldest first."""
    with open_world(settings) as world:
        rows = [one._asdict() for one in world.code.overview.runs()]
    print_rows(rows, OpenRun._fields, as_json=as_json)


@run.command("cancel")
@needs_data
@click.argument("name", metavar="@OWNER/JOB/RUN")
def cancel_run(settings: Settings, name: str) -> None:
    """Cancel a run, as its caller could; one that waits is declined. The runner ends what goes on."""
    with open_world(settings) as world:
        found = run_called(world, name)
        with world.atomic():
            # Recording locks the run's row: the decision and the change use the same state.
            world.code.runs.states.record(found.key)
            said = _end(world, world.code.runs.reader.by_key(found.key) or found)
        note_command(world, RUN_CANCELED, target=name)
    click.echo(said)


def _end(world: World, found: Run) -> str:
    """End a run in an open transaction; return the sentence about it. Raises Conflict if it has ended."""
    line = f"The run was canceled by an operator: {operator()}."
    if found.status is Status.WAITING:
        world.code.runs.states.settle(found.key, Event.DECLINE, operator(), None)
        world.code.runs.states.record(found.key, lines=[(stamp(world.clock.now()), INFO, line)])
        withdraw_waiting(world, found.job, found.id)
        return "The run waited; its hold is declined."
    turn = cancel(found.status)
    if turn.outcome is TurnOutcome.REFUSED:
        raise Conflict(turn.detail)
    if turn.outcome is TurnOutcome.ACCEPTED:
        world.code.runs.states.record(found.key, lines=[(stamp(world.clock.now()), INFO, line)])
        world.code.runs.states.event(found.key, Event.CANCEL)
    return turn.detail


def run_called(world: World, name: str) -> Run:
    """Return the run of an `@owner/job/run`. Raises NotFound."""
    match = NAME.fullmatch(name)
    job = world.items.find("job", match[1], match[2], match[1]) if match else None
    found = world.code.runs.reader.get(job.item.id, match[3]) if job is not None and match else None
    if found is None:
        raise NotFound(f"there is no run {name}: curlew run list shows those that go on, by @owner/job/run")
    return found
