"""Documents and mails as others copy them, their references as they were meant."""

from __future__ import annotations

from handlers.services.copies.document_places import places_of
from handlers.services.copies.taken_text import TakenText, admit_text, text_at, unseen
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.parsed_content import CONTENT, LARGEST_CONTENT
from handlers.services.viewer import Viewer
from vfs.path import Path


def taken_document(viewer: Viewer, asked: Path) -> TakenText:
    """The content of a document or a mail, `asked` for there, for a copy of somebody else's."""
    content = text_at(viewer, CONTENT)
    if not content:
        return TakenText(CONTENT, "", "")
    places = places_of(viewer, asked, content)
    left = [
        f"{ref} could not be written as @{viewer.item.owner}'s, and is yours now"
        for ref in places.unreached_refs()
    ]
    after = admit_text(places.with_owner(content, viewer.item.owner), LARGEST_CONTENT)
    return TakenText(CONTENT, content, after, [*left, *unseen(unseen_parts(viewer, viewer.item, viewer.me))])
