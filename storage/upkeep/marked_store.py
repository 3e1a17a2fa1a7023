"""MarkedStore: the file store that `blobs_url` names, as a place with the mark of an installation.

As a program: does with the mark of a store what is ordered on standard input. The client of a bucket that
was used before a process is forked does not work after it, and web processes are forked when their program
has been loaded; so a program of its own asks before it is loaded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

from storage.bytes.blobs import CREDENTIALS, S3, FileBlobs
from storage.upkeep.installation_mark import DRAFT, LONGEST, NAME, require_mark
from vfs.errors import Unavailable, VfsError

READ, WRITE, FORGET = "read", "write", "forget"
SECONDS = 60.0


class _Now:
    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class MarkedStore:
    """A bucket, or a folder, with bytes (MarkedPlace).

    What is kept in rows is served while it is away, so it is not waited for; who removes bytes from it
    compares the marks again.
    """

    url: str
    may_be_away: bool = True

    @property
    def shown(self) -> str:
        """Its name and address, without a password."""
        return f"the file store {CREDENTIALS.sub('://', self.url)}"

    @property
    def where(self) -> str:
        """The address of its mark."""
        return f"{CREDENTIALS.sub('://', self.url).partition('?')[0].rstrip('/')}/{NAME}"

    def read(self, name: str = NAME) -> str | None:
        """As MarkedPlace.read."""
        mark = self._do(READ, name)
        return None if mark is None else require_mark(mark, self.where)

    def write(self, name: str, mark: str) -> None:
        """As MarkedPlace.write."""
        self._do(WRITE, name, f"{mark}\n")

    def forget_draft(self) -> None:
        """As MarkedPlace.forget_draft."""
        self._do(FORGET, DRAFT)

    def is_new(self, mark: str) -> bool:
        """As MarkedPlace.is_new; nothing joins, as an empty bucket may be one of a wrong name."""
        return mark == self.read(DRAFT) or mark == self.read()

    def _do(self, verb: str, name: str, text: str = "") -> str | None:
        """Do something with a text of the store. Raises Unavailable."""
        if not self.url.startswith(S3):
            return act(self.url, verb, name, text)
        command = [sys.executable, "-P", "-m", __name__]
        order = json.dumps([self.url, verb, name, text])
        try:
            done = subprocess.run(
                command, input=order, capture_output=True, text=True, timeout=SECONDS, check=True
            )
            found, why = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise Unavailable(f"{self.shown} cannot be asked for its mark: {error}") from error
        if why:
            raise Unavailable(why)
        return None if found is None else str(found)


def act(url: str, verb: str, name: str, text: str) -> str | None:
    """Read, write or forget a text of a store, as MarkedPlace says. Raises VfsError."""
    blobs = FileBlobs(url, _Now())
    if verb == WRITE and (name == NAME or blobs.read_note(name, LONGEST) is None):
        blobs.write_note(name, text)
    if verb == FORGET or (verb, name) == (WRITE, NAME):
        blobs.forget_note(DRAFT)
    return blobs.read_note(name, LONGEST) if verb == READ else None


def main() -> None:
    """Do what standard input orders; what was found, and why it cannot be done, as JSON."""
    try:
        found, why = act(*json.load(sys.stdin)), ""
    except VfsError as error:
        found, why = None, error.detail
    json.dump([found, why], sys.stdout)


if __name__ == "__main__":
    main()
