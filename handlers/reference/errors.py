"""The meaning of each kind of error and its remedy: the page to which the `type` of an error leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import NamedTuple

from handlers.http.problems import BROKEN, MALFORMED, MISDIRECTED, PROBLEM_TYPES, UNKNOWN_METHOD, ProblemType

WIDTH = 80


class Explained(NamedTuple):
    """The meaning of a kind of error, and advice for the caller."""

    meaning: str
    remedy: str


EXPLAINED: Mapping[str, Explained] = {
    "invalid": Explained(
        "A value, a name, a body or the request itself is malformed. Nothing was changed.",
        "Read `detail`: it names the mistake, with line and column where there are any. Correct it and "
        "send it again.",
    ),
    "unauthenticated": Explained(
        "The request needs a credential and has none, or its credential is unknown, expired or revoked.",
        "Send `Authorization: Bearer TOKEN`. `POST /v1/token` with your user name and password returns "
        "a token.",
    ),
    "denied": Explained(
        "You may see this resource, but you do not have the permission for this request.",
        "`detail` names the access that is needed, and `OPTIONS` on the same path shows what you may do. Ask "
        "the owner for a share with more letters.",
    ),
    "not-found": Explained(
        "There is nothing at this path, or you may not see it. The response does not tell which of the two.",
        "`detail` suggests similar names among those that you may list, and says if a `PUT` would create it. "
        "If it belongs to another user, ask them to share it.",
    ),
    "unsupported": Explained(
        "This path does not support the method, or the service does not know the method at all.",
        "`allow` in the body and the `Allow` header list the methods that you may use here. `detail` has a "
        "suggestion: usually the path lacks a name at its end, or the text belongs in a file of the folder.",
    ),
    "conflict": Explained(
        "The current state of the resource does not allow the request, or the name is taken.",
        "Read the resource first. Responses about a run have its state in `run_status`.",
    ),
    "locked": Explained(
        "A program that has mounted the space as a drive holds a lock on the file, or on something below it.",
        "Close the file in that program, or wait: a lock ends an hour after its program last renewed it.",
    ),
    "gone": Explained(
        "It existed, and was removed at the end of its retention time.",
        "Its metadata still exists. Store outputs and logs elsewhere if you need them for longer.",
    ),
    "outdated": Explained(
        "A condition of the request is not met: the resource has changed since you read it, or it exists "
        "already. Nothing was written.",
        "Read it again, apply your change to its current content, and send that with the new `ETag`.",
    ),
    "too-large": Explained(
        "The body, the name, the address or the headers are larger than the limit.",
        "`limit` in the body is the limit in bytes; `OPTIONS` shows it in advance as `max_bytes`. If `quota` "
        "is `storage`, the owner's account is full: `GET /v1/admin/quota` shows the owner what is in use.",
    ),
    "wrong-media": Explained(
        "This path does not accept the media type or charset of the body. With curl, the usual reason is "
        "`-d`, which sends a form.",
        "`detail` has the options to use instead: `-H 'Content-Type: text/plain' --data-binary`.",
    ),
    "unsatisfiable": Explained(
        "The requested range is outside of the content.",
        "`Content-Range` has the size in bytes. Request a range within it, or everything.",
    ),
    "run-failed": Explained(
        "The request triggered a job and waited for its run, which ended as `failed`.",
        "`step` is the step that failed, `printed` has its last output, and `log` the last lines of the log. "
        "`Location` leads to the run. Correct the code or the input, and trigger the job again.",
    ),
    "too-many": Explained(
        "There were too many such requests in a short time, such as ten failed sign-ins in a minute.",
        "Wait for the number of seconds in `Retry-After`.",
    ),
    "too-early": Explained(
        "The same operation is still in progress, such as the sending of a mail.",
        "Wait until it has ended, for about the number of seconds in `Retry-After`.",
    ),
    "unmet": Explained(
        "Something else has to exist first, such as the recipients of a mail. `detail` names it.",
        "Create it, then repeat the request.",
    ),
    "quota": Explained(
        "An account has reached its limit of resources, groups, shares, tokens, tags, comments, concurrent "
        "runs or builds. `quota` in the body names the limit. Nothing was created.",
        "`GET /v1/admin/quota` shows the owner each limit and its use. Remove some entries, or wait if there "
        "is a `Retry-After`; the operator can set another limit.",
    ),
    "unavailable": Explained(
        "A part of the service is full or not available now. Nothing was changed.",
        "Send the same request again after the number of seconds in `Retry-After`. `/readyz` shows an "
        "operator which part it is.",
    ),
    "no-space": Explained(
        "The disk or a quota is full. Nothing was written.",
        "Remove files that you no longer need, or ask the operator for more space; then send it again.",
    ),
    "misdirected": Explained(
        "The request names a host for which this server does not respond.",
        "Use the address that `curlew serve` prints. For another name, the operator sets `base_url`.",
    ),
    "internal": Explained(
        "There was an error in the service itself.",
        "The request is not the reason. Send the operator the `request_id`: the log has the details.",
    ),
}


def kinds() -> Iterator[ProblemType]:
    """Yield every kind of error, by status."""
    return iter(sorted({*PROBLEM_TYPES.values(), BROKEN, MISDIRECTED, UNKNOWN_METHOD, *MALFORMED.values()}))


def markdown() -> str:
    """Return all kinds as one text: each has a heading, which is also its anchor."""
    parts = [INTRODUCTION]
    for slug, said in EXPLAINED.items():
        own = [kind for kind in kinds() if kind.slug == slug]
        statuses = ", ".join(f"{kind.status.value} {kind.title}" for kind in own)
        parts.append(
            f"## {slug}\n\n**{statuses}**\n\n{fill(said.meaning, WIDTH)}\n\n{fill(said.remedy, WIDTH)}\n"
        )
    return "\n".join(parts)


INTRODUCTION = """\
# Errors

Every refusal has one format, `application/problem+json` (RFC 9457). Its `type` is the address of a section of
this page. `detail` says what is wrong and what to do. `request_id` identifies the request in the service's
log. With `Accept: text/plain`, the refusal is one line of text. `message` and `error` are equal to `detail`,
for clients that read these.

The response to a successful write is empty (200), or a line of text if something was created (201), moved or
removed, or if there is a note: a chain that names a repo which does not exist is stored, with a
`warning:`.
"""
