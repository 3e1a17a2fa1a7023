"""The composition of one process's world: from settings to an adapter for every port."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from chains.builds.repositories import Repositories
from chains.builds.run_store import Builds
from chains.files.removal import RemovalHold
from chains.files.run_folders import Folders
from chains.runs.ports import Runs
from chains.runs.retention import RetentionSweep
from chains.schedules.timetable import Lead
from chains.sharing.run_files import KeptRunFiles, RunFiles, digests_of
from handlers.http.access_log import STDERR, into
from handlers.identity.browser_tickets import BrowserTickets
from handlers.identity.passkeys import Passkeys
from handlers.identity.passwords import PASSWORDS_OFF, Passwords, Throttle
from handlers.identity.proofs import People, Proofs
from handlers.identity.second_factors import SecondFactors
from handlers.identity.token_uses import TokenUses
from handlers.mail.outgoing import post_of
from handlers.processes.database import marked_store, open_own_database
from handlers.rendering.socket_service import SOCKET, RemoteRenderer, longest_wait
from handlers.rules.kinds import VISUALS, Kinds, counts_of, kinds_of, names_in
from handlers.rules.scopes import KnownClaims
from handlers.security.log_lines import RequestNotes
from handlers.security.security_log import open_log
from handlers.services.alerts.job_alerts import run_began
from handlers.services.hold_spaces import HoldGrants, HoldItems
from handlers.services.mailboxes import mail_code_use
from handlers.services.runs.run_ends import build_ended, run_ended, run_turned
from handlers.services.trash import end_old, item_ended
from handlers.services.world import (
    CodePorts,
    PeoplePorts,
    ServicePorts,
    SocialPorts,
    VisualPorts,
    World,
)
from handlers.settings.settings import Settings
from handlers.trees import KINDS
from storage.bytes.blobs import FileBlobs
from storage.bytes.metered_blobs import MeteredBlobs
from storage.bytes.renders import RenderStore
from storage.bytes.reserve import Reserve
from storage.bytes.seal import FileSeal, seal_of
from storage.bytes.space_rows import StoredSpaceLocks
from storage.bytes.spaces import StoredSpaces
from storage.database.database import Database, installed_on
from storage.git.repositories import GitRepositories
from storage.people.addresses import StoredAddresses
from storage.people.applications import StoredApplications, StoredConnections
from storage.people.factors import StoredFactors
from storage.people.groups import StoredGroups
from storage.people.hooks import StoredHooks
from storage.people.inbound_mails import StoredInboundMails
from storage.people.invitations import StoredInvitationLinks, StoredPendingShares
from storage.people.keys import StoredKeys
from storage.people.mail_outbox import StoredMailOutbox, StoredMessageQueue
from storage.people.members import StoredMembers, StoredTies
from storage.people.notices import StoredNotices
from storage.people.rates import MemoryRates, SpareRates, StoredRates
from storage.people.resets import StoredPasswordResets, StoredSetupKeys
from storage.people.tokens import StoredTokens
from storage.people.users import StoredChallenges, StoredProviderLinks, StoredUsers
from storage.runs.activity import StoredActivity
from storage.runs.builds import StoredBuilds
from storage.runs.hooks import StoredJobHooks
from storage.runs.runs import StoredLeases, stored_runs
from storage.runs.schedules import StoredSchedules
from storage.runs.trigger_events import StoredTriggerEvents
from storage.signals.change_signal import ChangeSignal
from storage.signals.change_signals import change_signal_of
from storage.signals.waking_store import SignalledChanges
from storage.tree.alerts import StoredAlerts
from storage.tree.grants import StoredGrants
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.links import StoredItemLinks
from storage.tree.quotas import StoredQuotas
from storage.tree.search import StoredSearch
from storage.tree.shortnames import Shortnames
from storage.tree.social import StoredActions, StoredTags, StoredThreads
from storage.tree.trash import StoredTrash
from storage.tree.versions import StoredVersions
from storage.upkeep.clocks import Deadlines, Seen, ServerClock, WallClock
from storage.upkeep.installation_mark import require_same, shared_seal
from storage.upkeep.leader import FileLead, PostgresLead
from storage.upkeep.overview import StoredOverview
from storage.upkeep.sweep import Sweep
from vfs.ports.clock import Clock, stamp
from vfs.ports.disk import DiskSpace, UnlimitedDisk
from vfs.ports.items import Item
from vfs.ports.mails import MessageQueue
from vfs.ports.people import Rates, Tokens
from vfs.ports.quotas import Quotas


@dataclass(frozen=True, slots=True)
class LiveWorld:
    """A world with the resources that must be closed after it."""

    world: World
    repositories: GitRepositories
    database: Database
    change_signal: ChangeSignal
    uses: TokenUses
    sweep: Sweep
    lead: Lead
    reserve: Reserve

    def close(self) -> None:
        """Finish pending writes, and close connections and listeners."""
        self.world.service.later.close()
        self.uses.close()
        self.world.service.security.close()
        self.change_signal.close()
        self.database.close()


def build(settings: Settings, clock: Clock | None = None, kinds: Kinds = KINDS) -> LiveWorld:
    """Build the world of this process, with data folder and schema; open nothing that a fork breaks."""
    database, clock = open_own_database(settings), Seen(clock or WallClock(), settings.folder / "seen")
    tools, reserve = _tools(settings, clock), Reserve(settings.folder, settings.disk_reserve)
    change_signal = change_signal_of(database, settings.database, settings.folder / "signals")
    shortnames, quotas = Shortnames(database), StoredQuotas(database, settings.quota_limits, counts_of(kinds))
    changes = SignalledChanges(change_signal, database.idle, kinds_of(VISUALS, kinds))
    items = _items(settings, database, clock, (quotas, kinds), changes, lambda item: item_ended(world, item))
    blobs, tokens = FileBlobs(settings.blobs, clock), StoredTokens(database, clock, quotas)
    people = _people(settings, database, tools, items, tokens, quotas, lambda *to: mail_code_use(world, *to))
    social = _social(database, change_signal, clock, quotas)
    runs = stored_runs(
        database, change_signal, clock, shortnames.fresh, tokens.revoke_run, lambda end: run_ended(world,
        end), lambda turn: run_turned(world, turn), lambda run: run_began(world, run),
    )  # fmt: skip
    builds = StoredBuilds(database, change_signal, clock, lambda build: build_ended(world, build))
    repositories = GitRepositories(settings.repos, hold=RemovalHold(settings.shared))
    metered = MeteredBlobs(blobs, quotas, clock)
    outputs = KeptRunFiles(metered)
    world = World(
        items=HoldItems(items, runs.hold_spaces),
        leaves=StoredLeaves(database, clock, quotas, names_in(kinds)),
        blobs=metered,
        grants=HoldGrants(StoredGrants(database, clock, quotas), items, runs.hold_spaces),
        trash=StoredTrash(database, clock, quotas, names_in(kinds)),
        clock=clock,
        epoch=stamp(installed_on(database)),
        atomic=database.atomic,
        idle=database.idle,
        session=database.session,
        after_commit=database.after_commit,
        people=people,
        social=social,
        code=_code(settings, database, change_signal, clock, quotas, (runs, builds, repositories), outputs),
        visuals=_visuals(settings, changes, reserve),
        service=_service(settings, tools, kinds, quotas, social.messages, reserve, change_signal),
    )
    sweep = _sweep(settings, database, blobs, tokens, world, outputs)
    uses, lead = TokenUses(tokens, clock, session=database.session), _lead(settings, database)
    return LiveWorld(world, repositories, database, change_signal, uses, sweep, lead, reserve)


def _items(
    settings: Settings, database: Database, clock: Clock, counts: tuple[Quotas, Kinds],
    changes: SignalledChanges, ended: Callable[[Item], object],
) -> StoredItems:  # fmt: skip
    """Return the store of items, which moves them to the trash if there is one."""
    quotas, names = counts[0], names_in(counts[1])
    trash = StoredTrash(database, clock, quotas, names) if settings.trash_days else None
    return StoredItems(database, clock, Shortnames(database), changes.note, quotas, names, trash, ended)


def _code(
    settings: Settings,
    database: Database,
    change_signal: ChangeSignal,
    clock: Clock,
    quotas: Quotas,
    books: tuple[Runs, Builds, Repositories],
    outputs: RunFiles,
) -> CodePorts:
    """Return the ports to code and runs."""
    runs, builds, repositories = books
    run_files = None
    if settings.has_several_hosts:
        run_files = outputs
        runs = replace(runs, leases=StoredLeases(database, change_signal, ServerClock(database)))
    return CodePorts(
        runs=runs,
        builds=builds,
        repositories=repositories,
        spaces=StoredSpaces(database, clock, settings.space_quota, quotas=quotas),
        locks=StoredSpaceLocks(database),
        schedules=StoredSchedules(database, change_signal, clock),
        triggers=StoredTriggerEvents(database, change_signal, clock),
        hooks=StoredJobHooks(database),
        activity=StoredActivity(database),
        folders=Folders(
            settings.folder / "runs",
            settings.retention_days,
            settings.runner_home / "runs",
            settings.input_limit,
            run_files.fetch if run_files is not None else None,
        ),
        overview=StoredOverview(database, clock, settings.quota_limits),
        outputs=outputs,
        run_files=run_files,
    )


def _social(database: Database, change_signal: ChangeSignal, clock: Clock, quotas: Quotas) -> SocialPorts:
    """Return the ports to users' texts about resources."""
    return SocialPorts(
        StoredNotices(database, change_signal, clock),
        StoredTags(database),
        StoredThreads(database, clock, quotas),
        StoredMailOutbox(database, change_signal, clock),
        StoredMessageQueue(database, change_signal, clock),
        StoredInboundMails(database, change_signal, clock),
        StoredSearch(database),
        StoredActions(database, clock),
        StoredAlerts(database),
        StoredHooks(database, change_signal, clock),
        StoredItemLinks(database),
    )


