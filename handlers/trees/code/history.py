"""The history of a job: all its runs, streamed while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain

from chains.runs.records import Past, duration_of
from handlers.services.world import World
from vfs.call import Form, Reply, Stream
from vfs.context import Context

PAGE = 500
"""Rows read and sent at a time, about 64 KiB; no transaction is held between two pages."""

HEADS = ("time", "trigger", "created_by", "duration", "status")
# One formatting operation writes a whole page, since there may be very many rows; "%.0s" hides a column. Rows
# hold ids, names, stamps and fixed words, which need no escaping.
OBJECT = '%.0s{"name":"%s","time":"%s","trigger":"%s","created_by":"%s","duration":%s,"status":"%s"}%.0s,\n'

Pages = Iterator[Sequence[Past]]


def history(context: Context[World]) -> Reply:
    """Return every run of the job, newest first, as a table or as JSON.

    The ETag is set only while no run is active, because durations of active runs grow.
    """
    version, now = context.world.code.runs.reader.version(context.here.id), context.world.clock.now()
    if context.call.want is Form.DATA:
        tag = version and f"{version}-data"
        return Reply(Stream(_as_data(_pages(context, now, "null")), "application/json", tag=tag))
    tag = version and f"{version}-text"
    return Reply(Stream(_as_table(_pages(context, now, "")), "text/plain", tag=tag))


def _pages(context: Context[World], now: datetime, never: str) -> Pages:
    """Yield pages of runs with durations: up to now for active runs, `never` for runs that did not start."""
    before: int | None = None
    while rows := context.world.code.runs.reader.history(context.here.id, before, PAGE):
        before = rows[-1][0]
        if None in [row[5] for row in rows]:
            rows = [(*row[:5], row[5] or duration_of(row[7], now) or never, *row[6:]) for row in rows]
        yield rows


def _as_data(pages: Pages) -> Iterator[bytes]:
    """Yield a JSON array, one run on each line."""
    between = "[\n"
    for rows in pages:
        objects = OBJECT * len(rows) % tuple(chain.from_iterable(rows))
        yield (between + objects[:-2]).encode()
        between = ",\n"
    yield b"[]\n" if between == "[\n" else b"\n]\n"


def _as_table(pages: Pages) -> Iterator[bytes]:
    """Yield columns two spaces apart, each as wide as its widest cell so far.

    A later page may be wider, because the first page is sent before the last row is read.
    """
    widths, head = [len(name) for name in HEADS], True
    for rows in pages:
        _, _, *columns, _ = zip(*rows, strict=True)
        widest = [max(map(len, cells)) for cells in columns]
        widest[2] += len("@")
        widths = [max(pair) for pair in zip(widths, widest, strict=True)]
        yield (_head(widths) * head + _row(widths) * len(rows) % tuple(chain.from_iterable(rows))).encode()
        head = False
    if head:
        yield _head(widths).encode()


def _head(widths: Sequence[int]) -> str:
    time, trigger, by, duration, _ = widths
    return f"%-{time}s  %-{trigger}s  %-{by}s  %{duration}s  %s\n" % HEADS


def _row(widths: Sequence[int]) -> str:
    time, trigger, by, duration, _ = widths
    return f"%.0s%.0s%-{time}s  %-{trigger}s  @%-{by - 1}s  %{duration}s  %s%.0s\n"
