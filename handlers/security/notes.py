"""Notes about a request while it is answered, for its line in the security log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RequestNotes:
    """The id, address and client of a request; its account, once that is known.

    The account exists: an unknown user name may be a password, typed in the wrong field. `is_logged` is set
    once the log has a line of it.
    """

    request: str = ""
    address: str = ""
    client: str = ""
    account: str | None = None
    is_logged: bool = False
