"""Documents and mails as others copy them: the renderer, which reads them, says where references stand."""

from __future__ import annotations

from handlers.render.documents.pages.relative_references import RelativePlaces, load_places
from handlers.rules.render_options import NO_DEFAULTS
from handlers.services.copies.taken_text import TakenText, admit_text, text_at, unseen
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.parsed_content import CONTENT
from handlers.services.renderings import LeavesRecipe, WantedRender, digest_of_leaves, key_of, renderings_of
from handlers.services.world import World
from vfs.errors import Conflict
from vfs.nodes import MIB
from vfs.place import Place
from vfs.ports.world import digest_of

RELATIVE = "relative"


def taken_document(place: Place[World]) -> TakenText:
    """The content of a document or a mail for a copy of somebody else's."""
    content = text_at(place, CONTENT)
    if not content:
        return TakenText(CONTENT, "", "")
    places = _places(place, content)
    left = [f"{ref} could not be written as @{place.here.owner}'s, and is yours now" for ref in places.left]
    after = admit_text(places.with_owner(content, place.here.owner), MIB)
    return TakenText(CONTENT, content, after, [*left, *unseen(unseen_parts(place, place.here, place.me))])


def _places(place: Place[World], content: str) -> RelativePlaces:
    """The places of the relative references. Raises Conflict where somebody wrote another meanwhile."""
    recipe = LeavesRecipe(place.here.kind, (CONTENT,), folder=CONTENT)
    version = digest_of_leaves({CONTENT: digest_of(content)})
    wanted = WantedRender(place.here, RELATIVE, NO_DEFAULTS, version)
    ((key, kept),) = renderings_of(place, recipe, [wanted])
    if key != key_of(recipe.kind, RELATIVE, NO_DEFAULTS, version):
        raise Conflict(f"{place.asked} was written just now: copy it again")
    with kept.open() as file:
        return load_places(file.read().decode())
