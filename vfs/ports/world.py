"""The world as the kernel needs it: items, leaves, blobs, grants and a clock, and transactions over them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock
from vfs.ports.grants import Grants
from vfs.ports.items import ItemStore
from vfs.ports.leaves import Leaves


class KernelWorld(Protocol):
    """The part of the world that the kernel needs; hooks are handed a richer one."""

    @property
    def items(self) -> ItemStore: ...
    @property
    def leaves(self) -> Leaves: ...
    @property
    def blobs(self) -> Blobs: ...
    @property
    def grants(self) -> Grants: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def epoch(self) -> str:
        """The birth of this world: the stamp of fixed places outside every item."""
        ...

    def atomic(self) -> AbstractContextManager[object]:
        """All writes inside happen or none; nests. The outermost commit is durable when it returns."""
        ...

    def idle(self) -> AbstractContextManager[object]:
        """Waiting inside, outside every transaction, takes nothing of the storage from others."""
        ...
