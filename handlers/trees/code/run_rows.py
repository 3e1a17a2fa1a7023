"""Runs of a job: rows, the whole history, and of the run of a context its times, and why it waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain

from chains.plan.model import Plan, headline, steps_named
from chains.runs.records import COMMAND, LogLine, Past, Run, StepRow, duration_of, inside
from chains.runs.states import Status, StepStatus
from chains.schedules.timetable import SCHEDULE
from handlers.rules.kinds import States
from handlers.services.runs.run_ends import ENABLED
from handlers.services.runs.run_trigger import OVERLAP
from handlers.services.world import World
from handlers.trees.facets.schedule import schedule_words
from vfs.call import Form, Reply, Stream
from vfs.context import Context
from vfs.errors import Gone
from vfs.nodes import Named
from vfs.param import Param

RUN: Param[Run] = Param("run")


def run_of(context: Context[World]) -> Run:
    """Return the run of a context."""
    return context[RUN]


def belongs(run: Run, name: str) -> bool:
    """Return whether a step or log line belongs to a run; for a child run, whether it is inside its step."""
    return run.parent_step is None or inside(name, run.parent_step)


def own_lines(run: Run, lines: Iterable[LogLine]) -> list[LogLine]:
    """Return the lines that a run's log shows; a child run's first line names only its own steps."""
    own = []
    for line in lines:
        if line.severity == COMMAND:
            continue
        if belongs(run, line.message):
            own.append(line)
        elif names := [name for name in steps_named(line.message) if belongs(run, name)]:
            own.append(replace(line, message=headline(names)))
    return own


def require_kept(context: Context[World], run: Run, what: str) -> None:
    """Raise Gone when the run's log and output are older than the retention period.

    Those of a child run are kept as long as its top-level run.
    """
    whole = context.world.code.runs.reader.by_key(run.top) if run.top is not None else run
    limit = context.world.clock.now() - timedelta(days=context.world.service.settings.retention_days)
    if whole is not None and (whole.expired or _before(whole.completed_on, limit)):
        raise Gone(
            f"the {what} of a run is kept for {context.world.service.settings.retention_days} days; "
            "its status, stats and description are still there",
            run=run.id,
            run_status=str(run.status),
        )


def _before(completed_on: str | None, limit: datetime) -> bool:
    return completed_on is not None and datetime.fromisoformat(completed_on) < limit


NEWEST = 30


def newest(context: Context[World]) -> Iterator[Named]:
    """Yield the newest runs with their status: created at their start, modified at their end."""
    now = context.world.clock.now()
    for run in context.world.code.runs.reader.newest(context.here.id, NEWEST):
        stands = {
            "status": str(run.status),
            "trigger": run.trigger,
            "source": run.source,
            "created_by": run.by,
            "started_on": run.started_on,
            "duration": duration(run, now),
        }
        yield _row(run, stands)


def job_states(world: World, jobs: Sequence[int]) -> States:
    """Return the schedules of jobs in words ("" if off or none), and their runs, newest first."""
    now = world.clock.now()
    found = world.code.runs.reader.newest_of(jobs, NEWEST)
    texts = world.leaves.texts_of(jobs, (SCHEDULE, ENABLED))
    return {
        job: {
            "schedule": schedule_words(texts.get(job, {})),
            "runs": [
                {
                    "id": run.id,
                    "status": str(run.status),
                    "started_on": run.started_on,
                    "duration": seconds_between(run.started_on, run.completed_on, now),
                }
                for run in found.get(job, ())
            ],
        }
        for job in jobs
    }


def duration(run: Run, now: datetime) -> float | None:
    """Return seconds with two decimals, up to now for an active run; None if it never started."""
    return seconds_between(run.started_on, run.completed_on, now)


def seconds_between(started_on: str | None, completed_on: str | None, now: datetime) -> float | None:
    """Return seconds between two stamps, up to now if the second is None."""
    if started_on is None:
        return None
    end = datetime.fromisoformat(completed_on) if completed_on else now
    return round(max((end - datetime.fromisoformat(started_on)).total_seconds(), 0.0), 2)


def shown_run(context: Context[World]) -> Named:
    """Return a run with its times, which all its files share."""
    return _row(run_of(context))


def _row(run: Run, stands: Mapping[str, object] | None = None) -> Named:
    began = run.started_on or run.created_on
    return Named(run.id, began, run.completed_on or began, run, extra=stands)


def why(context: Context[World]) -> str:
    """Return what the run waits for; "" if it does not wait."""
    runs, run = context.world.code.runs, run_of(context)
    whole = run if run.top is None else runs.reader.by_key(run.top)
    if whole is None or whole.status not in (Status.PROCESSING, Status.WAITING):
        return ""
    if whole.status is Status.WAITING:
        hold = next((one for one in runs.reader.holds(whole.key) if one.settled_at is None), None)
        return f"It waits for an answer to the hold {hold.phase} {hold.step}." if hold is not None else ""
    return _for_runner(context.world, whole) if whole.worker is None else _for_slot(context.world, whole)


def _for_runner(world: World, run: Run) -> str:
    """Return why no runner has taken a run."""
    runs = world.code.runs
    earlier = next((one for one in runs.reader.going(run.job) if one.key < run.key), None)
    if run.alone and earlier is not None:
        return f"It waits for the end of the run {earlier.id}, as the job's {OVERLAP} says."
    workers = runs.leases.workers()
    if not workers:
        return "It waits for a runner: none is at work on this server."
    if all(worker.trouble for worker in workers):
        return f"It waits for a runner that can start containers: {workers[0].trouble}"
    if before := runs.reader.ahead(run):
        return f"It waits for its turn: accounts take turns, and {before} of @{run.by} came before it."
    return "It waits for its turn: the runners have no free slot."


def _for_slot(world: World, run: Run) -> str:
    """Return why no step of a run that a runner has taken is running."""
    rows = [row for row in world.code.runs.reader.steps(run.key) if row.replica is None]
    if run.plan is None or any(row.status is StepStatus.RUNNING for row in rows):
        return ""
    if all(row.started_on is None for row in rows) and (image := _image_at_work(world, run.plan)):
        return f"It waits for the image {image}, which is being built."
    ready = next((step.name for step in run.plan.steps if _may_begin(step.name, run.plan, rows)), None)
    return f"The step {ready} waits for its turn: there is no free slot." if ready is not None else ""


def _image_at_work(world: World, plan: Plan) -> str:
    """Return the first image of a plan whose repo is being built, or ""."""
    sources = {step.source.item: step.source for step in plan.steps if step.source.item is not None}
    builds = world.code.builds.latest_of(list(sources))
    return next((str(sources[repo]) for repo, build in builds.items() if not build.status.ended), "")


def _may_begin(name: str, plan: Plan, rows: list[StepRow]) -> bool:
    """Return whether a step has not begun, and every step before it has ended well."""
    status = {row.name: row.status for row in rows}
    before = (status[one] is StepStatus.SUCCESS for one in plan.step(name).predecessors)
    return status[name] is StepStatus.PENDING and all(before)


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
        yield (
            _head_form(widths) * head + _row_form(widths) * len(rows) % tuple(chain.from_iterable(rows))
        ).encode()
        head = False
    if head:
        yield _head_form(widths).encode()


def _head_form(widths: Sequence[int]) -> str:
    time, trigger, by, duration, _ = widths
    return f"%-{time}s  %-{trigger}s  %-{by}s  %{duration}s  %s\n" % HEADS


def _row_form(widths: Sequence[int]) -> str:
    time, trigger, by, duration, _ = widths
    return f"%.0s%.0s%-{time}s  %-{trigger}s  @%-{by - 1}s  %{duration}s  %s%.0s\n"
