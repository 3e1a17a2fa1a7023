"""The ports about applications: programs that people let act for them, and what they were let do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.errors import Conflict

MOST_APPLICATIONS = 20
"""The applications that a user may have registered at a time; the operator registers as many as it likes."""

APPLICATION_FIELDS = frozenset({"name", "description", "redirects", "scopes"})
"""The fields of an application that Applications.change sets."""


@dataclass(frozen=True, slots=True)
class Application:
    """A registered program. `client` is its public id; `owner` who registered it, None for the operator.

    `redirects`: the addresses to which answers may be sent. `scopes`: the most that it may ask for. `locked`:
    its owner is locked.
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
    """A person's yes to an application: what its code is exchanged for, once, until `expires_on`.

    `approver` is the credential that it was given with; the connection lasts until `ends_on`. `token` is the
    one that the code was exchanged for.
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
    """An application's access to an account, by a token of its own.

    `renewed`: the credential that it was found by has been exchanged for a newer one before.
    """

    token: int
    client: str
    user: str
    approver: int
    scope: str
    renewed: bool = False


class Applications(Protocol):
    """Keeps registered applications."""

    def find(self, client: str) -> Application | None:
        """The application with that id, or None."""
        ...

    def of(self, owner: str | None) -> Sequence[Application]:
        """The applications that a user registered, by id; of the operator for None."""
        ...

    def add(self, client: str, owner: str | None, **fields: object) -> Application:
        """A new application with all its fields.

        Raises Conflict when the id is taken, or its owner has MOST_APPLICATIONS.
        """
        ...

    def change(self, client: str, **fields: object) -> None:
        """Set `name`, `description`, `redirects` or `scopes`. Raises NotFound."""
        ...

    def remove(self, client: str) -> bool:
        """Take it away with its approvals, and revoke the tokens of its connections; False when absent."""
        ...


class Connections(Protocol):
    """Keeps approvals and connections; codes and refresh credentials by digest."""

    def approve(self, code: str, approval: Approval) -> None:
        """A new approval under the digest of its code; those long past are forgotten."""
        ...

    def approval(self, code: str) -> Approval | None:
        """The approval with the digest of its code, exchanged or not."""
        ...

    def connect(self, code: str, token: int, refresh: str) -> bool:
        """Exchange a code for a token, once; False when it was exchanged before, with nothing changed."""
        ...

    def by_refresh(self, refresh: str) -> ApplicationConnection | None:
        """The connection with that digest of a refresh credential, whether it was renewed since or not."""
        ...

    def by_token(self, token: int) -> ApplicationConnection | None:
        """The connection of a token."""
        ...

    def renew(self, refresh: str, next_refresh: str, digest: str) -> bool:
        """Put new digests in the place of both credentials; False when the old one was renewed before."""
        ...


def too_many_applications() -> Conflict:
    """The refusal of one more."""
    return Conflict(
        f"you have registered {MOST_APPLICATIONS} applications, as many as there may be: remove one first"
    )
