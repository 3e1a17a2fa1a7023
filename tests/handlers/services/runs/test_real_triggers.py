"""Triggers with the real parts: a push by git, a build, and steps in Podman."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.server import Server, serving

pytestmark = [pytest.mark.podman, pytest.mark.timeout(300)]

UPPER = "FROM busybox\nCMD for f in /input/*; do tr a-z A-Z <$f >/output/${f##*/}; done\n"
SECONDS = 120.0


def until(found: Callable[[], Any]) -> Any:
    """What is found in the end."""
    over = time.monotonic() + SECONDS
    while not (there := found()):
        assert time.monotonic() < over, "it never came"
        time.sleep(0.2)
    return there


def ended(server: Server, job: str, source: str) -> str:
    """The run that an event started, once it has ended well."""
    rows = server.ask("GET", f"code/jobs/{job}/runs", who="ann")
    found = [row for row in rows if row["source"].startswith(source)]
    assert all(row["status"] in ("processing", "success") for row in found), found
    return next((str(row["name"]) for row in found if row["status"] == "success"), "")


def test_a_push_a_file_and_the_end_of_a_job_start_runs(tmp_path: Path) -> None:
    with serving(tmp_path / "data", podman=True) as server:
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
        server.push("ann", "upper", {"Dockerfile": UPPER}, tmp_path / "work")
        pushed = until(lambda: ended(server, "read", "push upper:main"))
        assert "UPPER:MAIN" in str(server.ask("GET", f"code/jobs/read/runs/{pushed}/output", who="ann"))
        until(lambda: ended(server, "tell", f"after /j/read/runs/{pushed}"))
        server.ask("PUT", "code/spaces/arrivals/content/in/pets.txt", b"dog", who="ann")
        read = until(lambda: ended(server, "read", "changed /s/arrivals/in/pets.txt"))
        assert str(server.ask("GET", f"code/jobs/read/runs/{read}/output", who="ann")).strip() == "DOG"
        until(lambda: ended(server, "tell", f"after /j/read/runs/{read}"))
        assert len(server.ask("GET", "code/jobs/read/runs", who="ann")) == 2
