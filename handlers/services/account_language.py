"""Language of an account, in which its visuals are drawn that say no other."""

from __future__ import annotations

from handlers.rules.render_options import Options
from handlers.services.viewer import Viewer

LEAF, OPTION = "language", "language"


def in_language(viewer: Viewer, options: Options) -> Options:
    """Options of a render with the language of the account that has its item, where that chose one.

    It is the owner's and not the reader's, so that a picture that is passed on is the same for everybody.
    """
    user = viewer.world.people.users.find(viewer.item.owner)
    said = viewer.world.leaves.texts_of([user.item], [LEAF]).get(user.item, {}) if user is not None else {}
    tag = said.get(LEAF, "").strip()
    return {OPTION: tag, **options} if tag else options


def language_option(options: Options, own: str = "") -> Options:
    """The option of the language alone, of a part in a document that may say its own."""
    tag = own or options.get(OPTION, "")
    return {OPTION: tag} if tag else {}
