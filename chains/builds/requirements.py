"""Requirements files of pip: whether installing one needs other files of its repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

GREATEST = 1 << 20
LONGEST = 8_000
_ARCHIVE = re.compile(r"[^/]+\.(?:whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma)", re.IGNORECASE)
_COMMENT = re.compile(r"(^| )#.*")
_ADDRESS = r"(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh)://[^ $]+"
_VALUE = r"(?: |=| = | =|= )(?!file:|[./])[^ $]+"
_OPTION = (
    r"--(?:pre|require-hashes|prefer-binary|no-index)"
    r"|(?:-i|--index-url|--pypi-url|--extra-index-url|--trusted-host|--no-binary|--only-binary|--use-feature)"
    + _VALUE
)
_PLAIN = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]* ?(?:\[[A-Za-z0-9 ._,-]*\])? ?"
    rf"(?:\(?[<>=!~][A-Za-z0-9 ._,*+!<>=~-]*\)?|@ ?{_ADDRESS})? ?"
    rf"(?:;[^$]*)?(?: --(?:hash|global-option|config-settings?){_VALUE})*"
    rf"|{_ADDRESS}"
    rf"|(?:{_OPTION})(?: (?:{_OPTION}))*"
)
"""A requirement by name or by an address in the network, and an option that names no file."""


def names_files(requirements: bytes) -> bool:
    """Whether pip reads more of the repository than this file: whatever is not plainly of an index does.

    Being wrong on the careful side costs no more than the cache of the installation.
    """
    if len(requirements) > GREATEST:
        return True
    text = requirements.decode("utf-8-sig", errors="replace")
    return not all(_is_plain(line) for line in _lines(text))


def _is_plain(line: str) -> bool:
    first = re.split(r"[ ;\[]", line, maxsplit=1)[0]
    return len(line) <= LONGEST and not _ARCHIVE.fullmatch(first) and bool(_PLAIN.fullmatch(line))


def _lines(text: str) -> Iterator[str]:
    """The logical lines without comments, a blank between words; a line of comment is never continued."""
    held = ""
    for line in (*text.splitlines(), ""):
        words = " ".join(line.split())
        if line.endswith("\\") and not words.startswith("#"):
            held += " ".join(line.removesuffix("\\").split()) + " "
            continue
        whole = _COMMENT.sub("", " ".join((held + words).split()))
        if whole := whole.strip():
            yield whole
        held = ""
