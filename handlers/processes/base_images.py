"""The images that recipes of this server may begin with, by its settings."""

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
    """The base image with the version of its Python, if it is made here, and the registries of others."""
    base = settings.base_image or PYTHON_IMAGE
    outside = Network(settings.network) is Network.OUTBOUND
    return OfferedImages(
        base,
        _python_version() if base == PYTHON_IMAGE else "",
        registries(settings.build_registries) if outside else (),
    )


def registries(said: str) -> tuple[str, ...] | None:
    """The hosts that recipes may pull from; None when any will do."""
    if said.lower() in ("any", "true", "yes", "1"):
        return None
    return () if said.lower() in NOTHING else tuple(said.split())


def _python_version() -> str:
    """The version of the Python that a base image made here has, such as `3.11`."""
    python = Path(sys.executable) if lacking(PackageDatabase()) else DEBIAN_PYTHON
    return os.path.basename(os.path.realpath(python)).removeprefix("python")
