"""What the hosts of one installation share, as settings: database, bucket, repositories, key, registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.outside.buckets import Buckets
from tests.kit.outside.registry import DockerRegistry
from tests.kit.postgres import Postgres
from tests.kit.processes import own

QUICK = {
    "GRACEFUL_TIMEOUT": "1",
    "PASSWORD_TIME": "1",
    "PASSWORD_MEMORY": "8",
    "REGISTRATIONS": "1000",
    "DISK_RESERVE": "1M",
    "BASE_IMAGE": "localhost/busybox:latest",
}
"""Settings by which tests wait for nothing that they do not look at."""

FULL = "the bucket is full"
"""A file of the folder of `shared_parts`: while it exists, their bucket has no room."""


@contextmanager
def shared_parts(
    folder: Path,
    postgres: Postgres,
    fill: Callable[[str], None] | None = None,
    *,
    registry: bool = False,
    blobs: str = "",
) -> Iterator[dict[str, str]]:
    """Settings that all hosts have, by name; the database is new, or a copy of one that `fill` filled.

    The bytes are in a bucket of a separate server, unless another place is given.
    """
    url = postgres.copy_of(f"{fill.__module__}.{fill.__qualname__}", fill) if fill else postgres.fresh()
    with ExitStack() as stack:
        stack.callback(postgres.drop, url)
        if not blobs:
            buckets = Buckets(folder / FULL)
            buckets.start()
            stack.callback(buckets.stop)
            blobs = buckets.url("blobs")
        (folder / "repos").mkdir()
        said = {
            "HOSTS": "several",
            "DATABASE_URL": url,
            "BLOBS_URL": blobs,
            "REPOS_FOLDER": str(folder / "repos"),
            "KEY_FILE": str(folder / "key"),
            **QUICK,
        }
        if registry:
            images = DockerRegistry(folder)
            images.start()
            stack.callback(images.stop)
            said["REGISTRY_URL"] = images.url
        yield said


def settings_at(folder: Path, shared: Mapping[str, str], **more: str) -> Settings:
    """The settings of a host with that data folder; `more` by their names in capitals."""
    return load(own({**shared, **more}), data=str(folder))
