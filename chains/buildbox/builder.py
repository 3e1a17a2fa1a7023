"""BoxBuilder: builds images in boxes with a script, and loads them only after they are rewritten."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from chains.buildbox import builder_image
from chains.buildbox.archive import WRITTEN, LayerChain
from chains.buildbox.box import FIRST_ID
from chains.buildbox.importer import ImportOrder, import_image
from chains.buildbox.shared_store import HostImage, save
from chains.buildbox.verdict import RESULT, BuildLog, verdict
from chains.buildbox.volumes import Volume
from chains.buildbox.workshop import Equipment, Workshop
from chains.builds.references import first_heredoc
from chains.engine.port import BuildFailed, BuildOrder, Cause, EngineAway, EngineError, Image, Mount
from chains.podman.image_store import PodmanImages

CONTEXT = "/vol/context"
OVER_CONTEXT = (
    "cd /vol && mkdir -p above/upper above/work && mount -t overlay context "
    f"-o userxattr,lowerdir={CONTEXT},upperdir=/vol/above/upper,workdir=/vol/above/work {CONTEXT} && cd /"
)
"""A command that mounts the context again inside the box. A builder that mounts a part of it read-only
removes flags, which a box may not do for a mount of the host."""

USERS = {
    True: "steps run as the USER of the image",
    False: "warning: steps run as user 65532, not as the USER of the image: this server cannot map users",
}
ACCOUNTS = (
    f"user=$(buildah inspect --type image --format '{{{{.OCIv1.Config.User}}}}' {RESULT}); "
    'case "$user" in "" | 0 | 0:* | root | root:*) ;; '
    f'*) echo "$who"; made=$(buildah from --pull-never {RESULT}); root=$(buildah mount "$made"); '
    'for list in passwd group; do head -c 1000000 "$root/etc/$list" > "/vol/out/$list" 2>/dev/null || true; '
    'done; buildah rm "$made" > /dev/null;; esac'
)
"""A command that writes the account lists of an image with a user. The host reads its numbers from them."""
KEPT = "/vol/out/kept"
"""The file with the write mode of the replaced image's layers, and their digests in its box."""

SKIPPED = (
    f'n=1; if [ "$(sed -n 1p {KEPT})" = "$how" ]; then for digest in $(buildah inspect --type image --format '
    f"'{{{{range .OCIv1.RootFS.DiffIDs}}}}{{{{.}}}} {{{{end}}}}' {RESULT}); do n=$((n + 1)); "
    f'[ "$(sed -n ${{n}}p {KEPT})" = "$digest" ] || break; '
    ': >> "/vol/out/blobs/sha256/${digest#sha256:}"; done; fi'
)
"""A command that writes empty files for the layers at the start of both images, which are not pushed then."""


def build_script(recipe: str, files: Sequence[str], *, layered: bool, pulling: bool, mapped: bool) -> str:
    """Return the script that builds by `recipe`, a path in the context, and leaves the image in /vol/out.

    `files` are mounted at their paths for every command. `layered` keeps the results of commands for the next
    build. `pulling` allows images from registries. `mapped`: whether steps run as the users of images. Images
    have Docker's format in the box, because SHELL and ONBUILD are ignored in OCI's.
    """
    words = [
        *("buildah", "bud", "--isolation", "chroot", "--network", "host", "--format", "docker"),
        *(f"--layers={str(layered).lower()}", f"--pull={'false' if pulling else 'never'}"),
        *(word for file in files for word in ("-v", f"{file}:{file}:ro")),
        *("-t", RESULT, "-f", f"{CONTEXT}/{recipe}", CONTEXT),
    ]
    said = f"who={shlex.quote(USERS[mapped])}"
    how = f'case "$user" in "" | 0 | 0:* | root | root:*) how=opened;; *) how={WRITTEN[not mapped]};; esac'
    push = f"exec buildah push -q --format oci --compression-level 1 {RESULT} oci:/vol/out:r"
    return "; ".join((OVER_CONTEXT, shlex.join(words), said, ACCOUNTS, how, SKIPPED, push))


LOCAL = "localhost/"
NO_HEREDOCS = (
    "heredocs need buildah 1.33 or newer, which this server lacks: write RUN first && second with a \\ at "
    "the end of each line that continues, or COPY a script of the repository and run that"
)
STOPPED = "the build was stopped, since the server is being stopped; push again to repeat it"


