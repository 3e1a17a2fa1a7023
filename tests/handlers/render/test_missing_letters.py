"""Characters without a letter in any typeface are named once, in every form that shows boxes for them."""

from handlers.render.missing_letters import has_letter, letter_notes, merge_notes, missing_letters, svg_notes
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder

# Of Unicode's plane for ideographs that were last encoded, and private letters of scripts without a typeface.
NOWHERE = "".join(map(chr, (0x323AE, 0x16D40, 0x11BC0)))
SENTENCE = f"no font on this server has 3 characters of the text: {' '.join(NOWHERE)}"


def test_letters_of_the_bundled_faces_are_there() -> None:
    assert missing_letters("Ærø Łódź Ελλάς Москва € – “x” \u00a0\u200d\u2067\ufe0f\n") == []


def test_signs_that_nothing_draws_are_named_once_in_their_order() -> None:
    assert missing_letters(f"a{NOWHERE}b{NOWHERE}") == list(NOWHERE)
    assert letter_notes(NOWHERE) == (SENTENCE,)
    assert letter_notes(NOWHERE[0] * 2) == (
        f"no font on this server has 1 character of the text: {NOWHERE[0]}",
    )
    assert letter_notes("") == ()
    assert letter_notes(map(chr, range(0x4E00, 0x4E10)))[0].endswith(" …")
    assert not has_letter(ord(NOWHERE[0]))


def test_only_texts_of_a_drawing_are_checked() -> None:
    drawing = f'<svg><title>{NOWHERE}</title><text x="1">a<tspan>{NOWHERE[0]}</tspan>&amp;</text></svg>'
    assert svg_notes(drawing) == letter_notes(NOWHERE[0])


def test_notes_of_the_library_about_signs_become_one() -> None:
    notes = [
        f'.notdef glyph rendered for Unicode string unsupported by fonts: "{sign}" (U+1)' for sign in NOWHERE
    ]
    assert merge_notes([notes[0], "other", *notes[1:]]) == ("other", SENTENCE)


def test_plots_grids_and_documents_note_them() -> None:
    plot = {"data": f"name,v\n{NOWHERE},5\nb,4\n", "config/type": "hbar"}
    for form in ("svg", "png", "pdf"):
        assert SENTENCE in render_order(RenderOrder("plot", form, plot)).notes
    content = f"# a\n\n{NOWHERE[0]} and {NOWHERE[1]}\n\n{{{{ page /}}}}\n\n{NOWHERE}\n"
    assert SENTENCE in render_order(RenderOrder("doc", "pdf", {"content": content})).notes
