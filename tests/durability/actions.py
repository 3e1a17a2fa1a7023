"""Actions that leave more than rows and blobs: repositories, inputs of runs, accounts with their mails."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Protocol

from storage.database.database import Database
from tests.kit.client import Answer
from tests.kit.gunicorn import PASSWORD, Service

INPUTS = {"a/first.txt": b"first\n" * 500, "second.bin": bytes(range(256)) * 300}
BOUNDARY = "frontier"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"


class Action(Protocol):
    """Something that is done once for each number, wholly or not at all."""

    def prepare(self, number: int) -> None:
        """What has to be there before it."""
        ...

    def do(self, number: int) -> Answer:
        """Ask for it."""
        ...

    def done(self, number: int) -> bool:
        """Whether it is done; fails when it is half done."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class Making:
    """The parts that actions share: a client, and where everything is."""

    def __init__(self, service: Service, folder: Path, database: str, token: str) -> None:
        self.folder = folder
        self.database = database
        self.token = token
        self.client = service.client(token)

    def prepare(self, number: int) -> None:
        """Nothing."""

    def close(self) -> None:
        self.client.close()

    def request(self, method: str, path: str, body: bytes | None = None, media: str | None = None) -> Answer:
        """A request that must succeed."""
        answer = self.client.call(method, path, body, media)
        assert answer.status < 300, answer
        return answer

    def there(self, path: str) -> bool:
        """Whether there is something at a path."""
        status = self.client.call("GET", path).status
        assert status in (200, 404)
        return status == 200


class MakingARepo(Making):
    """A repository: its row, and the folder that git pushes into."""

    def do(self, number: int) -> Answer:
        return self.client.call("PUT", f"/v1/code/repos/repo-{number}")

    def done(self, number: int) -> bool:
        if not self.there(f"/v1/code/repos/repo-{number}"):
            return False
        pair = base64.b64encode(f"writer:{self.token}".encode()).decode()
        refs = f"/git/writer/repo-{number}.git/info/refs"
        listed = self.client.call("GET", refs, query="service=git-upload-pack", Authorization=f"Basic {pair}")
        assert (listed.status, listed.body.startswith(b"001e# service=git-upload-pack")) == (200, True), (
            listed
        )
        return True


class RemovingARepo(MakingARepo):
    """The same, taken away."""

    def prepare(self, number: int) -> None:
        self.request("PUT", f"/v1/code/repos/repo-{number}")

    def do(self, number: int) -> Answer:
        return self.client.call("DELETE", f"/v1/code/repos/repo-{number}")

    def done(self, number: int) -> bool:
        return not super().done(number)


class TriggeringWithFiles(Making):
    """A run with files: its row, and its input on disk."""

    def prepare(self, number: int) -> None:
        if number == 1:
            self.request("PUT", "/v1/code/repos/tool")
        self.request("PUT", f"/v1/code/jobs/job-{number}")
        self.request("POST", f"/v1/code/jobs/job-{number}/config/chains", b"tool", "text/plain")

    def do(self, number: int) -> Answer:
        body, media = self.input()
        return self.client.call(
            "POST", f"/v1/code/jobs/job-{number}/data", body, media, Prefer="respond-async"
        )

    def input(self) -> tuple[bytes, str]:
        """The body of the trigger and its media type."""
        parts = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
            + content
            + b"\r\n"
            for name, content in INPUTS.items()
        )
        return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode(), MULTIPART

    def files(self) -> dict[str, bytes]:
        """What the run must find in its input."""
        return INPUTS

    def done(self, number: int) -> bool:
        runs = json.loads(self.request("GET", f"/v1/code/jobs/job-{number}/runs").body)
        if not runs:
            return False
        assert len(runs) == 1
        database = Database(self.database)
        (folder,) = database.row("SELECT input FROM run ORDER BY id DESC LIMIT 1") or ("",)
        database.close()
        root = self.folder / "runs" / folder
        found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        assert found == self.files()
        return True


class TriggeringWithJson(TriggeringWithFiles):
    """A run with a JSON document."""

    def input(self) -> tuple[bytes, str]:
        return b'{"birds": 7}', "application/json"

    def files(self) -> dict[str, bytes]:
        return {"input.json": b'{"birds": 7}'}


class SigningUp(Making):
    """An account, which works at once; its mail may be late."""

    def _wanted(self, number: int) -> dict[str, object]:
        return {"username": f"bird-{number}", "password": PASSWORD}

    def do(self, number: int) -> Answer:
        wanted = {**self._wanted(number), "email": f"bird-{number}@birds.example", "public": True}
        return self.client.call("POST", "/v1/register", json.dumps(wanted).encode(), "application/json")

    def done(self, number: int) -> bool:
        if not self.there(f"/v1/users/bird-{number}/profile"):
            return False
        self.request("POST", "/v1/token", json.dumps(self._wanted(number)).encode(), "application/json")
        return True


ACTIONS = (MakingARepo, RemovingARepo, TriggeringWithFiles, TriggeringWithJson, SigningUp)
