"""Processes of a service are found by what the kernel tells of them, with all that they started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handlers.processes.watching.service_processes import service_of, service_processes
from tests.kit.clocks import until

WAITS = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


@contextmanager
def service(*words: str, data: Path | None = None) -> Iterator[int]:
    """A process that looks like one of the service, with a child process."""
    environ = {**os.environ, **({} if data is None else {"CURLEW_DATA": str(data)})}
    command = [sys.executable, "-c", WAITS, "/opt/bin/curlew", *words]
    with subprocess.Popen(command, env=environ, stdin=subprocess.PIPE) as process:
        yield process.pid


def test_a_command_line_tells_its_service() -> None:
    assert service_of(["python", "-P", "-m", "handlers", "web", "--data", "x"]) == "web"
    assert service_of(["/opt/curlew/.venv/bin/curlew", "mail-in"]) == "mail-in"
    for other in (["curlew", "user", "list"], ["vi", "curlew"], ["curlew"], ["less", "my-curlew", "web"], []):
        assert service_of(other) == ""


def test_those_of_this_folder_are_found_with_what_they_started(tmp_path: Path) -> None:
    config = str(tmp_path / "curlew.toml")
    with (
        service("web", "--data", str(tmp_path)) as by_option,
        service("runner", data=tmp_path) as by_variable,
        service("render", "--config", config) as by_config,
        service("web", "--data", str(tmp_path / "other")),
        service("render", "--config", f"{config}.other"),
        service("web"),
    ):
        mine = (by_option, by_variable, by_config)
        found = until(lambda: service_processes(tmp_path, config), lambda found: len(found) >= 2 * len(mine))
        assert len(found) == 2 * len(mine)
        names = {one.pid: one.name for one in found}
        assert [names[pid] for pid in mine] == ["web", "runner", "render"]
        assert all(one.memory > 1 << 20 and one.age >= 0 for one in found)
