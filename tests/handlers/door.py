"""An identification over users that are really there."""

from __future__ import annotations

import base64

from handlers.identity.credentials import digest, fresh
from handlers.identity.identify import Identify, credentials_of
from handlers.identity.passwords import Passwords, Throttle
from handlers.identity.token_uses import TokenUses
from handlers.security.log_lines import RequestNotes
from handlers.trees import ROOT
from tests.handlers.proofs import proofs_of
from tests.handlers.small_kernel import Stage
from vfs.access import Access, Caller, Claim, Verb
from vfs.path import Path
from vfs.ports.people import Account
from vfs.tree import Tree

WHOAMI = Path.parse("/v1/whoami")
ORIGIN = "https://curlew.example"


NOTHING_ELSE = Claim("repo_ro", {"repo": Access.READ})


class Door:
    """An identification over users that are really there."""

    def __init__(self) -> None:
        self.world = Stage()
        self.clock = self.world.clock
        self.passwords = Passwords(self.world.users, Throttle(self.world.rates, pair=3), memory=64, passes=1)
        self.uses = TokenUses(self.world.tokens, self.clock, every=3600)
        self.identify = Identify(
            self.world.tokens,
            self.world.users,
            proofs_of(self.world, self.passwords)[1],
            self.clock,
            self.uses,
            lambda name: NOTHING_ELSE,
            credentials_of(Tree(ROOT)),
        )
        for name in ("bob", "eve"):
            self.world.users.add(name, self.passwords.digest("secret"), Account.REGULAR, None, public=False)

    def mint(self, name: str = "laptop", user: str = "bob", **fields: object) -> str:
        value = fresh()
        self.world.tokens.mint(user, name, digest(value), **fields)  # type: ignore[arg-type]
        return value

    def ask(
        self,
        verb: Verb | None = Verb.READ,
        path: Path = WHOAMI,
        notes: RequestNotes | None = None,
        **headers: str,
    ) -> Caller:
        return self.identify.caller(
            {"REQUEST_METHOD": "GET", **{f"HTTP_{name.upper()}": value for name, value in headers.items()}},
            verb,
            path,
            address="10.0.0.1",
            source="10.0.0.1",
            origin=ORIGIN,
            notes=notes,
        )


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
