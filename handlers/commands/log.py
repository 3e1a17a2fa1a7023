"""`curlew log`: the lines of one request, and the security log, filtered and followed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from handlers.commands.options import may_make_data, needs_data
from handlers.commands.serving import stop_event
from handlers.rules.expiry import parse_seconds
from handlers.security.events import EVENTS
from handlers.security.reading import (
    Entry,
    ServiceLine,
    Wanted,
    entry_line,
    file_lines,
    follow_entries,
    journal_lines,
    lines_of,
    read_entries,
)
from handlers.security.security_log import NONE, STREAM, log_target
from handlers.settings.settings import Settings
from handlers.words.terminal_signs import safe_text
from vfs.errors import Invalid, NotFound
from vfs.ports.clock import stamp

MOMENT = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,3})?)?)?Z?)?)?")
STDIN = "-"


@click.group(invoke_without_command=True)
@click.option("--request", metavar="ID", help="Lines of this X-Request-ID, and of all that it caused.")
@click.option("--since", metavar="TIME", default="7 days", help="A UTC time, or a time ago (default 7 days).")
@click.option("--file", metavar="FILE", help="A file with the lines instead of the journal, or - for stdin.")
@click.option("--data", metavar="DIR", help="The server's data folder (default ./var, or CURLEW_DATA).")
@click.option("--config", metavar="FILE", help="The settings (default curlew.toml in the data folder).")
@click.pass_context
def log(context: click.Context, /, request: str | None, **options: Any) -> None:
    """Read the logs of the service; with --request, the lines of all processes for one request."""
    if context.invoked_subcommand is None:
        if request is None:
            raise click.UsageError("--request ID, or a command: security", context)
        show_request(request=request, **options)


@may_make_data
def show_request(settings: Settings, request: str, since: str, file: str | None) -> None:
    """Print the lines of one request: those of the journal and of the security log, or those of a file."""
    moment = moment_of(since) or ""
    if file is not None:
        with nullcontext(sys.stdin.buffer) if file == STDIN else Path(file).open("rb") as opened:
            _print_lines(lines_of(request, file_lines(opened)))
        return
    found = [*lines_of(request, journal_lines(moment))]
    if (place := log_target(settings)) not in (STREAM, NONE) and Path(place).exists():
        with Path(place).open("rb") as opened:
            entries = [entry for entry in read_entries(opened) if str(entry.get("time", "")) >= moment]
        kept = (ServiceLine(str(entry.get("time", "")), "security", entry_line(entry)) for entry in entries)
        found += lines_of(request, kept)
    _print_lines(sorted(found, key=lambda line: line.time))


def _print_lines(lines: Iterable[ServiceLine]) -> None:
    """Print lines. Raises NotFound if there is none."""
    line = None
    for line in lines:
        click.echo(safe_text(str(line)))
    if line is None:
        raise NotFound(
            "no line names this request: --since may reach back further, and --file names older logs"
        )


@log.command("security")
@needs_data
@click.option("--account", metavar="NAME", help="Lines with this account as actor or subject.")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="EVENT",
    help="Lines of this event, or of all before a dot: share.",
)
@click.option("--since", metavar="TIME", help='A UTC time or its beginning, or a time ago such as "2 hours".')
@click.option("--until", metavar="TIME", help="The same, for the end of the lines.")
@click.option(
    "--file", metavar="FILE", help="Another file than that of the settings, such as a rotated one, or -."
)
@click.option("--follow", "-f", is_flag=True, help="Then print new lines as they are written.")
@click.option("--json", "as_json", is_flag=True, help="The lines as they are stored: a JSON object each.")
def security(
    settings: Settings,
    account: str | None,
    events: tuple[str, ...],
    since: str | None,
    until: str | None,
    file: str | None,
    follow: bool,
    as_json: bool,
) -> None:
    """Print the security log, oldest first: sign-ins, tokens, passwords, shares, roles, refusals."""
    _check_events(events)
    wanted = Wanted(account, events, moment_of(since) or "", moment_of(until))
    for entry in _entries(settings, file, follow=follow):
        if wanted.fits(entry):
            click.echo(json.dumps(entry) if as_json else safe_text(entry_line(entry)))


def moment_of(said: str | None) -> str | None:
    """Return the time stamp in an option, or the beginning of one. Raises Invalid."""
    if said is None or MOMENT.fullmatch(said):
        return said
    try:
        return stamp(datetime.now(UTC) - timedelta(seconds=parse_seconds(said)))
    except (Invalid, OverflowError):
        raise Invalid(
            f'"{said}" is no time: write 2026-01-31, 2026-01-31T08:30 (UTC), or a duration such as "2 hours"'
        ) from None


def _check_events(events: tuple[str, ...]) -> None:
    known = {event.name for event in EVENTS} | {event.name.partition(".")[0] for event in EVENTS}
    for name in events:
        if name not in known:
            raise Invalid(f"there is no event {name}: there are {', '.join(event.name for event in EVENTS)}")


def _entries(settings: Settings, file: str | None, *, follow: bool) -> Iterator[Entry]:
    """Yield the entries of the file, then with `follow` the new ones."""
    if file == STDIN:
        yield from read_entries(sys.stdin.buffer)
        return
    place = file or log_target(settings)
    if place in (STREAM, NONE):
        raise NotFound(f"security_log is {place}: there is no file; --file names one, or - for stdin")
    if follow:
        yield from follow_entries(Path(place), stop_event().is_set)
        return
    try:
        with Path(place).open("rb") as opened:
            yield from read_entries(opened)
    except FileNotFoundError:
        raise NotFound(f"there is no {place}: nothing was written to it yet") from None
