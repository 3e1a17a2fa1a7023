"""Assets of a resource: images and fonts that its content uses."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from handlers.rules.media import ASSETS, HEAD, sniff
from handlers.services.world import World
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Conflict, WrongMedia
from vfs.nodes import MIB, Each, File
from vfs.param import Param
from vfs.ports.blobs import Ref
from vfs.ports.leaves import Leaf
from vfs.rules import INFO

NAME = re.compile(r"(?=.{1,64}$)[a-z0-9][a-z0-9-]*(\.[a-z0-9]+)?")
NAME_RULE = "a-z, 0-9 and - with one optional ending, at most 64 characters, such as logo-2.png"
LARGEST = 5 * MIB


def matching(context: Context[World], ref: Ref) -> Ref:
    """Return the stored bytes if they match their Content-Type (interface, Limits). Raises WrongMedia."""
    if ref.media not in ASSETS:
        raise WrongMedia(f"an asset is one of {', '.join(ASSETS)}, not {ref.media}: send its Content-Type")
    with context.world.blobs.open(ref) as stored:
        real = sniff(stored.read(HEAD))
    if real != ref.media:
        raise WrongMedia(
            f"the file is {real or 'of none of the types for assets'}, but its Content-Type says {ref.media}"
        )
    return ref


def _among(most: int, context: Context[World], ref: Ref) -> Ref:
    """Return the bytes if the asset exists or there is room for it. Raises Conflict, WrongMedia."""
    if context.absent:
        folder, _, _ = context.rel.rpartition("/")
        if len(context.world.leaves.under(context.here.id, folder)) >= most:
            raise Conflict(f"there are {most} assets, which is the maximum: DELETE an unused one")
    return matching(context, ref)


def assets(most: int | None = None) -> Each[Leaf]:
    """Return the node `assets`, with at most `most` files (None: only the owner's quota is the limit)."""
    accept: Callable[[Context[World], Ref], Ref] = matching if most is None else partial(_among, most)
    return Each(
        Param("asset"),
        File(
            wants="blob",
            media=ASSETS,
            largest=LARGEST,
            accept=accept,
            rules={Verb.READ: INFO},
            about="an image or font",
        ),
        name=NAME,
        name_rule=NAME_RULE,
        upsert=True,
        candid=True,
        rules={Verb.READ: INFO},
        about="images and fonts",
    )
