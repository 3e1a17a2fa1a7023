"""The runner's part of a build: check out a commit, find its recipe, build it, record the result."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from chains.builds.bases import OfferedImages
from chains.builds.recipe import Heuristic, settled_recipe
from chains.builds.references import ResolvedRecipe, resolve_references
from chains.builds.repositories import GitRef, shown_ref
from chains.builds.run_store import AGAIN, Build, Builds
from chains.engine.port import Builder, BuildFailed, BuildOrder, EngineAway, EngineError
from chains.files.removal import remove
from chains.language.ast import RepoRef
from vfs.errors import NotFound, VfsError

LOG_BYTES = 10 << 20
LONGEST_LINE = 4_000
UNKNOWN = f"the server had an internal error, which its log describes. {AGAIN}"

log = logging.getLogger(__name__)


class Images(Protocol):
    """The lookup of images that a recipe may name."""

    def __call__(self, build: Build, ref: RepoRef) -> str | None:
        """Return the engine's id of a reference's image, or None for a short name that is not a repo.

        Raises BuildFailed if the account that pushed may not use the image.
        """


class Sources(Protocol):
    """The source of the code of repos."""

    def labels(self, item: int) -> Mapping[str, GitRef]:
        """Return the labels of a repo with the branch or tag of each."""

    def export(self, item: int, commit: str, folder: Path) -> list[str]:
        """Write a commit's files into an empty folder. Return a sentence per omitted file. Raise VfsError."""


def build_one(
    build: Build,
    sources: Sources,
    images: Images,
    builder: Builder,
    run_store: Builds,
    offer: OfferedImages,
    scratch: Path,
) -> None:
    """Build the image of a taken build, and record its end in the run store, even after an error.

    `offer` are the images that every recipe may begin with. `scratch` is a folder for checkouts. `images` is
    called for every reference in the recipe before the build starts. An error becomes the build's reason. An
    unexpected error is logged, too.
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
    except NotFound:  # the repo was removed in the meantime
        if image is not None:
            builder.drop(image)


def _forget_lost_labels(build: Build, sources: Sources, run_store: Builds) -> None:
    """Remove the build's labels whose branch or tag was deleted or lost the label to another meanwhile."""
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
        written.unlink(missing_ok=True)  # a file of the repo with this name is not the recipe
        written.write_text(offered.text, encoding="utf-8")
    name = tag(build.repo, build.labels[0])
    order = BuildOrder(build.repo, folder, recipe.path, name, labels(build), offered.images)
    try:
        return builder.build(order, lambda line: journal.tell(offered.translate(line))).id
    except BuildFailed as failure:
        raise BuildFailed(offered.translate(str(failure))) from failure


def sweep(scratch: Path, seconds: float) -> None:
    """Remove checkouts of runners that were killed: those older than the longest build."""
    for folder in scratch.glob("build-*"):
        if time.time() - folder.stat().st_mtime > seconds:
            remove(folder)


def tag(repo: int, label: str) -> str:
    """Return the name of an image in the engine. It has the repo's item id, so a repo can be renamed."""
    return f"curlew/{repo}:{label}"


def labels(build: Build) -> dict[str, str]:
    """Return the labels of the image, with keys of the OCI image specification where it has one."""
    return {
        "org.opencontainers.image.revision": build.commit,
        "org.opencontainers.image.ref.name": build.ref,
        "curlew.commit": build.commit,
        "curlew.repo": str(build.repo),
    }


class _Journal:
    """The log of a build, limited in size."""

    def __init__(self, run_store: Builds, build: int) -> None:
        self._run_store = run_store
        self._build = build
        self._left = LOG_BYTES

    def tell(self, text: str) -> None:
        """Append one line. Once the log is full, add a note and ignore all further lines."""
        if self._left <= 0:
            return
        text = text.rstrip("\r\n")[:LONGEST_LINE]
        self._left -= len(text) + 1
        self._run_store.line(self._build, text)
        if self._left <= 0:
            self._run_store.line(self._build, f"the log is cut here: it has reached {LOG_BYTES >> 20} MiB")
