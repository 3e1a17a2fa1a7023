"""`curlew log`: the security log, filtered and followed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from handlers.commands.options import needs_data
from handlers.commands.serving import stop_event
from handlers.rules.expiry import parse_seconds
from handlers.security.events import EVENTS
from handlers.security.reading import Entry, Wanted, entry_line, follow_entries, read_entries
from handlers.security.security_log import NONE, STREAM, log_target
from handlers.settings.settings import Settings
from handlers.words.terminal_signs import safe_text
from vfs.errors import Invalid, NotFound
from vfs.ports.clock import stamp

MOMENT = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,3})?)?)?Z?)?)?")
STDIN = "-"


@click.group()
def log() -> None:
    """Read what the service wrote down."""


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
@click.option("--since", metavar="TIME", help='A UTC time, or its beginning, or "2 hours" for so long ago.')
@click.option("--until", metavar="TIME", help="The same, for the last of the lines.")
@click.option(
    "--file", metavar="FILE", help="Another file than the setting's: one that was moved away, or - for stdin."
)
@click.option("--follow", "-f", is_flag=True, help="Go on with what is written from now on.")
@click.option("--json", "as_json", is_flag=True, help="The lines as they are kept: a JSON object each.")
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
    """Return the stamp in an option, or its beginning. Raises Invalid."""
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
