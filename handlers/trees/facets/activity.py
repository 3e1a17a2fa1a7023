"""The file `activity` of an item: its actions and their authors, newest first, one page at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from handlers.services.runs.run_ends import ACTIONS, WROTE_NO_RESULTS, WROTE_RESULTS
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import File, Rules
from vfs.parts import number, value
from vfs.ports.social import MOST_ACTIONS, ItemAction
from vfs.rules import SIGNED_IN, R

COMMENTED = "commented"
SHOWN_ANYWAY = frozenset({COMMENTED, *ACTIONS.values(), WROTE_RESULTS, WROTE_NO_RESULTS})
"""Kinds of actions whose authors all readers of the item can see elsewhere anyway."""
PAGE, MOST = 50, 100
QUERY = {
    "after": "where to continue: the `after` of the page before",
    "count": f"how many are answered, from 1 to {MOST}; {PAGE} otherwise",
}


def read_activity(context: Context[World]) -> Data:
    """Return a page of the actions on an item, with the authors that the caller may know."""
    query = context.call.query
    count = int(number(1, MOST)(query.get("count") or str(PAGE)))
    after = int(number(1, 1 << 62)(query["after"])) if query.get("after") else None
    found = context.world.social.actions.of(context.here.id, after, count + 1, shares=context.owned)
    shown, more = found[:count], len(found) > count
    known = _find_known(context, shown)
    rows = [_row(action, known) for action in shown]
    return Data({"activity": rows, "after": str(shown[-1].id) if more else ""}, lambda _: _lines(rows))


def _find_known(context: Context[World], actions: Sequence[ItemAction]) -> Collection[str]:
    """Return the authors that the caller may know: all for the owner, else those it may see.

    Authors of comments and of runs are always included, because they are shown there too.
    """
    names = {action.actor for action in actions}
    if context.owned:
        return names
    known = {action.actor for action in actions if action.kind in SHOWN_ANYWAY}
    seen = context.world.people.users.visible_among(
        context.caller.name, sorted(names - known - {context.here.owner})
    )
    return {context.here.owner, *known, *seen}


def _row(action: ItemAction, known: Collection[str]) -> Mapping[str, object]:
    return {
        "by": action.actor if action.actor in known else None,
        "did": action.kind,
        "path": action.below,
        "target": action.target or None,
        "times": action.times,
        "first_on": action.first_on,
        "on": action.last_on,
    }


def _lines(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a line for each action: time, author, action, target and count."""
    return "".join(map(_line, rows))


def _line(row: Mapping[str, object]) -> str:
    who = f"@{row['by']}" if row["by"] else "somebody"
    often = f"\t{row['times']} times" if row["times"] != 1 else ""
    return f"{row['on']}\t{who}\t{row['did']}\t{row['target'] or row['path']}{often}\n"


def activity(rules: Rules) -> File:
    """Return the node `activity` of a resource, for signed-in users who may read it."""
    return value(
        read_activity,
        rules={Verb.READ: rules.get(Verb.READ, R) & SIGNED_IN},
        query=QUERY,
        about=f"who did what to it, newest first, a page at a time; the newest {MOST_ACTIONS} are kept",
    )
