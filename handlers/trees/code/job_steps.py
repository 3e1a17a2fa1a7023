"""The configuration of a job's steps: attempts and limits of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chains.language.ast import JobRef
from chains.plan.model import MOST_RETRIES, PLAIN
from handlers.rules import step_files
from handlers.rules.step_files import LABEL, LABEL_RULE, admit_limit
from handlers.services.references import chain_of
from handlers.services.world import World
from handlers.trees.facets.schedule import text_of
from handlers.trees.facets.variables import find_fields
from vfs.context import Context
from vfs.nodes import KIB, Dir, Each, File
from vfs.param import Param
from vfs.parts import number, text

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
        check=step_files.backoff,
        about="the wait before the second attempt, as 30s or 5m; each further wait is twice as long",
    ),
    "retry_on": _file(
        check=step_files.retry_on,
        about="exit codes that are retried, as 1, 75, 100-110; empty: all but 64 to 78",
    ),
    "timeout": _limit("timeout", step_files.timeout, "the longest time of an attempt, as 90s or 2h"),
    "memory": _limit("memory", step_files.memory, "the memory of the step, as 512M or 2G"),
    "cpus": _limit("cpus", step_files.cpus, "the processors of the step, as 2 or 0.5"),
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
