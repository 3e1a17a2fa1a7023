"""Connections: approval codes exchanged for tokens, their renewal and their end (RFC 6749, 7009, 9700)."""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from handlers.identity.credentials import digest, fresh, is_credential, tail
from handlers.rules.redirects import OUT_OF_BAND, admits
from handlers.rules.scopes import ALL
from handlers.services.applications.requests import ApprovalRequest, find_application, keep, stored_client
from handlers.services.world import World
from vfs.access import Via
from vfs.errors import Invalid, TooMany
from vfs.ports.applications import Application, ApplicationConnection, Approval
from vfs.ports.clock import stamp
from vfs.ports.people import Limit, Token

CODE_LIFE = timedelta(seconds=60)
CONNECTION_LIFE = timedelta(days=30)
HOUR = 3600
APPROVALS, RENEWALS = 60, 60
"""Maximum approvals of a person, and renewals of a connection, within an hour."""
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_NAME = re.compile(r"[^a-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Issued:
    """Credentials that were just issued; their values are shown only once."""

    access: str
    refresh: str
    scope: str
    seconds: int
    token: Token


@dataclass(frozen=True, slots=True)
class ConnectedApplication:
    """An application with its token and its scopes."""

    application: Application
    token: Token
    scopes: tuple[str, ...]


class InvalidGrant(Invalid):
    """A code or refresh credential that is not valid, for any reason."""


class InvalidClient(Invalid):
    """An application that is not registered."""


class InvalidScope(Invalid):
    """Scopes other than those that a connection was approved with."""


def connection_end(world: World, approver: int) -> datetime | None:
    """Return the end of a connection approved now: after 30 days, or with the approving credential.

    Returns None if that credential is gone.
    """
    token = world.people.tokens.at(approver)
    if token is None or token.revoked_on is not None:
        return None
    end = world.service.deadlines.now() + CONNECTION_LIFE
    return end if token.expires_on is None else min(end, datetime.fromisoformat(token.expires_on))


def approve(world: World, user: str, approver: int, asked: ApprovalRequest) -> str:
    """Record a person's approval; return the code for the application. Raises TooMany, Invalid."""
    end = connection_end(world, approver)
    if end is None:
        raise Invalid("the session has ended: sign in again")
    if wait := world.people.rates.take([Limit(f"approvals of {user}", APPROVALS, HOUR)]):
        raise TooMany(f"too many applications were approved within an hour: wait {wait} s", retry_after=wait)
    code = fresh()
    expires_on = stamp(world.service.deadlines.now() + CODE_LIFE)
    with world.atomic():
        client = keep(world, asked.application, user)
        world.people.connections.approve(
            digest(code),
            Approval(
                client, user, approver, asked.redirect, asked.challenge, asked.scope, expires_on, stamp(end)
            ),
        )
    return code


def exchange(world: World, client: str, code: str, verifier: str, redirect: str | None) -> Issued:
    """Return credentials for a code. A second use of a code ends the connection made with it."""
    application, key = _application(world, client), digest(code)
    approval = world.people.connections.approval(key) if is_credential(code) else None
    if approval is None or approval.client != stored_client(client, approval.user):
        raise InvalidGrant("the code is unknown")
    if not _verifies(verifier, approval.challenge):
        raise InvalidGrant("the code verifier is not the one of the code's challenge")
    if approval.token is not None:
        world.people.tokens.revoke(approval.token)
        raise InvalidGrant("the code was exchanged before: what it was exchanged for has ended")
    if approval.expires_on <= stamp(world.service.deadlines.now()):
        raise InvalidGrant(f"the code is older than {CODE_LIFE.seconds} seconds: start again")
    if not _returns(application, approval, redirect):
        raise InvalidGrant("redirect_uri is not the one that the code was sent to")
    _require_approver(world, approval.user, approval.approver)
    return _connect(world, application, approval, key)


def renew(world: World, client: str, refresh: str, scope: str | None) -> Issued:
    """Return new credentials for a connection, whose end stays the same.

    A refresh credential that is used twice was stolen: the connection ends at once. Raises InvalidClient,
    InvalidGrant, InvalidScope, TooMany.
    """
    _application(world, client)
    connections, key = world.people.connections, digest(refresh)
    found = connections.by_refresh(key) if is_credential(refresh) else None
    if found is None or found.client != stored_client(client, found.user):
        raise InvalidGrant("the refresh token is unknown")
    token = _alive(world, found)
    if found.renewed:
        world.people.tokens.revoke(found.token)
        raise InvalidGrant("the refresh token was used before: the connection has ended")
    _require_approver(world, found.user, found.approver)
    if scope is not None and set(scope.split()) != set(found.scope.split()):
        raise InvalidScope("the scope of a connection is the one that was approved")
    if wait := world.people.rates.take([Limit(f"renewals of connection {found.token}", RENEWALS, HOUR)]):
        raise TooMany(f"the connection was renewed too often: wait {wait} s", retry_after=wait)
    access, following = fresh(), fresh()
    if not connections.renew(key, digest(following), digest(access)):
        world.people.tokens.revoke(found.token)
        raise InvalidGrant("the refresh token was used before: the connection has ended")
    return _credentials(world, access, following, found.scope, token)


def disconnect(world: World, client: str, value: str) -> None:
    """End the connection to which a credential belongs. Raises InvalidClient.

    Unknown credentials, and those of other applications, are ignored.
    """
    _application(world, client)
    if not is_credential(value):
        return
    people, key = world.people, digest(value)
    found = people.connections.by_refresh(key)
    if found is None and (token := people.tokens.by_digest(key)) is not None:
        found = people.connections.by_token(token.id)
    if found is not None and found.client == stored_client(client, found.user):
        people.tokens.revoke(found.token)


def connections_of(world: World, user: str) -> Sequence[ConnectedApplication]:
    """Return the applications that act for a user, the newest connection first."""
    now = stamp(world.service.deadlines.now())
    found = []
    for token in world.people.tokens.of(user):
        if token.via is not Via.APPLICATION or (token.expires_on or "") <= now:
            continue
        connection = world.people.connections.by_token(token.id)
        application = world.people.applications.find(connection.client) if connection is not None else None
        if connection is not None and application is not None:
            found.append(ConnectedApplication(application, token, tuple(connection.scope.split())))
    return sorted(found, key=lambda one: one.token.created_on, reverse=True)


def _connect(world: World, application: Application, approval: Approval, key: str) -> Issued:
    access, refresh = fresh(), fresh()
    stem = _NAME.sub("-", application.client.rpartition("~")[2].lower()).strip("-.")
    with world.atomic():
        token = world.people.tokens.mint(
            approval.user,
            f"{stem or 'application'}-{tail()}",
            digest(access),
            description=application.description or application.name,
            via=Via.APPLICATION,
            claim=None if approval.scope == ALL else approval.scope,
            expires_on=approval.ends_on,
        )
        if not world.people.connections.connect(key, token.id, digest(refresh)):
            raise InvalidGrant("the code was exchanged before")
    return _credentials(world, access, refresh, approval.scope, token)


def _credentials(world: World, access: str, refresh: str, scope: str, token: Token) -> Issued:
    assert token.expires_on is not None
    left = datetime.fromisoformat(token.expires_on) - world.service.deadlines.now()
    return Issued(access, refresh, scope, max(int(left.total_seconds()), 0), token)


def _application(world: World, client: str) -> Application:
    found = find_application(world, client)
    if found is None:
        raise InvalidClient("the application is not registered here")
    return found


def _verifies(verifier: str, challenge: str) -> bool:
    if not VERIFIER.fullmatch(verifier):
        return False
    made = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return hmac.compare_digest(made, challenge)


def _returns(application: Application, approval: Approval, redirect: str | None) -> bool:
    """Return whether a code is exchanged with the redirect to which it was sent.

    A code that a person copied was sent to no redirect: published clients name the one that they tried
    before. The verifier binds such a code to the program that requested it.
    """
    if approval.redirect == OUT_OF_BAND:
        return redirect is None or admits(application.redirects, redirect)
    return redirect == approval.redirect


def _alive(world: World, found: ApplicationConnection) -> Token:
    token = world.people.tokens.at(found.token)
    now = stamp(world.service.deadlines.now())
    if token is None or token.revoked_on is not None or token.locked or (token.expires_on or "") <= now:
        raise InvalidGrant("the connection has ended: ask for approval again")
    return token


def _require_approver(world: World, user: str, approver: int) -> None:
    """Raise InvalidGrant if the approving credential has ended, or if its account is locked."""
    token = world.people.tokens.at(approver)
    now = stamp(world.service.deadlines.now())
    ended = token is None or token.user != user or token.revoked_on is not None or token.locked
    if ended or (token is not None and token.expires_on is not None and token.expires_on <= now):
        raise InvalidGrant("the credential that approved the connection has ended: ask for approval again")
