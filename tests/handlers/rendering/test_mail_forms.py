"""Forms of mails: each is rendered from the same order."""

from __future__ import annotations

import json

import pytest

from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder
from handlers.rendering.render_kinds import RENDER_KINDS
from handlers.words.document_parts import dump_parts
from tests.handlers.render.mails.mail_samples import MAIL, sample_parts

BEGINNINGS = {"html": b"<!doctype html>", "pdf": b"%PDF", "png": b"\x89PNG", "pptx": b"PK", "txt": b"Summary"}


@pytest.mark.parametrize("form", sorted(RENDER_KINDS["mail"].forms))
def test_every_form_is_made(form: str) -> None:
    texts = {"content": MAIL, "parts": dump_parts(sample_parts()), "config/subject": "Freight"}
    made = render_order(RenderOrder("mail", form, texts))
    assert made.body.startswith(BEGINNINGS.get(form, b""))
    if made.media == "application/json":
        assert json.loads(made.body)
