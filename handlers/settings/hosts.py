"""Settings of an installation on several hosts: what these share, and by which way."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class SharingSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    hosts: str = setting(
        "one",
        "`several` where web servers or runners on more than one host share a database (PostgreSQL), "
        "`blobs_url`, `repos_folder` and the key; the data folder is each host's own then",
        choices=("one", "several"),
    )
    repos_folder: str = setting(
        "",
        "the folder of the repositories; with several hosts one POSIX file system that all of them mount",
        unset="<data>/repos",
    )
    registry_url: str = setting(
        "",
        "the registry by which runners on several hosts have each other's images, such as "
        "`https://registry.example.org/curlew`; with `http://` no certificate is compared, nor needed",
        unset="an image is run where it was built",
    )
    registry_ca: str = setting(
        "",
        "the folder with `ca.crt` of the registry's authority, and `client.cert` and `client.key` if it asks "
        "for them",
        unset="the system's authorities",
    )
    registry_auth: str = setting(
        "",
        "the file that `podman login --authfile` wrote for the registry",
        unset="nobody signs in there",
    )
    registry_seconds: float = setting(
        600.0,
        "time within which an image is pushed to the registry or pulled; what takes longer is stopped",
        least=1,
        unit=Unit.SECONDS,
    )
