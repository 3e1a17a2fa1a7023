"""The process that reads a build's result, without privileges and with access only to the build's folder."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from chains.buildbox.archive import LayerChain, write_image
from chains.buildbox.layers import Budget
from chains.buildbox.layout import ImageLayout, ImageRefused
from chains.engine.port import BuildFailed

REFUSED = 3
SECONDS = 600
MEMORY = 1 << 30
ENTRIES = 1_000_000
NEW_NETWORK = 0x40000000
NEW_IPC = 0x08000000
NO_NEW_PRIVILEGES = 38
"""Constants of unshare(2) and prctl(2)."""


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """An order to read the result of a build and to write it again.

    `folder`: the folder of the build, with its image in `out`. `user`: the host's id of the user that wrote
    it. `name` and `labels`: those of the image. `known`: the layers of each image that may be known. `size`:
    maximum bytes of the image. `mapped`: whether steps run as the image's user; if not, they run as nobody,
    who must be able to read everything. `mounted`: paths of files that only the build saw, where it left
    empty files.
    """

    folder: str
    user: int
    name: str
    labels: Mapping[str, str]
    known: Sequence[LayerChain] = ()
    size: int = 4 << 30
    entries: int = field(default=ENTRIES)
    mounted: Sequence[str] = ()
    mapped: bool = True


def import_image(order: ImportOrder, archive: Path) -> str:
    """Write the image into the new file `archive`. Return its id. Raise BuildFailed with the fault found."""
    command = [sys.executable, "-I", "-m", __name__]
    with archive.open("xb") as file:
        try:
            done = subprocess.run(
                [*command, str(file.fileno())],
                input=json.dumps(asdict(order)),
                capture_output=True,
                text=True,
                check=False,
                env={"LANG": "C.UTF-8"},
                pass_fds=[file.fileno()],
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise BuildFailed(f"the image could not be imported within {SECONDS} seconds") from None
    said = done.stderr.strip()
    if done.returncode == REFUSED:
        raise BuildFailed(f"the image cannot be imported: {said}")
    if done.returncode:
        raise BuildFailed(f"the image could not be imported ({said[-300:] or f'exit {done.returncode}'})")
    return done.stdout.strip()


def confine(folder: str, user: int, size: int) -> None:
    """Give up all access except to `folder` and open files, permanently."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_NETWORK | NEW_IPC):
        raise OSError(ctypes.get_errno(), "no namespaces for the import")
    os.chroot(folder)
    os.chdir("/")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    limits = (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 2 * size),
        (resource.RLIMIT_NPROC, 1),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))


def main() -> int:
    """Do the work of `import_image` in a separate process."""
    order = ImportOrder(**json.load(sys.stdin))
    with os.fdopen(int(sys.argv[1]), "wb") as file:
        confine(order.folder, order.user, order.size)
        try:
            budget = Budget(order.size, order.entries, order.mounted)
            known = [LayerChain(*one) for one in order.known]
            identity = write_image(
                ImageLayout("/out"), file, order.name, order.labels, known, budget, mapped=order.mapped
            )
        except ImageRefused as refusal:
            sys.stderr.write(str(refusal))
            return REFUSED
        except OSError as error:
            sys.stderr.write(f"the disk refused: {error.strerror}")
            return REFUSED
    sys.stdout.write(identity)
    return 0


if __name__ == "__main__":
    sys.exit(main())