def _visuals(settings: Settings, changes: SignalledChanges, disk: DiskSpace) -> VisualPorts:
    """Return the ports to rendering."""
    renderer = RemoteRenderer(settings.folder / SOCKET, longest_wait(settings.render_seconds))
    return VisualPorts(renderer, render_store(settings, disk), changes)


def render_store(settings: Settings, disk: DiskSpace | None = None) -> RenderStore:
    """Return the renders that are cached in the data folder."""
    return RenderStore(settings.folder / "renders", settings.renders_size, disk=disk or UnlimitedDisk())


class Tools(NamedTuple):
    """The clocks of a process, and its seal."""

    clock: Clock
    deadlines: Clock
    seal: FileSeal


def _tools(settings: Settings, clock: Seen) -> Tools:
    shared = settings.has_several_hosts
    seal = shared_seal(settings.key, settings.repos) if shared else seal_of(settings.key)
    return Tools(clock, Deadlines(clock), seal)


def _service(
    settings: Settings, tools: Tools, kinds: Kinds, quotas: Quotas, messages: MessageQueue, disk: DiskSpace,
    change_signal: ChangeSignal,
) -> ServicePorts:  # fmt: skip
    clock, deadlines, seal = tools
    post = post_of(settings, clock, messages)
    security = open_log(settings, clock, into(STDERR))
    claims = KnownClaims(kinds)
    return ServicePorts(
        settings, seal, post, deadlines, kinds, claims, security, quotas, disk, news=change_signal
    )


