"""The page that creates a plot from rows: pasted, typed, or in a file, with a preview of the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handlers.pages.acting.fields import TEXT, at_field, shown_again
from handlers.pages.charts.cell_table import as_rows
from handlers.pages.charts.editor_facts import PreviewDraft, draw_preview
from handlers.pages.charts.plot_draft import (
    DATA,
    NAME,
    TYPE,
    UPLOAD,
    file_rows,
    sent_type,
    understand_texts,
)
from handlers.pages.charts.plot_words import (
    READING,
    draft_words,
    shown_fields,
    type_choice,
    with_words,
    word_fields,
)
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.editing.editor_frame import GO_ON
from handlers.pages.examples import kind_example
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT
from handlers.pages.owning import new_page
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.rules.addresses import API
from handlers.trees.visuals.plots import KIND

DRAW = API / "draw"
ROWS = TEXT + DATA


def show(request: PageRequest) -> Page:
    """Return the page, with the rows of an example for `?from=example`. Raises Unauthenticated."""
    request.me(f"create a {KIND.noun}")
    is_example = request.query.get("from") == new_page.EXAMPLE
    facts: dict[str, Any] = {
        "kind": KIND,
        "title": f"New {KIND.noun}",
        "rows": kind_example(KIND)[DATA].strip() if is_example else "",
        "preview": "/new/plot/preview",
        "reading": shown_fields(word_fields(READING), {}),
        **type_choice((), ""),
    }
    return Page("new_plot.html", facts, frames=True, document=True)


def make(request: PageRequest, form: SentForm) -> Answered:
    """Create a plot of the rows, all or nothing; redirect to its page, or without rows to its editor."""
    if form["do"] == GO_ON:
        return replace(show(request), typed=shown_again(form.fields))
    at, title = new_page.requested_item(KIND, request, form)
    texts = {**_texts(form), NAME: title}
    with request.world.atomic():
        with at_field("name"):
            new_page.create(at, request)
        for rel, text in texts.items():
            if text:
                with at_field(ROWS if rel == DATA else rel):
                    request.write(at.api / tuple(rel.split("/")), text)
    return Redirect(str(at.page) if texts[DATA] else f"{at.page}/{EDIT}", done="made")


def preview(request: PageRequest, form: SentForm) -> Piece:
    """Return the picture of the rows. Raises Unauthenticated."""

    def tried() -> PreviewDraft:
        texts = {**_texts(form), NAME: form["title"].strip()}
        return PreviewDraft(texts, draft_words(understand_texts(texts)))

    return draw_preview(request, DRAW, tried)


def _texts(form: SentForm) -> Mapping[str, str]:
    """Return the data and settings of a form; if no type is chosen, with the type that suits the data.

    Raises Invalid and TooLarge at the field.
    """
    with at_field(UPLOAD):
        uploaded = file_rows(form)
    with at_field(ROWS):
        data = uploaded or as_rows(lines_of(form[ROWS]))
    texts = {**with_words({}, form.fields, {}), DATA: data if data.strip() else ""}
    types = understand_texts(texts).types
    return {**texts, TYPE: sent_type(form.fields, types[0] if types else "")}
