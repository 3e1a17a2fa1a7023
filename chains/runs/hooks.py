"""The port of job hooks: addresses at which other services start runs of a job, without an account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.ports.items import Item

KEPT_CALLS = 100
"""The number of calls that are kept of a hook, the newest ones."""


@dataclass(frozen=True, slots=True)
class JobHook:
    """A hook of a job. `digest` is that of its key, `calls` the number of its recorded calls.

    `called_on` and `status` are those of the last one.
    """

    digest: str
    name: str
    created_on: str
    calls: int = 0
    called_on: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class JobHookCall:
    """A call of a hook: the status of its answer, the bytes of its body, its run, and why it was refused."""

    called_on: str
    status: int
    size: int
    run: str | None = None
    why: str = ""


class JobHooks(Protocol):
    """The store of the hooks of jobs. They are removed with their job."""

    def add(self, job: int, hook: JobHook) -> bool:
        """Add a hook. Return False if the job has one of that name. Raises NotFound without the job."""

    def of(self, job: int) -> Sequence[JobHook]:
        """Return the hooks of a job, by name."""

    def find(self, digest: str) -> tuple[Item, JobHook] | None:
        """Return the hook with that digest, and its job; None without it, or if the job's owner is locked."""

    def drop(self, job: int, name: str) -> bool:
        """End a hook. Return False if there is none."""

    def note(self, digest: str, call: JobHookCall, *, once: bool = False) -> None:
        """Record a call, and forget all but the last KEPT_CALLS.

        With `once` it is not recorded if the previous call had the same status: frequent calls must not
        displace all others.
        """

    def log(self, digest: str) -> Sequence[JobHookCall]:
        """Return the recorded calls of a hook, oldest first."""
