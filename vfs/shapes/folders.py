"""Folders: their rows, or a face of their own beside them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from vfs.access import Verb
from vfs.acts import ACTS, rename, wish_of
from vfs.call import Data, Entry, Reply
from vfs.listing import reply_at
from vfs.nodes import Dir, Entries
from vfs.ports.world import KernelWorld
from vfs.spot import Spot, Visit


class FolderSpot(Spot):
    """A folder."""

    __slots__ = ()
    folder = True
    node: Dir | Entries

    @abstractmethod
    def rows(self, place: Visit[KernelWorld]) -> Iterable[Entry]:
        """The rows of its entries."""
        ...

    def read(self, place: Visit[KernelWorld]) -> Reply:
        """Its face, or its rows."""
        face = self.node.read
        return reply_at(place, face(place) if face is not None else Data(list(self.rows(place))), folder=True)

    def receive(self, place: Visit[KernelWorld], verb: Verb) -> Any:
        """Take in what is sent, and the wish of a renaming, for which a copy may take long."""
        super().receive(place, verb)
        return wish_of(place) if verb is Verb.RENAME else None

    def act(self, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Do what is done to every entry."""
        return rename(place, sent) if verb is Verb.RENAME else ACTS[verb](place)
