"""A server whose system calls can be made to fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.durability.acts import READER
from tests.durability.warden import Fault, Warden
from tests.kit.client import Answer
from tests.kit.gunicorn import WEB, Client, Service, prepare

USER = "writer"
REFUSALS = {503: "unavailable", 507: "no-space"}


class FaultyServer:
    """A server under a warden, with one user."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.tokens = prepare(folder, database, [USER, READER])
        self.warden = Warden(folder)
        self.service = Service(folder, database, 1, self.warden.command(WEB))
        self.service.start(self.warden.theirs.fileno())
        self.client: Client = self.service.client(self.tokens[USER])

    def close(self) -> None:
        self.client.close()
        self.service.kill()
        self.warden.close()

    def fail(self, fault: Fault, act: Callable[[], Answer]) -> tuple[Answer, list[str]]:
        """The answer to an act that a fault falls into, and the calls that failed."""
        self.warden.arm(fault)
        try:
            answer = act()
        finally:
            failed = self.warden.disarm()
        if answer.status >= 300:
            assert answer.status in REFUSALS, (str(fault), failed, answer, self.service.log())
            problem = json.loads(answer.body)
            assert problem["type"].endswith(f"#{REFUSALS[answer.status]}"), problem
            assert answer.headers["content-type"] == "application/problem+json"
        return answer, failed
