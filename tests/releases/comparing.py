"""What of a stored answer may differ today, and why; everything else may not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from tests.releases.asking import Answer

Rule = tuple[str, str]
"""Patterns of a place and of what was there: a body, or the name of a fact or of an entry."""

RUN_TIMES = r"users/\w+/code/jobs/\w+/runs/.*"
WAITING = r"users/\w+/code/jobs/slow"
COMMENT = r"users/.*/threads/@\w+~\w+(/comments/.*)?"
TIMES = "created_on|last_modified"
ANSWERED = r"\d+-\d+-1"

# What the rendering service draws, which is not there.
DRAWN = r"users/\w+/vis/\w+/\w+/(log|files/.*)"
# Answers as a whole.
ANSWERS: Mapping[Rule, str] = {
    (r"users/\w+/.*/url", r"https://curlew\.example/\w/\w{5}"): "pages stand at /u/<user>/<letter>/<name>",
    (rf"{WAITING}/runs/[\w-]+/stats", ".*"): "the time passes of a run that waits",
    (rf"admin/notifications/{ANSWERED}", ".*"): "invitations that were answered have no notice",
    (r"users/\w+/code/spaces/[\w-]+/changes", ".*"): "a journal tells whether rows are lacking",
    (r"users/\w+/code/jobs/\w+/config/schedule", r"\{.*"): "the next planned times pass",
    (r"users/\w+/code/repos/\w+/status", "ready"): "images are gone here, which the status tells",
    (
        r"users/\w+/(vis/(plots|grids|mails)|code/jobs)/\w+/texts",
        "sha256:.*",
    ): "there are more; each is compared",
    (r"users/\w+/vis/docs/\w+/texts", ".*"): "there are more; each is compared",
}
# Facts of entries of folders.
FACTS: Mapping[Rule, str] = {
    (RUN_TIMES, TIMES): "files of a run have its times",
    (r"users/\w+/code/repos/\w+/commits/.*", TIMES): "files of a commit have its time",
    (COMMENT, TIMES): "files of a comment have its times",
    (f"{WAITING}(/stats)?/runs", "duration"): "the time passes of a run that waits",
    ("admin", f"{TIMES}|permissions"): "the profile has the times and rights of its account",
}
# Entries that are no longer listed.
HIDDEN: Mapping[Rule, str] = {
    (r"users/\w+/vis/plots/\w+/config", "table|custom"): "they are listed where a type has them",
    ("admin/notifications", ANSWERED): "invitations that were answered have no notice",
}
WORDS = {": POST yes or no to its accept.": "."}
"""Words of stored texts that are said elsewhere by now: what to do stands beside a notice."""
MEDIA = {"text/x-python": "text/plain", "text/markdown": "text/plain"}
"""Files of commits are answered as plain text, whatever they are."""


def difference(path: str, then: Answer, now: Answer) -> str:
    """What differs that may not, in a line; empty where nothing does."""
    if re.fullmatch(DRAWN, path) and now.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return ""
    if then.media != now.media:
        then = then._replace(media=MEDIA.get(then.media, then.media))
    for word, present in WORDS.items():
        then = then._replace(body=then.body.replace(word, present))
    if now == then or _has_all_of(then, now) or _may(ANSWERS, path, then.body.strip()):
        return ""
    lists = _list_of(then), _list_of(now)
    return "; ".join(_entries(path, *lists)) if all(lists) else f"{then} is {now} now"


def _has_all_of(then: Answer, now: Answer) -> bool:
    """Whether an object has every member that it had; there may be more."""
    objects = then.body.startswith("{") and now.body.startswith("{")
    if (then.status, then.media) != (now.status, "application/json") or not objects:
        return False
    there = json.loads(now.body)
    return isinstance(there, dict) and all(
        there.get(name, then) == value for name, value in json.loads(then.body).items()
    )


def _list_of(answer: Answer) -> list[dict[str, Any]]:
    """The entries of a list of things with names; none of anything else."""
    if answer.media != "application/json" or not answer.body.startswith("["):
        return []
    found = json.loads(answer.body)
    return found if all(isinstance(entry, dict) and "name" in entry for entry in found) else []


def _entries(path: str, then: list[dict[str, Any]], now: list[dict[str, Any]]) -> Iterator[str]:
    """The entries that are gone or have other facts; there may be more of both."""
    found = {entry.get("name"): entry for entry in now}
    for entry in then:
        name = str(entry.get("name"))
        if name not in found:
            if not _may(HIDDEN, path, name):
                yield f"{name} is gone"
            continue
        for key, value in entry.items():
            if (there := found[name].get(key)) != value and not _may(FACTS, path, key):
                yield f"{key} of {name} was {value!r}, is {there!r}"


def _may(known: Mapping[Rule, str], path: str, word: str) -> bool:
    """Whether the difference of something in a place is known."""
    return any(re.fullmatch(place, path) and re.fullmatch(words, word, re.DOTALL) for place, words in known)
