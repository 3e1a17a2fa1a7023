"""Settings of git over SSH, which the host's own OpenSSH takes."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class SshSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    ssh_host: str = setting(
        "",
        "the host, or `<host>:<port>`, at which this machine's OpenSSH takes git",
        unset="no git over SSH",
    )
    ssh_user: str = setting("git", "the account of this machine that git signs in to")
    ssh_sessions: int = setting(
        16, "clones and pushes over SSH at once, of 130 MiB each; a quarter of them of one account", least=4
    )
    ssh_silence: float = setting(
        600.0, "time in which git or its client has to say something over SSH", least=1, unit=Unit.SECONDS
    )
