"""Language of an account: the default language of its visuals."""

from __future__ import annotations

from handlers.rules.render_options import Options
from handlers.services.viewer import Viewer

LEAF, OPTION = "language", "language"


def in_language(viewer: Viewer, options: Options) -> Options:
    """Add the language that the item's owner chose, if any, to the options of a render.

    The owner's language is used, not the reader's, so that everybody gets the same picture.
    """
    user = viewer.world.people.users.find(viewer.item.owner)
    said = viewer.world.leaves.texts_of([user.item], [LEAF]).get(user.item, {}) if user is not None else {}
    tag = said.get(LEAF, "").strip()
    return {OPTION: tag, **options} if tag else options


def language_option(options: Options, own: str = "") -> Options:
    """Return the language option alone, for a part in a document; `own` is the part's own language."""
    tag = own or options.get(OPTION, "")
    return {OPTION: tag} if tag else {}
