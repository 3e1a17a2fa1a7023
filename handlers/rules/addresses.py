"""Addresses: the folder of the API, below which all resources are, and git's."""

from __future__ import annotations

from vfs.path import Path

API = Path(("v1",))
GIT = "/git/"
"""Below it git's own protocol is spoken."""
