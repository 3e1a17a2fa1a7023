"""Common parts of editors: template values, saving a form, and the page of conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from handlers.pages.acting.fields import BASE, TEXT, refused_fields
from handlers.pages.editing.edited_texts import ETAG, EditedText, ShownText, TextConflict, lines_of, save
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT, item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.words.text_changes import DiffLine, compare, merge
from vfs.errors import NotFound, Outdated, Unauthenticated, VfsError

BOTH, MINE, THEIRS, GO_ON = "both", "mine", "theirs", "edit"
"""The values of the four buttons: keep both changes, mine, theirs, or show the editor again with mine."""
MERGED = "both."
"""Prefix of the names of fields with merged texts; each conflict of the page has one."""
TEMPLATE = "conflict.html"
NOTHING_MORE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """A conflict as the page shows it; comparisons are None if the texts are too long to compare."""

    title: str
    conflict: TextConflict
    merged: str | None
    theirs: Sequence[DiffLine] | None
    mine: Sequence[DiffLine] | None
    both: Sequence[DiffLine] | None


def conflict_page(
    at: ItemPath,
    texts: Iterable[EditedText],
    conflicts: Iterable[TextConflict],
    titles: Mapping[str, str],
    *,
    action: str = "",
    crumb: str = EDIT,
    more: Mapping[str, str] = NOTHING_MORE,
    note: str = "",
) -> Page:
    """Return the page of the conflicts that prevented a save; `titles` has the labels of the texts.

    Its form has the present versions, so that a second conflict is detected too, and `more` fields as they
    were sent. Its action is `action`, by default the editor of the item; `crumb` is the title of that page.
    `note` says what the form does not contain.
    """
    shown = [_show(one, titles.get(one.mine.rel, one.mine.rel)) for one in conflicts]
    present = {one.conflict.mine.rel: one.conflict.theirs for one in shown}
    fields = dict(more)
    for text in texts:
        if text.is_changed:
            now = present.get(text.rel, ShownText(text.base, text.etag))
            fields |= {TEXT + text.rel: text.text, BASE + text.rel: now.text, ETAG + text.rel: now.etag}
    fields |= {MERGED + one.conflict.mine.rel: one.merged or "" for one in shown}
    facts = {
        "at": at,
        "action": action or f"{at.page}/{EDIT}",
        "crumb": crumb,
        "conflicts": shown,
        "fields": fields,
        "note": note,
        "merges": all(one.merged is not None for one in shown),
        "removed": any(one.conflict.removed for one in shown),
        "author": next((one.conflict.author for one in shown if one.conflict.author), "").replace(" ", ", @"),
        "changed_on": next((one.conflict.changed_on for one in shown if one.conflict.changed_on), ""),
    }
    return Page(TEMPLATE, facts, Outdated("somebody else saved a change meanwhile; nothing was saved"))


def settle(form: SentForm, texts: Sequence[EditedText]) -> list[EditedText]:
    """Return the texts that the pressed button of a conflict page selects; unchanged for other buttons."""
    return [_settle_one(form, one) if MERGED + one.rel in form.fields else one for one in texts]


def _settle_one(form: SentForm, text: EditedText) -> EditedText:
    match form["do"]:
        case "both":
            return replace(text, text=lines_of(form[MERGED + text.rel]))
        case "theirs":
            return replace(text, text=text.base)
    return text


def _show(conflict: TextConflict, title: str) -> ShownConflict:
    mine, theirs = conflict.mine, conflict.theirs.text
    merged = None if conflict.removed else merge(mine.base, mine.text, theirs)
    return ShownConflict(
        title,
        conflict,
        merged,
        compare(mine.base, theirs),
        None if conflict.removed else compare(mine.base, mine.text),
        compare(mine.base, merged) if merged is not None else None,
    )


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
    """The way an editor saves: `again` shows its input, `saved` redirects, `titles` has labels of its texts.

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
    """Save the texts of a form, or show them again with an error, or beside another writer's texts.

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
