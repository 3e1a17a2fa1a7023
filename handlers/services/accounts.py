"""Accounts of users by name."""

from __future__ import annotations

from handlers.services.world import World
from vfs.access import Caller, Via
from vfs.errors import NotFound
from vfs.ports.people import User

FOUNDER = "founder"
"""The leaf of the account that was made with the setup key; no path of the tree leads to it."""


def account_of(world: World, name: str) -> User:
    """Return the account of a user. Raises NotFound if it no longer exists."""
    user = world.people.users.find(name)
    if user is None:
        raise NotFound(f"there is no user {name}, or it is not visible to you")
    return user


def is_operator(world: World, caller: Caller) -> bool:
    """Return whether a caller is an operator, and signed in with a session.

    The setting `operators` names them; without it, the founder is one. Tokens, runs and applications of an
    operator's account have no operator rights.
    """
    if caller.via is not Via.SESSION or caller.name is None:
        return False
    if names := world.service.settings.operators.split():
        return caller.name in names
    user = world.people.users.find(caller.name)
    return user is not None and world.leaves.get(user.item, FOUNDER) is not None
