"""The words of a Dockerfile: instructions, those that steps do not support, and working folders."""

from __future__ import annotations

import json
import posixpath
import re
from collections import deque
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from chains.engine.port import BuildFailed

_ESCAPE = re.compile(r"#[ \t]*escape[ \t]*=[ \t]*(`|\\)[ \t\r]*", re.IGNORECASE)
_HEREDOC = re.compile(r"\d*<<-?(?P<quote>[\"']?)(?P<end>[A-Za-z_][\w.]*)(?P=quote)")


class Word(NamedTuple):
    """A word of a recipe, or part of one, and its start."""

    start: int
    text: str


def escape_of(text: str) -> str:
    """Return the character that continues a line of a recipe on the next one."""
    first = _ESCAPE.match(text)
    return first[1] if first else "\\"


def instructions(text: str) -> Iterator[list[Word]]:
    """Yield the words of each instruction with its continuation lines, without the lines of heredocs."""
    escape = escape_of(text)
    words: list[Word] = []
    ends: deque[str] = deque()
    start = 0
    for line in text.split("\n"):
        bare = line.strip()
        if ends:
            if bare == ends[0]:
                ends.popleft()
        elif bare and not bare.startswith("#"):
            continued = bare.endswith(escape)
            body = line.rstrip()[:-1] if continued else line
            words += [Word(start + word.start(), word[0]) for word in re.finditer(r"\S+", body)]
            if words and not continued:
                ends = deque(heredocs(words))
                yield words
                words = []
        start += len(line) + 1
    if words:
        yield words


def heredocs(words: list[Word]) -> list[str]:
    """Return the lines that end the heredocs of an instruction."""
    if words[0].text.upper() not in ("RUN", "COPY", "ADD"):
        return []
    return [match["end"] for word in words if (match := _HEREDOC.fullmatch(word.text))]


def flags(words: list[Word]) -> list[Word]:
    """Return the flags before an instruction's own words."""
    end = next((n for n, word in enumerate(words[1:], 1) if not word.text.startswith("--")), len(words))
    return words[1:end]


HEALTH = "HEALTHCHECK: a step has no health checks, it just ends. Remove the line and push again"
SIGNAL = "STOPSIGNAL: a step that is stopped gets SIGTERM. Handle that, remove the line and push again"
LATER = (
    "ONBUILD: an image of this server keeps nothing for builds that begin with it. Write its instructions "
    "into the recipes that begin with this image, and push again"
)
TERM = ("SIGTERM", "TERM", "15")
LONGEST_WORD = 40
INSTRUCTIONS = (
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL "
    "USER VOLUME WORKDIR"
)
KNOWN = INSTRUCTIONS.split()


def refuse_instructions(text: str) -> None:
    """Raise BuildFailed for the first instruction that steps do not support, or that does not exist.

    ONBUILD is allowed in a stage that a later stage begins with: it runs in the same build. Heredocs have
    more forms than `instructions` knows, so only the builder finds unknown words in recipes with one.
    """
    kept_back, checks_words = False, "<<" not in text
    for words in instructions(text):
        keyword = words[0].text.upper()
        rest = [word.text for word in words[1:]]
        if checks_words and keyword.isalpha() and keyword not in KNOWN:
            raise BuildFailed(_unknown(words[0].text))
        if keyword == "FROM":
            kept_back = False
        elif keyword == "HEALTHCHECK" and [word.upper() for word in rest] != ["NONE"]:
            raise BuildFailed(HEALTH)
        elif keyword == "STOPSIGNAL" and " ".join(rest).upper() not in TERM:
            raise BuildFailed(SIGNAL)
        elif keyword == "ONBUILD":
            kept_back = True
    if kept_back:
        raise BuildFailed(LATER)


def _unknown(word: str) -> str:
    meant = get_close_matches(word[:LONGEST_WORD].upper(), KNOWN, 1)
    advice = f"write {meant[0]} and push again" if meant else "correct the line and push again"
    return f"{word[:LONGEST_WORD]} is no instruction of a Dockerfile: {advice}"


COMMANDS = ("CMD", "ENTRYPOINT")


def spell_out_shells(text: str) -> str:
    """Return the recipe with CMD and ENTRYPOINT in shell form written as lists, where SHELL is set."""
    shells: dict[str, list[str]] = {}
    shell, stage = list[str](), ""
    edits: list[tuple[int, int, str]] = []
    for words in instructions(text):
        keyword, rest = words[0].text.upper(), [word.text for word in words[1:]]
        if keyword == "FROM":
            names = [word for word in rest if not word.startswith("--")]
            shell = shells.get(names[0].lower(), []) if names else []
            stage = names[2].lower() if len(names) > 2 else ""
        elif keyword == "SHELL":
            shell = _list(" ".join(rest)) or []
        elif keyword in COMMANDS and rest and shell and _list(" ".join(rest)) is None:
            start, end = words[0].start, words[-1].start + len(words[-1].text)
            command = _join_lines(text[words[1].start : end], escape_of(text))
            edits.append((start, end, f"{keyword} {json.dumps([*shell, command])}"))
        shells[stage] = shell
    for start, end, command in reversed(edits):
        text = text[:start] + command + text[end:]
    return text


def _list(text: str) -> list[str] | None:
    """Return the words of a command in the form of a JSON list, or None for another form."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else None


def _join_lines(text: str, escape: str) -> str:
    """Return a command without its line continuations and the comments between them."""
    first, *more = text.split("\n")
    lines = [first, *(line for line in more if not line.lstrip().startswith("#"))]
    whole = [line.rstrip().removesuffix(escape) for line in lines[:-1]]
    return "".join([*whole, *lines[-1:]])


LONGEST = 4096
"""Maximum length of a path in characters, as in Linux."""
_TARGET = re.compile(r"(?:^|,)(?:target|dst|destination)=(?P<path>[^,]+)")


class WorkingFolders:
    """The working folder of the current stage. `_known`: those of stages, by lower-case name.

    A stage on an unknown image begins in the root.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._here = "/"
        self._stage = ""

    def begin(self, base: str, stage: str) -> None:
        """Begin a stage on an image or on an earlier stage."""
        self._here = self._known.get(base.lower(), "/")
        self._stage = stage.lower()
        self._known[self._stage] = self._here

    def change(self, path: str) -> None:
        """Change the working folder (WORKDIR)."""
        self._here = self.place(path.strip("\"'"))
        self._known[self._stage] = self._here

    def place(self, path: str) -> str:
        """Return the absolute path. One that begins with a variable is unchanged. Raise BuildFailed."""
        found = path if path.startswith(("/", "$")) else posixpath.normpath(posixpath.join(self._here, path))
        if len(found) > LONGEST:
            raise BuildFailed(f"the path of a folder in the recipe is longer than {LONGEST:,} characters")
        return found


def target_of(flag: Word) -> Iterator[Word]:
    """Yield the path in the container at which a flag mounts something."""
    if flag.text.startswith("--mount="):
        start = len("--mount=")
        for found in _TARGET.finditer(flag.text[start:]):
            yield Word(flag.start + start + found.start("path"), found["path"])
