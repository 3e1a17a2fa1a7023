"""The reference world in dictionaries: what every other storage must equal, gone when it goes."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from storage.people.rates import MemoryRates
from tests.kit.memory.applications import MemoryApplications, MemoryConnections
from tests.kit.memory.groups import MemoryGroups, MemoryMembers, MemoryTies
from tests.kit.memory.items import MemoryGrants, MemoryItems
from tests.kit.memory.keys import MemoryKeys
from tests.kit.memory.leaves import MemoryBlobs, MemoryLeaves
from tests.kit.memory.people import MemoryChallenges, MemoryTokens, MemoryUsers
from tests.kit.memory.resets import MemoryPasswordResets
from tests.kit.memory.setup_keys import MemorySetupKeys
from tests.kit.memory.state import Memory
from vfs.access import Role
from vfs.ports.clock import Clock, stamp
from vfs.ports.groups import Member


class MemoryWorld:
    """A world (vfs.ports.world.KernelWorld) with its people."""

    def __init__(self, clock: Clock) -> None:
        self._memory = Memory(clock)
        self.clock = clock
        self.epoch = stamp(clock.now())
        self.items = MemoryItems(self._memory)
        self.leaves = MemoryLeaves(self._memory)
        self.blobs = MemoryBlobs()
        self.grants = MemoryGrants(self._memory)
        self.users = MemoryUsers(self._memory, self.items)
        self.challenges = MemoryChallenges(self._memory)
        self.tokens = MemoryTokens(self._memory)
        self.groups = MemoryGroups(self._memory, self.items)
        self.members = MemoryMembers(self._memory)
        self.ties = MemoryTies(self._memory)
        self.rates = MemoryRates(clock)
        self.applications = MemoryApplications(self._memory)
        self.connections = MemoryConnections(self._memory)
        self.resets = MemoryPasswordResets(self._memory)
        self.setup = MemorySetupKeys(self._memory)
        self.keys = MemoryKeys(self._memory)

    def atomic(self) -> AbstractContextManager[None]:
        """All writes inside happen or none; nests."""
        return self._memory.atomic()

    def idle(self) -> AbstractContextManager[None]:
        """Nothing is held anyway."""
        return nullcontext()

    def join(self, group: str, user: str, role: Role, *, pending: bool = False) -> None:
        """Make a user a member of a group, named as the target of a share; or invite it."""
        now = self._memory.now()
        self._memory.state.members[group, user] = Member(group, user, role, pending, None, now)
