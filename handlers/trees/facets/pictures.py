"""The pictures of a profile: an avatar with its crop, and a banner."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.render.pictures import FORMATS, redrawn
from handlers.rules.masks import mask
from handlers.rules.media import HEAD, sniff
from handlers.services.world import World
from vfs.access import Verb
from vfs.errors import WrongMedia
from vfs.nodes import KIB, MIB, Dir, File
from vfs.parts import text
from vfs.place import Place
from vfs.ports.blobs import Ref
from vfs.rules import Rule

LARGEST = 5 * MIB
MEDIA = tuple(FORMATS)


def picture(place: Place[World], ref: Ref) -> Ref:
    """Draw stored bytes anew as the image of their media type. Raises WrongMedia, Invalid, TooLarge."""
    with place.world.blobs.open(ref) as file:
        if ref.media not in MEDIA or sniff(file.read(HEAD)) != ref.media:
            raise WrongMedia(
                f"this takes an image whose Content-Type is its own, one of {', '.join(MEDIA)}: "
                "send it with  -H 'Content-Type: image/png' --data-binary @picture.png"
            )
        file.seek(0)
        drawn = redrawn(file, ref.media)
    stored: Ref = place.world.blobs.add(iter((drawn,)), ref.media, place.here.id)
    return stored


def pictures(rules: Mapping[Verb, Rule] | None = None) -> Dir:
    """The folder `picture` of a profile."""
    return Dir(
        {
            "image": _image("avatar"),
            "banner": _image("banner"),
            "mask": text(check=mask, about="crop of the avatar: x,y,r", largest=KIB),
        },
        rules=rules or {},
        about="pictures",
    )


def _image(about: str) -> File:
    return File(wants="blob", media=MEDIA, largest=LARGEST, accept=picture, about=about)
