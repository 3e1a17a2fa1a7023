"""The configuration of a step: its attempts and its limits."""

from __future__ import annotations

from dataclasses import dataclass

MOST_RETRIES = 10
LONGEST_BACKOFF = 3_600.0

NEVER = ((64, 78),)
"""The exit codes that are not retried by default: those of wrong usage, input and configuration."""


@dataclass(frozen=True, slots=True)
class StepConfig:
    """The configuration of a step, as of the trigger of its run.

    `backoff`: seconds before the second attempt; each further wait is twice as long. `retry_on`: ranges of
    exit codes that are retried (None: all but `NEVER`). `timeout` (seconds), `memory` (bytes) and `cpus` are
    None for the server's limits.
    """

    retries: int = 0
    backoff: float = 10.0
    retry_on: tuple[tuple[int, int], ...] | None = None
    timeout: float | None = None
    memory: int | None = None
    cpus: float | None = None

    @property
    def attempts(self) -> int:
        """The largest number of attempts."""
        return 1 + self.retries

    def retries_code(self, code: int) -> bool:
        """Return whether an attempt that ended with this exit code is followed by another."""
        if self.retry_on is None:
            return not _within(code, NEVER)
        return _within(code, self.retry_on)

    def wait_after(self, attempt: int) -> float:
        """Return the seconds between an attempt and the next."""
        return min(self.backoff * 2.0 ** (attempt - 1), LONGEST_BACKOFF)


PLAIN = StepConfig()
"""The configuration of a step without settings."""


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)
