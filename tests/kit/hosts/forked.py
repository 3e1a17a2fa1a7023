"""Commands of ours as forks of a process that has read their modules, which begins them ten times as fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import handlers.processes.web
import handlers.server.server  # noqa: F401 - what the command reads only when it runs
from handlers.__main__ import main
from tests.kit.unmeasured import processes, start

STOPS_WITHIN = 60.0


@contextmanager
def forked(command: str, log: Path, environ: Mapping[str, str]) -> Iterator[BaseProcess]:
    """`curlew COMMAND` with these settings alone; ended in order at the end."""
    process = processes.Process(target=_be, args=(command, str(log), dict(environ)))
    start(process)
    try:
        yield process
    finally:
        process.terminate()
        process.join(STOPS_WITHIN)
        if process.is_alive():
            process.kill()
            process.join()


def _be(command: str, log: str, environ: Mapping[str, str]) -> None:
    """Be the command, as the program is that a shell starts."""
    with open(log, "ab") as lines:
        for stream in (1, 2):
            os.dup2(lines.fileno(), stream)
    for name in [name for name in os.environ if name.startswith("CURLEW_")]:
        del os.environ[name]
    os.environ.update(environ)
    sys.argv = ["curlew", command]
    main()
