"""Logs of runs: one event on each line, complete or followed as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import orjson

from chains.runs.records import COMMAND, LogLine, Run
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.run_rows import belongs, own_lines, require_kept, run_of
from handlers.words import sse as events
from vfs.call import Data, Form, Outcome, Reply, Stream
from vfs.context import Context
from vfs.errors import Invalid, NotFound, Unavailable
from vfs.nodes import File, Rules
from vfs.parts import FALSE, value

END = "end"
"""Name and id of a stream's last event; a request to continue after it is answered with no content."""

QUERY = {
    "follow": "`1` goes on with the lines to come until the run has ended",
    "after": "the number of the last entry that is known already: what comes after it is answered",
}
MEDIA = ("text/plain", "application/json", "text/event-stream")


def log(context: Context[World]) -> Reply:
    """Return the log of a run, while it is kept."""
    return _log(context, run_of(context), str)


def latest_log(context: Context[World]) -> Reply:
    """Return the log of the newest run; empty if there is none.

    Event ids contain the run, so that a request to continue after one continues in the same run.
    """
    id, slash, _ = hints_of(context.call).since.partition("/")
    run = context.world.code.runs.reader.get(context.here.id, id) if slash else None
    if run is None:
        run = next(iter(context.world.code.runs.reader.newest(context.here.id, 1)), None)
    if run is None:
        return Reply(Data([], messages))
    return _log(context, run, partial("{}/{}".format, run.id))


def log_file(
    read: Callable[[Context[World]], Reply], about: str, rules: Rules = MappingProxyType({})
) -> File:
    """Return a log file that can be followed."""
    return value(read, media=MEDIA, query=QUERY, about=about, open_ended=is_followed, rules=rules)


def is_followed(context: Context[World]) -> bool:
    """Return whether the caller wants future lines too."""
    return "follow" in context.call.query or hints_of(context.call).events


def messages(lines: Iterable[dict[str, object]]) -> str:
    """Return the plain form of a log: its messages, one on each line."""
    return "".join(f"{line['message']}\n" for line in lines)


def _log(context: Context[World], run: Run, id: Callable[[int], str]) -> Reply:
    require_kept(context, run, "log")
    after, call, hints = _after(context, run), context.call, hints_of(context.call)
    if hints.events and hints.since.rpartition("/")[2] == END:
        return Reply(None, Outcome.EMPTY)
    if hints.events:
        return Reply(Stream(_as_events(Tail(context, run, after), id), "text/event-stream"))
    if call.query.get("follow", "no").lower() not in FALSE:
        if call.want is Form.DATA:
            return Reply(Stream(_as_data(Tail(context, run, after)), "application/json"))
        return Reply(Stream(_as_text(Tail(context, run, after)), "text/plain"))
    lines = context.world.code.runs.reader.lines(run.top or run.key, after)
    return Reply(Data([_entry(line) for line in own_lines(run, lines)], messages))


def _after(context: Context[World], run: Run) -> int:
    """Return the entry after which to continue: that of the caller's last event, else of the query."""
    hints = hints_of(context.call)
    id, slash, number = hints.since.rpartition("/") if hints.events else ("", "", "")
    if number.isascii() and number.isdigit() and (not slash or id == run.id):
        return min(int(number), 1 << 62)
    requested = context.call.query.get("after", "0")
    if not (requested.isascii() and requested.isdigit() and len(requested) < 19):
        raise Invalid(
            f'"{requested[:40]}" is not the number of an entry: after=12 answers what follows the 12th'
        )
    return int(requested)


def commands(context: Context[World]) -> str:
    """Return the commands that run failed steps by hand; empty where none failed."""
    run = run_of(context)
    require_kept(context, run, "log")
    lines = context.world.code.runs.reader.lines(run.top or run.key)
    return "".join(
        f"{one.message}\n" for one in lines if one.severity == COMMAND and belongs(run, one.message)
    )


def _entry(line: LogLine) -> dict[str, object]:
    return {"log_time": line.time, "severity": line.severity, "message": line.message}


@dataclass(slots=True)
class Tail:
    """New entries of a run's log after `after`, as they arrive; none after `heartbeat` quiet seconds.

    The first wait is shorter by a random amount, so that followers do not query at the same time. No database
    connection is held during a wait.
    """

    context: Context[World]
    run: Run
    after: int
    heartbeat: float = events.HEARTBEAT_SECONDS
    status: str = ""

    def __iter__(self) -> Iterator[list[LogLine]]:
        """Yield new entries, or an empty list after a timeout; set `status` at the end of the run.

        Ends early when the service stops, the run is removed, the database is unavailable, or the caller may
        no longer read the log, which is checked before each yield.
        """
        runs, ongoing, top = (
            self.context.world.code.runs,
            self.context.call.ongoing,
            self.run.top or self.run.key,
        )
        heartbeat = events.first_heartbeat(self.heartbeat)
        while True:
            try:
                # All lines up to this run's end are stored, though an enclosing run may add more.
                status, lines = runs.waits.follow(self.run.key, self.after, heartbeat, ongoing.is_over, top)
                heartbeat = self.heartbeat
            except (NotFound, Unavailable):
                return
            if not ongoing.is_allowed():
                return
            if lines or not status.ended:
                self.after = lines[-1].seq if lines else self.after
                yield own_lines(self.run, lines)
            if status.ended:
                self.status = str(status)
                return


def _as_text(tail: Tail) -> Iterator[bytes]:
    for lines in tail:
        if lines:
            yield "".join(f"{line.message}\n" for line in lines).encode()


def _as_data(tail: Tail) -> Iterator[bytes]:
    """Yield a JSON array that grows, one entry on each line."""
    yield b"[\n"
    between = b" "
    for lines in tail:
        if lines:
            yield between + b",".join(orjson.dumps(_entry(line)) + b"\n" for line in lines)
            between = b","
    yield b"]\n"


def _as_events(tail: Tail, id: Callable[[int], str]) -> Iterator[bytes]:
    yield events.FIRST
    for lines in tail:
        yield b"".join(events.event(_entry(line), id(line.seq)) for line in lines) or events.HEARTBEAT
    if tail.status:
        said = {"run": tail.run.id, "status": tail.status}
        yield events.event(said, END, END)
