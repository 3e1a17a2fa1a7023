"""Address prefixes: the root of the API, below which all resources are, and of git."""

from __future__ import annotations

from vfs.path import Path

API = Path(("v1",))
GIT = "/git/"
"""The prefix of addresses that use git's protocol."""
HOOK = "h"
"""The first name of addresses of hooks of jobs; the second is a key."""
DRIVE = "dav"
"""The first name of addresses of the drive (WebDAV)."""
LINK = "l"
"""The first name of addresses of links without an account; the second is a key."""
MCP = "mcp"
"""The name of the endpoint of agents."""
