"""`curlew top`: the current activity, updated at a terminal, and printed once elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from handlers.commands.options import needs_data
from handlers.commands.serving import stop_event
from handlers.processes.world import build
from handlers.settings.quantities import rounded_size
from handlers.settings.settings import Settings
from handlers.words.tables import table
from handlers.words.terminal_signs import safe_text

if TYPE_CHECKING:
    from handlers.processes.watching.glance import Glance

FIRST_SECONDS = 1.0
"""Seconds between the two samples for rates."""
ALTERNATE, BACK, HOME, END_LINE, END_SCREEN = "\x1b[?1049h", "\x1b[?1049l", "\x1b[H", "\x1b[K", "\x1b[J"
PROCESSES = ("process", "pid", "memory", "processor", "for")
RUNS = ("run", "state", "for", "by", "trigger", "runner")
WORDS = {"pass": "well", "warn": "works, with concerns", "fail": "fails"}
ORDER = ("running", "queued", "waiting", "canceling", "building")


@click.command()
@needs_data
@click.option("--every", type=click.FloatRange(0.5, 3600), default=2.0, metavar="SECONDS", help="Default 2.")
def top(settings: Settings, every: float) -> None:
    """Show current requests, processes, runs, renders and free space; at a terminal until Ctrl-C."""
    from handlers.processes.watching.glance import ServiceWatch

    with closing(build(settings)) as live_world:
        watch = ServiceWatch(settings, live_world)
        before = watch.look()
        over = stop_event()
        if not sys.stdout.isatty():
            over.wait(FIRST_SECONDS)
            click.echo(view(before, watch.look(), settings.folder), nl=False)
            return
        pause = FIRST_SECONDS
        with _screen():
            while not over.wait(pause):
                now = watch.look()
                _show(view(before, now, settings.folder))
                before, pause = now, every


@contextmanager
def _screen() -> Iterator[None]:
    """Use an alternate screen of the terminal during the block."""
    click.echo(ALTERNATE, nl=False)
    try:
        yield
    finally:
        click.echo(BACK, nl=False)


def _show(text: str) -> None:
    """Replace the shown text, as far as it fits the terminal."""
    columns, lines = shutil.get_terminal_size()
    shown = [f"{line[:columns]}{END_LINE}" for line in text.splitlines()[: lines - 1]]
    click.echo(f"{HOME}{chr(10).join(shown)}\n{END_SCREEN}", nl=False)


def view(before: Glance, now: Glance, folder: object) -> str:
    """Return the text for the time between two glances."""
    worst = max((check.health for check in now.health.values()), key=list(WORDS).index, default="pass")
    head = f"curlew {version('curlew')} in {folder}, {now.now:%H:%M:%S} UTC: {WORDS[worst]}"
    lines = [safe_text(head), *(safe_text(line) for line in _concerns(now)), "", *_figures(before, now), ""]
    return "\n".join(lines) + "\n" + _processes(before, now) + (f"\n{_runs(now)}" if now.open_runs else "")


def _concerns(now: Glance) -> Iterator[str]:
    """Yield a line for each check that does not pass."""
    for name, check in now.health.items():
        if check.health != "pass":
            yield f"  {name}: {check.health}, {check.output}"


def _figures(before: Glance, now: Glance) -> Iterator[str]:
    """Yield lines of requests, runs, builds, renders and free space."""
    yield f"requests  {_rates(before, now)}"
    if now.away:
        yield f"runs      not known: {safe_text(now.away)}"
    else:
        yield f"runs      {_numbers(now.runs)}"
        yield f"builds    {_numbers(now.builds)}"
    yield "renders   " + (
        "the service does not answer" if now.renders is None else f"{now.renders:.0f} in progress"
    )
    free, total = (rounded_size(int(now.disk[word])) for word in ("free", "total"))
    yield f"disk      {free} free of {total}"


def _rates(before: Glance, now: Glance) -> str:
    """Return requests per second by status, as far as they are counted."""
    if now.requests is None or before.requests is None:
        return "are not counted: the setting metrics has them counted"
    seconds = max(now.moment - before.moment, 0.001)
    # The counters restart with the web server.
    rates = {
        status: max(0.0, number - before.requests.get(status, 0.0)) / seconds
        for status, number in sorted(now.requests.items())
    }
    by_status = "".join(f"   {status}: {rate:.1f}" for status, rate in rates.items() if rate)
    return f"{sum(rates.values()):.1f} a second{by_status}"


def _numbers(found: Mapping[str, int]) -> str:
    """Return numbers by state, or `none`."""
    return ", ".join(f"{found[state]} {state}" for state in ORDER if found.get(state)) or "none"


def _processes(before: Glance, now: Glance) -> str:
    """Return the table of processes; the CPU use is a share of one core since the last glance."""
    used = {one.pid: one.processor for one in before.processes}
    seconds = max(now.moment - before.moment, 0.001)
    rows = [
        (
            one.name,
            one.pid,
            rounded_size(one.memory),
            f"{max(0.0, one.processor - used.get(one.pid, one.processor)) / seconds:.0%}",
            time_text(one.age),
        )
        for one in now.processes
    ]
    return table(PROCESSES, rows) if rows else "no process of the service is at work on this machine\n"


def _runs(now: Glance) -> str:
    """Return the table of runs, oldest first, and the number of those left out."""
    rows = [
        (one.run, one.state, time_text(_age(one.since, now.now)), one.by, one.trigger, one.runner or "")
        for one in now.open_runs
    ]
    more = sum(now.runs.values()) - len(rows)
    return table(RUNS, rows) + (f"and {more} more: curlew run list\n" if more > 0 else "")


def _age(since: str, now: datetime) -> float:
    return max(0.0, (now - datetime.fromisoformat(since)).total_seconds())


def time_text(seconds: float) -> str:
    """Return a time in its two largest units: `7s`, `3m 20s`, `5h 12m`, `12d 3h`."""
    whole = int(seconds)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s")]
    first = next((place for place, (number, _) in enumerate(parts) if number), len(parts) - 1)
    return " ".join(f"{number}{unit}" for number, unit in parts[first : first + 2])
