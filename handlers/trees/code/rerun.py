"""Repetition of runs: trigger the present job with the input of an earlier run."""

from __future__ import annotations

from chains.runs.records import KeptInput, Run
from handlers.services.run_people import input_people
from handlers.services.runs.kept_inputs import NO_INPUT, Brought, bring_again
from handlers.services.runs.overlaps import SCHEDULE
from handlers.services.world import World
from handlers.trees.code.run_rows import require_kept, run_of
from handlers.trees.code.trigger import run_facts, start_run
from vfs.body import Body
from vfs.call import Reply
from vfs.context import Context
from vfs.errors import Conflict, Gone, Invalid, NotFound


def rerun(context: Context[World], body: Body) -> Reply:
    """Trigger the job with the input of a run, as the caller, and answer like the job's `data` file."""
    run = run_of(context)
    if not body.empty():
        raise Invalid("a run is repeated with what it was sent: send no body, or trigger the job at its data")
    if run.top is not None:
        raise Conflict(
            "this run is a step of another: repeat the top-level run", **run_facts(run, run.status)
        )
    kept = input_again(context, run)
    return start_run(context, lambda: _bring(context, run, kept))


def input_again(context: Context[World], run: Run) -> KeptInput | None:
    """Return the input of a run; None for a scheduled run, which had none. Raises Gone."""
    require_kept(context, run, "input")
    kept: KeptInput | None = context.world.code.runs.reader.kept_input(run.key)
    if kept is None and run.trigger != SCHEDULE:
        raise input_refusal(run)
    return kept


def _bring(context: Context[World], run: Run, kept: KeptInput | None) -> Brought:
    if kept is None:
        return NO_INPUT
    try:
        return bring_again(context.world, kept)._replace(behind=input_people(run))
    except NotFound:
        raise Gone(
            "the input of this run was kept, and is gone from the server's file store or damaged there: send "
            "it to the job's data again",
            **run_facts(run, run.status),
        ) from None


def input_refusal(run: Run) -> Gone:
    """Return the refusal for an input that was not kept."""
    return Gone(
        "the input of this run was not kept: it was larger than the setting kept_input, or the job's owner "
        "had no room for it; send it to the job's data again",
        **run_facts(run, run.status),
    )
