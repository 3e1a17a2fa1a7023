"""The page of a conflict: another writer's text, the caller's text, and a merge if possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from handlers.pages.acting.fields import BASE, TEXT
from handlers.pages.editing.edited_texts import ETAG, EditedText, ShownText, TextConflict, lines_of
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import ItemPath
from handlers.pages.result import Page
from handlers.words.text_changes import DiffLine, compare, merge
from vfs.errors import Outdated

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
    """Return the page of conflicts that kept these texts from being saved; `titles` has their labels.

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
    """Return the texts as the pressed button of a conflict's page decides; unchanged for other buttons."""
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
