"""Triggers with the real parts: a push by git, a build, and steps in Podman."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handlers.processes.world import open_world
from tests.kit.outside.receiver import Receiver, receiving
from tests.kit.server import Server, environment, serving

pytestmark = [pytest.mark.podman, pytest.mark.timeout(300)]

UPPER = "FROM busybox\nCMD for f in /input/*; do tr a-z A-Z <$f >/output/${f##*/}; done\n"
SECONDS = 120.0
ID = "feed0123456789abcdef0123456789ab"


def until(found: Callable[[], Any]) -> Any:
    """Wait until a value is found, and return it."""
    over = time.monotonic() + SECONDS
    while not (there := found()):
        assert time.monotonic() < over, "it never came"
        time.sleep(0.2)
    return there


def ended(server: Server, job: str, source: str) -> str:
    """Return the run that an event started if it succeeded, else an empty text."""
    rows = server.ask("GET", f"code/jobs/{job}/runs", who="ann")
    found = [row for row in rows if row["source"].startswith(source)]
    assert all(row["status"] in ("processing", "success") for row in found), found
    return next((str(row["name"]) for row in found if row["status"] == "success"), "")


def notify(server: Server, receiver: Receiver) -> None:
    """Have ann mailed about each good run of her job `tell`, and its message sent to a hook of hers."""
    with open_world(server.settings) as world:
        world.people.users.change("ann", verified=True)
    server.ask("POST", "code/jobs/tell/notifications", b"important", who="ann")
    server.ask("PUT", "admin/hooks/ledger", who="ann")
    server.ask("POST", "admin/hooks/ledger/events", b"/u/ann/j/tell/e/run_success", who="ann")
    server.ask("POST", "admin/hooks/ledger/url", receiver.url.encode(), who="ann")


def lines_of_request(folder: Path, said: str) -> list[str]:
    """Return the lines of the request that `curlew log` finds in the output of the processes."""
    (folder / "lines").write_text(said)
    words = ["log", "--request", ID, "--file", str(folder / "lines"), "--data", str(folder / "data")]
    command = [sys.executable, "-P", "-m", "handlers", *words]
    found = subprocess.run(command, env=environment(), text=True, capture_output=True, check=True)
    return found.stdout.splitlines()


def test_a_push_a_file_and_the_end_of_a_job_start_runs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "curlew.toml").write_text('hooks_out_hosts = "127.0.0.1"\n')
    with receiving() as receiver, serving(tmp_path / "data", podman=True) as server:
        server.add("ann")
        server.ask("PUT", "code/repos/upper", who="ann")
        server.ask("PUT", "code/spaces/arrivals", who="ann")
        for job, triggers in (
            ("read", "push upper:main\nchanged /s/arrivals/in/*.txt"),
            ("tell", "after /j/read"),
        ):
            server.ask("PUT", f"code/jobs/{job}", who="ann")
            server.ask("POST", f"code/jobs/{job}/config/chains", b"upper", who="ann")
            server.ask("POST", f"code/jobs/{job}/config/triggers", triggers.encode(), who="ann")
        notify(server, receiver)
        server.push("ann", "upper", {"Dockerfile": UPPER}, tmp_path / "work", f"X-Request-ID: {ID}")
        pushed = until(lambda: ended(server, "read", "push upper:main"))
        assert "UPPER:MAIN" in str(server.ask("GET", f"code/jobs/read/runs/{pushed}/output", who="ann"))
        next_run = until(lambda: ended(server, "tell", f"after /j/read/runs/{pushed}"))
        assert {pushed[-8:], next_run[-8:]} == {ID[:8]}
        until(lambda: receiver.taken and [*(tmp_path / "data" / "outbox").glob("*.eml")])
        server.ask("PUT", "code/spaces/arrivals/content/in/pets.txt", b"dog", who="ann")
        read = until(lambda: ended(server, "read", "changed /s/arrivals/in/pets.txt"))
        assert str(server.ask("GET", f"code/jobs/read/runs/{read}/output", who="ann")).strip() == "DOG"
        until(lambda: ended(server, "tell", f"after /j/read/runs/{read}"))
        assert len(server.ask("GET", "code/jobs/read/runs", who="ann")) == 2
    found = lines_of_request(tmp_path, capfd.readouterr().err)
    for part in (
        '"path":"/git/ann/upper.git/git-receive-pack"',
        "build 1 of ",
        f"/u/ann/j/read by ann (api): success [run {pushed}]",
        f"/u/ann/j/tell by ann (api): success [run {next_run}]",
        "is in the outbox",
        "to the hook ledger of ann: delivered (200)",
    ):
        assert [part in line for line in found].count(True) == 1, (part, found)
