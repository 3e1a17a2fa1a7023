"""The frame of an editor of an item: the values of its page, and its form saved, refused or compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handlers.pages.acting.fields import refused_fields
from handlers.pages.editing.conflict_page import GO_ON, conflict_page, settle
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict, save
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT, item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from vfs.errors import NotFound, Outdated, Unauthenticated, VfsError

PREVIEW = "preview"
MOST_LISTED = 5


def frame_facts(
    request: PageRequest,
    at: ItemPath,
    texts: Mapping[str, ShownText],
    *,
    title: str = "",
    unsaved: bool,
    error: VfsError | None = None,
) -> dict[str, Any]:
    """Return the template values that each editor has: head, texts as they were shown, preview, errors."""
    return {
        "at": at,
        "head": item_head(request, at, title=title, writes=True),
        "texts": texts,
        "preview": f"{at.page}/{EDIT}/{PREVIEW}",
        "follow": "",
        "unsaved": unsaved,
        "trouble": f"Not saved: {error.detail}." if error is not None else None,
        "rejected": rejected_places(error)[:MOST_LISTED] if error is not None else (),
    }


def rejected_places(error: VfsError) -> list[dict[str, Any]]:
    """Return the positions in an error: field, line and column (0: none), reason and excerpt."""
    facts = error.members.get("rejected") or []
    return [{"field": "", "line": 0, "column": 0, "reason": "", "excerpt": "", **one} for one in facts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """The way an editor saves: `again` shows its input, `saved` leads on, `titles` are labels of its texts.

    Texts of more than `largest` characters are not compared. `more` and `note` are those of `conflict_page`.
    """

    titles: Mapping[str, str]
    again: Callable[[VfsError | None], Page]
    saved: Callable[[], Redirect]
    write: Callable[[Sequence[EditedText]], Sequence[TextConflict]] | None = None
    largest: int = 0
    more: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def save_form(
    request: PageRequest, at: ItemPath, form: SentForm, made: Sequence[EditedText], how: Editing
) -> Answered:
    """Save the texts of a form, or show them again: refused, or beside what somebody else wrote.

    Raises vfs.errors if the item is gone.
    """
    if form["do"] == GO_ON:
        return how.again(None)
    texts = settle(form, made)
    try:
        conflicts = how.write(texts) if how.write is not None else save(request, at.api, texts)
    except VfsError as error:
        if isinstance(error, (NotFound, Unauthenticated)) and not refused_fields(error):
            raise
        return how.again(error)
    if not conflicts:
        return how.saved()
    compared = [*(one.text for one in texts if one.is_changed), *(one.theirs.text for one in conflicts)]
    if how.largest and max(map(len, compared)) > how.largest:
        names = ", ".join(one.mine.rel for one in conflicts)
        said = "too large to compare: check the stored version, then save again to overwrite it"
        return how.again(Outdated(f"somebody else changed {names} meanwhile, and {said}"))
    return conflict_page(at, texts, conflicts, how.titles, more=how.more, note=how.note)
