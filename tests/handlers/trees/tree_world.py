"""People in a database for tests of their trees: passwords that cost little, an outbox."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as Folder
from types import SimpleNamespace
from typing import Any

import orjson

from handlers.identity.credentials import digest, fresh
from handlers.identity.passwords import Passwords, Throttle
from handlers.mail.outgoing import Outbox
from handlers.rules.kinds import counts_of
from handlers.rules.scopes import KnownClaims
from handlers.services.viewer import Hints
from handlers.services.world import LaterCalls, NoNews
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, KINDS, ROOT
from storage.database.database import Database
from storage.people.hooks import StoredHooks
from storage.runs.builds import StoredBuilds
from storage.runs.hooks import StoredJobHooks
from storage.runs.runs import stored_runs
from storage.runs.trigger_events import StoredTriggerEvents
from storage.tree.links import StoredItemLinks
from storage.tree.quotas import StoredQuotas
from storage.tree.shortnames import Shortnames
from tests.handlers.proofs import proofs_of
from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.body import NoBody
from vfs.call import Call, Data, Form, Reply
from vfs.errors import TooLarge
from vfs.path import Path
from vfs.ports.people import Account, User
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)
GROUPS = (
    "users addresses tokens challenges passwords rates groups members ties pending_shares links"
    " applications connections resets setup keys factors second proofs",
    "notices tags threads search actions hooks",
    "runs spaces schedules triggers activity",
    "settings later post deadlines kinds claims quotas news",
)
PASSWORD = "eleven birds on the mud"


class Sent(NoBody):
    """A body of bytes with a media type."""

    def __init__(self, content: Any, media: str) -> None:
        self.media = media
        self._content = content if isinstance(content, bytes) else orjson.dumps(content)

    def empty(self) -> bool:
        return not self._content

    def text(self, largest: int) -> str:
        if len(self._content) > largest:
            raise TooLarge(f"the body is larger than {largest} bytes")
        return self._content.decode()

    def data(self, largest: int) -> Any:
        return orjson.loads(self._content)

    def chunks(self, largest: int) -> Any:
        if len(self._content) > largest:
            raise TooLarge(f"the body is larger than the {largest} bytes that fit here")
        return iter((self._content,))


class TreeWorld(StoredWorld):
    """The world, and calls into its tree. `calls` holds what every call has in common."""

    clock: StillClock

    def __init__(
        self, folder: Folder, database: Database | None = None, *, trash: bool = False, **chosen: Any
    ) -> None:
        super().__init__(database, trash=trash)
        self.deadlines = self.clock
        fresh, revoke = Shortnames(self.database).fresh, self.tokens.revoke_run
        self.runs = stored_runs(self.database, self.change_signal, self.clock, fresh, revoke)
        self.settings = replace(Settings(data=str(folder), smtp="smtp://relay.example"), **chosen)
        self.passwords = Passwords(self.users, Throttle(self.rates), memory=8, passes=1)
        self.second, self.proofs = proofs_of(self, self.passwords)
        self.kinds, self.claims, self.later = KINDS, KnownClaims(KINDS), LaterCalls()
        self.quotas = StoredQuotas(self.database, self.settings.quota_limits, counts_of(KINDS))
        self.triggers = StoredTriggerEvents(self.database, self.change_signal, self.clock)
        self.news, self.hooks = NoNews(), StoredHooks(self.database, self.change_signal, self.clock)
        self.outbox = folder / "outbox"
        self.post: Any = Outbox(self.outbox, "post@birds.example", self.clock)
        self.people, self.social, self.code, self.service = (
            SimpleNamespace(**{name: getattr(self, name) for name in names.split()}) for names in GROUPS
        )
        self.code.hooks, self.social.links = StoredJobHooks(self.database), StoredItemLinks(self.database)
        self.code.builds = StoredBuilds(self.database, self.change_signal, self.clock)

    def citizen(self, name: str, *, public: bool = False) -> User:
        """Add a user with the password of all and a separate address."""
        secret = self.passwords.digest(PASSWORD)
        return self.users.add(name, secret, Account.REGULAR, f"{name}@birds.example", public=public)

    def token(self, user: str, name: str = "cli", *, via: Via = Via.TOKEN, **more: Any) -> Caller:
        """Return a caller with a new credential."""
        minted = self.tokens.mint(user, name, digest(fresh()), via=via, **more)
        narrowed = self.claims.find(minted.claim) if minted.claim else None
        return Caller(user, via, narrowed, minted.id)

    def call(
        self,
        verb: Verb | None,
        path: str,
        caller: Caller = PUBLIC,
        body: Any = None,
        media: str = "",
        **more: Any,
    ) -> Reply:
        """The reply to a call; text goes as text/plain, data as JSON, bytes as `media` says."""
        sent = NoBody() if body is None else Sent(body, media or "application/json")
        if isinstance(body, str):
            sent = Sent(body.encode(), "text/plain")
        here = {
            "origin": "http://localhost:8000",
            "address": "127.0.0.1",
            "source": "127.0.0.1",
            "local": True,
        }
        given = {name: more.pop(name) for name in Hints.__slots__ if name in more}
        more["hints"] = Hints(**here | given)
        return serve(TREE, Call(verb, Path.parse(path), caller, self, sent, **more))

    def read(self, path: str, caller: Caller) -> Any:
        """The JSON face of a path."""
        value = self.call(Verb.READ, path, caller, want=Form.DATA).value
        return value.value if isinstance(value, Data) else value

    def text(self, path: str, caller: Caller) -> str:
        """The plain face of a path."""
        value = self.call(Verb.READ, path, caller).value
        if isinstance(value, Data):
            assert value.text is not None
            return value.text(value.value)
        assert isinstance(value, str)
        return value

    def write(self, path: str, caller: Caller, body: Any, **more: Any) -> Any:
        """Return the value of the answer to a write."""
        value = self.call(Verb.WRITE, path, caller, body, **more).value
        return value.value if isinstance(value, Data) else value
