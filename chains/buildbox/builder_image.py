"""The image for boxes, made of busybox and the host's buildah.

It contains no secrets.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.config import PATH
from chains.host.program import PodmanProgram
from chains.host.rootfs import CERTIFICATES, add_programs, busybox_tree

ADVICE = "apt-get install --no-install-recommends buildah"
MADE_BY = 1
"""Version number of the way in which the image is made."""

HEREDOCS_SINCE = (1, 33)
"""The first version of buildah that supports heredocs."""

EXPECTED = ("usr/lib/podman/netavark", "usr/lib/podman/aardvark-dns")
"""Programs that newer versions of buildah require but, with the network of the box, never run."""


def buildah() -> Path:
    """Return the path of the host's buildah. Raise EngineError if there is none."""
    found = shutil.which("buildah", path=PATH)
    if found is None:
        raise EngineError(f"the program buildah, which builds images, is not installed: {ADVICE}")
    return Path(found)


def knows_heredocs(program: PodmanProgram) -> bool:
    """Return whether the host's buildah supports heredocs in recipes. Raise EngineError if there is none."""
    found = re.search(r"(?<!\d)(\d+)\.(\d+)", program.version_of(str(buildah())))
    return found is not None and (int(found[1]), int(found[2])) >= HEREDOCS_SINCE


def ensure(program: PodmanProgram) -> str:
    """Return the builder image's name; make it from the host's buildah; remove others. Raise EngineError."""
    executable = buildah()
    found = executable.stat()
    mark = hashlib.sha256(f"{MADE_BY} {found.st_size} {found.st_mtime_ns}".encode()).hexdigest()[:12]
    name = f"localhost/curlew-builder:{mark}"
    if not program.has(name):
        program.ensure_made(name, lambda root: _fill(root, executable))
        program.drop_others(name)
    return name


def _fill(root: Path, executable: Path) -> None:
    busybox_tree(root)
    add_programs(root, [executable], [CERTIFICATES])
    for name in ("vol", "base", "images", "etc/containers"):
        (root / name).mkdir(parents=True)
    # Buildah takes a lock in this folder when it looks up short names.
    (root / "var/cache").mkdir(parents=True)
    (root / "var/cache/containers").symlink_to("/tmp")
    for name in EXPECTED:
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to("/bin/busybox")
