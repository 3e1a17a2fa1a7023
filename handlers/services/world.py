"""World: the ports and values that the hooks of the trees are handed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from chains.builds.book import Builds
from chains.files.run_folders import Folders
from chains.runs.activity import Activity
from chains.runs.book import RunBook
from chains.schedules.timetable import Schedules
from chains.spaces.space import Spaces
from handlers.identity.passwords import Passwords
from handlers.settings import Settings
from storage.git.repositories import Repositories
from vfs.ports.groups import Groups, Members, Ties
from vfs.ports.people import Challenges, Notices, Rates, Tokens, Users
from vfs.ports.social import Tags, Threads
from vfs.ports.world import Blobs, Clock, Grants, Items, Leaves


class Seal(Protocol):
    """Encryption at rest, where text is bound to the context it was sealed in; and marks of texts."""

    def close(self, text: str, context: str) -> str:
        """The text sealed."""
        ...

    def open(self, text: str, context: str) -> str:
        """The text again. Raises Invalid when it was sealed elsewhere or with a lost key."""
        ...

    def mark(self, text: str) -> str:
        """A mark of a text that only this installation can make."""
        ...

    def marked(self, mark: str, text: str) -> bool:
        """Whether the mark is this installation's mark of the text."""
        ...


class Post(Protocol):
    """Outgoing mail."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Hand one mail over; it leaves after the transaction that asked for it."""
        ...


@dataclass(frozen=True, slots=True)
class World:
    """Everything a hook reaches. `epoch` is when this installation came to be;
    `deadlines` is the time by which they are judged.
    """

    items: Items
    leaves: Leaves
    blobs: Blobs
    grants: Grants
    users: Users
    tokens: Tokens
    challenges: Challenges
    groups: Groups
    members: Members
    ties: Ties
    runs: RunBook
    builds: Builds
    repositories: Repositories
    spaces: Spaces
    schedules: Schedules
    notices: Notices
    rates: Rates
    activity: Activity
    tags: Tags
    threads: Threads
    seal: Seal
    passwords: Passwords
    post: Post
    clock: Clock
    deadlines: Clock
    settings: Settings
    epoch: str
    folders: Folders
    transaction: Callable[[], AbstractContextManager[object]]
    after_commit: Callable[[Callable[[], None]], None]
    connected: Callable[[], AbstractContextManager[object]]
    waiting: Callable[[], AbstractContextManager[object]]

    def atomic(self) -> AbstractContextManager[object]:
        """All writes inside happen or none."""
        return self.transaction()

    def released(self) -> AbstractContextManager[object]:
        """Whoever waits inside takes nothing of the storage from others."""
        return self.waiting()

    def session(self) -> AbstractContextManager[object]:
        """What a request takes from the storage is given back when it leaves this."""
        return self.connected()
