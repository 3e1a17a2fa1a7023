"""RunFiles: the port through which the input and the outputs of a run reach the host that needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from chains.sharing.manifest import Manifest


class RunFiles(Protocol):
    """Keeps the files below folders as manifests over the file store.

    A manifest is itself bytes of the file store, and named by their SHA-256 in hex: 64 letters that a row, a
    queue or a message of another process can carry, however many files it lists. Whoever has the name gets
    the same files, byte for byte, or a refusal. Paths, sizes and whether a file may be executed are kept;
    empty folders, times and owners are not. All methods may be called from several threads at once.

    What was stored stays for an hour in any case, and as long as a row names its manifest whose run has not
    ended (`run.input`, `step.files`): storing the same files again begins the hour anew.
    """

    def store(self, folder: Path, job: int | None = None) -> str:
        """Store the regular files below a folder; the name of their manifest. All is durable on return.

        `job` is the item whose owner the bytes count for. Raises Invalid for a path that is none of a file,
        or anything but files and folders; NoSpace, QuotaReached, TooLarge, Unavailable, OSError, having
        stored nothing that anybody could find.
        """
        ...

    def read(self, manifest: str) -> Manifest:
        """The manifest of that name. Raises Gone when it is not there or damaged, Unavailable."""
        ...

    def fetch(self, manifest: str, target: Path) -> Manifest:
        """Make the new folder `target` with the files of a manifest, each compared with its digest.

        It is there whole or not at all. What it holds belongs to this process alone: nothing that others
        write later changes it. Raises Gone, with the name of the file, for what is missing or changed;
        Unavailable, OSError.
        """
        ...
