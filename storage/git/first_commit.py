"""The first commit of a repository, which is made by the server of files that somebody did not push."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path

from storage.git.command import GitCommand

IMPORT = ("fast-import", "--quiet", "--done")


def write_first(git: GitCommand, repository: Path, files: Mapping[str, str], author: str, at: int) -> bool:
    """Commit these files to `main`, in one go; False where git refuses. Raises Unavailable.

    Names of files are the caller's own, and are written as they are.
    """
    with os.fdopen(os.memfd_create("commit"), "w+b") as stream:
        stream.write(f"commit refs/heads/main\ncommitter {author} <{author}> {at} +0000\n".encode())
        _write(stream, "An example to begin with\n")
        for name, text in sorted(files.items()):
            stream.write(f"M 100644 inline {name}\n".encode())
            _write(stream, text)
        stream.write(b"done\n")
        stream.seek(0)
        return git.run(repository, *IMPORT, stdin=stream) is not None


def _write(stream: io.BufferedRandom, text: str) -> None:
    raw = text.encode()
    stream.write(b"data %d\n%s\n" % (len(raw), raw))
