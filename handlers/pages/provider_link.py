"""The company's provider on pages: its button, and the link of an account with a person there."""

from __future__ import annotations

from typing import Any

from handlers.pages.request import PageRequest
from handlers.security.events import ACCOUNT_UNLINKED
from handlers.security.log_lines import SecurityLine
from handlers.services.world import World
from handlers.trees.account.session import is_fresh
from vfs.access import Caller, Via
from vfs.errors import Conflict, Denied


def provider_facts(request: PageRequest) -> dict[str, Any]:
    """Return the values of the templates in `provider_parts.html`; without a provider its name is empty."""
    world, settings, me = request.world, request.world.service.settings, request.caller.name
    facts: dict[str, Any] = {"passwords": settings.password_sign_in, "fresh": False}
    facts["provider"] = settings.provider_name if settings.oidc_issuer else ""
    facts["creates"] = bool(settings.oidc_issuer) and settings.oidc_create
    if me is not None:
        facts["has_password"] = settings.password_sign_in and bool(world.people.users.password(me))
        facts["fresh"] = is_fresh(world, request.caller)
    if me is not None and settings.oidc_issuer:
        facts |= {
            "linked": world.people.provider_links.of(settings.oidc_issuer, me),
            "may_link": world.people.proofs.is_fresh(request.caller),
            "link_mark": world.service.seal.mark(_session(request.caller)),
        }
    return facts


def is_link_mark(world: World, caller: Caller, mark: str) -> bool:
    """Return whether a mark is that of this session's settings page."""
    return caller.via is Via.SESSION and world.service.seal.is_mark_of(mark, _session(caller))


def unlink(request: PageRequest) -> None:
    """Delete the link of the caller's account. Raises Denied, and Conflict if the account has no password."""
    world, me = request.world, request.caller.name
    if request.caller.via is not Via.SESSION or me is None:
        raise Denied("an account is unlinked in a session: sign in, and open your settings")
    if not provider_facts(request)["has_password"]:
        raise Conflict(
            "your account has no password, so you could not sign in any more: set a password first"
        )
    if world.people.provider_links.remove(world.service.settings.oidc_issuer, me):
        line = SecurityLine(ACCOUNT_UNLINKED.name, actor=me, via=Via.SESSION)
        world.service.security.record(line, request.ask.notes)


def _session(caller: Caller) -> str:
    return f"link of session {caller.token}"
