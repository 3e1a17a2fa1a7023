"""The errors that all packages raise; only a server translates them into its protocol."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice that refusals give, in the words of the protocol that serves the tree.

    `methods`: the protocol's names of the verbs, by the values of the verbs. `contents`: the files with the
    main content of a folder, the likeliest first. `emptied`: a likely reason why an empty text was sent.
    """

    sign_in: str = "sign in first"
    send_bytes: str = "send them"
    methods: Mapping[str, str] = field(default_factory=dict)
    contents: tuple[str, ...] = ()
    emptied: str = ""


class VfsError(Exception):
    """A refusal that a caller can act on.

    `detail` is the sentence shown to the caller: what, why and what to do. `members` are further
    machine-readable facts (decisions B7), such as `location` and `retry_after`.
    """

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class Invalid(VfsError):
    """A malformed value, name or body. Nothing was changed."""


class WrongMedia(VfsError):
    """A body of a media type, charset or form that is not accepted here."""


class TooLarge(VfsError):
    """A body, name or tree beyond its limit."""


class Unauthenticated(VfsError):
    """No credential where one is needed, or one that is no longer valid."""


class Denied(VfsError):
    """The caller sees the item, but may not do this to it."""


class NotFound(VfsError):
    """The item is missing, or hidden from the caller: the two are never distinguished.

    `missing` is the length of the path up to the first name that was not found (0: unknown).
    """

    missing = 0


class Unsupported(VfsError):
    """A verb that this node never supports. `allow` are the verbs that the caller may use instead."""


class Conflict(VfsError):
    """The current state does not allow the call, or the name is taken."""


class Gone(VfsError):
    """The content existed, but its retention time is over."""


class Outdated(VfsError):
    """A precondition of the request does not hold."""


class Unsatisfiable(VfsError):
    """A byte range outside the content."""


class TooMany(VfsError):
    """Too many requests; `retry_after` is the number of seconds to wait."""


class TooEarly(TooMany):
    """The same operation is running; `retry_after` is the number of seconds in which it may end."""


class Unmet(VfsError):
    """Something else, which `detail` names, must exist first."""


class QuotaReached(TooMany):
    """The quota of an account is reached. Without `retry_after`, waiting does not help."""


class Unavailable(VfsError):
    """A part of the service is not available or busy; retrying later is safe."""


class NoSpace(VfsError):
    """The disk or a quota is full; nothing was written."""


def storage_error(error: OSError, what: str) -> NoSpace | Unavailable:
    """Return the refusal for a disk error that kept `what` from being stored.

    `what` is the subject of the sentence.
    """
    if error.errno in FULL:
        return NoSpace(f"{what} could not be stored: the server's disk is full; free some space there.")
    said = error.strerror or type(error).__name__
    return Unavailable(f"{what} could not be stored: {said}; try again in a moment.", retry_after=2)
