"""Identity of the Podman of one folder among all others of the machine: its mark, and its state."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def instance_of(folder: Path) -> str:
    """The mark of a Podman's folder, made once: 12 hexadecimal digits."""
    file = folder / "instance"
    with suppress(FileExistsError), file.open("x") as fresh:
        fresh.write(secrets.token_hex(6))
    return file.read_text().strip()


def state_of(folder: Path, instance: str) -> Path:
    """The folder of run state, in /run when that is ours to use: it is forgotten at a reboot."""
    return Path("/run") / f"curlew-{instance}" if os.access("/run", os.W_OK) else folder.resolve() / "state"
