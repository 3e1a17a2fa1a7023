"""Old defects of commits that an operator may let through when they are pushed (git-fsck(1), message ids)."""

from __future__ import annotations

TOLERABLE = (
    *("badDate", "badDateOverflow", "badEmail", "badFilemode", "badName", "badTagName", "badTimezone"),
    *("duplicateEntries", "emptyName", "missingAuthor", "missingCommitter", "missingEmail"),
    *("missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "missingTaggerEntry"),
    *("multipleAuthors", "nullSha1", "treeNotSorted", "zeroPaddedDate", "zeroPaddedFilemode"),
)
"""Those that old or careless programs left; none that a clone could be attacked by."""

_BY_LETTERS = {name.lower(): name for name in TOLERABLE}


def canonical(name: str) -> str | None:
    """A defect as git spells it, in whatever case it is given; None where it is none of these."""
    return _BY_LETTERS.get(name.lower())
