"""MarkedStore: the file store that `blobs_url` names, as a place with the mark of an installation.

As a program, it reads or changes the mark of a store by an order on standard input. The client of a bucket
does not work in a process that was forked after its use, and web processes are forked after their program was
loaded. So a separate process reads the mark.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from storage.bytes.blobs import CREDENTIALS, S3, FileBlobs
from storage.upkeep.clocks import WallClock
from storage.upkeep.installation_mark import DRAFT, LONGEST, NAME, require_mark
from vfs.errors import Unavailable, VfsError

READ, WRITE, FORGET = "read", "write", "forget"
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class MarkedStore:
    """A bucket, or a folder, with bytes (MarkedPlace).

    Rows are served while it is unreachable, so the start does not wait for it. Callers that remove bytes from
    it compare the marks again.
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
        """Return the mark as MarkedPlace.read does."""
        mark = self._do(READ, name)
        return None if mark is None else require_mark(mark, self.where)

    def write(self, name: str, mark: str) -> None:
        """Write the mark as MarkedPlace.write does."""
        self._do(WRITE, name, f"{mark}\n")

    def forget_draft(self) -> None:
        """Remove the draft as MarkedPlace.forget_draft does."""
        self._do(FORGET, DRAFT)

    def is_new(self, mark: str) -> bool:
        """Return whether it may get this mark. An empty store never joins, because its name may be wrong."""
        return mark == self.read(DRAFT) or mark == self.read()

    def _do(self, verb: str, name: str, text: str = "") -> str | None:
        """Run `act`, for a bucket in a separate process. Raises Unavailable."""
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
            raise Unavailable(f"the mark of {self.shown} cannot be read: {error}") from error
        if why:
            raise Unavailable(why)
        return None if found is None else str(found)


def act(url: str, verb: str, name: str, text: str) -> str | None:
    """Read, write or remove a text of a store, as MarkedPlace describes. Raises VfsError."""
    blobs = FileBlobs(url, WallClock())
    if verb == WRITE and (name == NAME or blobs.read_note(name, LONGEST) is None):
        blobs.write_note(name, text)
    if verb == FORGET or (verb, name) == (WRITE, NAME):
        blobs.forget_note(DRAFT)
    return blobs.read_note(name, LONGEST) if verb == READ else None


def main() -> None:
    """Execute the order on standard input. Print the text that was read and the error, as JSON."""
    try:
        found, why = act(*json.load(sys.stdin)), ""
    except VfsError as error:
        found, why = None, error.detail
    json.dump([found, why], sys.stdout)


if __name__ == "__main__":
    main()
