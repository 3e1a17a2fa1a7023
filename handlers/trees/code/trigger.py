"""Triggers of jobs by requests: the body, or the input of an earlier run, becomes the input of a run."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from chains.runs.records import COMMAND, KeptInput, Run
from chains.runs.states import RunFailed, Status, StepStatus
from handlers.rules.run_failures import LAST_LINES, failure_of
from handlers.rules.scopes import needs_hold
from handlers.services.runs.kept_inputs import EarlierInput
from handlers.services.runs.resumed_runs import resume_from
from handlers.services.runs.run_trigger import API, SCHEDULE, RunRequest, run_job
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.holds import hold_facts
from handlers.trees.code.run_rows import belongs, require_kept, run_of
from handlers.trees.facets.contexts import viewer_of
from vfs.body import Body, known_fields
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, Gone, Invalid, NotFound, Unavailable
from vfs.nodes import KIB
from vfs.path import Path
from vfs.rules import R

READERS = "everyone with read access (r) to the job can see"
UNREAD = f"it may not use: the details are in the run's log, which {READERS}"


def trigger(context: Context[World], body: Body) -> Reply:
    """Run the job with the sent input, and answer its result (interface, Runs; decisions 20 to 22)."""
    return start_run(context, body)


def start_run(context: Context[World], sent: Body | EarlierInput) -> Reply:
    """Run the job as the caller, and answer the result, or the status if the caller does not wait for it."""
    viewer, began, seconds = viewer_of(context), monotonic(), wait_seconds(context)
    run, refusal = run_job(viewer, ask_of(context), sent)
    if refusal is not None:
        raise rejection(context, run, str(refusal))
    if seconds == 0:
        return replace(reply_accepted(context, run), heeded="respond-async")
    try:
        run = await_run(context, run, seconds)
        viewer.check_since(began)
        return reply_for(context, run)
    except Unavailable as error:
        raise lost_contact(error, run, run_path(context, run)) from error


def lost_contact(error: Unavailable, run: Run, location: str) -> Unavailable:
    """Return the refusal when a started run cannot be read; the caller need not trigger it again."""
    said = f"the run {run.id} goes on, but its state is unknown now: ask {location} in a moment"
    return Unavailable(said, **{**error.members, "run": run.id, "location": location})


def await_run(context: Context[World], run: Run, seconds: float | None) -> Run:
    """Return the run once it ended or waits, or after `seconds`. Raises Conflict if its job was removed."""
    runs, is_lost = context.world.code.runs, context.call.ongoing.is_lost
    try:
        runs.waits.wait(
            run.key, lambda status: status.ended or status is Status.WAITING or is_lost(), seconds
        )
        now = runs.reader.by_key(run.key)
    except NotFound:
        now = None
    if now is None:
        removed = f"the run {run.id} was canceled, as its job was removed"
        raise Conflict(removed, **run_facts(run, Status.CANCELED), location=run_path(context, run))
    return now


def ask_of(context: Context[World]) -> RunRequest:
    """Return the run that a request asks for: by its caller, with its client as the source."""
    job, by = viewer_of(context).item, hints_of(context.call).program or API
    must_hold = needs_hold(context.caller.claim, job.id, context.world.service.kinds[job.kind])
    return RunRequest(API, by, context.me, must_hold)


def rejection(context: Context[World], run: Run, reason: str) -> Denied:
    """Return the answer to a trigger whose run was rejected, with the reason for callers who may read it."""
    said = reason if R.test(context) else f"its chain names what {UNREAD}"
    facts = run_facts(run, Status.REJECTED)
    return Denied(f"the run was rejected: {said}", **facts, location=run_path(context, run))


def run_facts(run: Run, status: Status) -> dict[str, str]:
    """Return the fields of an answer that identify a run."""
    return {"run": run.id, "run_status": str(status)}


def wait_seconds(context: Context[World]) -> float | None:
    """Return the seconds to wait for the run (RFC 7240): 0 for respond-async, None for no limit."""
    prefer = hints_of(context.call).prefer
    if "wait" in prefer and prefer["wait"].isdigit():
        return float(min(int(prefer["wait"]), 86_400))
    return 0.0 if "respond-async" in prefer else None


def run_path(context: Context[World], run: Run) -> str:
    """Return a run's path, with the job as the request spells it; the request is for `data` or a run file."""
    job = context.requested[: -3 if "runs" in context.requested[-3:-2] else -1]
    return str(Path(job) / "runs" / run.id)


def reply_for(context: Context[World], run: Run) -> Reply:
    """Return the answer to a trigger for the run's present status."""
    location, facts = run_path(context, run), run_facts(run, run.status)
    if run.status is Status.SUCCESS:
        if run.output is None:
            return Reply(None, Outcome.EMPTY, location=location)
        return Reply(run.output, filename=run.output_name, location=location)
    if run.status is Status.FAILED:
        raise failure(context, run)
    if run.status is Status.REJECTED:
        raise rejection(context, run, failure_of(log_of(context, run)).reason)
    if run.status.ended:
        raise Conflict(f"the run {run.id} ended {run.status}", **facts, location=location)
    return reply_accepted(context, run)


