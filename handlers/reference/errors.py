"""The meaning of each kind of error and its remedy: the text behind the `type` of every error body."""

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
        "No credential came along where one is needed, or the one that came is unknown, expired or revoked.",
        "Send `Authorization: Bearer TOKEN`. `POST /v1/token` with your user name and password makes a "
        "token.",
    ),
    "denied": Explained(
        "You may see this, but not do that to it.",
        "`detail` says which access it needs. `OPTIONS` on the same path tells what you may do; ask the "
        "owner for a "
        "share with more letters.",
    ),
    "not-found": Explained(
        "There is nothing of that name, or it is not visible to you: the two are never told apart.",
        "`detail` names what you may have meant, of what you may list, and says when a `PUT` would make it. "
        "If it is somebody else's, ask them to share it.",
    ),
    "unsupported": Explained(
        "This path never takes that method, or the service does not know the method at all.",
        "`allow` in the body and the `Allow` header hold the methods that you may use here; `detail` guesses "
        "what was meant: mostly a name is missing at the end, or what was sent goes to a file of the folder.",
    ),
    "conflict": Explained(
        "The state of things forbids it now, or the name is taken.",
        "Look at what is there first. Answers about a run name its state in `run_status`.",
    ),
    "locked": Explained(
        "A program that has this drive open holds a lock on it, or on something in it.",
        "Close the file there, or wait: a lock ends an hour after its program renewed it last.",
    ),
    "gone": Explained(
        "It was here, and the time for which it is kept is over.",
        "The facts about it are still there; keep outputs and logs elsewhere if you need them for longer.",
    ),
    "outdated": Explained(
        "A condition of the request does not hold: somebody changed this since you read it, or it is there "
        "already. "
        "Nothing was written.",
        "Read it again, apply your change to what is there now, and send it with the new `ETag`.",
    ),
    "too-large": Explained(
        "The body, the name, the address or the headers are larger than fits here.",
        "`limit` in the body is the most bytes that fit. `OPTIONS` tells it beforehand as `max_bytes`. Where "
        "`quota` is `storage` the owner's account is full: `GET /v1/admin/quota` tells it what is in use.",
    ),
    "wrong-media": Explained(
        "The body is of a media type, charset or form that this path does not take. With curl the reason "
        "is most often "
        "`-d`, which sends a form.",
        "`detail` holds the flags to type in place of that one: "
        "`-H 'Content-Type: text/plain' --data-binary`.",
    ),
    "unsatisfiable": Explained(
        "The range that was asked for is outside of the bytes.",
        "`Content-Range` tells how many bytes there are. Ask for a range within them, or for all.",
    ),
    "run-failed": Explained(
        "The job was triggered and waited for, and its run ended `failed`.",
        "`printed` holds what the step that failed, `step`, printed last, `log` the last lines of the log. "
        "`Location` leads to the whole run. "
        "Correct the code "
        "or the input and trigger it again.",
    ),
    "too-many": Explained(
        "This was asked too often in a short time, as after ten failed sign-ins in a minute.",
        "Wait as many seconds as `Retry-After` says.",
    ),
    "too-early": Explained(
        "The same is under way already, as a mail that is being sent.",
        "Wait until it is over, for about as many seconds as `Retry-After` says.",
    ),
    "unmet": Explained(
        "Something else has to be there first, as recipients of a mail. The sentence names it.",
        "Write it, then repeat the request.",
    ),
    "quota": Explained(
        "An account has as many of something as it may: resources, groups, shares, tokens, tags, comments, "
        "runs or builds at once. `quota` in the body names which. Nothing was made.",
        "`GET /v1/admin/quota` tells its owner each limit and its use. Remove some, or wait where there is a "
        "`Retry-After`; the operator can set another limit.",
    ),
    "unavailable": Explained(
        "A part of the service is full or away for now. Nothing was half done.",
        "Send the same request again after as many seconds as `Retry-After` says. `/readyz` tells an "
        "operator which "
        "part it is.",
    ),
    "no-space": Explained(
        "The disk or a quota is full. Nothing was half written.",
        "Remove what is no longer needed, or ask the operator for room; then send it again.",
    ),
    "misdirected": Explained(
        "The request is for a host by whose name this server is not to be reached.",
        "Use the address that `curlew serve` prints. To serve another name, the operator sets `base_url`.",
    ),
    "internal": Explained(
        "Something went wrong in the service itself.",
        "It is not your request's fault. Give the operator the `request_id`: the log knows the rest.",
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

Every refusal has one shape, `application/problem+json` (RFC 9457). Its `type` is the address of a section of
this page; `detail` says what is wrong and what to do; `request_id` is the number under which the service's
log knows the request. Where `Accept: text/plain` is sent, the refusal is one line of text. `message` and
`error` are `detail` again, for clients that read it there.

A write that is done answers nothing (200), or a line of text where something was made (201), moved or
removed, or where there is something to know: a chain that names a repo which is not there is kept, with a
`warning:`.
"""
