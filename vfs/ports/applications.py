"""The ports of applications (programs that may act for users) and of their connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.errors import Conflict

MOST_APPLICATIONS = 20
"""The maximum number of applications that a user may have registered. The operator has no limit."""

APPLICATION_FIELDS = frozenset({"name", "description", "redirects", "scopes"})
"""The fields of an application that Applications.change can set."""


@dataclass(frozen=True, slots=True)
class Application:
    """A registered program. `client` is its public id; `owner` is its user, None for the operator.

    `redirects`: the addresses to which responses may be sent. `scopes`: all scopes that it may request.
    `locked`: the account of its owner is locked.
    """

    id: int
    client: str
    owner: str | None
    name: str
    description: str
    redirects: tuple[str, ...]
    scopes: tuple[str, ...]
    created_on: str
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """A user's consent to an application. Its code can be exchanged for a token once, until `expires_on`.

    `approver` is the credential of the user at that time. The connection lasts until `ends_on`. The code was
    exchanged for `token`.
    """

    client: str
    user: str
    approver: int
    redirect: str
    challenge: str
    scope: str
    expires_on: str
    ends_on: str
    token: int | None = None


@dataclass(frozen=True, slots=True)
class ApplicationConnection:
    """An application's access to an account, with its own token.

    `renewed`: the refresh credential by which it was found has already been exchanged for a newer one.
    """

    token: int
    client: str
    user: str
    approver: int
    scope: str
    renewed: bool = False


class Applications(Protocol):
    """The store of registered applications."""

    def find(self, client: str) -> Application | None:
        """Return the application with that id, or None."""

    def of(self, owner: str | None) -> Sequence[Application]:
        """Return the applications that a user registered, by id; those of the operator for None."""

    def add(self, client: str, owner: str | None, **fields: object) -> Application:
        """Add an application with all its fields.

        Raises Conflict when the id is taken, or its owner has MOST_APPLICATIONS.
        """

    def change(self, client: str, **fields: object) -> None:
        """Set `name`, `description`, `redirects` or `scopes`. Raises NotFound."""

    def remove(self, client: str) -> bool:
        """Remove it and its approvals, and revoke the tokens of its connections. Return False if absent."""


class Connections(Protocol):
    """The store of approvals and connections. It has only digests of codes and refresh credentials."""

    def approve(self, code: str, approval: Approval) -> None:
        """Store an approval under the digest of its code; delete those that expired long ago."""

    def approval(self, code: str) -> Approval | None:
        """Return the approval with the digest of its code, exchanged or not."""

    def connect(self, code: str, token: int, refresh: str) -> bool:
        """Exchange a code for a token. Return False, with nothing changed, if it was exchanged before."""

    def by_refresh(self, refresh: str) -> ApplicationConnection | None:
        """Return the connection with that digest of a refresh credential, even if it was renewed since."""

    def by_token(self, token: int) -> ApplicationConnection | None:
        """Return the connection of a token."""

    def renew(self, refresh: str, next_refresh: str, digest: str) -> bool:
        """Replace the digests of both credentials. Return False if the old one was renewed before."""


def too_many_applications() -> Conflict:
    """Return the refusal of one more application."""
    return Conflict(
        f"you have registered {MOST_APPLICATIONS} applications, which is the maximum: remove one first"
    )
