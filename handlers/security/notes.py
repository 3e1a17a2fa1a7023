"""Notes on a request while it is answered, for the line that the security log may have of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RequestNotes:
    """The id, address and client of a request; the account that it is about, once that is known.

    The account is one that exists: what was typed as a user name may be a password.
    `is_told` once the log has a line of it. `seconds_left` is how long its credential still lives (None:
    without end).
    """

    request: str = ""
    address: str = ""
    client: str = ""
    account: str | None = None
    is_told: bool = False
    seconds_left: float | None = None
