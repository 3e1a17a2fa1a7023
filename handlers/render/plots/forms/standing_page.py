"""Page that stands by itself: a fragment of HTML with title, language, and the faces it was measured with."""

from __future__ import annotations

from html import escape

from handlers.render.language import language
from handlers.render.plots.forms.embedded_fonts import face_rules

LONGEST_TITLE = 300


def standing_page(fragment: str, title: str) -> str:
    """The fragment as a whole page; put into another, it is the fragment, as all around it is optional."""
    return (
        f'<!doctype html>\n<html lang="{language().tag}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title[:LONGEST_TITLE])}</title>"
        f'<style id="faces">{face_rules(fragment)}</style></head><body>\n{fragment}</body></html>\n'
    )
