"""Results of a job: the file config/results, once its lines name what can be written to."""

from __future__ import annotations

from handlers.rules.result_targets import result_places
from handlers.services.world import World
from vfs.access import Verb
from vfs.errors import VfsError
from vfs.place import Place


def accept_results(place: Place[World], sent: str) -> str:
    """The text of config/results, kept to the byte. Raises Mistake with line and column."""
    result_places(place.world.service.kinds, place.here.owner, sent)
    return sent


def remark_on_results(place: Place[World], sent: str) -> str:
    """A warning for each target that whoever writes the text could not write to now."""
    if place.also is None:
        return ""
    told = []
    for target in result_places(place.world.service.kinds, place.here.owner, sent):
        try:
            place.also.find(Verb.WRITE, target.path)
        except VfsError as refusal:
            told.append(f"warning: {target.line}: {refusal.detail}\n")
    return "".join(told)
