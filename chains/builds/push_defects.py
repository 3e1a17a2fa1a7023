"""Old defects of commits that an operator may allow in pushes (git-fsck(1), message ids)."""

from __future__ import annotations

TOLERABLE = (
    *("badDate", "badDateOverflow", "badEmail", "badFilemode", "badName", "badTagName", "badTimezone"),
    *("duplicateEntries", "emptyName", "missingAuthor", "missingCommitter", "missingEmail"),
    *("missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "missingTaggerEntry"),
    *("multipleAuthors", "nullSha1", "treeNotSorted", "zeroPaddedDate", "zeroPaddedFilemode"),
)
"""Defects left by old or careless programs. None of them can be used to attack a clone."""

_BY_LETTERS = {name.lower(): name for name in TOLERABLE}


def canonical(name: str) -> str | None:
    """Return a defect, given in any case, as git spells it, or None if it is not one of these."""
    return _BY_LETTERS.get(name.lower())
