"""Settings of pushes and the builds of their images."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class BuildSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    push_commands: int = setting(10_000, "branches and tags that one push may change", least=1)
    push_tolerates: str = setting(
        "",
        "old defects that pushed commits may have, by git's names (git help fsck), separated by "
        "blanks, such as "
        "`badDate missingSpaceBeforeEmail`",
        unset="only badTimezone, missingSpaceBeforeDate and zeroPaddedFilemode",
    )
    builds: int = setting(
        0, "image builds at a time", unset="0, which is 2, or 1 on a host with one processor", least=0
    )
    build_memory: int = setting(2 << 30, "memory of an image build", unit=Unit.BYTES)
    build_cpus: float = setting(2.0, "processors of an image build")
    build_pids: int = setting(1024, "processes and threads of an image build")
    build_seconds: float = setting(900.0, "time of an image build", unit=Unit.SECONDS)
    build_disk: int = setting(
        4 << 30, "disk of an image build, including the cache of its repository", unit=Unit.BYTES
    )
    build_cache: int = setting(
        20 << 30,
        "what the caches of all repositories may take together; the least used are removed first",
        unit=Unit.BYTES,
    )
    build_packages: int = setting(
        2 << 30,
        "what is kept of the packages that builds fetched, for the builds after them; the least used are "
        "removed first",
        unit=Unit.BYTES,
    )
    build_registries: str = setting(
        "",
        "public registries that recipes may pull from, separated by blanks, or `any`; only if "
        "`network` is `outbound`",
        unset="none: the base image and images of this server",
    )
    build_hosts: str = setting(
        "",
        "hosts from which builds fetch apt's packages, at private addresses too, separated by blanks, "
        "or `none`; through the proxy of the runner's environment, if it has one",
        unset="the public ones of Debian and Ubuntu, if builds have a network",
    )
