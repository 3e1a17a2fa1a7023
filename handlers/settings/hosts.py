"""Settings of an installation on several hosts: shared stores, and Dask's steps."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class SharingSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    hosts: str = setting(
        "one",
        "`several` if web servers or runners on more than one host share a database (PostgreSQL), "
        "`blobs_url`, `repos_folder` and the key; each host then has a separate data folder",
        choices=("one", "several"),
    )
    repos_folder: str = setting(
        "",
        "the folder of the repositories; with several hosts one POSIX file system that all of them mount",
        unset="<data>/repos",
    )
    registry_url: str = setting(
        "",
        "the registry through which runners on several hosts share images, such as "
        "`https://registry.example.org/curlew`; with `http://` no certificate is needed",
        unset="images run only where they were built",
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
        unset="without signing in",
    )
    registry_seconds: float = setting(
        600.0,
        "maximum time of pushing or pulling an image",
        least=1,
        unit=Unit.SECONDS,
    )


DASK = "dask"
TLS = "tls://"
NEEDED = (
    *("dask_scheduler", "dask_tls_ca", "dask_tls_cert", "dask_tls_key"),
    *("blobs_url", "key_file", "registry_url"),
)
"""Settings for the connection to the workers, and for what all hosts share."""


@dataclass(frozen=True)
class DaskSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    engine: str = setting(
        "podman",
        "where steps run: `podman`, on the runner's own host, or `dask`, on all hosts that have a worker",
        choices=("podman", DASK),
    )
    dask_scheduler: str = setting(
        "", f"the address of Dask's scheduler, as `{TLS}10.0.0.1:8786`", unset="none"
    )
    dask_tls_ca: str = setting(
        "", "the certificate of the authority that runner, scheduler and workers are signed by", unset="none"
    )
    dask_tls_cert: str = setting("", "the certificate that this host shows to them", unset="none")
    dask_tls_key: str = setting("", "the key of that certificate, which root alone may read", unset="none")
    dask_step_wait: float = setting(
        60.0, "time within which a worker must take a step that has its turn", least=1, unit=Unit.SECONDS
    )
    worker_drain: float = setting(
        60.0,
        "time that a stopping worker gives to its steps; it takes no new ones meanwhile",
        least=0,
        unit=Unit.SECONDS,
    )
    worker_memory: int = setting(
        0,
        "memory that the steps of a worker may take together",
        unset="0, which is enough for `slots` steps",
        least=0,
        unit=Unit.BYTES,
    )

    @property
    def has_dask(self) -> bool:
        """Whether steps run on workers."""
        return self.engine == DASK

    @property
    def dask_trouble(self) -> str | None:
        """The fault in the settings of Dask, in a sentence; None if there is none."""
        if self.dask_scheduler and not self.dask_scheduler.startswith(TLS):
            return (
                f'the setting dask_scheduler begins with {TLS}, not "{self.dask_scheduler}": a client of a '
                "scheduler without TLS could run programs on all workers as root"
            )
        if self.dask_scheduler and not _is_address(self.dask_scheduler):
            return (
                f"the setting dask_scheduler is an address such as {TLS}10.0.0.1:8786, not "
                f'"{self.dask_scheduler}"'
            )
        if not self.has_dask:
            return None
        for name in NEEDED:
            if not getattr(self, name):
                return f'engine = "dask" needs the setting {name}; see  curlew docs dask'
        return None


def _is_address(text: str) -> bool:
    """Return whether a text is a host with an optional port."""
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0 and not parts.path
    except ValueError:
        return False
