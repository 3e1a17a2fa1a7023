"""Records of a Podman about its containers, such as their variables: in memory only, never on disk."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

from chains.engine.port import EngineError

FOLDERS = {"libpod": "0700", "overlay-containers": "0711", "secrets": "0700"}
"""Folders of a Podman's store, and their modes: the database of containers, bundles and logs, secrets."""

DATABASE = "db.sql"
"""The database of Podman 5, in the store itself; SQLite keeps its journals where a link points."""


LAYER = "-layer"
"""The suffix of the name of a container's layer."""


def keep_in_memory(store: Path) -> list[str]:
    """Mount a file system in memory for each of the folders of `store`, unless mounted already.

    The paths are Podman's defaults, so that the Podman that conmon starts for cleanup finds them. Files of an
    earlier version are deleted from the disk. Returns the containers that lost their records, for example in
    a reboot, and have only a layer on disk. Podman can then remove them like others. Raises EngineError if
    mounting fails.
    """
    containers = store / "overlay-containers"
    lost = [] if containers.is_mount() else _find_lost(store)
    store.mkdir(parents=True, exist_ok=True, mode=0o711)
    for name, mode in FOLDERS.items():
        folder = store / name
        if not folder.is_mount():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(exist_ok=True)
            _mount(folder, mode)
    _link_database(store)
    if lost:
        (containers / "containers.json").write_text(json.dumps(lost))
    return [container["id"] for container in lost]


def _find_lost(store: Path) -> list[dict[str, Any]]:
    """Return records in the format of containers-storage for the containers with layers."""
    try:
        layers = json.loads((store / "overlay-layers/layers.json").read_bytes())
    except (FileNotFoundError, ValueError):
        return []
    return [
        {
            "id": secrets.token_hex(32),
            "names": [name.removesuffix(LAYER)],
            "layer": layer["id"],
            "metadata": "{}",
            "created": layer["created"],
        }
        for layer in layers
        for name in layer.get("names") or ()
        if name.endswith(LAYER)
    ]


def _mount(folder: Path, mode: str) -> None:
    options = f"mode={mode},nosuid,nodev"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise EngineError(
            f"{folder} cannot be kept in memory, where the variables of steps must stay "
            f"({done.stderr.strip()}): run the runner as root, in the host's own mount namespace"
        )


def _link_database(store: Path) -> None:
    link = store / DATABASE
    if not link.is_symlink():
        for left in store.glob(f"{DATABASE}*"):
            left.unlink()
        os.symlink(f"libpod/{DATABASE}", link)
