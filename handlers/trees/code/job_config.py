"""Configuration of a job: its steps, its alerts, and its triggers with the last firing of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from chains.language.ast import JobRef
from chains.language.mistake import Mistake
from chains.language.trigger_lines import TriggerLine, parse_triggers
from chains.plan.model import MOST_RETRIES, PLAIN
from chains.schedules.timetable import LastFiring
from handlers.rules import job_files
from handlers.rules.job_files import LABEL, LABEL_RULE, admit_limit
from handlers.services.alerts.job_alerts import LATE, SLOW
from handlers.services.references import References, Refusal, chain_of
from handlers.services.runs.job_triggers import KINDS, NEEDS, TRIGGERS, subject_of
from handlers.services.runs.run_ends import ENABLED
from handlers.services.runs.trigger_cycles import admit_no_cycle
from handlers.services.world import World
from handlers.trees.code.chain_check import Reference, remark_on_references
from handlers.trees.facets.declared_files import alert_targets, states
from handlers.trees.facets.schedule import text_of
from handlers.trees.facets.variables import find_fields
from vfs.context import Context
from vfs.nodes import KIB, Dir, Each, File
from vfs.param import Param
from vfs.parts import flag, number, text
from vfs.rules import IN_PERSON, W

ALERTS = Dir(
    {
        LATE: flag(True, about="whether to notify when the schedule did not run in time"),
        SLOW: flag(True, about="whether to notify when a run takes three times its usual time"),
        "to": alert_targets(W & IN_PERSON),
        "state": states(),
    },
    about="notices of late and slow runs",
)


STEP: Param[str] = Param("step")


def remark_on_step(context: Context[World], _: str) -> str:
    """Return a note if the chain has no such step, or if it is a job, which configures its own steps."""
    label, stored = context[STEP], text_of(context, "config/plan")
    found = {step.label: step for step in chain_of(stored).steps} if stored else {}
    if label not in found:
        there = f"its steps are {', '.join(found)}" if found else "the job has no chain yet"
        return f"note: the chain has no step {label}; {there}\n"
    ref = found[label].ref
    return (
        f"note: {label} runs the job {ref}: its own config/steps count\n" if isinstance(ref, JobRef) else ""
    )


def _limit(name: str, check: Callable[[str], str], about: str) -> File:
    """Return the file of a limit, which has a maximum."""

    def admit(context: Context[World], sent: str) -> str:
        return admit_limit(context.world.service.settings, name, sent)

    return _file(check=check, accept=admit, about=f"{about}; empty: the server's limit")


_file = partial(text, largest=KIB, remark=remark_on_step)

FILES = {
    "retries": _file(
        str(PLAIN.retries),
        check=number(0, MOST_RETRIES),
        about=f"how often the step is tried again when it fails, 0 to {MOST_RETRIES}",
    ),
    "backoff": _file(
        f"{PLAIN.backoff:g}s",
        check=job_files.backoff,
        about="the wait before the second attempt, as 30s or 5m; each further wait is twice as long",
    ),
    "retry_on": _file(
        check=job_files.retry_on,
        about="exit codes that are retried, as 1, 75, 100-110; empty: all but 64 to 78",
    ),
    "timeout": _limit("timeout", job_files.timeout, "the longest time of an attempt, as 90s or 2h"),
    "memory": _limit("memory", job_files.memory, "the memory of the step, as 512M or 2G"),
    "cpus": _limit("cpus", job_files.cpus, "the processors of the step, as 2 or 0.5"),
}
STEPS = Each(
    STEP,
    Dir(FILES, about="a step: how often it is tried, and its limits"),
    has=partial(find_fields, fields=FILES, names=LABEL),
    name=LABEL,
    name_rule=LABEL_RULE,
    candid=True,
    about="for each step, by its label: how often it is tried, and its limits",
)


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
                "last": _firing_data(context, last.get(str(line))),
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


def _firing_data(context: Context[World], last: LastFiring | None) -> Mapping[str, str | None] | None:
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
