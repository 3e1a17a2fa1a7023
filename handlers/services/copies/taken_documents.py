"""Documents and mails as others copy them, their references as they were meant."""

from __future__ import annotations

from handlers.services.copies.document_places import places_of
from handlers.services.copies.taken_text import TakenText, admit_text, text_at, unseen
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.parsed_content import CONTENT
from handlers.services.world import World
from vfs.nodes import MIB
from vfs.place import Place


def taken_document(place: Place[World]) -> TakenText:
    """The content of a document or a mail for a copy of somebody else's."""
    content = text_at(place, CONTENT)
    if not content:
        return TakenText(CONTENT, "", "")
    places = places_of(place, place.here, content)
    left = [
        f"{ref} could not be written as @{place.here.owner}'s, and is yours now"
        for ref in places.unreached_refs()
    ]
    after = admit_text(places.with_owner(content, place.here.owner), MIB)
    return TakenText(CONTENT, content, after, [*left, *unseen(unseen_parts(place, place.here, place.me))])
