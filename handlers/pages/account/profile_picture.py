"""Pictures of people and groups that a form sends."""

from __future__ import annotations

from handlers.pages.forms import Bytes, SentForm, pieces_of
from handlers.pages.request import PageRequest
from handlers.rules.media import HEAD, sniff
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

MOST_PARTS = 8
"""Parts of the form, its other fields among them."""


def put_picture(request: PageRequest, place: Path, form: SentForm) -> None:
    """Put the chosen picture in the place of the one before; its type is told by its bytes.

    Raises Invalid where none was chosen, and as the place does.
    """
    with form.unpack(MOST_PARTS) as files:
        if not files:
            raise Invalid("choose a picture first")
        file = next(iter(files.values()))
        with file.open("rb") as stream:
            media = sniff(stream.read(HEAD))
        sent = Bytes(pieces_of(file))
        sent.media = media or "application/octet-stream"
        request.call(Verb.WRITE, place, sent)
