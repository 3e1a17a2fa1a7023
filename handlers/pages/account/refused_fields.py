"""Refused fields of a form: what each lacks, to be told at its place."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.acting.fields import sentences_by_field
from vfs.errors import VfsError


def refused_fields(error: VfsError | None) -> Mapping[str, str]:
    """The reasons of a refusal by the names of the fields that it is about; none of one that names none."""
    if error is None:
        return {}
    rejected = error.members.get("rejected")
    if not isinstance(rejected, list):
        return sentences_by_field(error)
    return {str(one["field"]): str(one["reason"]) for one in rejected if "field" in one}


def blame_field(error: VfsError, field: str, reason: str = "") -> VfsError:
    """The same refusal, told at a field, too; `reason` is what it says there where that is shorter."""
    error.members = {**error.members, "rejected": [{"field": field, "reason": reason or error.detail}]}
    return error
