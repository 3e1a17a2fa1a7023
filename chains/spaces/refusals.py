"""Refusals of changes to a space: errors with advice."""

from __future__ import annotations

from chains.files.sizes import size_text
from chains.spaces.space import SpaceEntry
from vfs.errors import Conflict, NotFound, TooLarge


class Taken(Conflict):
    """The refusal to replace a file without an explicit request."""


def admit_move(source: SpaceEntry, target: SpaceEntry | None, new: str, *, replace: bool) -> None:
    """Raise Conflict unless an entry may move to a path, and Taken if it would replace `target`."""
    if new == "" or (target is not None and target.folder):
        raise folder_there(new)
    if new.startswith(f"{source.path}/"):
        raise Conflict(f"{source.path} cannot be moved into itself; choose a path outside of it.")
    if target is not None and source.folder:
        raise file_there(new)
    if target is not None and not replace:
        raise Taken(
            f'{new} is there already; choose another path, or replace it with  "replace": true  in the JSON'
        )


def admit_copy(source: SpaceEntry, target: SpaceEntry | None, new: str, *, is_here: bool) -> None:
    """Raise Conflict unless an entry may be copied to a path; `is_here`: in the same space."""
    if new == "" or target is not None:
        raise Conflict(f"{new or 'content'} is there already; choose another path.")
    if is_here and new.startswith(f"{source.path}/"):
        raise Conflict(f"{source.path} cannot be copied into itself; choose a path outside of it.")


def absent(path: str) -> NotFound:
    """Return the refusal for a missing entry."""
    return NotFound(f"There is no {path} in the space.")


def folder_there(path: str) -> Conflict:
    """Return the refusal to write a file over a folder."""
    return Conflict(f"{path or 'content'} is a folder and is never replaced; choose another path.")


def file_there(path: str) -> Conflict:
    """Return the refusal to make a folder over a file."""
    return Conflict(f"{path} is a file, so it cannot be a folder; remove it first or choose another path.")


def holds_something() -> Conflict:
    """Return the refusal to fill a space or folder that is not empty."""
    return Conflict("The space is not empty; only an empty one can be filled.")


def not_empty(path: str) -> Conflict:
    """Return the refusal to remove a folder that is not empty."""
    return Conflict(f"{path} is a folder that is not empty; add  ?recursive=true  to remove all of it.")


def not_in_trash(path: str) -> NotFound:
    """Return the refusal to restore an entry that was restored or removed meanwhile."""
    return NotFound(f"{path or 'content'} is not in the trash any more.")


def restored_over(path: str) -> Conflict:
    """Return the refusal to restore to a path that has an entry."""
    return Conflict(
        f"There is something at {path or 'content'} that would be replaced: send another path as name, "
        "or move away what is there."
    )


def over_quota(quota: int) -> TooLarge:
    """Return the refusal of bytes beyond the quota."""
    return TooLarge(
        f"The files of a space may hold {size_text(quota)} together; remove some first.", limit=quota
    )
