"""The processes of `curlew serve` go with it, however it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kit.processes import free_port, tree

SECONDS = 20.0
PARENT = """
import os
from handlers.commands.child_processes import ChildProcesses
from handlers.settings.sources import load

family = ChildProcesses(load(os.environ))
family.start(["web", "render", "metrics"])
assert family.await_ready(60)
print("ready", family.users, flush=True)
family.await_end()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_child_outlives_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    port = free_port()
    environ = {**os.environ, "CURLEW_DATA": str(tmp_path), "CURLEW_BIND": f"127.0.0.1:{port}"}
    environ["CURLEW_METRICS"] = f"127.0.0.1:{free_port()}"
    with (tmp_path / "log").open("wb") as log:
        parent = subprocess.Popen(
            [sys.executable, "-P", "-c", PARENT], env=environ, stdout=subprocess.PIPE, stderr=log
        )
    assert parent.stdout is not None
    with parent.stdout:
        assert parent.stdout.readline() == b"ready 0\n"
        children = [pid for pid in tree(parent.pid) if pid != parent.pid]
        socket.create_connection(("127.0.0.1", port)).close()
        parent.send_signal(how)
        parent.wait()
    until = time.monotonic() + SECONDS
    while left := [pid for pid in children if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < until, left
        time.sleep(0.02)
    assert children
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_signal_stops_a_command_whose_event_is_locked_in_that_moment() -> None:
    program = """
import os, signal
from handlers.commands.serving import stop_event

stop = stop_event()
with stop._cond:
    os.kill(os.getpid(), signal.SIGTERM)
assert stop.wait(60)
"""
    subprocess.run([sys.executable, "-P", "-c", program], check=True, timeout=60)
