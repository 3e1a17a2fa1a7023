"""The accounts of people who come from the provider: links, first sign-ins, addresses, and groups.

A link is by issuer and subject. An address or a name from the provider never leads to an account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from handlers.identity.credentials import tail
from handlers.rules.accounts import display_name, email
from handlers.services.world import World
from vfs.access import Role
from vfs.errors import Conflict, Denied, Invalid, VfsError
from vfs.normal_form import normalize
from vfs.ports.people import Account, User

LONGEST_NAME, MOST_NUMBERS = 40, 20
Claims = Mapping[str, Any]


def require_admitted(world: World, claims: Claims) -> None:
    """Raise Denied unless the person has a verified address of an allowed domain, where these are set."""
    if world.service.settings.oidc_allow and not _is_proven(world, claims):
        raise Denied(
            "this service lets in people with a verified e-mail address of certain domains, and the provider "
            "gave none for you: ask the operator"
        )


def account_for(world: World, issuer: str, claims: Claims) -> tuple[User, bool]:
    """Return the account of a person, and whether it is new. Raises Denied."""
    links, subject = world.people.provider_links, claims["sub"]
    link = links.find(issuer, subject)
    user = world.people.users.find(link.account) if link is not None else None
    if link is not None and (user is None or user.locked):
        raise Denied("your account here is locked: ask the operator")
    if user is None:
        if not world.service.settings.oidc_create:
            raise Denied(
                "no account here is linked with you: sign in otherwise and link yours in its settings, or "
                "ask the operator (curlew user link)"
            )
        user = _make(world, claims)
        links.add(issuer, subject, user.name, shown_name(claims))
    links.use(issuer, subject, shown_name(claims))
    return user, link is None


def shown_name(claims: Claims) -> str:
    """Return the name of the person at the provider, on one line."""
    said = (claims.get(name) for name in ("email", "preferred_username", "name", "sub"))
    return next((word for word in said if isinstance(word, str) and word.isprintable() and word), "")[:200]


def _make(world: World, claims: Claims) -> User:
    """Return a new account without a password, with a free name that is similar to that at the provider."""
    address = _address(claims)
    user = next(made for name in _names(claims) if (made := _add(world, name, address)) is not None)
    with suppress(Invalid):
        if shown := display_name(claims.get("name")):
            world.leaves.put(user.item, "name", shown, user.name)
    if address is not None and _is_proven(world, claims):
        # If it is an address of another account, it is verified there, and not used here.
        with suppress(Conflict), world.atomic():
            world.people.users.change(user.name, verified=True)
    return user


def _add(world: World, name: str, address: str | None) -> User | None:
    """Return a new account; None if the name is taken, or belongs to an operator."""
    if name in world.service.settings.operators.split() or world.people.users.find(name) is not None:
        return None
    with suppress(Conflict), world.atomic():
        return world.people.users.add(name, "", Account.REGULAR, address, public=False)
    return None


def _names(claims: Claims) -> Iterator[str]:
    """Yield user names to try, endlessly. Letters of other scripts are left out, not transcribed."""
    known = (claims.get(key) for key in ("preferred_username", "email"))
    said = next((word for word in known if isinstance(word, str) and word), "")
    plain = normalize("NFKD", said[:200].partition("@")[0]).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9_]+", "-", plain.lower()).strip("-_")[:LONGEST_NAME] or "user"
    yield name
    yield from (f"{name}-{number}" for number in range(2, MOST_NUMBERS))
    while True:
        yield f"{name}-{tail()}"


def _address(claims: Claims) -> str | None:
    try:
        return email(claims.get("email"))
    except Invalid:
        return None


def _is_proven(world: World, claims: Claims) -> bool:
    """Return whether the provider verified the address, and is trusted for its domain."""
    domain = (_address(claims) or "").rpartition("@")[2].lower()
    return (
        claims.get("email_verified") is True and domain in world.service.settings.oidc_allow.lower().split()
    )


def set_groups(world: World, user: str, claims: Claims) -> list[str]:
    """Update a user's memberships by the groups of the provider; return a line for each change.

    Without the claim nothing changes, because the provider may have left it out. Nobody gets a role above
    member, and the last founder stays.
    """
    settings, lines = world.service.settings, []
    theirs = claims.get(settings.oidc_groups_claim) if settings.oidc_groups_claim else None
    if isinstance(theirs, str):
        theirs = [theirs]
    if not isinstance(theirs, list):
        return ["no groups: the claim is missing"] if settings.oidc_groups_claim else []
    pairs = settings.provider_groups
    wanted = {ref for name, ref in pairs if name in theirs}
    for ref in sorted({ref for _, ref in pairs}):
        try:
            if done := _set_membership(world, ref, user, belongs=ref in wanted):
                lines.append(f"{done} {ref}")
        except VfsError as error:
            lines.append(f"{ref} as it was: {error.detail}")
    return lines


def _set_membership(world: World, ref: str, user: str, *, belongs: bool) -> str:
    """Make a user a member of a group, or end its membership; return the change, or ""."""
    members = world.people.members
    with world.atomic():
        if not members.hold(ref):
            return "there is no group"
        present = members.find(ref, user)
        if belongs and (present is None or (present.pending and present.role is Role.MEMBERS)):
            members.put(ref, user, Role.MEMBERS, pending=False, by=None)
            return "member of"
        if not belongs and present is not None and not present.pending:
            if present.sole:
                return "still the last founder of"
            members.drop(ref, user, present.role, pending=False)
            return "removed from"
    return ""
