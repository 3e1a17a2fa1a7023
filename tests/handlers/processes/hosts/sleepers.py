"""A step that copies its input, after it slept for a while or for long if the input says so."""

from __future__ import annotations

import json
from pathlib import Path

LONG, PAUSES = 4177, 6.25
"""Seconds that it sleeps if its input says `long` or `pause`; nothing else on this machine sleeps so long."""

SCRIPT = "; ".join((
    f"if grep -q long /input/*; then exec sleep {LONG}; fi",
    f"if grep -q pause /input/*; then sleep {PAUSES}; fi",
    "cp /input/* /output/",
))  # fmt: skip
RECIPE = f"FROM localhost/busybox:latest\nCMD {json.dumps(['sh', '-c', SCRIPT])}\n"


def sleepers(seconds: float = LONG) -> list[int]:
    """The processes of such steps on all hosts."""
    wanted = b"sleep\0%b\0" % str(seconds).encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == wanted:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