def _people(
    settings: Settings, database: Database, tools: Tools, items: StoredItems, tokens: Tokens, quotas: Quotas,
    used: Callable[[str, RequestNotes], object],
) -> PeoplePorts:  # fmt: skip
    """Return the ports to people, with the counters that limit the guessing of passwords."""
    clock, deadlines, seal = tools
    users = StoredUsers(database, clock, items)
    rates = SpareRates(StoredRates(database, deadlines), lambda: MemoryRates(deadlines))
    passwords, factors = _passwords(settings, users, rates), StoredFactors(database, clock)
    second = SecondFactors(factors, rates, deadlines, seal, used)
    tickets = BrowserTickets(seal, rates, deadlines)
    passkeys = Passkeys(factors, tickets, deadlines, stamp(installed_on(database)))
    return PeoplePorts(
        users=users,
        addresses=StoredAddresses(database, clock),
        tokens=tokens,
        challenges=StoredChallenges(database),
        passwords=passwords,
        rates=rates,
        groups=StoredGroups(database, clock, items, quotas),
        members=StoredMembers(database, clock, quotas),
        ties=StoredTies(database, clock, quotas),
        pending_shares=StoredPendingShares(database, quotas),
        links=StoredInvitationLinks(database),
        applications=StoredApplications(database, clock),
        connections=StoredConnections(database, clock),
        resets=StoredPasswordResets(database),
        setup=StoredSetupKeys(database),
        keys=StoredKeys(database, clock, quotas),
        factors=factors,
        second=second,
        proofs=Proofs(People(users, tokens, factors), passwords, second, passkeys, tickets, deadlines),
        passkeys=passkeys,
        tickets=tickets,
        provider_links=StoredProviderLinks(database, clock),
    )


def _passwords(settings: Settings, users: StoredUsers, rates: Rates) -> Passwords:
    """Return the passwords of accounts, unless they are switched off."""
    throttle = Throttle(
        rates,
        pair=settings.signin_attempts,
        address=settings.signin_attempts_address,
        account=settings.signin_attempts_account,
    )
    return Passwords(
        users,
        throttle,
        memory=settings.password_memory,
        passes=settings.password_time,
        refusal="" if settings.password_sign_in else PASSWORDS_OFF.format(settings.provider_name),
    )


@contextmanager
def open_world(settings: Settings) -> Iterator[World]:
    """Yield the world for one command; it works while a server runs on the same data."""
    with closing(build(settings)) as live_world, live_world.database.session():
        yield live_world.world


def _sweep(
    settings: Settings, database: Database, blobs: FileBlobs, tokens: StoredTokens, world: World,
    outputs: RunFiles,
) -> Sweep:  # fmt: skip
    runs = world.code.runs.retention
    store = marked_store(settings)

    def end_aged(now: datetime) -> int:
        end_old(world, now)
        StoredVersions(database).sweep(now, settings.version_days, settings.versions)
        return RetentionSweep(runs, settings.retention_days).sweep(now)

    def list_held() -> Collection[str]:
        if store is not None:
            require_same(database, store)
        return digests_of(outputs, runs.held_files)

    hold = RemovalHold(settings.shared)
    return Sweep(database, blobs, tokens, world.clock, end_aged, hold=hold, held=list_held)


def _lead(settings: Settings, database: Database) -> Lead:
    if database.dialect == "postgresql":
        return PostgresLead(settings.database)
    return FileLead(settings.folder / ".scheduler")
