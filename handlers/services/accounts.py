"""Accounts of users by name."""

from __future__ import annotations

from handlers.services.world import World
from vfs.errors import NotFound
from vfs.ports.people import User


def account_of(world: World, name: str) -> User:
    """Return the account of a user. Raises NotFound if it no longer exists."""
    user = world.people.users.find(name)
    if user is None:
        raise NotFound(f"there is no user {name}, or it is not visible to you")
    return user
