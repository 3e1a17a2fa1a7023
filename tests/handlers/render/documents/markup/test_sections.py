"""Sections, front matter and marks of lines: every form in the manual is read."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup import blocks as b
from handlers.render.documents.markup import spans as s
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.parameters import HUES, SHADES
from handlers.render.mails.mail_html import read_mail

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def only(text: str) -> b.DocumentBlock:
    (sheet,) = read_document(text).sheets
    (block,) = sheet.blocks
    return block


def reasons(text: str) -> list[str]:
    return [note.reason for note in read_document(text).notes]


@pytest.mark.parametrize(
    "lines,keys",
    [
        ("title: Report: 2026, north", {"title": "Report: 2026, north"}),
        ("title: |\n  two\n  lines", {"title": "two\nlines"}),
        ("title: >-\n  one\n  line", {"title": "one line"}),
        ("title: one\n  line", {"title": "one line"}),
        ("\"title\": 'it''s'  # why", {"title": "it's"}),
        ("authors:\n- Ann\n- Bob", {"authors": "Ann, Bob"}),
        ("author:\n  name: Ann\n  mail: a@b.c", {"author": "name: Ann, mail: a@b.c"}),
        ("date: 2026-01-02\ntoc: yes\nx: ~", {"date": "2026-01-02", "toc": "yes", "x": "~"}),
        ("a: &x [*x, *x]\nb: *x", {"a": "&x [*x, *x]", "b": "*x"}),
        ("a: !!python/object/apply:os.system [x]", {"a": "!!python/object/apply:os.system [x]"}),
        ('a: "\\x1b\\0b"', {"a": "\ufffd\ufffdb"}),
    ],
)
def test_front_matter_is_yaml_without_types_tags_and_anchors(lines: str, keys: dict[str, str]) -> None:
    document = read_document(f"---\n{lines}\n---\ntext")
    assert dict(document.meta) == keys
    assert all(note.reason.startswith("nothing shows") for note in document.notes)


@given(st.text(alphabet="ab:-[]{}\"'|>&*!#\\x1 \n", max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_front_matter_is_bounded_texts(lines: str) -> None:
    document = read_document(f"---\n{lines}\n---\n")
    assert all(len(value) <= 2_000 and not CONTROLS.search(value) for _, value in document.meta)


@given(
    st.sampled_from(["portrait", "p", "port", "landscape", "l", "land"]),
    st.sampled_from(["orient", "orientation", "o"]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
@settings(max_examples=20, deadline=None)
def test_pages(orient: str, name: str, cols: int, lines: bool) -> None:
    parameters = [f"{name}: {orient}", f"cols: {cols}", "column-fill: auto"]
    inside = "page\n" + "\n".join(parameters) + "\n" if lines else "page " + ", ".join(parameters) + " /"
    document = read_document("{{" + inside + "}}a")
    (sheet,) = document.sheets
    assert (sheet.landscape, sheet.columns, sheet.fill) == (orient[0] == "l", cols, True)
    assert document.notes == ()


def test_a_letter_for_a_place_is_the_side_of_the_text() -> None:
    block = only("{{ para align: c }}a{{ /para }}")
    assert isinstance(block, b.Passage) and (block.align, block.place) == ("center", ())


@given(st.permutations("<>^v-"), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_places_are_up_to_two_signs(signs: list[str], count: int) -> None:
    said = "".join(signs[:count])
    block = only(f'{{{{ para align: "{said}" }}}}a{{{{ /para }}}}')
    assert isinstance(block, b.Passage)
    places = {"<": "left", ">": "right", "^": "top", "v": "bottom"}
    wanted = {places[sign] for sign in said if sign in places} if count < 3 else set()
    assert wanted <= set(block.place) and len(block.place) <= 2
    assert bool(reasons(f'{{{{ para align: "{said}" }}}}a{{{{ /para }}}}')) == (count == 3)


@given(
    st.sampled_from("lrtbxya"),
    st.integers(0, 5),
    st.sampled_from(HUES),
    st.sampled_from(SHADES),
    st.sampled_from(["vis ref: p/a", "img ref: a.png", "author username: a", "callout", "para"]),
)
@settings(max_examples=40, deadline=None)
def test_every_box_has_the_common_parameters(side: str, size: int, hue: str, shade: int, name: str) -> None:
    color = f"{hue}-{shade}"
    comma = "," if " " in name else ""
    said = f"p: {side}{size} a1, m: {side}{size}, b: [{side}{size} {color}, {side}1], fg: {color}, bg: #ABC"
    (block, *_) = read_document(
        f"{{{{ {name}{comma} {said} }}}}a{{{{ /{name.split(maxsplit=1)[0]} }}}}"
    ).blocks()
    look = block.box  # type: ignore[union-attr]
    borders = (b.Border(side, size, color), b.Border(side, 1))
    assert look == b.BoxLook(((side, size), ("a", 1)), ((side, size),), borders, color, "#aabbcc")


@pytest.mark.parametrize("length", ["50%", "240px", "8cm", "12.5mm", "3ch", ".5em", "2pc", "4q", "30vmin"])
def test_lengths_of_css(length: str) -> None:
    block = only(f"{{{{ para width: {length}, height: {length} }}}}a{{{{ /para }}}}")
    assert isinstance(block, b.Passage) and (block.width, block.height) == (length, length)
    assert reasons("{{ para width: auto }}a{{ /para }}") == []


def test_parameters_may_be_lines_of_yaml() -> None:
    author = only("{{ author\nusername: ann\noverride bio: >\n  Writes,\n  mostly.\n}}")
    assert author == b.AuthorBox(1, "ann", True, True, True, "Writes, mostly.")
    assert reasons("{{ author\nusername: ann\nbio: |\n  a\n}}") != []


def test_captions_have_marks() -> None:
    image = only("{{ img ref: a.png, caption: In *kroner* {/u/a/p/b/v/c} }}")
    assert isinstance(image, b.ImageBox)
    em, variable = s.Styled("em", (s.PlainText("kroner"),)), s.VariableMention("/u/a/p/b/v/c")
    assert image.caption == (s.PlainText("In "), em, s.PlainText(" "), variable)


@pytest.mark.parametrize(
    "text,mention",
    [
        ("{pageref##Costs}", s.PageMention(2, "Costs")),
        ("{pageref###Costs (2026)}", s.PageMention(3, "Costs (2026)")),
        ("{pageref##(Costs (2026))}", s.PageMention(2, "Costs (2026)", True)),
        ("{pageref##[see](Costs (2026))}", s.PageMention(2, "Costs (2026)", True, "see")),
        ("{pageref##Costs {colspan:all}}", s.PageMention(2, "Costs {colspan:all}")),
    ],
)
def test_page_references(text: str, mention: s.PageMention) -> None:
    assert only(text) == b.Paragraph(1, (mention,))


@pytest.mark.parametrize(
    "text,line,column,reason",
    [
        ("a\nb [[clr,fg,nocolor: x]]", 2, 3, "write a colour"),
        ("a [[foo: x]]", 1, 3, "there are ftn and clr"),
        ("# A {foo: bar}", 1, 1, "of a heading is not understood"),
        ("{{/* open", 1, 1, "comment is not closed"),
        ("a {{ vis ref: x", 1, 3, "section is not closed"),
        ("{{ img ref: a.png, link: javascript:x }}", 1, 20, "is no link"),
        ("{{ para align: up }}a{{ /para }}", 1, 9, "is no place"),
    ],
)  # fmt: skip
def test_mistakes_are_noted_at_their_places(text: str, line: int, column: int, reason: str) -> None:
    (note,) = read_document(text).notes
    assert (note.line, note.column) == (line, column) and reason in note.reason


@pytest.mark.parametrize("sign", ["\ue000", "\ue0015\ue001", "\uf8ff"])
def test_letters_of_private_use_are_letters(sign: str) -> None:
    assert only(f"a {sign} b") == b.Paragraph(1, (s.PlainText(f"a {sign} b"),))


@pytest.mark.parametrize(
    "text",
    ["words {{{{ vis\n{0}", "{{{{\n\n\n {0} {{{{ img ref: a.png }}}}\n<b>", "{{{{/* open\n\n{{{{ open\n- {0}",
     "{{{{ a\n\n> {{{{ b\n> {0}\n"],
)  # fmt: skip
def test_a_section_behind_open_braces_keeps_its_line(text: str) -> None:
    document = read_document(text.format("{{ vis ref: /u/a/p/b }}"))
    line = text.partition("{0}")[0].count("\n") + 1
    assert [block.line for block in document.blocks() if isinstance(block, b.VisBox)] == [line]


@given(
    st.sampled_from(
        ["words\n{pad}", "- a\n{pad}", "> a\n{pad}", "T\n: D\n{pad}", "T\n: D\n\n    ",
         "a[^1]\n\n[^1]: n\n\n    ", "{{{{ preview }}}}p{{{{ /preview }}}}",
         "# head", "a | b\n-|-\nc {pad}", "| a {pad}", "a {{{{/* b */}}}} `c` ", "> - a\n{pad}b ",
         "12) a\n{pad}- ", "a\n{pad}> ", "[^1]: n\n\n    ", "- " * 30,
         "words\n{{{{ preview }}}}p{{{{ /preview }}}}"]
    ),
    st.text(alphabet=" \t", max_size=9),
    st.sampled_from(["SECRET", "\n  SECRET", "\n\nSECRET", "\n\n- SECRET\n\n      SECRET"]),
    st.sampled_from(["", "\n{{ /notes }}", "\n\n    {{ /notes }}"]),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_speaker_notes_are_never_a_part_of_the_page(place: str, pad: str, said: str, end: str) -> None:
    text = f"{place.format(pad=pad)}{{{{ notes }}}}{said}{end}"
    for document in (read_document(text), read_mail(text).document):
        # Lines of code are no section.
        if not any(isinstance(block, b.CodeBlock) for block in document.blocks()):
            assert "SECRET" not in "".join(map(b.words_of, map_lines(document)))


def map_lines(document: b.Document) -> Iterator[s.Spans]:
    return (line for block in document.blocks() for line in b.spans_in(block))
