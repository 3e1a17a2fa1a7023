"""A document as an HTML page: title, contents, its pages one after another, and the notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from handlers.render.documents.looks.custom_css import CheckedCss, chart_swaps
from handlers.render.documents.markup.blocks import Document, DocumentSheet, Quotation
from handlers.render.documents.markup.front_matter import edge_words
from handlers.render.documents.markup.section_grammar import UNWRITABLE
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.block_html import BlockWriter
from handlers.render.documents.pages.line_lengths import foot_height, part_words, slide_head
from handlers.render.documents.pages.media import Medium, classes
from handlers.render.documents.pages.page_context import ID, PageContext, is_right_to_left
from handlers.render.documents.pages.parts import ChartRoom
from handlers.render.documents.pages.span_html import spans_html, without_notes
from handlers.render.documents.pages.themes import sheet_values, style_sheet
from handlers.render.output_room import put_out
from handlers.words.document_parts import DocumentParts
from handlers.words.language import language, say, translate

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
PAGE_ID = "p-"
YES = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class DocumentLook:
    """The presentation of a document.

    `name` replaces a missing title, `origin` is shown in the footer of pages.
    """

    kind: str = "doc"
    theme: str = "novem"
    theme_css: str = ""
    custom_css: str = ""
    name: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class PageHtml:
    """An HTML page: `body` and `css` for an embedding page, `whole` as a separate page.

    The owner's rules, `custom_css`, come after all others, `look_css`.
    """

    title: str
    language: str
    body: str
    look_css: str
    custom_css: str
    about: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    kind: str = "doc"

    @property
    def css(self) -> str:
        """All rules."""
        return f"{self.look_css}\n{self.custom_css}"

    @property
    def whole(self) -> str:
        """The separate page."""
        return self.with_css(self.css)

    def with_css(self, css: str) -> str:
        """Return the separate page with other rules, or with none."""
        side = ' dir="rtl"' if is_right_to_left(self.language) else ""
        metas = "".join(f'<meta name="{name}" content="{escape(text)}">' for name, text in self.about)
        style = f"<style>{css}</style>" if css else ""
        return (
            f'<!doctype html>\n<html lang="{self.language}"{side}><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(self.title)}</title>'
            f"{metas}{style}</head>\n"
            f'<body data-kind="{self.kind}">{self.body}</body></html>\n'
        )


def page_html(document: Document, parts: DocumentParts, medium: Medium, look: DocumentLook) -> PageHtml:
    """Return the document as one page of HTML."""
    theme, custom = CheckedCss(look.theme_css, "theme"), CheckedCss(look.custom_css)
    context = PageContext(document, look.kind, medium, parts, language_of(document))
    context.chart_colors = chart_swaps(f"{theme.css}\n{custom.css}", context.sheet_kind)
    title = document_title(document, look.name)
    sheets = list(_sections(context, _opening(context)))
    if context.endnotes:
        sheets.append(_endnotes(context.endnotes))
    if look.kind == "pres" and document.about("header"):
        context.notes.append("header: slides have no header: write footer")
    if look.kind != "pres":
        edges = (_edge_html(context, "header"), _edge_html(context, "footer"))
        sheets = [*filter(None, (edges[0], *sheets, edges[1]))]
    values = sheet_values(document, look.name, look.origin, language_of(document))
    css = style_sheet(context.sheet_kind, medium.mode, look.theme, values)
    rules = _printable(f"{css}\n{theme.css}\n{context.rules.css}"), _printable(custom.css)
    markup = (f"line {note.line}, column {note.column}: {note.reason}" for note in document.notes)
    notes = (*markup, *theme.notes, *custom.notes, *context.notes)
    sheets = [part_words(sheet) for sheet in sheets] if medium.paged else sheets
    title, *sheets = (UNWRITABLE.sub("\ufffd", text) for text in (title, *sheets))
    about = tuple(_about(document))
    return PageHtml(title, language_of(document), "\n".join(sheets), *rules, about, notes, look.kind)


def _edge_html(context: PageContext, key: str) -> str:
    """Return a header or footer for a screen, which has no pages: once, above or below everything."""
    words = edge_words(context.document, key)
    if not words or context.medium.paged:
        return ""
    return f'<p class="edge"{context.side(words)}>{escape(words, quote=False)}</p>'


def _printable(css: str) -> str:
    """Return rules that cannot close their own `<style>` element."""
    return UNWRITABLE.sub("\ufffd", css.replace("</", "<\\/"))


def document_title(document: Document, name: str = "") -> str:
    """Return the title: from the front matter, else the first heading, else its name."""
    heading = next(document.headings(), None)
    words = words_of(heading.spans).strip() if heading else ""
    return document.about("title") or words or name or "Document"


def language_of(document: Document) -> str:
    """Return the language tag in the front matter, else that of the render."""
    said = document.about("lang") or document.about("language")
    return said if LANGUAGE.fullmatch(said) else language().tag


def _about(document: Document) -> Iterator[tuple[str, str]]:
    for name, key in (("author", "author"), ("description", "subtitle"), ("keywords", "tags")):
        if text := document.about(key):
            yield name, text


def _opening(context: PageContext) -> str:
    """Return the title, other parts of the front matter, and the contents."""
    document = context.document
    if not (title := document.about("title")):
        return _contents(context)
    kind = document.about("kind") or document.about("label")
    lines = [f'<p class="kind">{escape(kind)}</p>'] if kind else []
    lines.append(
        f"<h1{context.balance_class('title', title)}{context.side(title)}>{escape(title, quote=False)}</h1>"
    )
    if subtitle := document.about("subtitle"):
        name = context.balance_class("subtitle", subtitle, "subtitle")
        lines.append(f"<p{name}{context.side(subtitle)}>{escape(subtitle, quote=False)}</p>")
    facts = " · ".join(text for key in ("author", "date") if (text := document.about(key)))
    if facts:
        lines.append(f'<p class="facts"{context.side(facts)}>{escape(facts, quote=False)}</p>')
    return f'<header class="masthead">{"".join(lines)}</header>\n{_contents(context)}'


def _contents(context: PageContext) -> str:
    """Return the table of contents, if the front matter asks for it."""
    return _index(context) if context.document.about("toc").lower() in YES else ""


def _index(context: PageContext) -> str:
    """Return the headings of the two highest levels."""
    document, title = context.document, context.document.about("title")
    shown = [head for head in document.headings() if head.level <= 2 and words_of(head.spans) != title]
    highest = min((head.level for head in shown), default=1)
    lines: list[str] = []
    inner = False
    for head in shown:
        deeper = head.level > highest and bool(lines)
        lines.append("<ol>" if deeper and not inner else "</ol></li>" if inner and not deeper else "")
        inner = deeper
        words = spans_html(context, without_notes(head.spans))
        side = context.side(words_of(head.spans))
        lines.append(f'<li{side}><a href="#{ID}{escape(head.anchor)}">{words}</a>')
    label = translate("Contents", context.language)
    entries = "".join(lines) + ("</ol>" if inner else "")
    return f'<nav class="contents"><h2>{label}</h2><ol>{entries}</ol></nav>' if shown else ""


def _sections(context: PageContext, opening: str) -> Iterator[str]:
    document, slides = context.document, context.kind == "pres"
    if opening and slides:
        yield f'<section class="sheet opening" id="{PAGE_ID}title">{opening}</section>'
        opening = ""
    as_written = set(map(id, document.sheets))
    for index, sheet in enumerate(shown_sheets(document, slides=slides)):
        # Charts were requested for the pages as written; only the first one may be shown without its heading.
        written = sheet if id(sheet) in as_written else document.sheets[0]
        writer = BlockWriter(context, ChartRoom(context.kind, written))
        context.write_blocks = writer.blocks
        inner = writer.blocks(sheet.blocks)
        if sheet.type == "index":
            inner = put_out(_index(context)) + inner
        foot = foot_height(sheet.blocks) if slides and context.medium.paged else 0
        names = classes(*_names(context, sheet), context.rules.name(f"--foot:{foot}pt" if foot else ""))
        yield put_out(f'<section{names} id="{PAGE_ID}{index}">{opening}{inner}</section>')
        opening = ""


def shown_sheets(document: Document, *, slides: bool) -> tuple[DocumentSheet, ...]:
    """Return the pages without a heading that repeats the title, and without empty slides."""
    first, *rest = document.sheets
    if first.head and words_of(first.head.spans) == document.about("title"):
        first = replace(first, blocks=first.blocks[1:])
    sheets = (first, *rest)
    return tuple(sheet for sheet in sheets if sheet.blocks or not slides or len(sheets) == 1)


def _names(context: PageContext, sheet: DocumentSheet) -> Iterator[str]:
    """Yield the classes of a page; a page of a flowing text has on paper the same ones as on a screen."""
    slides, flows = context.kind == "pres", context.kind == "web" and context.medium.paged
    yield "sheet flowing" if flows else "sheet"
    yield f"cols-{sheet.columns}" if sheet.columns > 1 else ""
    yield "fill" if sheet.fill else ""
    yield "landscape" if sheet.landscape and not slides and not flows else ""
    yield sheet.type if sheet.type == "centered" or (sheet.type == "blank" and not flows) else ""
    if not slides:
        yield "front" if sheet.type == "fp" and not flows else ""
    elif is_stage(sheet):
        yield "stage"
    elif is_quotation(sheet):
        yield "middle"
    elif sheet.head:
        yield slide_head(words_of(sheet.head.spans))[0]


def is_stage(sheet: DocumentSheet) -> bool:
    """Return whether a slide separates two chapters."""
    return sheet.type == "fp" or (len(sheet.blocks) == 1 and sheet.head is not None)


def is_quotation(sheet: DocumentSheet) -> bool:
    """Return whether a slide begins with a quotation."""
    return bool(sheet.blocks) and isinstance(sheet.blocks[0], Quotation)


def _endnotes(notes: Sequence[str]) -> str:
    entries = "".join(
        f'<li id="{ID}note-{number}">{note} <a href="#{ID}call-{number}" role="doc-backlink" '
        f'aria-label="{escape(say("back to the text"))}">↩</a></li>'
        for number, note in enumerate(notes, 1)
    )
    return f'<section class="endnotes" role="doc-endnotes"><ol>{entries}</ol></section>'
