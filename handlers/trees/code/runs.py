"""Runs: the facts of each execution of a job, its cancellation, and answers to its holds."""

from __future__ import annotations

import re
from datetime import datetime

from chains.plan.model import Plan
from chains.runs.records import Run, StepRow
from chains.runs.states import RUN_ID, Event, TurnOutcome, cancel
from handlers.services.rights import item_access
from handlers.services.runs.resumed_runs import resumable_steps
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.holds import answer_hold, hold_rows
from handlers.trees.code.job_access import READER
from handlers.trees.code.logs import commands, log, log_file
from handlers.trees.code.run_files import input_files, input_of, output_files, output_of, run_files
from handlers.trees.code.run_rows import (
    RUN,
    belongs,
    duration,
    newest,
    require_kept,
    run_of,
    seconds_between,
    shown_run,
    why,
)
from handlers.trees.code.trigger import reply_for, rerun
from handlers.trees.facets.meta import markdown
from handlers.words.tables import pairs
from vfs.access import Access, Verb
from vfs.call import Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Invalid
from vfs.nodes import KIB, Dir, Each, File
from vfs.parts import action, value
from vfs.ports.items import Found
from vfs.rules import IN_PERSON, NO_RUN, NOBODY, PERSONALLY_X, SIGNED_IN, R, Rule, W, X

STARTER = Rule(
    "x; through public on own runs",
    lambda p: X.test(p) and SIGNED_IN.test(p) and (PERSONALLY_X.test(p) or run_of(p).by == p.caller.name),
    X.needs + ", and through a public share only of runs that you triggered",
)
# Only people stop a run and answer its hold, never a run's credential (matrix 2.5).
RUNNER = STARTER & IN_PERSON
OWN_RUN = Rule("own run", lambda p: run_of(p).by == p.caller.name, "a run that you triggered")
# A credential that may only run jobs starts runs again, and stops those of its user.
STOPPER = STARTER & NO_RUN & (IN_PERSON | OWN_RUN)
# `find_run` finds a child run below its job only for readers of its top-level run, who may read it whatever
# permission letters they have on this job (Run rules 5).
RUN_READER = Rule(
    READER.name,
    lambda p: READER.test(p) or ((run := p.get(RUN)) is not None and _ran_here(p, run)),
    READER.needs,
)
# A caller who may still run the job may read the answer to its own trigger again.
TRIGGERER = Rule(
    "r, signed in; or x on own runs",
    lambda p: READER.test(p) or (X.test(p) and SIGNED_IN.test(p) and run_of(p).by == p.caller.name),
    f"{READER.needs}, or {X.needs} on a run that you triggered",
)
# The input of a run belongs to the account that triggered it; others need read access to repeat it.
RERUNNER = STARTER & NO_RUN & (R | OWN_RUN)


def find_run(context: Context[World], name: str) -> Run | None:
    """Return the run of that id, also one too old to be listed.

    It is the job's own run, a child run below one, or a run of this job inside another job's run that the
    caller may read.
    """
    runs = context.world.code.runs
    run: Run | None = runs.reader.get(context.here.id, name)
    if run is not None:
        return run
    nested: Run | None = runs.reader.get_child(context.here.id, name)
    return nested if nested is not None and _readable(context, nested) else None


def _ran_here(context: Context[World], run: Run) -> bool:
    """Return whether the run is a child run, shown below the job that it ran."""
    return run.top is not None and run.job == context.here.id


def _readable(context: Context[World], nested: Run) -> bool:
    """Return whether the caller may read the top-level run of a child run."""
    whole = context.world.code.runs.reader.by_key(nested.top) if nested.top is not None else None
    job: Found | None = (
        context.world.items.at(whole.job, context.me) if whole is not None and context.me else None
    )
    return job is not None and Access.READ in item_access(context.world, job, context.caller)


def set_status(context: Context[World], sent: str) -> Reply:
    """Cancel the run (interface, States and transitions)."""
    if sent.strip() != "canceled":
        raise Invalid(f'the only status to post is "canceled", not "{sent.strip()[:40]}"')
    run = run_of(context)
    world = context.world
    with world.atomic():
        # `record` locks the run's row, so that the status read below cannot change before the update.
        world.code.runs.states.record(run.key)
        status = (world.code.runs.reader.by_key(run.key) or run).status
        turn = cancel(status, nested=run.parent is not None)
        if turn.outcome is TurnOutcome.REFUSED:
            raise Conflict(turn.detail, run=run.id, run_status=str(status))
        if turn.outcome is TurnOutcome.ACCEPTED:
            world.code.runs.states.event(run.key, Event.CANCEL)
    accepted = Outcome.ACCEPTED if turn.outcome is TurnOutcome.ACCEPTED else Outcome.DONE
    return Reply(f"{turn.detail}\n", accepted)


def settle_hold(context: Context[World], sent: str) -> Reply:
    """Continue or decline at a hold."""
    return answer_hold(context, run_of(context), sent)


def stats(context: Context[World]) -> dict[str, object]:
    """Return the facts of a run (interface, Run stats fields)."""
    run = run_of(context)
    return {
        "name": run.id,
        "shortname": run.shortname,
        "status": str(run.status),
        "origin": run.origin,
        "origin_shortname": run.origin_shortname,
        "started_on": run.started_on,
        "completed_on": run.completed_on,
        "duration": duration(run, context.world.clock.now()),
        "trigger": run.trigger,
        "source": run.source,
        "has_output": run.output_name is not None,
        "created_by": run.by,
        "children": children(context, run),
    }


