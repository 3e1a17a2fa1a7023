"""The folder of each user: its card, and those of its resources that the caller may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handlers.rules.kinds import Kinds
from handlers.rules.scopes import USER as USER_KIND
from handlers.services.accounts import account_of
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP
from handlers.trees.facets.found_rows import may_see
from handlers.trees.people.group_lists import user_groups
from handlers.words.tables import pairs
from vfs.access import Access
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, Named, Node
from vfs.param import USER
from vfs.parts import boolean, value
from vfs.ports.people import User

SHOWN = {"name": "show_name", "email": "show_email", "description": "show_description"}


def users(kinds: Kinds, corner: Mapping[str, Node]) -> Each[str]:
    """Return the folder of all users, each with its card and the entries of `corner`.

    A user that the caller may not see is hidden, except for its items that the caller may see.
    """
    return Each(
        USER,
        Dir(
            {
                "profile": value(card, about="public information about the user"),
                "groups": user_groups(kinds),
                **corner,
            },
            about="a user's resources",
        ),
        names=list_users,
        has=find_user,
        loose=True,
        fixed=True,
        about="users that the caller sees",
    )


def list_users(context: Context[World]) -> Iterator[Named]:
    """Yield the users that the caller may see; only itself if its credential may not list users."""
    for user in context.world.people.users.visible(context.me):
        if user.name == context.me or may_see(context.caller, USER_KIND, Access.INFO):
            yield Named(user.name, user.created_on, user.created_on)


def find_user(context: Context[World], name: str) -> str | None:
    """Return the user's name for itself, for callers who may see it, and below a visible group of it.

    Whether the account exists is checked by its card.
    """
    if context.get(GROUP) is not None or name == context.caller.name:
        return name
    if not may_see(context.caller, USER_KIND, Access.INFO):
        return None
    return name if context.world.people.users.sees(context.caller.name, name) else None


def card(context: Context[World]) -> Data:
    """Return the user's card; hidden fields are null."""
    user = account_of(context.world, context.segment(USER))
    leaves = {leaf.rel: leaf.text or "" for leaf in context.world.leaves.texts(user.item, "")}
    return Data(card_of(user, leaves), pairs)


def card_of(user: User, leaves: Mapping[str, str]) -> Mapping[str, object]:
    """Return the fields that a user shows, from its account and the texts of its profile."""
    said: dict[str, object] = {
        "username": user.name,
        "name": leaves.get("name"),
        "email": user.email,
        "description": leaves.get("description"),
        "bio": leaves.get("bio"),
        "account_type": user.account,
        "public": user.public,
        "member_since": user.created_on,
    }
    for field, option in SHOWN.items():
        if not boolean(leaves.get(f"options/{option}", "no")):
            said[field] = None
    return said
