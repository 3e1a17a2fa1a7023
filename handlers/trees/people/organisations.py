"""Read-only views of organisations, with their groups."""

from __future__ import annotations

from handlers.rules.kinds import Kinds
from handlers.trees.facets.scopes import GROUP, ORG
from handlers.trees.people.activity import TAKES_PART, activity
from handlers.trees.people.group_admin import find_org, find_org_group, list_org_groups
from handlers.trees.people.group_lists import list_visible_orgs
from handlers.trees.people.group_relation import SEES
from handlers.trees.people.group_views import group_view, view
from vfs.access import Verb
from vfs.nodes import Dir, Each
from vfs.ports.groups import GroupRelation
from vfs.rules import SIGNED_IN

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
