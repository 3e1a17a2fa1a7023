"""Instructions of a Dockerfile that a step would not heed: they are refused, as they would do nothing."""

from __future__ import annotations

from chains.builds.recipe_words import instructions
from chains.engine.port import BuildFailed

HEALTH = "HEALTHCHECK: nobody asks a step for its health, it ends by itself. Take the line out and push again"
SIGNAL = "STOPSIGNAL: a step that is stopped gets SIGTERM. Handle that, take the line out and push again"
LATER = (
    "ONBUILD: an image of this server keeps nothing for the builds upon it. Write its instructions into the "
    "recipes that begin with this image, and push again"
)
TERM = ("SIGTERM", "TERM", "15")


def refuse_instructions(text: str) -> None:
    """Raise BuildFailed for the first instruction of a recipe that steps do not heed.

    ONBUILD of a stage that a later one begins with is done in the same build.
    """
    kept_back = False
    for words in instructions(text):
        keyword = words[0].text.upper()
        rest = [word.text for word in words[1:]]
        if keyword == "FROM":
            kept_back = False
        elif keyword == "HEALTHCHECK" and [word.upper() for word in rest] != ["NONE"]:
            raise BuildFailed(HEALTH)
        elif keyword == "STOPSIGNAL" and " ".join(rest).upper() not in TERM:
            raise BuildFailed(SIGNAL)
        elif keyword == "ONBUILD":
            kept_back = True
    if kept_back:
        raise BuildFailed(LATER)
