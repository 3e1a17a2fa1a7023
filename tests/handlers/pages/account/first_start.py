"""`curlew serve` less its runner, on a folder without accounts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.kit.processes import free_port
from tests.kit.server import Server, environment

PARENT = """
import os, signal
from handlers.commands.child_processes import ChildProcesses
from handlers.commands.serving import greeting
from handlers.settings.sources import load

settings = load(os.environ)
family = ChildProcesses(settings)
signal.signal(signal.SIGTERM, lambda *_: family.stop())
family.start(["web", "render"])
assert family.await_ready(60)
print(greeting(settings, family.users, family.setup_key), flush=True)
print("end", flush=True)
family.await_end()
"""


@dataclass
class Started:
    """A started service: its output and its log."""

    server: Server
    printed: str
    log: Path

    @property
    def address(self) -> str:
        """The printed address of the first account; empty where none was printed."""
        found = re.search(r"http://\S+/setup\?key=\S+", self.printed)
        return found[0] if found else ""


class start:  # noqa: N801
    """A service on a folder until the end of the block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Started:
        port = free_port()
        chosen = {"CURLEW_DATA": str(self._folder), "CURLEW_BIND": f"127.0.0.1:{port}", "CURLEW_WORKERS": "2"}
        log = self._folder / "log"
        with log.open("ab") as kept:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PARENT],
                env={**os.environ, **environment(**chosen)},
                stdout=subprocess.PIPE,
                stderr=kept,
                text=True,
            )
        assert self._process.stdout is not None
        lines = []
        while (line := self._process.stdout.readline()) not in ("end\n", ""):
            lines.append(line)
        return Started(Server(self._folder, port), "".join(lines), log)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
