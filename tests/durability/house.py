"""A web server and a runner under one warden, from an empty folder on."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

from tests.durability.acts import READER
from tests.durability.day import Day
from tests.durability.faults.stage import Program
from tests.durability.faulty_server import USER
from tests.durability.warden import Warden
from tests.durability.writer import Writer
from tests.kit.gunicorn import CHEAP, WEB, Service
from tests.kit.server import ROOT, RUNNER, environment

PREPARE = """
import json, sys, pathlib, tests.kit.gunicorn as kit
print(json.dumps(kit.prepare(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])))
"""


def runner_words(folder: Path) -> list[str]:
    """Return the command of a runner of scripted steps."""
    return [sys.executable, "-P", str(RUNNER), str(folder)]


class House:
    """The processes, and the first user's day. `warden` watches the folder."""

    def __init__(self, folder: Path, warden: Warden, dice: random.Random) -> None:
        self.folder, self.warden = folder, warden
        url = f"sqlite:///{folder}/curlew.db"
        handle = warden.theirs.fileno()
        more = {"PYTHONPATH": str(ROOT), "CURLEW_DATABASE_URL": url, **CHEAP}
        made = subprocess.run(
            warden.command([sys.executable, "-c", PREPARE, str(folder), url, USER, READER]), check=True,
            env=environment(**more), stdout=subprocess.PIPE, pass_fds=(handle,),
        )  # fmt: skip
        self.tokens: dict[str, str] = json.loads(made.stdout)
        self.service = Service(folder, url, 1, warden.command(WEB))
        self.runner = Program(warden.command(runner_words(folder)), folder.with_name("runner.log"), **more)
        self.start()
        self.client = self.service.client(self.tokens[USER])
        writer = Writer(self.service, USER, self.tokens, dice)
        report = getattr(warden, "mark", lambda number: None)
        self.day = Day(writer, self.client, self.service.port, folder.with_name("work"), dice, report)
        self.day.begin()

    def start(self) -> None:
        """Start the processes."""
        handle = self.warden.theirs.fileno()
        self.service.start(handle)
        self.runner.start(handle)

    def close(self) -> None:
        """End them."""
        self.client.close()
        self.runner.kill()
        self.service.kill()
        self.warden.close()
