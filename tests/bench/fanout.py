"""Rows g1 and g2: a fan-out over 1,000 files with real containers, and the memory the runner takes for it."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.kit.command import Service, serving
from tests.kit.processes import PROC, tree

FILES, WARM = 1_000, 20
MB = 1_000_000
PATIENCE = 3_600.0
BOUNDARY = "a-file-of-the-bench"
COPY = 'FROM localhost/busybox:latest\nCMD ["cp", "-r", "/input/.", "/output"]\n'
JOB = "/v1/code/jobs/fan"
RESET_PEAK = "5"
ROWS = ("g1", "g2")


def measure(rows: set[str], scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for; one run gives both."""
    if not rows & set(ROWS):
        return
    with serving("serve", scratch / "fanout", NETWORK="none") as service:
        token = service.user("alice")
        service.push("alice", token, "copy", COPY)
        service.want("PUT", JOB, token)
        service.want("POST", f"{JOB}/config/chains", token, b"first <- copy\neach <- copy\nfirst -> .each\n")
        trigger(service, token, WARM)
        runner = runner_of(service.pid)
        (PROC / str(runner) / "clear_refs").write_text(RESET_PEAK)
        before, began = memory(runner, "VmRSS"), time.perf_counter()
        trigger(service, token, FILES)
        seconds, grown = time.perf_counter() - began, memory(runner, "VmHWM") - before
    if "g1" in rows:
        what = f"the runner's memory through a fan-out over {FILES:,} files, above what it had"
        yield Figure("g1", what, grown / MB, unit="MB", bound=100)
    if "g2" in rows:
        yield Figure("g2", f"a replica of a fan-out over {FILES:,} files", seconds / FILES * 1000)


def trigger(service: Service, token: str, files: int) -> None:
    """Run the job over this number of files, and wait for its end."""
    parts = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{number:05}.txt"\r\n'
        f"Content-Type: text/plain\r\n\r\nbird {number}\n\r\n"
        for number in range(files)
    )
    body = f"{''.join(parts)}--{BOUNDARY}--\r\n".encode()
    head = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
    connection.request("POST", f"{JOB}/data", body, head)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"the fan-out was answered with {answer.status}: {said.decode()[:500]}")


def runner_of(pid: int) -> int:
    """The process of the runner below `curlew serve`."""
    for one in tree(pid):
        words = (PROC / str(one) / "cmdline").read_bytes().split(b"\0")
        if b"runner" in words:
            return one
    raise SystemExit("there is no runner")


def memory(pid: int, what: str) -> int:
    """Bytes of a process's memory, now (VmRSS) or at the most since it was asked to forget (VmHWM)."""
    found = re.search(rf"^{what}:\s+(\d+) kB$", (PROC / str(pid) / "status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
