"""Facts of jobs beside what every resource has: newest runs, triggers, and mails that start them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.graphql.asking import Ask, date
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import Shown
from handlers.trees.code.job_schedule import ENABLED, SCHEDULE
from handlers.trees.facets.shares import is_shown_share
from vfs.parts import boolean

ORG_OPTION, GROUP_OPTION = "options/enable_subdomain", "options/allow_inbound_mail"


def started_by_mail(ask: Ask, shown: Sequence[Shown]) -> frozenset[int]:
    """The numbers of the jobs that are shared with a group of the caller's which has a mail address.

    However many jobs there are, the statements are the same few.
    """
    if not ask.world.service.settings.mail_domain or ask.me is None:
        return frozenset()
    groups = _org_groups(ask, shown)
    open_ = _open_for_mail(ask, {ref for refs in groups.values() for ref in refs})
    return frozenset(job for job, refs in groups.items() if not open_.isdisjoint(refs))


def _org_groups(ask: Ask, shown: Sequence[Shown]) -> Mapping[int, Sequence[str]]:
    """The groups of organisations that jobs are shared with, as far as the caller sees that."""
    targets = ask.world.grants.targets([one.found.item.id for one in shown])
    found = {}
    for one in shown:
        mine, job = {reach.target for reach in one.found.reaches}, one.found.item.id
        found[job] = [
            target
            for target in targets.get(job, ())
            if target.startswith("+")
            and "~" in target
            and is_shown_share(target, mine, owned=one.place.owned)
        ]
    return found


def _open_for_mail(ask: Ask, refs: set[str]) -> frozenset[str]:
    """Those of the groups that the caller is in and that take mail."""
    if not refs:
        return frozenset()
    above = sorted({ref.partition("~")[0] for ref in refs})
    groups = [
        one.group
        for one in ask.world.people.groups.all_under(above, ask.me)
        if one.role is not None and one.group.ref in refs
    ]
    orgs = {one.group.ref: one.group for one in ask.world.people.groups.orgs(ask.me)}
    items = [group.item.id for group in (*groups, *orgs.values())]
    said = ask.world.leaves.texts_of(items, (ORG_OPTION, GROUP_OPTION)) if items else {}

    def is_set(item: int, option: str) -> bool:
        return boolean(said.get(item, {}).get(option) or "no")

    return frozenset(
        group.ref
        for group in groups
        if group.parent in orgs
        and is_set(orgs[group.parent].item.id, ORG_OPTION)
        and is_set(group.item.id, GROUP_OPTION)
    )


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
