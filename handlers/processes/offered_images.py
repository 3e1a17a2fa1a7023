"""The images that recipes may begin with, according to the settings.

Git's hook imports this with every push, so it has nothing that runs containers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from chains.builds.bases import OfferedImages
from chains.engine.port import Network
from chains.host.debian_packages import PackageDatabase
from chains.host.debian_tree import lacking
from chains.host.program import PYTHON_IMAGE
from handlers.settings.settings import Settings

NOTHING = ("none", "false", "no", "0")
DEBIAN_PYTHON = Path("/usr/bin/python3")


def base_images(settings: Settings) -> OfferedImages:
    """Return the base image with its Python version, if it is built here, and the allowed registries."""
    base = settings.base_image or PYTHON_IMAGE
    outside = Network(settings.network) is Network.OUTBOUND
    return OfferedImages(
        base,
        _python_version() if base == PYTHON_IMAGE else "",
        registries(settings.build_registries) if outside else (),
    )


def registries(said: str) -> tuple[str, ...] | None:
    """Return the hosts that recipes may pull from; None for all."""
    if said.lower() in ("any", "true", "yes", "1"):
        return None
    return () if said.lower() in NOTHING else tuple(said.split())


def _python_version() -> str:
    """Return the version of Python in the base image built here, such as `3.11`."""
    python = Path(sys.executable) if lacking(PackageDatabase()) else DEBIAN_PYTHON
    return os.path.basename(os.path.realpath(python)).removeprefix("python")
