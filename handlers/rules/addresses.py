"""Addresses: the folder of the API, below which all resources are."""

from __future__ import annotations

from vfs.path import Path

API = Path(("v1",))