def failure(context: Context[World], run: Run) -> RunFailed:
    """Return the answer to a trigger whose run failed, with the last log lines for callers who may read it.

    The log contains output and commands of steps, and step names are part of the chain: callers who may only
    execute the job get none of these.
    """
    facts, location = run_facts(run, run.status), run_path(context, run)
    if not R.test(context):
        unread = f"the run {run.id} ended failed: the reason is in its log, which {READERS}"
        return RunFailed(unread, **facts, location=location)
    lines = log_of(context, run)
    found, rows = failure_of(lines), context.world.code.runs.reader.steps(run.key)
    failed = [row.name for row in rows if row.status is StepStatus.FAILED and row.replica is None]
    step = next((name for name in failed if found.tells_of(name)), next(iter(failed), None))
    return RunFailed(
        f"the run {run.id} ended failed: {found.reason}",
        **facts,
        step=step,
        printed=found.printed,
        log=[message for _, message in lines[-LAST_LINES:]],
        location=location,
    )


def log_of(context: Context[World], run: Run) -> list[tuple[str, str]]:
    """Return the lines of a run's log, as (severity, message)."""
    lines = context.world.code.runs.reader.lines(run.top or run.key)
    return [
        (one.severity, one.message) for one in lines if one.severity != COMMAND and belongs(run, one.message)
    ]


def answer_facts(context: Context[World], run: Run) -> dict[str, str]:
    """Return the fields of an answer that say how to answer a hold, and where the run's page is."""
    origin, at = hints_of(context.call).origin, f"{run_path(context, run)}/hold"
    how = f"look at the files in the space, then POST continue or decline as text/plain to {origin}{at}"
    return {"answer": how, "page": f"{origin}{run.origin}/{run.id}"}


def reply_accepted(context: Context[World], run: Run) -> Reply:
    """Return the answer to a trigger whose run has not ended: its status and its address."""
    held = hold_facts(context.world, run)
    said = {"status": str(run.status)} | run_facts(run, run.status) | held
    if held:
        said |= answer_facts(context, run)
    return Reply(Data(said), Outcome.ACCEPTED, location=run_path(context, run))


JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
"""What curl's -d sends; it is refused with the flags that send JSON."""
FIELDS = ("from", "images")
IMAGES = ("same", "latest")
SENDS = (
    "a run is repeated with what it was sent: send no body, or the step to go on from as JSON (-H "
    '"Content-Type: application/json" -d \'{"from": "<step>"}\')'
)


def rerun(context: Context[World], body: Body) -> Reply:
    """Trigger the job with the input of a run, as the caller, and answer like the job's `data` file.

    With a body, use the outputs of the steps before one of them.
    """
    run = run_of(context)
    label, images = (None, "") if body.media != FORM and body.empty() else _restart(body)
    if run.top is not None:
        raise Conflict(
            "this run is a step of another: repeat the top-level run", **run_facts(run, run.status)
        )
    if label is None:
        return start_run(context, EarlierInput(run, input_again(context, run)))
    # The labels of its steps are known only to readers of the job.
    if not R.test(context):
        raise Denied("to go on from a step needs read access (r) to the job: send no body to repeat the run")
    require_kept(context, run, "output")
    resumed = resume_from(context.world, run, label, latest=images == "latest")
    try:
        kept = input_again(context, run)
    except Gone:
        if resumed.way.needs_input:
            raise
        kept = None
    return start_run(context, EarlierInput(run, kept, resumed))


def _restart(body: Body) -> tuple[str, str]:
    """Return the step to go on from, and which images to use. Raises Invalid."""
    if body.media not in (JSON, FORM):
        raise Invalid(SENDS)
    sent = known_fields(body.data(KIB), FIELDS)
    label, images = sent.get("from"), sent.get("images", IMAGES[0])
    if not isinstance(label, str) or not label:
        raise Invalid(SENDS)
    if images not in IMAGES:
        raise Invalid('"images" is "same" (those of the run) or "latest"')
    return label, images


def input_again(context: Context[World], run: Run) -> KeptInput | None:
    """Return the input of a run; None for a run that had none. Raises Gone."""
    require_kept(context, run, "input")
    kept: KeptInput | None = context.world.code.runs.reader.kept_input(run.key)
    had_input = run.input is not None or run.tally is not None or run.status is Status.REJECTED
    if kept is None and had_input and run.trigger != SCHEDULE:
        raise input_refusal(run)
    return kept


def input_refusal(run: Run) -> Gone:
    """Return the refusal for an input that was not kept."""
    return Gone(
        "the input of this run was not kept: it was larger than the setting kept_input, or the job's owner "
        "had no room for it; send it to the job's data again",
        **run_facts(run, run.status),
    )
