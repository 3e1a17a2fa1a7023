"""Registered applications, approvals and connections in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.kit.memory.state import Memory
from vfs.errors import Conflict, NotFound
from vfs.ports.applications import (
    APPLICATION_FIELDS,
    MOST_APPLICATIONS,
    Application,
    ApplicationConnection,
    Approval,
    too_many_applications,
)
from vfs.ports.clock import stamp

REMEMBERED = timedelta(days=1)
SEQUENCES = ("redirects", "scopes")
COMMAND_LINE = "novem-cli"
"""The published command line, which every new installation knows."""


class MemoryApplications:
    """Applications in a dictionary (vfs.ports.applications.Applications)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.add(
            COMMAND_LINE,
            None,
            name="Command line",
            description="the command line",
            redirects=(
                "http://localhost/callback",
                "http://127.0.0.1/callback",
                "urn:ietf:wg:oauth:2.0:oob",
            ),
            scopes=("all", "read", "vis", "code"),
        )

    def find(self, client: str) -> Application | None:
        """The application with that id, or None."""
        found = self._memory.state.applications.get(client)
        owner = self._memory.state.users.get(found.owner or "") if found is not None else None
        return replace(found, locked=owner.locked) if found is not None and owner is not None else found

    def of(self, owner: str | None) -> Sequence[Application]:
        """The applications that a user registered, by id; of the operator for None."""
        every = (self.find(client) for client in sorted(self._memory.state.applications))
        return [one for one in every if one is not None and one.owner == owner]

    def add(self, client: str, owner: str | None, **fields: Any) -> Application:
        """A new application. Raises Conflict when the id is taken, or its owner has as many as may be."""
        values = {"name": "", "description": "", "redirects": (), "scopes": (), **_checked_fields(fields)}
        memory = self._memory
        with memory.lock:
            if client in memory.state.applications:
                raise Conflict(f"There is an application {client} already; choose another name.")
            if owner is not None and len(self.of(owner)) >= MOST_APPLICATIONS:
                raise too_many_applications()
            made = Application(next(memory.numbers), client, owner, created_on=memory.now(), **values)
            memory.state.applications[client] = made
        return made

    def change(self, client: str, **fields: Any) -> None:
        """Set `name`, `description`, `redirects` or `scopes`. Raises NotFound."""
        values, applications = _checked_fields(fields), self._memory.state.applications
        with self._memory.lock:
            if client not in applications:
                raise NotFound(f"There is no application {client}.")
            applications[client] = replace(applications[client], **values)

    def remove(self, client: str) -> bool:
        """Take it away with its approvals, and revoke the tokens of its connections; False when absent."""
        with self._memory.atomic():
            state, now = self._memory.state, self._memory.now()
            ended = {token for token, one in state.connections.items() if one.client == client}
            for digest, token in state.tokens.items():
                if token.id in ended and token.revoked_on is None:
                    state.tokens[digest] = replace(token, revoked_on=now)
            state.approvals = {code: one for code, one in state.approvals.items() if one.client != client}
            forget_connections(self._memory, ended)
            return state.applications.pop(client, None) is not None


class MemoryConnections:
    """Approvals and connections in dictionaries (vfs.ports.applications.Connections)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def approve(self, code: str, approval: Approval) -> None:
        """A new approval under the digest of its code; those long past are forgotten."""
        before = stamp(self._memory.clock.now() - REMEMBERED)
        with self._memory.atomic():
            state = self._memory.state
            past = {token for token, ends_on in state.connection_ends.items() if ends_on < before}
            forget_connections(self._memory, past)
            present = {key: one for key, one in state.approvals.items() if one.expires_on >= before}
            state.approvals = {**present, code: approval}

    def approval(self, code: str) -> Approval | None:
        """The approval with the digest of its code, exchanged or not."""
        return self._memory.state.approvals.get(code)

    def connect(self, code: str, token: int, refresh: str) -> bool:
        """Exchange a code for a token, once; False when it was exchanged before, with nothing changed."""
        with self._memory.atomic():
            state, found = self._memory.state, self.approval(code)
            if found is None or found.token is not None:
                return False
            state.approvals[code] = replace(found, token=token)
            made = ApplicationConnection(token, found.client, found.user, found.approver, found.scope)
            state.connections[token], state.connection_ends[token] = made, found.ends_on
            state.refreshes[refresh] = (token, False)
        return True

    def by_refresh(self, refresh: str) -> ApplicationConnection | None:
        """The connection with that digest of a refresh credential, whether it was renewed since or not."""
        token, renewed = self._memory.state.refreshes.get(refresh, (0, False))
        found = self.by_token(token)
        return replace(found, renewed=renewed) if found is not None else None

    def by_token(self, token: int) -> ApplicationConnection | None:
        """The connection of a token."""
        return self._memory.state.connections.get(token)

    def renew(self, refresh: str, next_refresh: str, digest: str) -> bool:
        """Put new digests in the place of both credentials; False when the old one was renewed before."""
        with self._memory.atomic():
            state = self._memory.state
            token, renewed = state.refreshes.get(refresh, (0, True))
            if renewed:
                return False
            state.refreshes |= {refresh: (token, True), next_refresh: (token, False)}
            for old, one in list(state.tokens.items()):
                if one.id == token and one.revoked_on is None:
                    state.tokens[digest] = state.tokens.pop(old)
        return True


def forget_connections(memory: Memory, tokens: set[int]) -> None:
    """Take away the connections of these tokens with their refresh credentials."""
    state = memory.state
    state.connections = {id: one for id, one in state.connections.items() if id not in tokens}
    state.connection_ends = {id: end for id, end in state.connection_ends.items() if id not in tokens}
    state.refreshes = {digest: one for digest, one in state.refreshes.items() if one[0] not in tokens}


def _checked_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields as an application has them."""
    if unknown := fields.keys() - APPLICATION_FIELDS:
        raise TypeError(f"an application has no field {', '.join(sorted(unknown))} that can be changed")
    return {name: tuple(value) if name in SEQUENCES else value for name, value in fields.items()}
