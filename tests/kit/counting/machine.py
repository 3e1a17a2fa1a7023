"""The machine that is measured on, in a sentence."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path


def machine() -> str:
    """Processor, memory, system and the programs that matter."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{_system()} (Linux {platform.release().partition('-')[0]}), Python {platform.python_version()}, "
        f"{_said('podman', '--version')}, {_said('runc', '--version')}"
    )


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def _system() -> str:
    return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return f"no {command[0]}"
    return done.stdout.splitlines()[0]
