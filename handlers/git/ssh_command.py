"""The command that git asks for over SSH, read strictly: nothing else ever runs."""

from __future__ import annotations

import re

from handlers.git.smart_http import SERVICES, GitRequest
from vfs.errors import Denied, Invalid

# As git quotes a path (quote.c): user and repo have no sign that would need more.
COMMAND = re.compile(
    r"git[ -](?P<program>[a-z-]{1,40}) (?P<quote>'?)/?(?P<user>[a-z0-9][a-z0-9_-]{0,199})/"
    r"(?P<repo>[a-z0-9][a-z0-9_-]{0,199}?)(?:\.git)?/?(?P=quote)"
)
LONGEST = 1 << 10


def parse_command(command: str) -> GitRequest:
    """The request of a command such as git-upload-pack 'alice/birds.git'. Raises Denied and Invalid."""
    match = COMMAND.fullmatch(command) if len(command) <= LONGEST else None
    if match is None:
        if command.startswith(("git-", "git ")):
            raise Invalid("there is no such repo: the address is ssh://<host>/<user>/<repo>.git")
        raise Denied(
            "git alone is served here: clone, fetch and push; there is no shell and no other program"
        )
    program = f"git-{match['program']}"
    if program not in SERVICES:
        raise Denied(f"{program} is not served here: git clones, fetches and pushes")
    return GitRequest(match["user"], match["repo"], program, advertise=False)
