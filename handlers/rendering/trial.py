"""Trial of this machine: whether a process can be confined here, and what it can still reach."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from handlers.rendering.confinement import (
    ConfinementFailed,
    confine,
    landlock_version,
    readable_folders,
)
from vfs.errors import Unavailable

SECONDS = 30.0
FAILED = 3
NETWORK: Mapping[str, Callable[[], object]] = {
    "a socket of the network": lambda: socket.socket(socket.AF_INET),
    "a socket of this host": lambda: socket.socket(socket.AF_UNIX),
    "a pair of sockets": socket.socketpair,
    "another program": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
    "another process": os.fork,
}
FILES: Mapping[str, Callable[[], object]] = {"files of the service": lambda: os.listdir("/")}


@dataclass(frozen=True, slots=True)
class ConfinementTrial:
    """The version of Landlock that kept files from a confined process (0: none), and the files it reached."""

    landlock: int
    reached: tuple[str, ...] = ()

    @property
    def concerns(self) -> tuple[str, ...]:
        """Sentences for the operator."""
        if self.landlock and not self.reached:
            return ()
        return (
            "this kernel has no Landlock: a render that broke out of its libraries would read what the "
            "account of the service can",
        )


def try_confinement() -> ConfinementTrial:
    """Try in a separate process. Raises Unavailable if none can be confined here."""
    command = [sys.executable, "-P", "-m", "handlers.rendering.trial"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"no process that renders can be started: {error}") from error
    if tried.returncode:
        raise Unavailable(f"no process that renders can be confined: {tried.stderr.strip()[-300:]}")
    found = json.loads(tried.stdout)
    return ConfinementTrial(found["landlock"], tuple(found["reached"]))


def main() -> int:
    """Confine this process, try what must fail, and print what succeeded."""
    try:
        confine(readable_folders(), 1)
    except ConfinementFailed as failure:
        sys.stderr.write(f"{failure.strerror}\n")
        return FAILED
    open_ways = [what for what, attempt in NETWORK.items() if succeeds(attempt)]
    if open_ways:
        sys.stderr.write(f"it still reaches {', '.join(open_ways)}\n")
        return FAILED
    reached = [what for what, attempt in FILES.items() if succeeds(attempt)]
    print(json.dumps({"landlock": landlock_version(), "reached": reached}))  # noqa: T201
    return 0


def succeeds(attempt: Callable[[], object]) -> bool:
    """Return whether an attempt was not refused."""
    try:
        attempt()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
