"""The one vocabulary of errors that every floor of the house raises and only an edge translates."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Advice:
    """The remedies that refusals name, in the words of the protocol that serves the tree.

    `methods`: its words for the verbs, by the values of the verbs. `contents`: the files that hold what their
    folder is for, the likeliest first. `emptied`: why a text may have come empty.
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
    """A malformed value, name or body; what was stored is unchanged."""


class WrongMedia(VfsError):
    """A body of a media type, charset or form that this place does not take."""


class TooLarge(VfsError):
    """A body, name or tree beyond its limit."""


class Unauthenticated(VfsError):
    """No credential where one is needed, or a dead one."""


class Denied(VfsError):
    """The place is seen by the caller, who may not do this to it."""


class NotFound(VfsError):
    """Absent, or invisible to the caller: the two are never told apart.

    `missing` is the length of the path up to the first name at which nothing was (0: unknown).
    """

    missing = 0


class Unsupported(VfsError):
    """A verb that this node never has; `allow` holds the verbs the caller may use instead."""


class Conflict(VfsError):
    """The state forbids it, or the name is taken."""


class Gone(VfsError):
    """It was here and is past its retention."""


class Outdated(VfsError):
    """A precondition of the request does not hold."""


class Unsatisfiable(VfsError):
    """A byte range outside the content."""


class TooMany(VfsError):
    """Asked too often; `retry_after` says in how many seconds to ask again."""


class TooEarly(TooMany):
    """The same is under way; `retry_after` says in how many seconds it may be over."""


class Unmet(VfsError):
    """Something else has to be there first, which `detail` names."""


class QuotaReached(TooMany):
    """As many as an account may have; without `retry_after` no waiting helps."""


class Unavailable(VfsError):
    """A part of the service is away or full for now; asking again later is safe."""


class NoSpace(VfsError):
    """The disk or a quota is full; nothing was half-written."""


def storage_error(error: OSError, what: str) -> NoSpace | Unavailable:
    """Refusal for an error of the disk that kept `what` from being stored.

    `what` begins the sentence.
    """
    if error.errno in FULL:
        return NoSpace(f"{what} could not be stored: the server's disk is full; free some space there.")
    said = error.strerror or type(error).__name__
    return Unavailable(f"{what} could not be stored: {said}; try again in a moment.", retry_after=2)