class BoxBuilder:
    """A Builder that uses a workshop. It runs several builds at once, but only one per repo."""

    def __init__(self, workshop: Workshop, images: PodmanImages) -> None:
        self.workshop = workshop
        self._images = images
        self._lock = threading.Condition()
        self._kills: set[Callable[[], None]] = set()
        self._working = 0
        self._closed = False

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build in a separate box (Builder.build). `find` returns the label `curlew.commit` as the commit."""
        recipe, began = recipe_of(order.context, order.recipe), time.monotonic()
        with self._track():
            try:
                identity = self._build(order, recipe, tell)
                if image := self._images.find(identity):
                    self._try_imports(identity, self.workshop.limits.seconds - (time.monotonic() - began))
                    return image
            except (EngineError, OSError) as error:
                self._refuse_when_closed()
                if isinstance(error, EngineAway):
                    raise
                reason = _no_space(error) if isinstance(error, OSError) else str(error)
                raise BuildFailed(f"the image could not be built: {reason}") from error
        raise BuildFailed("the build ended without an image; push again to repeat it")

    def find(self, image: str) -> Image | None:
        """Return the image by id or tag (Builder.find)."""
        return self._images.find(image)

    def drop(self, image: str) -> None:
        """Remove an image (Builder.drop)."""
        self._images.drop(image)

    def repo_images(self) -> Mapping[str, int]:
        """Return the images of repos (Builder.repo_images)."""
        return self._images.repo_images()

    def sweep(self, keep: Callable[[int], bool]) -> list[int]:
        """Remove the disks of the repos that `keep` refuses. Return the repos' numbers."""
        return self.workshop.volumes.sweep(keep)

    def close(self) -> None:
        """Stop all builds, and wait until they have ended."""
        with self._lock:
            self._closed = True
            for kill in tuple(self._kills):
                kill()
            self._lock.wait_for(lambda: not self._working, timeout=30)
        self.workshop.close()
        self._images.close()

    def _build(self, order: BuildOrder, recipe: str, tell: Callable[[str], None]) -> str:
        shop = self.workshop
        _refuse_heredocs(recipe, shop)
        ready = shop.ensure()
        shown = [*ready.base.images, *_visible_images(shop, order)]
        contents = {ready.base.version, *order.images.values()}
        with (
            tempfile.TemporaryDirectory(dir=shop.scratch, prefix="build-") as scratch,
            shop.volumes.lend(order.repo, contents) as volume,
        ):
            # Layers that the engine has from an earlier build of this repo are not written and read again.
            name = order.tag if order.tag.startswith(LOCAL) else LOCAL + order.tag
            before = shop.image(name)
            known = [image.chain for image in shown]
            _prepare_disk(volume, order.context, known, before.built if before else ())
            known += [before.replaced] if before else []
            job = _Build(order, Path(scratch), volume, runs_commands(recipe))
            self._run(job, ready, tell)
            archive = Path(scratch) / "image.tar"
            identity = import_image(
                ImportOrder(
                    folder=str(volume.place),
                    user=FIRST_ID,
                    name=name,
                    labels=order.labels,
                    known=known,
                    size=shop.limits.disk,
                    mapped=shop.maps_users,
                    mounted=shop.files,
                ),
                archive,
            )
            self._images.load(archive)
        return identity

    def _try_imports(self, image: str, seconds: float) -> None:
        """Remove an image whose program lacks a module. Raise BuildFailed with the reason."""
        try:
            self.workshop.ensure().imports.require(image, seconds)
        except BuildFailed:
            self._images.drop(image)
            raise

    def _run(self, job: _Build, ready: Equipment, tell: Callable[[str], None]) -> None:
        """Run the builder in a box. Raise BuildFailed with the reason."""
        shop, log = self.workshop, BuildLog(tell)
        mounts = [
            Mount(ready.base.place, "/base"),
            Mount(job.volume.place, "/vol", writable=True),
            Mount(job.volume.place / "tmp", "/var/tmp", writable=True),
            *ready.etc,
        ]
        with ExitStack() as stack:
            script = job.script(shop)
            if job.order.images:
                mounts.append(Mount(job.scratch / "images", "/images"))
            ended = ready.box.run(
                script, tuple(mounts), shop.limits, shop.network, log.take, shop.beside, self._begin(stack)
            )
        if reason := verdict(ended, log, shop.limits):
            if ended.cause is not Cause.EXIT or log.full:
                job.volume.spoil()
            self._refuse_when_closed()
            raise BuildFailed(reason)

    def _begin(self, stack: ExitStack) -> Callable[[Callable[[], None]], None]:
        """Return a function that keeps a box's kill function until the end of `stack`."""

        def begin(kill: Callable[[], None]) -> None:
            with self._lock:
                self._refuse_when_closed()
                self._kills.add(kill)
                stack.callback(self._kills.discard, kill)

        return begin

    @contextmanager
    def _track(self) -> Iterator[None]:
        with self._lock:
            self._refuse_when_closed()
            self._working += 1
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1
                self._lock.notify_all()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise BuildFailed(STOPPED)


