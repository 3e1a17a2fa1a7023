"""Records of a Podman on its containers, their variables among them: in memory alone, on no disk."""

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
"""Folders of a Podman's store, and their modes: the book of containers, bundles and logs, secrets."""

BOOK = "db.sql"
"""The book of Podman 5, which lies in the store itself; SQLite keeps its journals where a link leads."""


LAYER = "-layer"
"""The end of the name that the layer of a container has, behind the container's."""


def keep_in_memory(store: Path) -> list[str]:
    """Mount a file system in memory for each of the folders of `store`; quick when that was done before.

    Mounted where Podman looks by itself: conmon's own Podman, which tidies up, finds them without being told.
    What an earlier version left there on the disk is deleted. Answered are containers that lost their
    records, as by a reboot, and have but a layer on the disk: Podman removes them as it does what others
    left. Raises EngineError where nothing can be mounted.
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
    _lead_run_store(store)
    if lost:
        (containers / "containers.json").write_text(json.dumps(lost))
    return [container["id"] for container in lost]


def _find_lost(store: Path) -> list[dict[str, Any]]:
    """Return records of containers-storage for the containers whose layers are there."""
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


def _lead_run_store(store: Path) -> None:
    run_store = store / BOOK
    if not run_store.is_symlink():
        for left in store.glob(f"{BOOK}*"):
            left.unlink()
        os.symlink(f"libpod/{BOOK}", run_store)
