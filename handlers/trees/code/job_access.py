"""The claim of a job: the rights of its runs' credential, while nobody else writes the job."""

from __future__ import annotations

import json

from chains.language.ast import from_data
from handlers.services.references import References, Refusal
from handlers.services.rights import other_writer
from handlers.services.runs.orders import guard
from handlers.services.world import World
from vfs.call import Data, Reply
from vfs.errors import Conflict, Denied, Invalid
from vfs.place import Place
from vfs.ports.items import Item
from vfs.ports.leaves import Leaves


def admit_share(leaves: Leaves, job: Item, letters: str) -> None:
    """Raise Denied for a share that lets others write a job with a claim (interface, Authentication 10)."""
    if "w" in letters and leaves.get(job.id, "config/access") is not None:
        raise Denied(
            "the job has config/access set, so nobody else may write it: share it with r, x or rx, "
            "or clear config/access first"
        )


def admit_claim(place: Place[World], sent: str) -> str:
    """The claim, a known one, when no share lets others write the job (interface, Authentication 10)."""
    word, *rest = sent.split() or [""]
    if tuple(rest) not in ((), place.world.service.claims.actions(word)):
        raise Invalid(f'send the claim alone, for example "{word}"; its actions follow from it')
    if (share := other_writer(place.world, place.here.id)) is not None:
        raise Denied(
            f'the job is shared writable as "{share}": revoke that share, or share with r or rx, '
            "before the job gets a credential"
        )
    stored = place.world.leaves.get(place.here.id, "config/plan")
    if stored is not None and stored.text:
        try:
            guard(References(place.world), place.here, from_data(json.loads(stored.text)))
        except Refusal as refusal:
            raise Conflict(str(refusal)) from None
    return word


def read_claim(place: Place[World]) -> Reply:
    """The claim and its actions, a line each; empty when the job has none."""
    leaf = place.world.leaves.get(place.here.id, place.rel)
    if leaf is None or not leaf.text:
        return Reply(Data({"claim": None, "actions": []}, lambda said: ""), default=True)
    lines = (leaf.text, *place.world.service.claims.actions(leaf.text))
    text = "".join(f"{line}\n" for line in lines)
    return Reply(Data({"claim": lines[0], "actions": lines[1:]}, lambda said: text))


def set_claim(place: Place[World], word: str) -> None:
    """Set the job's claim."""
    place.world.leaves.put(place.here.id, place.rel, word, place.caller.name)


def clear_claim(place: Place[World]) -> None:
    """Clear the job's claim."""
    place.world.leaves.clear(place.here.id, place.rel)