@dataclass(frozen=True, slots=True)
class _Build:
    """A running build: its folder on the host, its disk, and whether its layers are kept."""

    order: BuildOrder
    scratch: Path
    volume: Volume
    layered: bool

    def script(self, shop: Workshop) -> str:
        """Return the script of the box. Save the images that the build may see."""
        names: dict[str, tuple[str, ...]] = {}
        for name, image in self.order.images.items():
            names[image] = (*names.get(image, ()), name)
        build = build_script(
            self.order.recipe,
            shop.files,
            layered=self.layered,
            pulling=shop.registries != (),
            mapped=shop.maps_users,
        )
        return f"{save(shop.program, names, self.scratch) if names else 'set -e'}; {build}"


def _refuse_heredocs(recipe: str, shop: Workshop) -> None:
    """Raise BuildFailed for a recipe that the host's buildah would misread."""
    if (found := first_heredoc(recipe)) and not builder_image.knows_heredocs(shop.program):
        raise BuildFailed(f"{found}: {NO_HEREDOCS}")


def _visible_images(shop: Workshop, order: BuildOrder) -> list[HostImage]:
    """Return the images that the build may use. Raise BuildFailed if one is missing or they are too large."""
    found = {image: shop.image(image) for image in order.images.values()}
    for name, image in order.images.items():
        if found[image] is None:
            raise BuildFailed(
                f"the image {name} no longer exists: curlew repo rebuild builds it again, "
                "and so does a git push to its repo"
            )
    images = [image for image in found.values() if image is not None]
    if sum(image.size for image in images) > shop.limits.disk:
        raise BuildFailed("the images that the recipe names are larger than the disk of a build: name fewer")
    return images


def _prepare_disk(volume: Volume, source: Path, known: Sequence[LayerChain], built: Sequence[str]) -> None:
    """Prepare the disk of a build. Each known layer gets an empty file, so that it is not pushed.

    `built` are the layers of the replaced image. One is known if all layers before it are the same.
    """
    blobs = volume.place / "out/blobs/sha256"
    (volume.place / "store").mkdir(exist_ok=True)
    (volume.place / "tmp").mkdir()
    blobs.mkdir(parents=True)
    for digest in {built for chain in known for built, _ in chain.layers}:
        (blobs / digest.removeprefix("sha256:")).touch()
    (volume.place / "out/kept").write_text("".join(f"{word}\n" for word in built))
    for name in ("store", "tmp", "out", "out/blobs", "out/blobs/sha256"):
        os.chown(volume.place / name, FIRST_ID, FIRST_ID, follow_symlinks=False)
    for blob in blobs.iterdir():
        os.chown(blob, FIRST_ID, FIRST_ID)
    copy_context(source, volume.place / "context", FIRST_ID)


def _no_space(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "the repository does not fit on the disk of a build (setting build_disk)"
    return f"the disk refused ({error.strerror})"


def recipe_of(context: Path, recipe: str) -> str:
    """Return the text of the recipe, which must be a regular file in the folder. Raise BuildFailed."""
    path = Path(recipe)
    found = context
    for part in path.parts:
        found /= part
        if part == ".." or path.is_absolute() or found.is_symlink():
            raise BuildFailed(f"{recipe} is not a plain file of the repository: replace it by one")
    if not found.exists() or not stat.S_ISREG(found.stat().st_mode):
        raise BuildFailed(f"there is no file {recipe} to build by")
    return found.read_text(errors="replace")


def runs_commands(recipe: str) -> bool:
    """Return whether a recipe runs commands. If not, a new build is faster than a cache."""
    return bool(re.search(r"^[^\S\n]*RUN\b", recipe, re.IGNORECASE | re.MULTILINE))


def copy_context(context: Path, target: Path, owner: int) -> None:
    """Copy the folder for the host's user `owner`: links as links, no devices or pipes. Raise OSError."""
    target.mkdir(mode=0o755)
    os.chown(target, owner, owner)
    for entry in os.scandir(context):
        place = target / entry.name
        if entry.is_symlink():
            place.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            copy_context(Path(entry), place, owner)
            place.chmod(stat.S_IMODE(entry.stat().st_mode) & 0o777)
        elif entry.is_file():
            shutil.copy2(entry, place)
            os.chown(place, owner, owner)
            place.chmod(stat.S_IMODE(entry.stat().st_mode) & 0o777)
