"""Repetition of runs: trigger the present job with the input of an earlier run, whole or from a step on."""

from __future__ import annotations

from chains.runs.records import KeptInput, Run
from chains.runs.states import Status
from handlers.services.runs.kept_inputs import EarlierInput
from handlers.services.runs.resumed_runs import resume_from
from handlers.services.runs.run_trigger import SCHEDULE
from handlers.services.world import World
from handlers.trees.code.run_rows import require_kept, run_of
from handlers.trees.code.trigger import run_facts, start_run
from vfs.body import Body, known_fields
from vfs.call import Reply
from vfs.context import Context
from vfs.errors import Conflict, Denied, Gone, Invalid
from vfs.nodes import KIB
from vfs.rules import R

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
    label, images = (None, "") if body.media != FORM and body.empty() else _wish(body)
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


def _wish(body: Body) -> tuple[str, str]:
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
