"""The container runtime that was found to work here, kept for the next start."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from chains.host.config import Runtime


def save_runtime(file: Path, wanted: Sequence[object], runtime: Runtime) -> None:
    """Keep what was found for the settings `wanted`."""
    file.write_text(json.dumps({"wanted": wanted, "name": runtime.name, "userns": runtime.userns}))


def load_runtime(file: Path, wanted: Sequence[object]) -> Runtime | None:
    """The runtime that was found for the same settings before."""
    with suppress(OSError, ValueError, KeyError):
        found = json.loads(file.read_text())
        if found["wanted"] == wanted:
            return Runtime(found["name"], found["userns"])
    return None
