"""Settings: one frozen value, composed of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from handlers.settings.hosts import DaskSettings, SharingSettings
from handlers.settings.mails import HookSettings, MailSettings
from handlers.settings.people import PeopleSettings, QuotaSettings
from handlers.settings.server import ClientSettings, ServerSettings, SshSettings
from handlers.settings.sign_in import SignInSettings
from handlers.settings.steps import BuildSettings, RenderSettings, StepSettings

SEVERAL = "several"


class SettingsError(Exception):
    """A setting that is unknown or malformed; `str()` has its name, the reason and advice."""


# The fields of the last base class come first.
@dataclass(frozen=True)
class Settings(
    MailSettings,
    HookSettings,
    RenderSettings,
    QuotaSettings,
    BuildSettings,
    DaskSettings,
    StepSettings,
    SshSettings,
    ClientSettings,
    SignInSettings,
    PeopleSettings,
    SharingSettings,
    ServerSettings,
):
    """The settings; each field is the variable `CURLEW_<FIELD>` and the key `<field>` of curlew.toml.

    A size or a time is a number of its unit, or a text like `1G` and `30d`. An empty text means what its
    `unset` says.
    """

    @property
    def folder(self) -> Path:
        """The data folder, absolute."""
        return Path(self.data).resolve()

    @property
    def runner_home(self) -> Path:
        """The folder of the runner's own files (its Podman, its runs, its lock), absolute."""
        return Path(self.runner_folder).absolute() if self.runner_folder else self.folder

    @property
    def database(self) -> str:
        """The URL of the database."""
        return self.database_url or f"sqlite:///{self.folder}/curlew.db"

    @property
    def database_shown(self) -> str:
        """The name of the database for display, without a password."""
        parts = urlsplit(self.database)
        if parts.scheme == "sqlite":
            return parts.path.removeprefix("/")
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.path.removeprefix('/')} at {host or 'this host'}"

    @property
    def blobs(self) -> str:
        """The `fs` URL of the blobs."""
        return self.blobs_url or f"osfs://{self.folder}/blobs"

    @property
    def has_several_hosts(self) -> bool:
        """Whether web servers or runners on other hosts share the data."""
        return self.hosts == SEVERAL

    @property
    def repos(self) -> Path:
        """The folder of the repositories, absolute."""
        return Path(self.repos_folder).absolute() if self.repos_folder else self.folder / "repos"

    @property
    def shared(self) -> Path:
        """The folder of the locks that processes of all hosts share."""
        return self.repos if self.has_several_hosts else self.folder

    @property
    def key(self) -> Path:
        """The file of the sealing key."""
        return Path(self.key_file) if self.key_file else self.folder / "key"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the bind."""
        return _address(self.bind)

    @property
    def metrics_address(self) -> tuple[str, int]:
        """Host and port of the metrics, if they are served."""
        return _address(self.metrics)


def _address(said: str) -> tuple[str, int]:
    host, _, port = said.rpartition(":")
    return host.strip("[]"), int(port)
