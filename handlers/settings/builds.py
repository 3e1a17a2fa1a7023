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
        "old defects of commits that may be pushed, by git's names (git help fsck), blanks between, such as "
        "`badDate missingSpaceBeforeEmail`",
        unset="badTimezone, missingSpaceBeforeDate and zeroPaddedFilemode alone",
    )
    build_memory: int = setting(2 << 30, "memory of an image build", unit=Unit.BYTES)
    build_cpus: float = setting(2.0, "processors of an image build")
    build_pids: int = setting(1024, "processes and threads of an image build")
    build_seconds: float = setting(900.0, "time of an image build", unit=Unit.SECONDS)
    build_disk: int = setting(
        4 << 30, "disk of an image build, its repository's cache included", unit=Unit.BYTES
    )
    build_cache: int = setting(
        20 << 30,
        "what the caches of all repositories may take together; the least used go first",
        unit=Unit.BYTES,
    )
    build_registries: str = setting(
        "",
        "public registries that recipes may pull from, blanks between, or `any`; with `network` alone",
        unset="none: the base image and images of this server",
    )
    build_hosts: str = setting(
        "",
        "hosts that builds fetch apt's packages from, blanks between, or `none`; "
        "by the proxy of the runner's environment where there is one",
        unset="the public ones of Debian and Ubuntu, where builds have a network",
    )
