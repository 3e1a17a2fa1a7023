"""Commands of operators as lines of the security log."""

from __future__ import annotations

import os
import pwd

from handlers.security.events import SecurityEvent
from handlers.security.log_lines import SecurityLine
from handlers.services.world import World

COMMAND = "command"


def note_command(
    world: World, event: SecurityEvent, account: str | None = None, target: str | None = None
) -> None:
    """Record an operator's action, with its account or target."""
    action = SecurityLine(event.name, via=COMMAND, account=account, target=target, client=operator())
    world.service.security.record(action)


def operator() -> str:
    """Return the account that runs this command: the one in sudo's variable, else that of the process."""
    number = os.environ.get("SUDO_UID") or str(os.getuid())
    try:
        return f"{pwd.getpwuid(int(number)).pw_name} on this host"
    except (KeyError, ValueError, OverflowError):
        return f"the user {number} on this host"
