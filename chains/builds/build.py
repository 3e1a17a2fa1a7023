"""The runner's half of a build: checks a commit out, finds its recipe, has it built, and tells the book."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from chains.builds.bases import OfferedImages
from chains.builds.recipe import Heuristic
from chains.builds.references import ResolvedRecipe, resolve_references
from chains.builds.repositories import GitRef, shown_ref
from chains.builds.run_store import AGAIN, Build, Builds
from chains.builds.settled_recipe import settled_recipe
from chains.engine.port import Builder, BuildFailed, BuildOrder, EngineAway, EngineError
from chains.files.removal import remove
from chains.language.ast import RepoRef
from vfs.errors import NotFound, VfsError

LOG_BYTES = 10 << 20
LONGEST_LINE = 4_000
UNKNOWN = f"the server met an error of its own, which its log describes. {AGAIN}"

log = logging.getLogger(__name__)


class Images(Protocol):
    """Looks up the images that a recipe may name."""

    def __call__(self, build: Build, ref: RepoRef) -> str | None:
        """The engine's id of the image of a reference; None for a short name that is no repo's.

        Raises BuildFailed when the one who pushed may not use it.
        """
        ...


class Sources(Protocol):
    """Checks out the code of repos."""

    def labels(self, item: int) -> Mapping[str, GitRef]:
        """The labels of a repo with the branch or tag that has each."""
        ...

    def export(self, item: int, commit: str, folder: Path) -> list[str]:
        """Write a commit's files into an empty folder; a sentence for each one left out. Raises VfsError."""
        ...


def build_one(
    build: Build,
    sources: Sources,
    images: Images,
    builder: Builder,
    run_store: Builds,
    offer: OfferedImages,
    scratch: Path,
) -> None:
    """Build the image of a taken build and finish it in the book, whatever happens.

    `offer` are the images that every recipe may begin with, `scratch` is a folder for check-outs. `images` is
    asked for every reference in the recipe, before the build starts. What goes wrong becomes
    the build's reason; an error that nobody foresaw is also logged.
    """
    image, reason = None, ""
    try:
        with tempfile.TemporaryDirectory(dir=scratch, prefix=f"build-{build.id}-") as folder:
            journal = _Journal(run_store, build.id)
            image = _build(build, Path(folder), sources, images, builder, journal, offer)
            _forget_lost_labels(build, sources, run_store)
    except VfsError as error:
        reason = error.detail
    except EngineAway as error:
        reason = f"{error}; that is no fault of the code. {AGAIN}"
    except (BuildFailed, EngineError) as error:
        reason = str(error)
    except Exception:
        log.exception("build %s of repo %s broke", build.id, build.repo)
        reason = UNKNOWN
    try:
        run_store.finish(build.id, image, reason.rstrip("."))
    except NotFound:  # the repo was removed meanwhile
        if image is not None:
            builder.drop(image)


def _forget_lost_labels(build: Build, sources: Sources, run_store: Builds) -> None:
    """Forget labels of a build whose branch or tag went, or lost them to another one, while it was queued."""
    present, claims = sources.labels(build.repo), run_store.claims(build.repo)
    for label in build.labels:
        claim, ref = claims.get(label), present.get(label)
        if claim and claim.ref and (ref is None or shown_ref(ref.full) != claim.ref):
            run_store.forget(build.repo, label)


def _build(
    build: Build,
    folder: Path,
    sources: Sources,
    images: Images,
    builder: Builder,
    journal: _Journal,
    offer: OfferedImages,
) -> str:
    left_out = sources.export(build.repo, build.commit, folder)
    for sentence in left_out:
        journal.tell(sentence)
    recipe = settled_recipe(folder, left_out, offer, lambda ref: images(build, ref) is not None, journal.tell)
    offered = ResolvedRecipe(recipe.text, {}, {})
    if recipe.heuristic is Heuristic.OWN:
        offered = resolve_references(recipe.text, offer.names, partial(images, build))
    if recipe.edited or offered.text != recipe.text:
        written = folder / recipe.path
        written.unlink(missing_ok=True)  # a file that the repo has by this name is not the recipe
        written.write_text(offered.text, encoding="utf-8")
    name = tag(build.repo, build.labels[0])
    order = BuildOrder(build.repo, folder, recipe.path, name, labels(build), offered.images)
    try:
        return builder.build(order, lambda line: journal.tell(offered.translate(line))).id
    except BuildFailed as failure:
        raise BuildFailed(offered.translate(str(failure))) from failure


def sweep(scratch: Path, seconds: float) -> None:
    """Remove check-outs that are older than any build may be: those of a runner that was killed."""
    for folder in scratch.glob("build-*"):
        if time.time() - folder.stat().st_mtime > seconds:
            remove(folder)


def tag(repo: int, label: str) -> str:
    """The name of an image inside the engine: by the repo's item id, so that repos may be renamed."""
    return f"curlew/{repo}:{label}"


def labels(build: Build) -> dict[str, str]:
    """The labels of the image, by keys of the OCI image specification where it has one."""
    return {
        "org.opencontainers.image.revision": build.commit,
        "org.opencontainers.image.ref.name": build.ref,
        "curlew.commit": build.commit,
        "curlew.repo": str(build.repo),
    }


class _Journal:
    """The log of a build, up to a size."""

    def __init__(self, run_store: Builds, build: int) -> None:
        self._run_store = run_store
        self._build = build
        self._left = LOG_BYTES

    def tell(self, text: str) -> None:
        """Append one line; nothing more once the log is full, which is said once."""
        if self._left <= 0:
            return
        text = text.rstrip("\r\n")[:LONGEST_LINE]
        self._left -= len(text) + 1
        self._run_store.line(self._build, text)
        if self._left <= 0:
            self._run_store.line(self._build, f"the log is cut here: it has reached {LOG_BYTES >> 20} MiB")
