"""The log and the result of a build, in words for the account that pushed."""

from __future__ import annotations

import re
from collections.abc import Callable

from chains.buildbox.box import BuildLimits
from chains.engine.port import Cause, Exit, Line

RESULT = "localhost/result"
"""The name of the new image inside its box."""

NOISE = (
    *("Getting image source", "Copying blob", "Copying config", "Writing manifest", "Storing signatures"),
    *(f"COMMIT {RESULT}", f"Successfully tagged {RESULT}"),
)
"""Prefixes of lines that a builder prints while it stores an image. They are of no use to a pusher."""

MADE = "--> "
DIGEST_LENGTH = 64

WARNING, MESSAGE, IGNORED = 'time="', ' level=warning msg="', "will be ignored"
"""Parts of the line in which a builder reports that it ignores something in a recipe."""

NO_ROOM = "no space left on device"
FAILED = 'building at STEP "'
ERROR = re.compile(r"^(?:Error: |error: )(?P<what>.*)")
ABSENT = (": image not known", ": no such image", ": name unknown", "no stage or image found")
REFUSED = ("Source image rejected", " is rejected by policy")
OWN_IMAGES = (
    "a recipe may begin with the base image, with an image of a repository that you may read, by its name, "
    "and with public ones where the operator allows it (setting build_registries)"
)
NO_MATCH = ("matched nothing", "no items matching glob", "copier: stat: ")
BRACKETS = (
    "in COPY and ADD, brackets are a pattern, and this builder cannot copy a file whose name has some: "
    "name the folder that it is in"
)
INSIDES = ("{Env:", "{Request:")
DUMPED = re.compile(r"UNHANDLED LOGLEVEL|&imagebuilder\.Step\{")
"""Matches internal values that a builder prints."""

LONGEST, LONGEST_LINE = 500, 20_000
KILLED = 137


class BuildLog:
    """A filter for the lines of a build that also keeps the reason of a failure."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.error = ""
        self.last = ""
        self.ignored = ""
        self.full = False

    def take(self, line: Line) -> None:
        """Forward a line, unless it is noise."""
        text = line.text[:LONGEST_LINE].rstrip("\r")
        if text.startswith(NOISE) or DUMPED.search(text) or repeats_identity(text, self.last):
            return
        if found := ERROR.match(text):
            self.error = found["what"]
        if text.startswith(WARNING) and MESSAGE in text and IGNORED in text:
            self.ignored = self.ignored or text.partition(MESSAGE)[2].rstrip('"')
        self.full |= NO_ROOM in text.lower()
        self.last = text or self.last
        self._tell(text)


def repeats_identity(text: str, last: str) -> bool:
    """Return whether a line is the full digest of the image whose short id ends the line before."""
    return (
        len(text) == DIGEST_LENGTH and last.startswith(MADE) and text.startswith(last.rsplit(maxsplit=1)[-1])
    )


def verdict(ended: Exit, log: BuildLog, limits: BuildLimits) -> str | None:
    """Return why the build failed, in a sentence, or None if it did not fail."""
    if ended.succeeded:
        return f"the builder does not do all that the recipe says: {log.ignored}" if log.ignored else None
    match ended.cause:
        case Cause.TIME:
            return f"the build took longer than {limits.seconds:g} seconds and was stopped"
        case Cause.MEMORY:
            return f"the build needed more than {_mebibytes(limits.memory)} of memory and was stopped"
        case Cause.LOG:
            return f"the build wrote more than {_mebibytes(limits.log)} of log and was stopped"
        case Cause.LOST | Cause.STOPPED | Cause.UNSTARTED:
            return f"the box of the build was lost; push again to repeat it ({ended.detail or ended.cause})"
    if log.full:
        return f"the build needed more than {_mebibytes(limits.disk)} of disk"
    return _sentence(log.error or log.last or f"exit code {ended.code}")


def _sentence(reason: str) -> str:
    """Return a builder's reason in words for the account that pushed."""
    reason = _without_insides(reason)
    reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}…"
    if any(words in reason for words in (*ABSENT, *REFUSED)):
        return f"the image could not be built: {reason}; {OWN_IMAGES}"
    step, is_step, why = reason.partition(FAILED)[2].partition('": ')
    if not is_step:
        return f"the image could not be built: {reason}{_advice(reason)}"
    why = why.removeprefix("while running runtime: ")
    return f"the image could not be built: {step} failed ({why}){_advice(why)}"


def _without_insides(reason: str) -> str:
    """Return the reason with a mark in place of the builder's internal values, up to the last brace."""
    start = min((at for mark in INSIDES if (at := reason.find(mark)) >= 0), default=-1)
    end = reason.rfind("}") + 1
    if start < 0 or end <= start:
        return reason
    before = reason[:start]
    return f"{before[: before.rfind(' ') + 1]}…{reason[end:]}"


def _advice(why: str) -> str:
    """Return advice for a pattern whose brackets make it match no file, or ""."""
    names = why.replace("globs [", "").replace("stat: [", "")
    return f"; {BRACKETS}" if "[" in names and any(word in why for word in NO_MATCH) else ""


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):g} MiB"
