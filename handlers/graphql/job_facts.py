"""Facts of jobs beside what every resource has: their newest runs, and what starts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.graphql.asking import Ask, date
from handlers.graphql.mail_triggers import started_by_mail
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import Shown
from handlers.trees.code.job_schedule import ENABLED, SCHEDULE

RUNS = ("last_run_status", "last_run_time", "run_count", "job_steps", "current_step")
STARTS = ("schedule", "triggers", "enabled")


def add_job_facts(ask: Ask, shown: Sequence[Shown], rows: Mapping[int, Row], wanted: Selection) -> None:
    """Add what is asked for, to callers who may read the job's history and its configuration.

    Other kinds have none of these fields, so that nothing is asked for.
    """
    if wanted.any_of(RUNS):
        _add_runs(ask, [id for id, one in _by_id(shown) if ask.sight.may_read(one.place, "stats")], rows)
    if wanted.any_of(STARTS):
        _add_starts(ask, [one for one in shown if ask.sight.may_read(one.place, "config")], rows, wanted)


def _by_id(shown: Sequence[Shown]) -> list[tuple[int, Shown]]:
    return [(one.found.item.id, one) for one in shown]


def _add_runs(ask: Ask, jobs: Sequence[int], rows: Mapping[int, Row]) -> None:
    facts = ask.world.code.runs.reader.facts_of(jobs)
    for job in jobs:
        rows[job] |= {"run_count": 0, "job_steps": 0, "current_step": 0}
        if (one := facts.get(job)) is not None:
            rows[job] |= {
                "last_run_status": str(one.status),
                "last_run_time": date(one.time),
                "run_count": one.runs,
                "job_steps": one.steps,
                "current_step": one.ended,
            }


def _add_starts(ask: Ask, shown: Sequence[Shown], rows: Mapping[int, Row], wanted: Selection) -> None:
    jobs = [one.found.item.id for one in shown]
    texts = ask.world.leaves.texts_of(jobs, (SCHEDULE, ENABLED))
    mailed = started_by_mail(ask, shown) if jobs and "triggers" in wanted else ()
    for job in jobs:
        said = texts.get(job, {})
        schedule = said.get(SCHEDULE, "")
        rows[job] |= {
            "schedule": schedule,
            "enabled": said.get(ENABLED) != "false",
            "triggers": [
                "api",
                *(["schedule"] if schedule.strip() else []),
                *(["mail"] if job in mailed else []),
            ],
        }
