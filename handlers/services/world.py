"""World: the ports that hooks and services use, grouped by their users."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import Protocol

from chains.builds.repositories import Repositories
from chains.builds.run_store import Builds
from chains.files.run_folders import Folders
from chains.runs.activity import Activity
from chains.runs.hooks import JobHooks
from chains.runs.overview import Overview
from chains.runs.ports import Runs
from chains.schedules.timetable import Schedules, TriggerEvents
from chains.sharing.run_files import RunFiles
from chains.spaces.locks import SpaceLocks
from chains.spaces.space import Spaces
from handlers.identity.browser_tickets import BrowserTickets
from handlers.identity.credentials import SealPort
from handlers.identity.passkeys import Passkeys
from handlers.identity.passwords import Passwords
from handlers.identity.proofs import Proofs
from handlers.identity.second_factors import SecondFactors
from handlers.rendering.port import KeptRenderings, Renderer
from handlers.rules.kinds import Kinds
from handlers.rules.scopes import KnownClaims
from handlers.security.security_log import SecurityLog
from handlers.settings.settings import Settings
from vfs.ports.alerts import Alerts
from vfs.ports.applications import Applications, Connections
from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock
from vfs.ports.disk import DiskSpace, UnlimitedDisk
from vfs.ports.factors import Factors
from vfs.ports.grants import Grants
from vfs.ports.groups import Groups, Members, Ties
from vfs.ports.hooks import Hooks
from vfs.ports.inbound import InboundMails
from vfs.ports.invitations import InvitationLinks, PendingShares
from vfs.ports.items import Item, ItemStore
from vfs.ports.keys import Keys
from vfs.ports.leaves import Leaves
from vfs.ports.links import ItemLinks
from vfs.ports.mails import MailOutbox, MessageQueue
from vfs.ports.notices import Notices
from vfs.ports.people import (
    Addresses,
    Challenges,
    PasswordResets,
    ProviderLinks,
    Rates,
    SetupKeys,
    Tokens,
    Users,
)
from vfs.ports.quotas import Quotas
from vfs.ports.search import Search
from vfs.ports.social import ItemActions, Tags, Threads
from vfs.ports.trash import Trash

MOST_WAITING = 100

log = logging.getLogger("curlew")


class LaterCalls:
    """Calls of one process, one after the other; its thread starts with the first of them.

    All methods are safe in any thread.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._room = BoundedSemaphore(most)
        self._lock = Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._is_closed = False

    def add(self, call: Callable[[], object]) -> bool:
        """Queue a call; return False without queueing it when the queue is full or closed."""
        if not self._room.acquire(blocking=False):
            return False
        with self._lock:
            if self._is_closed:
                self._room.release()
                return False
            self._thread = self._thread or ThreadPoolExecutor(1, "later")
            self._thread.submit(call).add_done_callback(self._end)
        return True

    def close(self) -> None:
        """Make the calls that still wait; later ones are refused."""
        with self._lock:
            self._is_closed, thread = True, self._thread
        if thread is not None:
            thread.shutdown()

    def _end(self, done: Future[object]) -> None:
        self._room.release()
        if error := done.exception():
            log.error("what was to be done later failed", exc_info=error)


class Post(Protocol):
    """Outgoing mail."""

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        """Queue a mail; it is sent after the present transaction.

        `unsubscribe` is the web address at which one click ends such mails.
        """


@dataclass(frozen=True, slots=True)
class PeoplePorts:
    """The ports to users, their credentials, and their groups."""

    users: Users
    addresses: Addresses
    tokens: Tokens
    challenges: Challenges
    passwords: Passwords
    rates: Rates
    groups: Groups
    members: Members
    ties: Ties
    pending_shares: PendingShares
    links: InvitationLinks
    applications: Applications
    connections: Connections
    resets: PasswordResets
    setup: SetupKeys
    keys: Keys
    factors: Factors
    second: SecondFactors
    passkeys: Passkeys
    tickets: BrowserTickets
    proofs: Proofs
    provider_links: ProviderLinks


@dataclass(frozen=True, slots=True)
class SocialPorts:
    """The ports to notices, alerts, tags, comments, mails and actions.

    `search` finds resources. `messages` are those that the service itself sends, `inbound` those that groups
    received. `hooks` send events to addresses outside. `links` open items without an account.
    """

    notices: Notices
    tags: Tags
    threads: Threads
    mails: MailOutbox
    messages: MessageQueue
    inbound: InboundMails
    search: Search
    actions: ItemActions
    alerts: Alerts
    hooks: Hooks
    links: ItemLinks


@dataclass(frozen=True, slots=True)
class CodePorts:
    """The ports to repositories, their images, jobs, runs and spaces; `overview` is for operators.

    `outputs` stores what steps of failed runs left. `run_files` is set where several hosts share the files of
    runs.
    """

    runs: Runs
    builds: Builds
    repositories: Repositories
    spaces: Spaces
    locks: SpaceLocks
    schedules: Schedules
    triggers: TriggerEvents
    hooks: JobHooks
    activity: Activity
    folders: Folders
    overview: Overview
    outputs: RunFiles
    run_files: RunFiles | None = None


class Changes(Protocol):
    """Change signals for viewers of visualisations."""

    def wait(self, item: Item | None, seen: int, seconds: float) -> int:
        """Block until the item (None: any) changes after `seen`, an earlier result; return a new `seen`.

        With 0, for the first call, return at once. Otherwise return also after `seconds` or when the service
        stops.
        """


@dataclass(frozen=True, slots=True)
class VisualPorts:
    """The ports that draw visualisations, keep their renders, and signal their changes.

    `apart` has separate stores for the renders of some items, by their ids: those of a preview.
    """

    renderer: Renderer
    kept: KeptRenderings
    changes: Changes
    apart: Mapping[int, KeptRenderings] = field(default_factory=dict)

    def kept_of(self, item: int) -> KeptRenderings:
        """Return the store for the renders of an item."""
        return self.apart.get(item, self.kept)


class News(Protocol):
    """The publisher of happenings (handlers.services.happenings)."""

    def publish(self, message: str) -> None:
        """Send a message to all listeners, once the transaction is committed."""


class NoNews:
    """News without listeners."""

    def publish(self, message: str) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """Settings, tools and kinds of this installation; `deadlines` is the clock for deadlines.

    `security` is the security log; `later` runs work that responses do not wait for.
    """

    settings: Settings
    seal: SealPort
    post: Post
    deadlines: Clock
    kinds: Kinds
    claims: KnownClaims
    security: SecurityLog
    quotas: Quotas
    disk: DiskSpace = field(default_factory=UnlimitedDisk)
    later: LaterCalls = field(default_factory=LaterCalls)
    news: News = field(default_factory=NoNews)


@dataclass(frozen=True, slots=True)
class World:
    """Everything that hooks and services use, in groups; it implements vfs.ports.world.KernelWorld.

    Leaving `session` releases all storage resources of a request; `after_commit` calls a function once the
    outermost transaction is durable; `epoch` is when this installation was created.
    """

    items: ItemStore
    leaves: Leaves
    blobs: Blobs
    grants: Grants
    trash: Trash
    clock: Clock
    epoch: str
    atomic: Callable[[], AbstractContextManager[object]]
    idle: Callable[[], AbstractContextManager[object]]
    session: Callable[[], AbstractContextManager[object]]
    after_commit: Callable[[Callable[[], None]], None]
    people: PeoplePorts
    social: SocialPorts
    code: CodePorts
    visuals: VisualPorts
    service: ServicePorts
