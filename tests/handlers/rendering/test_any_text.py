"""Every form of a document and of a mail can be rendered from any text without a failure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.rendering.document_forms import DOCUMENT_FORMS, MAIL_FORMS
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder
from tests.handlers.render.documents.test_any_document import TEXTS

LAID = ("pdf", "png", "pptx")
QUICK = [("doc", form) for form in DOCUMENT_FORMS if form not in LAID]
QUICK += [("mail", form) for form in MAIL_FORMS if form not in LAID]
SLOW = [(kind, form) for kind, forms in (("doc", DOCUMENT_FORMS), ("mail", MAIL_FORMS)) for form in LAID]
SENT = TEXTS.map(lambda text: text.encode("utf-8", "replace").decode())
TYPES = st.sampled_from(["doc", "pres", "web", "blog"])


def make(kind: str, form: str, text: str, type_: str) -> bytes:
    texts = {"content": text, "config/type": type_, "config/subject": text[:60], "name": "n"}
    return render_order(RenderOrder(kind, form, texts)).body


@pytest.mark.parametrize(("kind", "form"), QUICK)
@given(SENT, TYPES)
@settings(max_examples=25, deadline=None)
def test_forms_of_signs_are_made_of_any_text(kind: str, form: str, text: str, type_: str) -> None:
    assert make(kind, form, text, type_) is not None


@pytest.mark.parametrize(("kind", "form"), SLOW)
@given(SENT, TYPES)
@settings(max_examples=4, deadline=None)
def test_laid_forms_are_made_of_any_text(kind: str, form: str, text: str, type_: str) -> None:
    assert make(kind, form, text, type_)
