"""Copies of jobs: what they do and say, and nothing of what they were confided with or did."""

from __future__ import annotations

import json

from chains.language.ast import to_data
from chains.language.chain import parse as parse_chain
from chains.language.chain_references import with_owner
from chains.language.schedule import parse as parse_schedule
from handlers.services.references import References, admit_chain
from handlers.services.world import World
from handlers.trees.code.chain_check import remark_on_chain
from handlers.trees.code.job_schedule import ENABLED, SCHEDULE, text_of
from handlers.trees.facets.meta import with_tags
from vfs.context import Context
from vfs.ports.items import Item
from vfs.rules import FIRST_HAND, R

CHAIN, PLAN, RESULTS = "config/chains", "config/plan", "config/results"
COPIED = ("name", "summary", "description", "config/type", CHAIN, PLAN, SCHEDULE, RESULTS, "config/options")
"""Leaves that a copy takes along: none of secrets, claims, mounts, and of what its runs left."""
COPIER = R & FIRST_HAND
"""As the author of an own chain."""
RESTS = f'its schedule rests: write "true" to {ENABLED} and it acts\n'


def finish_copy(context: Context[World], copy: Item, _: object) -> str:
    """Let a copy run what the job ran, at no time of its own; what its owner should know, a line each."""
    with_tags(context, copy)
    return _own_chain(context, copy) + _rest(context, copy) + _own_results(context, copy)


def _own_results(context: Context[World], copy: Item) -> str:
    """Leave out where results went for another owner: the lines name items of that owner."""
    if context.owned or not text_of(context, RESULTS):
        return ""
    context.world.leaves.clear(copy.id, RESULTS)
    owner = context.here.owner
    return f"its results go nowhere, because @{owner}'s went to items of that account: {RESULTS} is empty\n"


def _own_chain(context: Context[World], copy: Item) -> str:
    """Write the references of a chain out for another owner. Raises Mistake where it would run itself."""
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
    """Let the schedule of a copy rest, whatever the job's does."""
    text = text_of(context, SCHEDULE)
    if parse_schedule(text) is None:
        return ""
    context.world.leaves.put(copy.id, ENABLED, "false", context.me)
    context.world.code.schedules.set(copy.id, text, False)
    return RESTS
