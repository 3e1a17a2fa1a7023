"""Reads that may not wait, as those on the loop of a server."""

from __future__ import annotations

from handlers.server.application import WouldWait
from handlers.services.hints import Hints
from tests.handlers.household import TREE, Household
from vfs.access import Caller, Verb, Via
from vfs.call import Call, KeptBytes, Unsupervised
from vfs.path import Path
from vfs.serve import serve


class Hurried(Unsupervised):
    """The supervision of a call that may not wait."""

    def begin(self, *, spare: bool = False) -> None:
        raise WouldWait

    def take_time(self) -> None:
        raise WouldWait


def hurry(household: Household, path: str) -> KeptBytes:
    """What alice reads there. Raises WouldWait."""
    caller, hints = Caller("alice", Via.TOKEN), Hints(origin="http://x")
    call = Call(Verb.READ, Path.parse(path), caller, household.world, ongoing=Hurried(), hints=hints)
    made = serve(TREE, call).value
    assert isinstance(made, KeptBytes)
    return made