def children(context: Context[World], run: Run) -> list[dict[str, object]]:
    """Return the child runs of a run, each with its own (interface, Child run entry fields)."""
    below: dict[int | None, list[Run]] = {}
    for child in context.world.code.runs.reader.children(run.top or run.key):
        below.setdefault(child.parent, []).append(child)
    now = context.world.clock.now()

    def row(child: Run) -> dict[str, object]:
        return {
            "name": child.id,
            "shortname": child.shortname,
            "job": child.origin,
            "job_shortname": child.origin_shortname,
            "parent_step": child.parent_step,
            "status": str(child.status),
            "started_on": child.started_on,
            "completed_on": child.completed_on,
            "duration": duration(child, now),
            "children": [row(inner) for inner in below.get(child.key, [])],
        }

    return [row(child) for child in below.get(run.key, [])]


def steps(context: Context[World]) -> dict[str, object]:
    """Return the planned steps with their states, and the edges between them."""
    run, now = run_of(context), context.world.clock.now()
    whole = run if run.plan is not None else context.world.code.runs.reader.by_key(run.top or run.key)
    pairs = whole.plan.edges if whole is not None and whole.plan is not None else ()
    rows = (row for row in context.world.code.runs.reader.steps(run.top or run.key) if belongs(run, row.name))
    stops = [stop for stop in hold_rows(context, run, whole or run) if belongs(run, str(stop["step"]))]
    ways = resumable_steps(context.world, run) if run.top is None else ()
    return (
        {
            "steps": [_step(row, now, whole.plan if whole is not None else None) for row in rows],
            "edges": [list(pair) for pair in pairs if all(belongs(run, name) for name in pair)],
        }
        | ({"holds": stops} if stops else {})
        | ({"rerun_from": ways} if ways else {})
    )


def _step(row: StepRow, now: datetime, plan: Plan | None) -> dict[str, object]:
    """Return the facts of a step; the number of its attempt if it has begun and may have several."""
    facts = {
        "name": row.name,
        "ordinal": row.ordinal,
        "replica_index": row.replica,
        "status": str(row.status),
        "started_on": row.started_on,
        "completed_on": row.completed_on,
        "fan_out": "per_file" if row.fan_out else None,
        "duration": seconds_between(row.started_on, row.completed_on, now),
    } | ({"output_of": row.output_of} if row.output_of else {})
    whole = row.fan_out and row.replica is None
    if plan is None or row.started_on is None or whole or not plan.step(row.name).config.retries:
        return facts
    return facts | {"attempt": row.attempt or 1}


def output(context: Context[World]) -> Reply:
    """Return the result of a run under the name that the chain gave it."""
    run = run_of(context)
    require_kept(context, run, "output")
    if run.output is None:
        return Reply(None, Outcome.EMPTY)
    return Reply(run.output, filename=run.output_name)


def result(context: Context[World]) -> Reply:
    """Return or raise the answer to the run's trigger again: RunFailed, Denied, Conflict or Gone."""
    run = run_of(context)
    require_kept(context, run, "result")
    return reply_for(context, run)


def files(context: Context[World]) -> dict[str, object]:
    """Return the names and sizes of input and result files, while they are kept."""
    run = run_of(context)
    require_kept(context, run, "output")
    return {"input": input_of(context, run), "output": output_of(context, run)}


RUN_FOLDER = Dir(
    {
        "description": markdown(
            "what this run was about, markdown",
            rules={Verb.READ: RUN_READER, Verb.WRITE: W & IN_PERSON},
            kept=False,
        ),
        "hold": File(
            None,
            settle_hold,
            silent=True,
            clear=False,
            largest=KIB,
            rules={Verb.WRITE: RUNNER},
            listed=X,
            about="continue or decline while the run waits",
        ),
        "inputs": run_files(input_files, "the files that the trigger brought, one by one"),
        "outputs": run_files(output_files, "the files of the result, one by one"),
        "rerun": action(
            rerun,
            needs=RERUNNER,
            listed=NOBODY,
            wants="raw",
            media=("application/json",),
            largest=KIB,
            long=True,
            open_ended=lambda context: "respond-async" not in hints_of(context.call).prefer,
            about="runs the job as it is now again, with this run's input, as the caller; "
            "with JSON, from a step on",
        ),
        "files": value(files, listed=NOBODY, about="its input and output files, by name and size"),
        "by_hand": value(commands, listed=NOBODY, about="for each failed step, a command that runs it"),
        "log": log_file(log, "what happened, a line each"),
        "output": value(output, media=("text/plain", "*/*"), about="the result"),
        "result": value(
            result,
            media=("text/plain", "*/*"),
            rules={Verb.READ: TRIGGERER},
            listed=NOBODY,
            hidden=SIGNED_IN,
            about="the response to its trigger, also for the account that triggered it",
        ),
        "stats": value(stats, text=pairs, about="the facts"),
        "status": File(
            lambda p: str(run_of(p).status),
            set_status,
            clear=False,
            largest=KIB,
            values=("canceled",),
            rules={Verb.WRITE: STOPPER},
            about="its status; write canceled to stop it",
        ),
        "steps": value(steps, listed=NOBODY, about="planned steps and edges"),
        "why": value(
            why, listed=NOBODY, about="what it waits for, in one sentence; empty if it does not wait"
        ),
    },
    rules={Verb.READ: RUN_READER},
    shown=shown_run,
    about="a run",
)
RUNS = Each(
    RUN,
    RUN_FOLDER,
    names=newest,
    has=find_run,
    name=re.compile(RUN_ID),
    rules={Verb.READ: READER},
    still=True,
    about="the 30 newest runs",
)
