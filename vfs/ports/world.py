"""The world as the kernel needs it: items, leaves, blobs, grants, a clock, and transactions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock
from vfs.ports.grants import Grants
from vfs.ports.items import ItemStore
from vfs.ports.leaves import Leaves


class KernelWorld(Protocol):
    """The part of the world that the kernel needs. Hooks get one with more services."""

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
        """The time stamp when this world was created; used for fixed entries outside every item."""

    def atomic(self) -> AbstractContextManager[object]:
        """Begin a transaction, which may nest. The outermost commit is durable when it returns."""

    def idle(self) -> AbstractContextManager[object]:
        """Return a context manager for waiting outside transactions, without holding storage resources."""
