"""Read-only views of organisations, with their groups, and the runs of their jobs per day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from chains.runs.activity import Day
from handlers.rules.kinds import Kinds
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP, ORG
from handlers.trees.people.group_admin import find_org, find_org_group, list_org_groups
from handlers.trees.people.group_lists import list_visible_orgs
from handlers.trees.people.group_relation import SEES, here
from handlers.trees.people.group_views import group_view, view
from handlers.words.tables import table
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, File
from vfs.parts import value
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.rules import IN_PERSON, SIGNED_IN, Rule

LONGEST = 371
# Fields that other services of this interface count; always zero in Curlew.
ALWAYS_ZERO = ("views", "vdes_created", "mails_sent", "social")
HEADS = ("day", *ALWAYS_ZERO, "jobs", "api", "schedule", "email", "success", "failed")


def dense(days: Sequence[Day], first: date, last: date) -> list[Day]:
    """Return every day from `first` to `last`, with zeros for days not in `days`."""
    known = {day.day: day for day in days}
    names = ((first + timedelta(days=passed)).isoformat() for passed in range((last - first).days + 1))
    return [known.get(name) or Day(name) for name in names]


def _series(context: Context[World]) -> Data:
    """Return the days up to today in UTC, oldest first."""
    last = context.world.clock.now().date()
    first = last - timedelta(days=LONGEST - 1)
    days = dense(
        context.world.code.activity.days(here(context).group.name, context.me, first, last), first, last
    )
    return Data([_as_data(day) for day in days], lambda _: table(HEADS, map(_as_row, days)))


def _as_data(day: Day) -> dict[str, object]:
    return {
        "day": day.day,
        **dict.fromkeys(ALWAYS_ZERO, 0),
        "jobs": {
            "total": day.total,
            "trigger": {"api": day.api, "schedule": day.schedule, "email": day.email},
            "status": {"success": day.success, "failed": day.failed},
        },
    }


def _as_row(day: Day) -> tuple[str | int, ...]:
    zeros = (0,) * len(ALWAYS_ZERO)
    return (day.day, *zeros, day.total, day.api, day.schedule, day.email, day.success, day.failed)


def _takes_part(context: Context[World]) -> bool:
    """Return whether the caller has a role in the organisation or one of its groups, not an invitation."""
    found = context.get(ORG)
    if found is None or found.group.kind is not GroupKind.ORG:
        return False
    if found.role is not None:
        return True
    return any(one.role is not None for one in context.world.people.groups.under(found.group.ref, context.me))


TAKES_PART = Rule("takes part", _takes_part, "a role in the organisation or one of its groups") & IN_PERSON


def activity() -> File:
    """Return the node `activity` of an organisation, hidden for accounts without a role there."""
    return value(
        _series,
        rules={Verb.READ: TAKES_PART},
        listed=TAKES_PART,
        hidden=SIGNED_IN,
        about=f"runs of the last {LONGEST} days of jobs shared with the caller's groups there, a day a line",
    )


STATS = Dir(
    {"activity": activity()},
    rules={Verb.READ: TAKES_PART},
    listed=TAKES_PART,
    hidden=SIGNED_IN,
    about="figures",
)


def organisations(kinds: Kinds) -> Each[GroupRelation]:
    """Return the node `/v1/orgs`."""
    return Each(
        ORG,
        view(
            profile={"stats": STATS},
            groups=Each(
                GROUP,
                group_view(kinds),
                names=list_org_groups,
                has=find_org_group,
                fixed=True,
                rules={Verb.READ: SEES},
                about="its groups: all for its admins and founders, for others those they are in",
            ),
        ),
        names=list_visible_orgs,
        has=find_org,
        fixed=True,
        rules={Verb.READ: SIGNED_IN},
        about="organisations that the caller sees",
    )
