"""The triggers of a job: its lines, checked when they are written, with the last firing of each."""

from __future__ import annotations

from collections.abc import Mapping

from chains.language.mistake import Mistake
from chains.language.trigger_lines import TriggerLine, parse_triggers
from chains.schedules.timetable import LastFiring
from handlers.services.references import References, Refusal
from handlers.services.runs.job_triggers import KINDS, NEEDS, TRIGGERS, subject_of
from handlers.services.runs.run_ends import ENABLED
from handlers.services.runs.trigger_cycles import admit_no_cycle
from handlers.services.world import World
from handlers.trees.code.chain_check import Reference, remark_on_references
from handlers.trees.facets.schedule import text_of
from vfs.context import Context


def accept_no_cycle(context: Context[World], sent: str) -> str:
    """Return the new text of a file of the job if the job would not start itself. Raises Invalid."""
    admit_no_cycle(context.world, context.here, context.me, {context.rel: sent})
    return sent


def remark_on_triggers(context: Context[World], sent: str) -> str:
    """Return a line for each item that the writer cannot read."""
    owner = context.here.owner
    return remark_on_references(
        context,
        (Reference(KINDS[line.kind], line.owner or owner, line.name, NEEDS) for line in parse_triggers(sent)),
    )


def triggers_data(context: Context[World], sent: str) -> dict[str, object]:
    """Return the JSON form of triggers: the text, and each line with its last firing."""
    try:
        lines = parse_triggers(sent)
    except Mistake:
        lines = ()
    leaf = context.world.leaves.get(context.here.id, TRIGGERS)
    author = leaf.author if leaf is not None else None
    references, last = References(context.world), context.world.code.triggers.last(context.here.id)
    return {
        "triggers": sent,
        "enabled": text_of(context, ENABLED) != "false",
        "lines": [
            {
                "line": str(line),
                "remark": _lack(references, context, author, line),
                "last": _told(context, last.get(str(line))),
            }
            for line in lines
        ],
    }


def _lack(
    references: References, context: Context[World], author: str | None, line: TriggerLine
) -> str | None:
    """Return why a line starts nothing: the same for missing and for hidden things."""
    try:
        subject_of(references, context.here, author, line)
    except Refusal as refusal:
        return str(refusal)
    return None


def _told(context: Context[World], last: LastFiring | None) -> Mapping[str, str | None] | None:
    """Return the time and the result of a firing: its run with the status, or why there is none."""
    if last is None:
        return None
    run = context.world.code.runs.reader.by_key(last.run) if last.run is not None else None
    return {
        "time": last.settled_on,
        "run": run.id if run is not None else None,
        "status": str(run.status) if run is not None else None,
        "note": last.note or None,
    }
