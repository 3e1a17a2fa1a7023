"""Images: what repositories built, by the names of their repositories."""

from __future__ import annotations

from handlers.services.build_images import with_image
from handlers.services.world import World
from handlers.trees.code.repos import KIND, REPO
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Items, Link
from vfs.parts import SEEN_BY_ALL, value

OF_REPO = ("name", "summary", "description", "shortname", "url", "status", "log", "shared", "tags")
"""The entries of a repository that its image shows, too."""


def built_labels(context: Context[World]) -> Data:
    """Return the labels that have an image, with the commit from which it was built."""
    images = context.world.code.builds.images(context.here.id)
    rows = [
        {"label": label, "commit": built.commit, "missing": built.missing}
        for label, built in sorted(images.items())
    ]
    return Data(rows, lambda rows: "".join(f"{row['label']}\t{row['commit']}\n" for row in rows))


IMAGE = Dir(
    {
        **{name: Link(to=name, about=REPO.children[name].about) for name in OF_REPO},
        "labels": value(built_labels, about="its labels, such as latest, with the commits that were built"),
        "config": Dir(
            {
                "repo": value(
                    lambda context: f"@{context.here.owner}/{context.here.name}",
                    rules=SEEN_BY_ALL,
                    about="the repository from which it was built",
                )
            },
            rules=SEEN_BY_ALL,
            about="where it comes from",
        ),
    },
    about="what a repository built; whatever is written here is written to the repository",
)
IMAGES = Items(
    KIND, IMAGE, fixed=True, among=with_image, about="images, one for each repository with a build"
)
