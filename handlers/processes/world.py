"""The composition of one process's world: settings in, every port kept by its adapter out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chains.files.keeper import keeper_of
from chains.files.run_folders import Folders
from chains.runs.retention import Retention
from chains.schedules.timetable import Lead
from handlers.identity.passwords import Passwords, Throttle
from handlers.identity.token_uses import Uses
from handlers.mail.outgoing import post_of
from handlers.services.hold_access import ParkedGrants, ParkedItems
from handlers.services.run_notices import ended
from handlers.services.world import World
from handlers.settings import Settings
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import seal_of
from storage.bytes.spaces import StoredSpaces
from storage.database.database import Database
from storage.git.repositories import Repositories
from storage.people.groups import StoredGroups
from storage.people.members import StoredMembers, StoredTies
from storage.people.notices import StoredNotices
from storage.people.rates import StoredRates
from storage.people.tokens import StoredTokens
from storage.people.users import StoredChallenges, StoredUsers
from storage.runs.activity import StoredActivity
from storage.runs.book import Runs
from storage.runs.builds import StoredBuilds
from storage.runs.schedules import StoredSchedules
from storage.signals.bell import Bell, PipeBell
from storage.signals.postgres import PostgresBell
from storage.tree.comments import StoredThreads
from storage.tree.grants import StoredGrants
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.shortnames import Shortnames
from storage.tree.tags import StoredTags
from storage.upkeep.expiry_clock import Deadlines, Seen
from storage.upkeep.leader import FileLead, PostgresLead
from storage.upkeep.sweep import Sweep
from vfs.errors import Unavailable
from vfs.ports.people import Users
from vfs.ports.world import Clock, stamp


class WallClock:
    """The time of this machine."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class House:
    """A world with what has to be closed behind it."""

    world: World
    database: Database
    bell: Bell
    uses: Uses
    sweep: Sweep
    lead: Lead

    def close(self) -> None:
        """Write down what is still to be written, and let go of connections and listeners."""
        self.uses.close()
        self.bell.close()
        self.database.close()


def build(settings: Settings, clock: Clock | None = None) -> House:
    """The world of this process. Makes the data folder, brings the schema up to date.
    Opens nothing that a fork would break.
    """
    database = _opened(settings)
    clock = Seen(clock or WallClock(), settings.folder / "seen")
    deadlines = Deadlines(clock)
    bell = _bell(settings, database)
    shortnames = Shortnames(database)
    items = StoredItems(database, clock, shortnames)
    tokens = StoredTokens(database, clock)
    users = StoredUsers(database, clock, items)
    blobs = FileBlobs(settings.blobs, clock)
    runs = Runs(database, bell, clock, shortnames.fresh, tokens.revoke_run, lambda end: ended(world, end))
    world = World(
        items=ParkedItems(items, runs.parked, runs.parkings),
        grants=ParkedGrants(StoredGrants(database, clock), items, runs.parked),
        blobs=blobs,
        users=users,
        tokens=tokens,
        runs=runs,
        **_kept(database, bell, clock, items),
        repositories=Repositories(settings.folder / "repos"),
        spaces=StoredSpaces(database, clock, settings.space_quota),
        seal=seal_of(settings.key),
        **_guarded(settings, database, users, deadlines),
        post=post_of(settings, clock),
        clock=clock,
        deadlines=deadlines,
        settings=settings,
        epoch=_epoch(database),
        folders=_folders(settings),
        transaction=database.atomic,
        after_commit=database.after_commit,
        connected=database.session,
        waiting=database.released,
    )
    sweep = Sweep(database, blobs, tokens, clock, Retention(runs, settings.retention_days))
    return House(world, database, bell, _uses(world, database), sweep, _lead(settings, database))


def _kept(database: Database, bell: Bell, clock: Clock, items: StoredItems) -> dict[str, Any]:
    """The ports of a world that are kept in the database alone."""
    return {
        "leaves": StoredLeaves(database, clock),
        "challenges": StoredChallenges(database),
        "groups": StoredGroups(database, clock, items),
        "members": StoredMembers(database, clock),
        "ties": StoredTies(database, clock),
        "builds": StoredBuilds(database, bell, clock),
        "schedules": StoredSchedules(database, bell, clock),
        "notices": StoredNotices(database, bell, clock),
        "activity": StoredActivity(database),
        "tags": StoredTags(database),
        "threads": StoredThreads(database, clock),
    }


@contextmanager
def open_world(settings: Settings) -> Iterator[World]:
    """The world for one command; works while a server runs on the same data."""
    house = build(settings)
    try:
        with house.database.session():
            yield house.world
    finally:
        house.close()


def _bell(settings: Settings, database: Database) -> Bell:
    if database.dialect == "postgresql":
        return PostgresBell(settings.database, lambda channel, topic: database.rows(NOTIFY, channel, topic))
    return PipeBell(settings.folder / "bells", database.after_commit)


def _opened(settings: Settings) -> Database:
    """The database with the schema of this release."""
    try:
        with keeper_of(settings.folder).acting():
            settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = settings.folder.stat().st_mode
            if mode & 0o066:
                # Passing through stays as it is: Podman opens the way for steps, and one may begin right now.
                settings.folder.chmod(mode & 0o711)
    except OSError as error:
        raise Unavailable(f"the data folder {settings.folder} is of no use: {error.strerror}") from error
    database = Database(settings.database, synchronous=settings.synchronous, pool=settings.pool)
    database.migrate()
    return database


def _folders(settings: Settings) -> Folders:
    return Folders(
        settings.folder / "runs",
        settings.retention_days,
        settings.runner_place / "runs",
        settings.input_limit,
    )


def _guarded(settings: Settings, database: Database, users: Users, deadlines: Clock) -> dict[str, Any]:
    """Passwords, and the counts that keep others from guessing them."""
    rates = StoredRates(database, deadlines)
    throttle = Throttle(
        rates,
        pair=settings.signin_attempts,
        address=settings.signin_attempts_address,
        account=settings.signin_attempts_account,
    )
    passwords = Passwords(users, throttle, memory=settings.password_memory, passes=settings.password_time)
    return {"rates": rates, "passwords": passwords}


def _uses(world: World, database: Database) -> Uses:
    return Uses(world.tokens, world.clock, session=database.session)


def _lead(settings: Settings, database: Database) -> Lead:
    if database.dialect == "postgresql":
        return PostgresLead(settings.database)
    return FileLead(settings.folder / ".scheduler")


def _epoch(database: Database) -> str:
    """When this installation came to be: its first migration."""
    (first,) = database.rows("SELECT MIN(applied) FROM schema_migration")[0]
    moment = first if isinstance(first, datetime) else datetime.fromisoformat(first)
    return stamp(moment.replace(tzinfo=UTC))


NOTIFY = "SELECT pg_notify(?, ?)"
