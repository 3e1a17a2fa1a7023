"""`curlew run`: active runs of all jobs, and their cancellation from the command line."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

import click

from chains.runs.overview import OpenRun
from chains.runs.records import INFO, Run
from chains.runs.states import Event, Status, TurnOutcome, cancel
from handlers.commands.operators import as_json, find_user, note_command, operator, print_rows
from handlers.commands.options import FAILED, MISUSED, become, leave, needs_data, require
from handlers.commands.running.tries import TrialServer, run_once
from handlers.identity.credentials import digest, fresh, tail
from handlers.processes.world import open_world
from handlers.security.events import RUN_CANCELED, TOKEN_MADE, TOKEN_REVOKED
from handlers.services.run_notices import withdraw_waiting
from handlers.services.world import World
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load_with_sources
from vfs.errors import Conflict, NotFound, VfsError
from vfs.ports.clock import stamp

FOLDER = "folder"
NAME = re.compile(r"@([^/]+)/([^/]+)/([^/]+)")


class RunGroup(click.Group):
    """A group whose first word is a folder to run, unless it is a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words, with the command for a folder before them if they begin with no command."""
        is_known = not args or args[0] in {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, args if is_known else [FOLDER, *args])


@click.group("run", cls=RunGroup)
def run() -> None:
    """Run a folder once (curlew run DIR), list active runs, cancel one."""


@run.command(FOLDER, short_help="Build and run a folder once: curlew run DIR.")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "inputs",
    "--input",
    metavar="FILE",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file for /input of the program; may be repeated.",
)
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the files of /output; without it they are listed.",
)
@click.option("--server", envvar="CURLEW_SERVER", metavar="URL", help="The server (or CURLEW_SERVER).")
@click.option("as_user", "--as", metavar="USER", help="On the server's own machine: as this account.")
@click.option("--data", metavar="DIR", help="With --as: the server's data folder (or CURLEW_DATA).")
def run_folder(
    folder: Path,
    inputs: tuple[Path, ...],
    output: Path | None,
    server: str | None,
    as_user: str | None,
    data: str | None,
) -> None:
    """Build DIR and run it once on a server, before it is pushed.

    The server is named by --server, and the token is in CURLEW_TOKEN. On the server's own machine, --as USER
    makes a token that is revoked at the end. The exit code is that of the program.
    """
    # SIGTERM ends the command like Ctrl-C, so that its repo and job on the server are removed.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        with ExitStack() as until:
            address, token = server or "", os.environ.get("CURLEW_TOKEN", "")
            if as_user is not None:
                settings = load_with_sources(os.environ, data=data).settings
                require(settings)
                become(settings.folder)
                token = until.enter_context(passing_token(settings, as_user))
                address = server or f"http://{settings.bind}"
            if not address or not token:
                leave(
                    "name the server by --server and put its token into CURLEW_TOKEN; on the server's own "
                    "machine, --as USER does both",
                    MISUSED,
                )
            code = run_once(TrialServer(address, token), folder, inputs, output)
    except SettingsError as error:
        leave(str(error), MISUSED)
    except VfsError as error:
        leave(error.detail, FAILED)
    except KeyboardInterrupt:
        leave("it was interrupted: nothing of it runs any more, and its repo and job are removed", FAILED)
    sys.exit(code)


@contextmanager
def passing_token(settings: Settings, user: str) -> Iterator[str]:
    """Yield a token of a user, which is revoked afterwards, and expires in a day in any case."""
    value, name = fresh(), f"run-{tail()}"
    with open_world(settings) as world:
        user = find_user(world, user).name
        until = stamp(world.service.deadlines.now() + timedelta(days=1))
        world.people.tokens.mint(user, name, digest(value), expires_on=until)
        note_command(world, TOKEN_MADE, user, name)
    try:
        yield value
    finally:
        with open_world(settings) as world:
            for one in world.people.tokens.of(user):
                if one.name == name:
                    world.people.tokens.revoke(one.id)
                    note_command(world, TOKEN_REVOKED, user, name)


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
    """Cancel a run, as its caller could; a waiting hold is declined. The runner ends active steps."""
    with open_world(settings) as world:
        found = run_called(world, name)
        with world.atomic():
            # Recording locks the run's row, so that the decision and the change see the same state.
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
