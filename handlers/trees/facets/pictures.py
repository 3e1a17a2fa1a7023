"""Pictures of profiles, encoded again from their pixels, and assets of resources: images and fonts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from typing import BinaryIO

from PIL import Image, ImageOps

from handlers.rules.media import ASSETS, HEAD, sniff
from handlers.rules.profile_values import mask
from handlers.services.world import World
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Conflict, Invalid, TooLarge, WrongMedia
from vfs.nodes import KIB, MIB, Dir, Each, File
from vfs.param import Param
from vfs.parts import text
from vfs.ports.blobs import Ref
from vfs.ports.leaves import Leaf
from vfs.rules import INFO, Rule

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
MOST_PIXELS = 12_000_000
QUALITY = 90
LARGEST = 5 * MIB
MEDIA = tuple(FORMATS)


def picture(context: Context[World], ref: Ref) -> Ref:
    """Encode a stored image again in its media type. Raises WrongMedia, Invalid, TooLarge."""
    with context.world.blobs.open(ref) as file:
        if ref.media not in MEDIA or sniff(file.read(HEAD)) != ref.media:
            raise WrongMedia(
                f"this takes an image whose Content-Type is its own, one of {', '.join(MEDIA)}: "
                "send it with  -H 'Content-Type: image/png' --data-binary @picture.png"
            )
        file.seek(0)
        drawn = redrawn(file, ref.media)
    stored: Ref = context.world.blobs.add(iter((drawn,)), ref.media, context.here.id)
    return stored


def redrawn(file: BinaryIO, media: str) -> bytes:
    """Return the picture in the same format, upright, its first frame only, without metadata.

    Raises Invalid if it is broken or in another format, and TooLarge if its header declares too many pixels,
    before they are decoded.
    """
    form = FORMATS[media]
    try:
        with Image.open(file, formats=[form]) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise TooLarge(f"the picture has {width} by {height} pixels: at most 12 million fit here")
            picture = ImageOps.exif_transpose(opened)
            drawn = _plain(picture, form)
            out = BytesIO()
            drawn.save(out, form, **({"quality": QUALITY} if form in ("JPEG", "WEBP") else {}))
    except TooLarge:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, Image.DecompressionBombError) as broken:
        raise Invalid(f"the picture cannot be read as {media}: send a whole, unbroken file") from broken
    return out.getvalue()


def _plain(picture: Image.Image, form: str) -> Image.Image:
    """Return a new picture with the same pixels, in a mode that its format supports."""
    clear = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    mode = "RGBA" if clear and form != "JPEG" else "RGB"
    drawn = Image.new(mode, picture.size)
    drawn.paste(picture.convert(mode))
    return drawn


def pictures(rules: Mapping[Verb, Rule] | None = None) -> Dir:
    """Return the folder `picture` of a profile."""
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


NAME = re.compile(r"(?=.{1,64}$)[a-z0-9][a-z0-9-]*(\.[a-z0-9]+)?")
NAME_RULE = "a-z, 0-9 and - with one optional ending, at most 64 characters, such as logo-2.png"


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
