"""Address prefixes: the root of the API, below which all resources are, and of git."""

from __future__ import annotations

from vfs.path import Path

API = Path(("v1",))
GIT, HOOK = "/git/", "/h/"
"""The prefixes of addresses that use git's protocol, and of those of hooks of jobs."""
