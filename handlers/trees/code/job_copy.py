"""Copies of jobs: their program and texts, without secrets, claims, mounts and runs."""

from __future__ import annotations

import json

from chains.language.ast import to_data
from chains.language.chain import parse as parse_chain
from chains.language.chain_references import with_owner
from chains.language.schedule import parse as parse_schedule
from chains.schedules.timetable import SCHEDULE
from handlers.rules.job_files import FOLDER as STEPS
from handlers.services.alerts.job_alerts import FOLDER as ALERTS
from handlers.services.references import References, admit_chain
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.services.runs.run_ends import ENABLED
from handlers.services.runs.run_trigger import OVERLAP
from handlers.services.world import World
from handlers.trees.code.chain_check import remark_on_chain
from handlers.trees.facets.meta import with_tags
from handlers.trees.facets.schedule import text_of
from vfs.context import Context
from vfs.ports.items import Item
from vfs.rules import FIRST_HAND, R

CHAIN, PLAN, RESULTS = "config/chains", "config/plan", "config/results"
OWN = ("name", "summary", "description", "config/type", "config/options", STEPS, ALERTS, OVERLAP)
COPIED = (*OWN, CHAIN, PLAN, SCHEDULE, RESULTS, TRIGGERS)
"""Leaves that are copied; secrets, claims, mounts and results of runs are not."""
COPIER = R & FIRST_HAND
"""Needed to copy: read access and a first-hand caller, as for the author of a chain."""
RESTS = f'its {{}}: write "true" to {ENABLED} and it acts\n'


def finish_copy(context: Context[World], copy: Item, _: object) -> str:
    """Adjust a copy: its chain, schedule and results. Return remarks for its owner, one on each line."""
    with_tags(context, copy)
    return _own_chain(context, copy) + _rest(context, copy) + _own_lines(context, copy)


def _own_lines(context: Context[World], copy: Item) -> str:
    """Clear results and triggers in a copy for another owner: the lines name items of the first owner."""
    owner, said = context.here.owner, ""
    if not context.owned and text_of(context, RESULTS):
        context.world.leaves.clear(copy.id, RESULTS)
        said = (
            f"its results go nowhere, because @{owner}'s went to items of that account: {RESULTS} is empty\n"
        )
    if not context.owned and text_of(context, TRIGGERS):
        context.world.leaves.clear(copy.id, TRIGGERS)
        said += f"nothing triggers it, because its lines name items of @{owner}: {TRIGGERS} is empty\n"
    return said


def _own_chain(context: Context[World], copy: Item) -> str:
    """Add the owner to the references of a chain copied for another owner. Raises Mistake for a cycle."""
    text = text_of(context, CHAIN)
    if not text:
        return ""
    leaves, owned = context.world.leaves, text if context.owned else with_owner(text, context.here.owner)
    chain = parse_chain(owned)
    admit_chain(References(context.world), copy, chain, context.me)
    if context.owned:
        return ""
    leaves.put(copy.id, CHAIN, owned, context.me)
    leaves.put(copy.id, PLAN, json.dumps(to_data(chain)), context.me)
    return remark_on_chain(context, chain)


def _rest(context: Context[World], copy: Item) -> str:
    """Switch the copy's schedule and triggers off, whatever the job's switch is."""
    text, triggers = text_of(context, SCHEDULE), context.owned and text_of(context, TRIGGERS)
    is_planned = parse_schedule(text) is not None
    if not is_planned and not triggers:
        return ""
    context.world.leaves.put(copy.id, ENABLED, "false", context.me)
    context.world.code.schedules.set(copy.id, text, False)
    return RESTS.format("schedule rests" if is_planned else "triggers rest")
